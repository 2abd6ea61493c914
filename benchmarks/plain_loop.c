/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/plain_loop.h"

void add_plain_loop(size_t n, const float *x, const float *y, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}
