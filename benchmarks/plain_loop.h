/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that a C programmer writes, compiled at -O2 and nothing more: what
 * the CPU device's speed is held against. In a file of its own, so that no
 * caller is optimised together with it. */
#ifndef BENCHMARKS_PLAIN_LOOP_H
#define BENCHMARKS_PLAIN_LOOP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x[i] + y[i] for i in [0, n), on the calling thread. */
void add_plain_loop(size_t n, const float *x, const float *y, float *out);

#ifdef __cplusplus
}
#endif

#endif /* BENCHMARKS_PLAIN_LOOP_H */
