/* SPDX-License-Identifier: Apache-2.0 */
/* See 07_banks.h. */
#include "lessons/parts/07_banks.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/lesson_pictures.h"

enum { TILE = 32 };

size_t bank_steps(const size_t word[LANES]) {
    size_t most = 0;
    for (size_t bank = 0; bank < BANKS; bank++) {
        size_t steps = 0;
        for (size_t lane = 0; lane < LANES; lane++) {
            bool seen = word[lane] % BANKS != bank; /* the same word is given to all at once */
            for (size_t other = 0; other < lane && !seen; other++) seen = word[other] == word[lane];
            steps += !seen;
        }
        if (steps > most) most = steps;
    }
    return most;
}

/* The word of element (row, col) in a tile of `width` columns, where they are exchanged or not. */
static size_t word_of(size_t width, bool swizzled, size_t row, size_t col) {
    return row * width + (swizzled ? col ^ row : col);
}

static const struct {
    const char *name;
    size_t width;
    bool swizzled;
} TILES[] = {
    {"float tile[32][32]", TILE, false},
    {"float tile[32][33]", TILE + 1, false},
    {"[32][32], column c ^ r", TILE, true},
};

static size_t steps_of(size_t width, bool swizzled, bool column) {
    size_t word[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        word[lane] = column ? word_of(width, swizzled, lane, 5) : word_of(width, swizzled, 5, lane);
    return bank_steps(word);
}

void show_banks(Lesson *lesson) {
    printf("\n1. Shared memory has %d banks; a warp's access takes, counted:\n\n", BANKS);
    printf("   %-26s %16s %16s %14s\n", "tile", "a row of it", "a column of it", "bytes");
    for (size_t i = 0; i < sizeof TILES / sizeof TILES[0]; i++) {
        const size_t row = steps_of(TILES[i].width, TILES[i].swizzled, false);
        const size_t column = steps_of(TILES[i].width, TILES[i].swizzled, true);
        printf("   %-26s %16s %16s %14zu\n", TILES[i].name, text_counted(row, "step"),
               text_counted(column, "step"), TILE * TILES[i].width * sizeof(float));
        Record *record = record_row(lesson->record, "tiles");
        record_text(record, "tile", TILES[i].name);
        record_count(record, "row_steps", row);
        record_count(record, "column_steps", column);
    }
    printf("   Lanes that want different words of one bank are served one after another.\n\n");
    if (lesson->options.plot_path != NULL) lesson_picture(lesson, "banks", picture_banks(5));
}
