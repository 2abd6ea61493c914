/* SPDX-License-Identifier: Apache-2.0 */
/* philox.h's functions run in a kernel, for comparing bits with the host. */
#ifndef TESTS_COMMON_PHILOX_ON_DEVICE_H
#define TESTS_COMMON_PHILOX_ON_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks first_block to first_block + blocks - 1 of seed: 4 words each to d_bits,
 * 4 uniforms to d_uniform, 4 normals to d_normal. */
cudaError_t philox_on_device(uint64_t first_block, size_t blocks, uint64_t seed, uint32_t *d_bits,
                             float *d_uniform, float *d_normal);

/* philox_normal_pair of n pairs of given words. */
cudaError_t normal_pairs_on_device(size_t n, const uint32_t *d_a, const uint32_t *d_b, float *d_x,
                                   float *d_y);

#ifdef __cplusplus
}
#endif

#endif
