/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers on the device; contracts in random.h. One Philox block gives
 * four numbers, so one thread makes four neighbours and writes them with one
 * 16-byte store. Which thread does it does not matter: the numbers depend on
 * the seed and the block's index alone. */
#include "kernels/tuned/random.h"

#include <cuda_runtime.h>

#include "common/philox.h"

enum { THREADS = 256, MAX_BLOCKS = 2147483647 };

/* Writes the numbers of Philox block `group` to out[4 group ...], as far as n
 * reaches. `aligned`: out is at a 16-byte boundary. */
static __device__ __forceinline__ void store_group(size_t n, size_t group, bool aligned,
                                                   float4 value, float *out) {
    const size_t i = 4 * group;
    if (aligned && n - i >= 4) {
        *(float4 *)(out + i) = value;
    } else {
        out[i] = value.x; /* i < n: the group exists */
        if (n - i > 1) out[i + 1] = value.y;
        if (n - i > 2) out[i + 2] = value.z;
        if (n - i > 3) out[i + 3] = value.w;
    }
}

__global__ void philox_normal_kernel(size_t n, uint64_t seed, bool aligned, float *out) {
    const size_t groups = n / 4 + (n % 4 != 0);
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t group = (size_t)blockIdx.x * blockDim.x + threadIdx.x; group < groups;
         group += stride) {
        const PhiloxNormal4 normal = philox_normal_block(seed, group);
        store_group(n, group, aligned,
                    make_float4(normal.v[0], normal.v[1], normal.v[2], normal.v[3]), out);
    }
}

__global__ void philox_uniform_kernel(size_t n, uint64_t seed, bool aligned, float *out) {
    const size_t groups = n / 4 + (n % 4 != 0);
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t group = (size_t)blockIdx.x * blockDim.x + threadIdx.x; group < groups;
         group += stride) {
        const Philox4x32 bits = philox_block(seed, group);
        store_group(n, group, aligned,
                    make_float4(philox_uniform(bits.v[0]), philox_uniform(bits.v[1]),
                                philox_uniform(bits.v[2]), philox_uniform(bits.v[3])),
                    out);
    }
}

static unsigned blocks_for(size_t n) {
    const size_t groups = n / 4 + (n % 4 != 0);
    const size_t blocks = groups / THREADS + (groups % THREADS != 0);
    return (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

static bool usable(const void *p) { return p != NULL && (uintptr_t)p % sizeof(float) == 0; }

static bool aligned_16(const void *p) { return (uintptr_t)p % sizeof(float4) == 0; }

cudaError_t philox_normal_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_out)) return cudaErrorInvalidValue;
    philox_normal_kernel<<<blocks_for(n), THREADS, 0, stream>>>(n, seed, aligned_16(d_out), d_out);
    return cudaGetLastError();
}

cudaError_t philox_uniform_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_out)) return cudaErrorInvalidValue;
    philox_uniform_kernel<<<blocks_for(n), THREADS, 0, stream>>>(n, seed, aligned_16(d_out), d_out);
    return cudaGetLastError();
}
