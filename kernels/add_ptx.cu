/* SPDX-License-Identifier: Apache-2.0 */
/* See add_ptx.h. What makes it PTX alone is ptx_only in BUILD. */
#include "kernels/add_ptx.h"

#include <cuda_runtime.h>

enum { THREADS = 256, MAX_BLOCKS = 2147483647 };

__global__ void add_ptx_kernel(size_t n, const float *x, const float *y, float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + y[i];
}

cudaError_t add_ptx_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                        cudaStream_t stream) {
    const size_t blocks = n / THREADS + (n % THREADS != 0);
    if (n == 0) return cudaSuccess;
    if (d_x == NULL || d_y == NULL || d_out == NULL || blocks > MAX_BLOCKS)
        return cudaErrorInvalidValue;
    add_ptx_kernel<<<(unsigned)blocks, THREADS, 0, stream>>>(n, d_x, d_y, d_out);
    return cudaGetLastError();
}

cudaError_t add_ptx_gpu_load(void) {
    struct cudaFuncAttributes unused;
    return cudaFuncGetAttributes(&unused, (const void *)add_ptx_kernel);
}
