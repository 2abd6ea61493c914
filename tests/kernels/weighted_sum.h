/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products, where a compiler may fuse a multiplication with an addition
 * and so round once instead of twice: the grey value of a pixel in float32, and
 * a chain of four in float64. Kernels in weighted_sum.cu, the same expressions
 * for the host in weighted_sum_cpu.c. */
#ifndef TESTS_KERNELS_WEIGHTED_SUM_H
#define TESTS_KERNELS_WEIGHTED_SUM_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = 0.299 r[i] + 0.587 g[i] + 0.114 b[i] */
cudaError_t grey_gpu(size_t n, const float *d_r, const float *d_g, const float *d_b, float *d_out);
void grey_cpu(size_t n, const float *r, const float *g, const float *b, float *out);

/* out[i] = ((x y + y) x + y) x + y with x, y = x[i], y[i] */
cudaError_t chain_gpu(size_t n, const double *d_x, const double *d_y, double *d_out);
void chain_cpu(size_t n, const double *x, const double *y, double *out);

#ifdef __cplusplus
}
#endif

#endif /* TESTS_KERNELS_WEIGHTED_SUM_H */
