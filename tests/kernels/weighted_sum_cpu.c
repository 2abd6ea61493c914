/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/weighted_sum.h"

void grey_cpu(size_t n, const float *r, const float *g, const float *b, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
}

void chain_cpu(size_t n, const double *x, const double *y, double *out) {
    for (size_t i = 0; i < n; ++i) out[i] = ((x[i] * y[i] + y[i]) * x[i] + y[i]) * x[i] + y[i];
}
