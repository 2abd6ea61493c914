/* SPDX-License-Identifier: Apache-2.0 */
/* One block, or one thread, of the elementwise addition by itself. A launch of
 * 2^32 elements needs 48 GB; its last block touches a few kilobytes, and it is
 * there that index arithmetic in 32 bits goes wrong. */
#ifndef TESTS_KERNELS_FAR_BLOCK_H
#define TESTS_KERNELS_FAR_BLOCK_H

#include "kernels/tuned/elementwise.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EVERY_THREAD = -1 };

/* What block `block` of the plan's grid does for out = x + y: all its threads,
 * or the one given. The arrays in memory start with element `begin`: those
 * before it need not exist, and only what the block touches does. */
cudaError_t add_one_block_gpu(ElementwisePlan plan, size_t block, int only_thread, size_t begin,
                              const float *d_x, const float *d_y, float *d_out);

#ifdef __cplusplus
}
#endif

#endif /* TESTS_KERNELS_FAR_BLOCK_H */
