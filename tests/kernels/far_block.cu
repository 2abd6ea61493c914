/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/far_block.h"

#include <stdint.h>

#include "kernels/tuned/elementwise_body.h"

/* p, set back by `elements`: no such object exists, so through integers. */
static __device__ float *set_back(const float *p, size_t elements) {
    return (float *)((uintptr_t)p - elements * sizeof(float));
}

__global__ void add_one_block_kernel(ElementwisePlan plan, size_t block, int only_thread,
                                     size_t begin, const float *x, const float *y, float *out) {
    const ElementwiseScalars none = {0.0f, 0};
    if (only_thread != EVERY_THREAD && threadIdx.x != (unsigned)only_thread) return;
    elementwise_body(OP_ADD, HINT_NONE, plan.per_thread, plan, block, none, set_back(x, begin),
                     set_back(y, begin), set_back(out, begin));
}

cudaError_t add_one_block_gpu(ElementwisePlan plan, size_t block, int only_thread, size_t begin,
                              const float *d_x, const float *d_y, float *d_out) {
    add_one_block_kernel<<<1, plan.threads>>>(plan, block, only_thread, begin, d_x, d_y, d_out);
    return cudaGetLastError();
}
