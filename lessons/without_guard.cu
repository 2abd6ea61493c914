/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of lesson 03 that has no `if (i < n)`; see without_guard.h. The
 * right one is add_one_per_thread_kernel in kernels/one_per_thread.cu. */
#include "lessons/without_guard.h"

static __global__ void add_without_guard_kernel(const float *x, const float *y, float *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] + y[i];
}

cudaError_t add_without_guard_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                  unsigned threads, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (threads == 0 || d_x == NULL || d_y == NULL || d_out == NULL) return cudaErrorInvalidValue;
    size_t blocks = (n + threads - 1) / threads;
    add_without_guard_kernel<<<(unsigned)blocks, threads, 0, stream>>>(d_x, d_y, d_out);
    return cudaGetLastError();
}
