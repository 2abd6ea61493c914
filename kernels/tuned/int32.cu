/* SPDX-License-Identifier: Apache-2.0 */
/* Integer powers and true division; contracts in int32.h. */
#include "kernels/tuned/int32.h"

#include <cuda_runtime.h>

enum { THREADS = 256, MAX_BLOCKS = 2147483647 };

/* Unsigned, because signed overflow is undefined in C and unsigned wraps; the
 * low 32 bits of a product are the same for both. */
static __device__ __forceinline__ uint32_t power_of(uint32_t x, unsigned exponent) {
    uint32_t power = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1u) power *= x;
        x *= x;
    }
    return power;
}

__global__ void pow_int32_kernel(size_t n, const int32_t *x, unsigned exponent, int32_t *out) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = (int32_t)power_of((uint32_t)x[i], exponent);
}

__global__ void divide_int32_kernel(size_t n, const int32_t *x, const int32_t *y, double *out) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = (double)x[i] / (double)y[i];
}

static unsigned blocks_for(size_t n) {
    const size_t blocks = n / THREADS + (n % THREADS != 0);
    return (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

static bool usable(const void *p, size_t alignment) {
    return p != NULL && (uintptr_t)p % alignment == 0;
}

cudaError_t pow_int32_gpu(size_t n, const int32_t *d_x, int exponent, int32_t *d_out,
                          cudaStream_t stream) {
    if (exponent < 0) return cudaErrorInvalidValue; /* wrong for every n, so said for 0 too */
    if (n == 0) return cudaSuccess;
    if (!usable(d_x, sizeof *d_x) || !usable(d_out, sizeof *d_out)) return cudaErrorInvalidValue;
    pow_int32_kernel<<<blocks_for(n), THREADS, 0, stream>>>(n, d_x, (unsigned)exponent, d_out);
    return cudaGetLastError();
}

cudaError_t divide_int32_gpu(size_t n, const int32_t *d_x, const int32_t *d_y, double *d_out,
                             cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x, sizeof *d_x) || !usable(d_y, sizeof *d_y) || !usable(d_out, sizeof *d_out))
        return cudaErrorInvalidValue;
    divide_int32_kernel<<<blocks_for(n), THREADS, 0, stream>>>(n, d_x, d_y, d_out);
    return cudaGetLastError();
}
