/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/weighted_sum.h"

enum { THREADS = 256 };

__global__ void grey_kernel(size_t n, const float *r, const float *g, const float *b, float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
}

__global__ void chain_kernel(size_t n, const double *x, const double *y, double *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ((x[i] * y[i] + y[i]) * x[i] + y[i]) * x[i] + y[i];
}

cudaError_t grey_gpu(size_t n, const float *d_r, const float *d_g, const float *d_b, float *d_out) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    grey_kernel<<<blocks, THREADS>>>(n, d_r, d_g, d_b, d_out);
    return cudaGetLastError();
}

cudaError_t chain_gpu(size_t n, const double *d_x, const double *d_y, double *d_out) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    chain_kernel<<<blocks, THREADS>>>(n, d_x, d_y, d_out);
    return cudaGetLastError();
}
