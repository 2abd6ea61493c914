/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lesson 05 that explain rather than compute: who owns which pixel, what a shape is
 * made of, what a launch must not be, and where 32 bits end. */
#ifndef LESSONS_SHAPES_H_
#define LESSONS_SHAPES_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"
#include "kernels/shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Lets each thread of an image of 37 x 100 pixels in blocks of 16 x 16 sign its pixel; checks all
 * signatures, and the scaled image in both orders of indices; draws the blocks for --plot. False if
 * one is wrong. */
bool show_image(Lesson *lesson, float factor);

/* A row of table 2: that many blocks of that many threads for n elements. */
typedef struct ShapeRow {
    const char *name; /* as a launch writes it: "<<<1, 1>>>" */
    unsigned blocks, threads;
} ShapeRow;

/* 2. Prints the heading, then a row for each shape: threads, those without an element, the warps that
 * an SM holds at a time of those that it could hold, and the median time; on the CPU device the time
 * and the share of a copy that a GPU took in the recorded run. Records it all. */
void shape_table(Lesson *lesson, size_t n);
void shape_row(Lesson *lesson, const ShapeRow *row, size_t n, const TimerStats *time, bool right);

/* The same for a shape that the device refused: it has no time, and never wins. */
void shape_refused(Lesson *lesson, const ShapeRow *row, cudaError_t status);

/* 3. Launches that cannot be, each with the error that it gives and what the output held after it:
 * poison, since nothing ran. False if one ran, or if the last, which can be, did not. */
bool show_limits(Lesson *lesson, float factor);

/* 4. The index of a thread beyond element 2^32, in 64 bits and in 32. False if the first is wrong. */
bool show_wrapped_index(Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_SHAPES_H_ */
