/* SPDX-License-Identifier: Apache-2.0 */
/* out[i] = x[i] + y[i], one thread for each element: with the guard, without it, and a form in which
 * each thread records its own index. Contracts in add.h. */
#include "kernels/add.h"

#include <cuda_runtime.h>

enum { MAX_THREADS = 1024, MAX_BLOCKS = 2147483647 };

__global__ void add_one_per_thread_kernel(size_t n, const float *x, const float *y, float *out) {
    /* In size_t before the product: blockIdx.x * blockDim.x is a 32-bit product
     * and would wrap beyond 2^32 threads. */
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    /* The grid is whole blocks, n is not: the last block has threads too many. */
    if (i < n) out[i] = x[i] + y[i];
}

/* The mistake: every thread that was started computes and writes, needed or not. */
__global__ void add_without_guard_kernel(const float *x, const float *y, float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] + y[i];
}

/* Writes, for each element, the block and the thread that compute it. */
__global__ void owner_one_per_thread_kernel(size_t n, uint32_t *block, uint32_t *thread) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}

size_t one_per_thread_blocks(size_t n, unsigned threads) {
    return n / threads + (n % threads != 0);
}

static bool launchable(size_t n, unsigned threads) {
    return threads >= 1 && threads <= MAX_THREADS &&
           one_per_thread_blocks(n, threads) <= MAX_BLOCKS;
}

cudaError_t add_one_per_thread_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                   unsigned threads, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (d_x == NULL || d_y == NULL || d_out == NULL || !launchable(n, threads))
        return cudaErrorInvalidValue;
    const unsigned blocks = (unsigned)one_per_thread_blocks(n, threads);
    add_one_per_thread_kernel<<<blocks, threads, 0, stream>>>(n, d_x, d_y, d_out);
    return cudaGetLastError();
}

cudaError_t add_without_guard_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                  unsigned threads, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (d_x == NULL || d_y == NULL || d_out == NULL || !launchable(n, threads))
        return cudaErrorInvalidValue;
    const unsigned blocks = (unsigned)one_per_thread_blocks(n, threads);
    add_without_guard_kernel<<<blocks, threads, 0, stream>>>(d_x, d_y, d_out);
    return cudaGetLastError();
}

cudaError_t owner_one_per_thread_gpu(size_t n, uint32_t *d_block, uint32_t *d_thread,
                                     unsigned threads, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (d_block == NULL || d_thread == NULL || !launchable(n, threads))
        return cudaErrorInvalidValue;
    const unsigned blocks = (unsigned)one_per_thread_blocks(n, threads);
    owner_one_per_thread_kernel<<<blocks, threads, 0, stream>>>(n, d_block, d_thread);
    return cudaGetLastError();
}
