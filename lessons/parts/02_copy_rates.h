/* SPDX-License-Identifier: Apache-2.0 */
/* What a copy between host and device costs, by the kind of host memory and the
 * way it is copied. Part of lesson 02. */
#ifndef LESSONS_COPY_RATES_H_
#define LESSONS_COPY_RATES_H_

#include <stdbool.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies lesson->options.n floats from x to d_buffer and from there to out:
 * pageable memory with cudaMemcpy, pinned memory with cudaMemcpy, and pageable
 * memory through the library's pinned buffers. Prints and records the times and
 * rates. False if a bit differed on the way there and back. */
bool show_copy_rates(Lesson *lesson, const float *x, float *out, float *d_buffer);

/* Prints and records what it took to make lesson->options.n numbers on the host and copy them,
 * and to make them on the device; on the CPU device what it took beside an H200. */
void show_made(Lesson *lesson, double host_ms, double copy_ms, const TimerStats *device);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_COPY_RATES_H_ */
