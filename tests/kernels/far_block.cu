/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/far_block.h"

#include "kernels/elementwise_body.h"

__global__ void add_one_block_kernel(ElementwisePlan plan, size_t block, int only_thread,
                                     const float *x, const float *y, float *out) {
    const ElementwiseScalars none = {0.0f, 0};
    if (only_thread != EVERY_THREAD && threadIdx.x != (unsigned)only_thread) return;
    elementwise_body(OP_ADD, HINT_NONE, plan.per_thread, plan, block, none, x, y, out);
}

cudaError_t add_one_block_gpu(ElementwisePlan plan, size_t block, int only_thread,
                              const float *d_x, const float *d_y, float *d_out) {
    add_one_block_kernel<<<1, plan.threads>>>(plan, block, only_thread, d_x, d_y, d_out);
    return cudaGetLastError();
}
