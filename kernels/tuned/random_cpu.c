/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of random.h: each element by itself, from its own index, with
 * none of the grouping that the kernels use. */
#include "kernels/tuned/random.h"

#include "common/philox.h"

void philox_normal_cpu(size_t n, uint64_t seed, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = philox_normal_block(seed, i / 4).v[i % 4];
}

void philox_uniform_cpu(size_t n, uint64_t seed, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = philox_uniform(philox_block(seed, i / 4).v[i % 4]);
}
