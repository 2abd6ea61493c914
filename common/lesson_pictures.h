/* SPDX-License-Identifier: Apache-2.0 */
/* What lessons draw, from plain data: those of a run (--plot) or of a recorded one
 * (docs/pictures/draw_record.c). Diagrams are drawn by svg_diagram.h, curves by gnuplot. */
#ifndef COMMON_LESSON_PICTURES_H_
#define COMMON_LESSON_PICTURES_H_

#include <stddef.h>

#include "common/svg_picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lesson 03: n > 0 elements, one a thread, in blocks of `block` > 0 threads; and how many floats
 * were written behind the end with the guard and without it. */
typedef struct OwnersPicture {
    size_t n, block, with_guard, without_guard;
} OwnersPicture;

/* The blocks of threads over their elements; threads without an element are grey. */
Picture picture_owners(const OwnersPicture *owners);

/* Lesson 03: x**2 * x on n elements as two operators and fused. */
typedef struct FusionPicture {
    size_t n;
    const char *two_steps, *fused; /* "1.06 ms"; null: no times are shown */
    const char *device;            /* whose times they are */
} FusionPicture;

/* What each form reads and writes, in bytes an element, and how long it took. */
Picture picture_fusion(const FusionPicture *fusion);

/* Lesson 05: an image under blocks of block_x by block_y threads, all > 0, at most 4,096 pixels. */
typedef struct ImagePicture {
    size_t rows, cols, block_x, block_y;
} ImagePicture;

/* The blocks over the image; the part of a block that has no pixels is grey. */
Picture picture_image(const ImagePicture *image);

/* Lesson 06: a warp's request. Lane t touches `width` bytes from byte first + t * step on. */
typedef struct SectorStrip {
    const char *pattern;
    size_t first, step, width, sectors;
} SectorStrip;

enum { SECTOR_STRIPS = 8 }; /* at most */

typedef struct SectorsPicture {
    size_t count;
    SectorStrip strips[SECTOR_STRIPS];
} SectorsPicture;

/* A strip of memory for each request, 32 sectors long, with the bytes that are used and the sectors
 * that come; what lies beyond is left out. */
Picture picture_sectors(const SectorsPicture *sectors);

/* Lesson 07: the first 16 rows of tiles of 32 and of 33 columns, each element with its bank's number in
 * shades, and column `column` < 16 marked. */
Picture picture_banks(size_t column);

/* Lesson 04: one call of x + x, in milliseconds. NaN: not measured, or not part of it. */
typedef struct ClockRow {
    const char *name; /* "first call" */
    double context_ms, allocate_ms, load_ms, launch_ms, wait_ms;
} ClockRow;

enum { CLOCK_ROWS = 4 }; /* at most */

typedef struct ClockPicture {
    const char *device; /* whose times they are; null: none are shown */
    size_t n;           /* 0: not known */
    size_t count;
    const ClockRow *rows;
} ClockPicture;

/* Each call as a line of its parts, and which of them the article's clock holds. */
Picture picture_clock(const ClockPicture *clock);

/* Lesson 04: a launch by its number, from 1, and the host time that it took. */
typedef struct QueuePoint {
    double launch, ms;
} QueuePoint;

enum { QUEUE_POINTS = 60 }; /* at most */

/* Makes points of the times of `launches` launches, each the median of some neighbours, which it
 * stands in the middle of. Returns how many. */
size_t queue_points(const double *launch_ms, size_t launches, QueuePoint points[QUEUE_POINTS]);

typedef struct QueuePicture {
    const char *device; /* null: the CPU device, whose times say nothing about a GPU */
    size_t n;
    size_t count;
    const QueuePoint *points;
    double kernel_ms; /* by events */
} QueuePicture;

/* Host time of a launch against its number, beside the kernel's time. By gnuplot. */
Picture picture_queue(const QueuePicture *queue);

enum { CROSSOVER_WAYS = 4 };

/* Lesson 04: median times of x + x at `count` sizes, in each of the ways. */
typedef struct CrossoverPicture {
    const char *device; /* null: the CPU device */
    const char *ways[CROSSOVER_WAYS];
    size_t count;
    const double *n;
    const double *ms[CROSSOVER_WAYS];
    double wins_from; /* the n from which on the device wins, marked; NaN or 0: none */
} CrossoverPicture;

/* Time against n, a curve for each way. By gnuplot. */
Picture picture_crossover(const CrossoverPicture *crossover);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_LESSON_PICTURES_H_ */
