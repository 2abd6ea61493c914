/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lesson 03 that explain rather than compute: which thread works
 * on which element, what the bounds guard is for, and what fusion saves. */
#ifndef LESSONS_THREADS_AND_ELEMENTS_H_
#define LESSONS_THREADS_AND_ELEMENTS_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"
#include "kernels/tuned/elementwise.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCK = 256 }; /* threads in a block of the textbook kernels */

/* Lets each thread of a one-thread-per-element launch sign the element that it
 * worked on, prints some of the signatures and checks all of the first
 * 2,000,000 against block = i / 256, thread = i % 256; then prints how the
 * kit's own kernels share the same elements out. False if one is wrong. */
bool show_threads_and_elements(Lesson *lesson, size_t n);

/* 1,000 elements in blocks of 256, with the guard and without, in arrays that
 * have room for the stray threads: counts the floats written past the end.
 * False if the guarded kernel wrote some, or the other one none. */
bool show_bounds_guard(Lesson *lesson);

/* Says which thread of a wide kernel computes `element`, which was wrong. */
void show_wide_owner(ElementwisePlan plan, size_t element);

/* The temporary's price: bytes of both forms of x**2 * x on n elements, and their times; on the
 * CPU device those that an H200 took, for the whole table. */
void show_fusion(Lesson *lesson, size_t n, const TimerStats *two_steps, const TimerStats *fused);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_THREADS_AND_ELEMENTS_H_ */
