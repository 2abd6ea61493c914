// SPDX-License-Identifier: Apache-2.0
#include "tests/common/philox_on_device.h"

#include "common/philox.h"

__global__ void philox_kernel(uint64_t first_block, size_t blocks, uint64_t seed, uint32_t *bits,
                              float *uniform, float *normal) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    Philox4x32 words = philox_block(seed, first_block + i);
    PhiloxNormal4 numbers = philox_normal_block(seed, first_block + i);
    for (int word = 0; word < 4; ++word) {
        bits[4 * i + word] = words.v[word];
        uniform[4 * i + word] = philox_uniform(words.v[word]);
        normal[4 * i + word] = numbers.v[word];
    }
}

__global__ void normal_pairs_kernel(size_t n, const uint32_t *a, const uint32_t *b, float *x,
                                    float *y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) philox_normal_pair(a[i], b[i], &x[i], &y[i]);
}

extern "C" cudaError_t philox_on_device(uint64_t first_block, size_t blocks, uint64_t seed,
                                        uint32_t *d_bits, float *d_uniform, float *d_normal) {
    philox_kernel<<<(unsigned)((blocks + 255) / 256), 256>>>(first_block, blocks, seed, d_bits,
                                                             d_uniform, d_normal);
    return cudaGetLastError();
}

extern "C" cudaError_t normal_pairs_on_device(size_t n, const uint32_t *d_a, const uint32_t *d_b,
                                              float *d_x, float *d_y) {
    normal_pairs_kernel<<<(unsigned)((n + 255) / 256), 256>>>(n, d_a, d_b, d_x, d_y);
    return cudaGetLastError();
}
