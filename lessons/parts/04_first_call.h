/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a program's first GPU call goes. Part of lesson 04.
 *
 * The rule to keep: first_call_start must be the first code of the process that
 * touches CUDA, and show_first_call the first that runs a kernel of
 * elementwise.cu; else the costs to be shown have been paid elsewhere. */
#ifndef LESSONS_FIRST_CALL_H_
#define LESSONS_FIRST_CALL_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"
#include "lessons/parts/04_processes.h"
#include "lessons/parts/04_timing_ways.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds on the host clock. */
typedef struct FirstCall {
    double driver_ms;  /* the first CUDA call of all: the driver starts */
    double context_ms; /* the context on the device */
    Processes processes; /* the same in processes of their own; not on the CPU device */
} FirstCall;

/* Measures the fresh processes, then starts driver and context here, on the device that
 * --device names. Ignores errors: lesson_begin, which comes next, finds and explains them. */
void first_call_start(const Lesson *lesson, FirstCall *first);

/* Computes x + x on the device a first time, a second time and in the steady
 * state, and prints each step's time; on the CPU device, why there is nothing to print.
 * c->x, c->out and c->n are given; c->d_x and c->d_out are allocated here, filled, and
 * left to the caller. True unless a result of the fresh processes was wrong. */
bool show_first_call(Lesson *lesson, const FirstCall *first, TimingCase *c);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_FIRST_CALL_H_ */
