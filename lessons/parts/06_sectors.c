/* SPDX-License-Identifier: Apache-2.0 */
/* See 06_sectors.h. */
#include "lessons/parts/06_sectors.h"

#include <stdio.h>

#include "common/lesson_pictures.h"

static const Request REQUESTS[] = {
    {"stride 1", 0, 4, 4},
    {"stride 2", 0, 8, 4},
    {"stride 8", 0, 32, 4},
    {"stride 32", 0, 128, 4},
    {"stride 1, offset 1", 4, 4, 4},
    {"float4", 0, 16, 16},
    {"x of 12-byte structs", 0, 12, 4},
};
enum { REQUEST_COUNT = sizeof REQUESTS / sizeof REQUESTS[0] };

size_t sectors_touched(const Request *request) {
    size_t sectors = 0, next = 0; /* all sectors before `next` have been counted */
    for (size_t lane = 0; lane < LANES; lane++) {
        const size_t begin = request->first + lane * request->step;
        const size_t first = begin / SECTOR_BYTES;
        const size_t last = (begin + request->width - 1) / SECTOR_BYTES;
        const size_t from = first > next ? first : next; /* addresses only grow */
        if (last + 1 > from) sectors += last + 1 - from;
        if (last + 1 > next) next = last + 1;
    }
    return sectors;
}

void show_sectors(Lesson *lesson) {
    SectorsPicture drawn = {.count = 0};
    printf("\n1. What a warp asks for, and what comes: %d-byte sectors, counted\n\n", SECTOR_BYTES);
    printf("   %-22s %12s %9s %14s %12s\n", "a warp reads", "bytes used", "sectors", "bytes moved",
           "moved / used");
    for (size_t i = 0; i < REQUEST_COUNT; i++) {
        const Request *request = &REQUESTS[i];
        const size_t used = LANES * request->width, sectors = sectors_touched(request);
        const double times = (double)(sectors * SECTOR_BYTES) / (double)used;
        printf("   %-22s %12zu %9zu %14zu %10.2f x\n", request->pattern, used, sectors,
               sectors * SECTOR_BYTES, times);
        Record *row = record_row(lesson->record, "requests");
        record_text(row, "pattern", request->pattern);
        record_count(row, "bytes_used", used);
        record_count(row, "sectors", sectors);
        drawn.strips[drawn.count++] =
            (SectorStrip){request->pattern, request->first, request->step, request->width, sectors};
    }
    printf("   A warp pays for sectors, not for the bytes that it asked for.\n");
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "sectors", picture_sectors(&drawn));
}
