/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise kernels and their launchers; contracts in elementwise.h. Every
 * kernel is the shared loop of elementwise_body.h with one operation filled in;
 * every launcher checks its arguments, plans the grid, launches and returns the
 * launch's status. */
#include "kernels/tuned/elementwise.h"

#include <stdint.h>

#include "kernels/tuned/elementwise_body.h"

/* One access of 16 bytes in flight per thread and array: with 32 registers an SM
 * holds 2,048 such threads, which keeps its memory busy. benchmarks/README.md
 * says how to measure other shapes with elementwise_tuner. */
enum { THREADS = 256, UNROLL = 1, HINT = HINT_NONE };

/* The largest grid that a device accepts. Beyond it the loop over chunks runs
 * more than once. */
enum { MAX_BLOCKS = 2147483647 };

/* ---- The plan --------------------------------------------------------- */

/* Floats that p lies past a 16-byte boundary. */
static size_t floats_past_boundary(const void *p) {
    return (uintptr_t)p % sizeof(float4) / sizeof(float);
}

ElementwisePlan elementwise_plan(size_t n, const void *d_x, const void *d_y, const void *d_out) {
    ElementwisePlan plan;
    const size_t past = floats_past_boundary(d_out);
    const bool same = (d_x == NULL || floats_past_boundary(d_x) == past) &&
                      (d_y == NULL || floats_past_boundary(d_y) == past);

    plan.width = same ? 4 : 1;
    plan.head = same ? (4 - past) % 4 : 0;
    if (plan.head > n) plan.head = n;
    plan.groups = (n - plan.head) / plan.width;
    plan.tail = n - plan.head - plan.groups * plan.width;
    plan.per_thread = same ? (unsigned)UNROLL : (unsigned)ELEMENTWISE_NARROW_UNROLL;
    plan.threads = THREADS;

    const size_t chunk_size = (size_t)plan.threads * plan.per_thread;
    size_t blocks = plan.groups / chunk_size + (plan.groups % chunk_size != 0);
    if (blocks == 0) blocks = 1; /* head and tail still need block 0 */
    plan.blocks = (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
    return plan;
}

void elementwise_owner(const ElementwisePlan *plan, size_t index, size_t *block, unsigned *thread) {
    const size_t past_groups = plan->head + plan->groups * plan->width;
    if (index < plan->head) {
        *block = 0;
        *thread = (unsigned)index;
    } else if (index >= past_groups) {
        *block = 0;
        *thread = (unsigned)(plan->head + index - past_groups);
    } else {
        const size_t group = (index - plan->head) / plan->width;
        const size_t chunk = group / ((size_t)plan->threads * plan->per_thread);
        *block = chunk % plan->blocks;
        *thread = (unsigned)(group % plan->threads);
    }
}

/* ---- Kernels ---------------------------------------------------------- */

static __device__ __forceinline__ void run(ElementwiseOp op, ElementwisePlan plan, float a,
                                           int exponent, const float *x, const float *y,
                                           float *out) {
    const ElementwiseScalars scalars = {a, exponent};
    elementwise_body(op, (ElementwiseHint)HINT, UNROLL, plan, blockIdx.x, scalars, x, y, out);
}

__global__ void add_kernel(ElementwisePlan plan, const float *x, const float *y, float *out) {
    run(OP_ADD, plan, 0.0f, 0, x, y, out);
}

__global__ void multiply_kernel(ElementwisePlan plan, const float *x, const float *y, float *out) {
    run(OP_MULTIPLY, plan, 0.0f, 0, x, y, out);
}

__global__ void square_kernel(ElementwisePlan plan, const float *x, float *out) {
    run(OP_SQUARE, plan, 0.0f, 0, x, NULL, out);
}

__global__ void cube_kernel(ElementwisePlan plan, const float *x, float *out) {
    run(OP_CUBE, plan, 0.0f, 0, x, NULL, out);
}

__global__ void pow_int_kernel(ElementwisePlan plan, const float *x, int exponent, float *out) {
    run(OP_POW_INT, plan, 0.0f, exponent, x, NULL, out);
}

__global__ void saxpy_kernel(ElementwisePlan plan, float a, const float *x, float *y) {
    run(OP_SAXPY, plan, a, 0, x, y, y);
}

__global__ void fill_kernel(ElementwisePlan plan, float value, float *out) {
    run(OP_FILL, plan, value, 0, NULL, NULL, out);
}

/* ---- Launchers -------------------------------------------------------- */

/* A pointer that a kernel may use as float *: not null, aligned to 4 bytes. A
 * misaligned one would end in cudaErrorMisalignedAddress, after which no call
 * to the device works any more. */
static bool usable(const void *p) { return p != NULL && (uintptr_t)p % sizeof(float) == 0; }

cudaError_t add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                    cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_y) || !usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, d_y, d_out);
    add_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, d_x, d_y, d_out);
    return cudaGetLastError();
}

cudaError_t add_gpu_load(void) {
    struct cudaFuncAttributes unused;
    return cudaFuncGetAttributes(&unused, (const void *)add_kernel);
}

cudaError_t multiply_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                         cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_y) || !usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, d_y, d_out);
    multiply_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, d_x, d_y, d_out);
    return cudaGetLastError();
}

cudaError_t square_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, NULL, d_out);
    square_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, d_x, d_out);
    return cudaGetLastError();
}

cudaError_t cube_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, NULL, d_out);
    cube_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, d_x, d_out);
    return cudaGetLastError();
}

/* Fused, x**2 * x is the cube. The two names stay because one is an operation
 * and the other an expression that lesson 03 sets beside its two-step form. */
cudaError_t cube_fused_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    return cube_gpu(n, d_x, d_out, stream);
}

cudaError_t cube_two_step_gpu(size_t n, const float *d_x, float *d_temp, float *d_out,
                              cudaStream_t stream) {
    const cudaError_t status = square_gpu(n, d_x, d_temp, stream);
    if (status != cudaSuccess) return status;
    return multiply_gpu(n, d_temp, d_x, d_out, stream);
}

cudaError_t pow_int_gpu(size_t n, const float *d_x, int exponent, float *d_out,
                        cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, NULL, d_out);
    pow_int_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, d_x, exponent, d_out);
    return cudaGetLastError();
}

cudaError_t saxpy_gpu(size_t n, float a, const float *d_x, float *d_y, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_x) || !usable(d_y)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, d_x, d_y, d_y);
    saxpy_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, a, d_x, d_y);
    return cudaGetLastError();
}

cudaError_t fill_gpu(size_t n, float value, float *d_out, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (!usable(d_out)) return cudaErrorInvalidValue;
    const ElementwisePlan plan = elementwise_plan(n, NULL, NULL, d_out);
    fill_kernel<<<plan.blocks, plan.threads, 0, stream>>>(plan, value, d_out);
    return cudaGetLastError();
}
