/* SPDX-License-Identifier: Apache-2.0 */
/* From which n on the GPU wins: the same operation at growing sizes, as a table
 * and as a curve. Part of lesson 04. */
#ifndef LESSONS_CROSSOVER_H_
#define LESSONS_CROSSOVER_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"
#include "common/speed_up.h"
#include "lessons/parts/04_timing_ways.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The smallest index from which on fast[i] < slow[i] for all later i as well;
 * count if there is none. One lucky point in the middle is no crossover. */
size_t crossover_index(const double *slow_ms, const double *fast_ms, size_t count);

/* Times x + x at n = 1,000, 4,000, 16,000, ... up to n_max (or at n_max alone
 * where it is smaller, n_max > 0) on one CPU thread, on
 * all, on the device with the data there, and with transfers; checks the results
 * at each n; prints the table and, on a GPU, from where it wins; draws it for
 * --plot. The case's arrays have room for n_max; want too. False if a result was wrong. */
bool show_crossover(Lesson *lesson, const TimingCase *arrays, float *want, size_t n_max,
                    Doubts *doubts);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_CROSSOVER_H_ */
