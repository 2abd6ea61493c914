/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lesson 03 that explain rather than compute: which thread works
 * on which element, what the bounds guard is for, and what fusion saves. */
#ifndef LESSONS_THREADS_AND_ELEMENTS_H_
#define LESSONS_THREADS_AND_ELEMENTS_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lets each thread of a one-thread-per-element launch sign the element that it
 * worked on, prints some of the signatures and checks all of the first
 * 2,000,000 against block = i / 256, thread = i % 256; then prints how the
 * kit's own kernels share the same elements out. False if one is wrong. */
bool show_threads_and_elements(Lesson *lesson, size_t n);

/* 1,000 elements in blocks of 256, with the guard and without, in arrays that
 * have room for the stray threads: counts who writes past the end. False if
 * the guarded kernel did, or the other one did not. */
bool show_bounds_guard(Lesson *lesson);

/* The temporary's price: bytes and time of both forms of x**2 * x. */
void show_fusion(Lesson *lesson, double two_step_bytes, const TimerStats *two_step,
                 double fused_bytes, const TimerStats *fused);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_THREADS_AND_ELEMENTS_H_ */
