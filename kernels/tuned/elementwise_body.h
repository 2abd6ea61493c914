/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that all elementwise kernels share. Internal: included by
 * elementwise.cu, by the tuner in benchmarks/ and by the tests, so that what is
 * measured and tested is what the library runs.
 *
 * The rule a caller must keep: `op`, `hint` and `unroll` are constants at each
 * call. The functions are inlined, so every `switch` and `if` on them is
 * decided by the compiler and each kernel holds its own operation only. This is
 * what a template would do, in plain C. */
#ifndef KERNELS_ELEMENTWISE_BODY_H
#define KERNELS_ELEMENTWISE_BODY_H

#include "kernels/tuned/elementwise.h"

#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

typedef enum ElementwiseOp {
    OP_ADD,
    OP_MULTIPLY,
    OP_SQUARE,
    OP_CUBE,
    OP_POW_INT,
    OP_SAXPY,
    OP_FILL
} ElementwiseOp;

/* Cache hints: "streaming" tells the L2 that the line will not be used again,
 * so that it is the first to make room. */
typedef enum ElementwiseHint {
    HINT_NONE,
    HINT_STREAM_LOADS,
    HINT_STREAM_STORES,
    HINT_STREAM_BOTH
} ElementwiseHint;

/* What the operations need besides arrays: the factor of saxpy or the value of
 * fill, and the exponent of pow_int. */
typedef struct ElementwiseScalars {
    float a;
    int exponent;
} ElementwiseScalars;

/* Accesses in flight per thread: at most, and for those of 4 bytes, which need
 * more of them to keep the memory busy. */
enum { ELEMENTWISE_MAX_UNROLL = 8, ELEMENTWISE_NARROW_UNROLL = 4 };

static __device__ __forceinline__ float power_of(float x, unsigned exponent) {
    float power = 1.0f;
    while (exponent != 0) {
        if (exponent & 1u) power *= x;
        exponent >>= 1;
        if (exponent != 0) x *= x;
    }
    return power;
}

/* Returns x to the power -exponent, given power, which is x to the power exponent.
 * Where power is outside the normal range (or NaN) its reciprocal would start from a
 * value that has overflowed or lost bits: start from 1 / x instead. */
static __device__ __forceinline__ float negative_power_of(float x, unsigned exponent, float power) {
    const float size = fabsf(power);
    if (size >= FLT_MIN && size <= FLT_MAX) return 1.0f / power;
    return power_of(1.0f / x, exponent);
}

static __device__ __forceinline__ float pow_int_of(float x, int exponent) {
    if (exponent >= 0) return power_of(x, (unsigned)exponent);
    const unsigned positive = 0u - (unsigned)exponent; /* right for INT_MIN too */
    return negative_power_of(x, positive, power_of(x, positive));
}

static __device__ __forceinline__ float4 multiply4(float4 a, float4 b) {
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

/* power_of for four numbers in one loop: what the loop itself costs is paid once, and four
 * products are under way at a time. The same products in the same order. */
static __device__ __forceinline__ float4 power_of4(float4 x, unsigned exponent) {
    float4 power = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    while (exponent != 0) {
        if (exponent & 1u) power = multiply4(power, x);
        exponent >>= 1;
        if (exponent != 0) x = multiply4(x, x);
    }
    return power;
}

static __device__ __forceinline__ float4 pow_int_of4(float4 x, int exponent) {
    if (exponent >= 0) return power_of4(x, (unsigned)exponent);
    const unsigned positive = 0u - (unsigned)exponent;
    const float4 power = power_of4(x, positive);
    return make_float4(negative_power_of(x.x, positive, power.x),
                       negative_power_of(x.y, positive, power.y),
                       negative_power_of(x.z, positive, power.z),
                       negative_power_of(x.w, positive, power.w));
}

static __device__ __forceinline__ float elementwise_apply(ElementwiseOp op, ElementwiseScalars s,
                                                          float x, float y) {
    switch (op) {
    case OP_ADD: return x + y;
    case OP_MULTIPLY: return x * y;
    case OP_SQUARE: return x * x;
    case OP_CUBE: return x * x * x;
    case OP_POW_INT: return pow_int_of(x, s.exponent);
    case OP_SAXPY: return s.a * x + y;
    case OP_FILL: return s.a;
    }
    return 0.0f;
}

static __device__ __forceinline__ float4 elementwise_apply4(ElementwiseOp op, ElementwiseScalars s,
                                                            float4 x, float4 y) {
    if (op == OP_POW_INT) return pow_int_of4(x, s.exponent);
    return make_float4(elementwise_apply(op, s, x.x, y.x), elementwise_apply(op, s, x.y, y.y),
                       elementwise_apply(op, s, x.z, y.z), elementwise_apply(op, s, x.w, y.w));
}

static __device__ __forceinline__ bool elementwise_reads_x(ElementwiseOp op) {
    return op != OP_FILL;
}

static __device__ __forceinline__ bool elementwise_reads_y(ElementwiseOp op) {
    return op == OP_ADD || op == OP_MULTIPLY || op == OP_SAXPY;
}

static __device__ __forceinline__ float4 elementwise_load4(ElementwiseHint hint, const float4 *p) {
    return hint == HINT_STREAM_LOADS || hint == HINT_STREAM_BOTH ? __ldcs(p) : *p;
}

static __device__ __forceinline__ float elementwise_load1(ElementwiseHint hint, const float *p) {
    return hint == HINT_STREAM_LOADS || hint == HINT_STREAM_BOTH ? __ldcs(p) : *p;
}

static __device__ __forceinline__ void elementwise_store4(ElementwiseHint hint, float4 *p,
                                                          float4 value) {
    if (hint == HINT_STREAM_STORES || hint == HINT_STREAM_BOTH) __stcs(p, value);
    else *p = value;
}

static __device__ __forceinline__ void elementwise_store1(ElementwiseHint hint, float *p,
                                                          float value) {
    if (hint == HINT_STREAM_STORES || hint == HINT_STREAM_BOTH) __stcs(p, value);
    else *p = value;
}

/* One thread's share of one chunk: accesses first, first + stride, ..., of 16
 * bytes each. All loads are issued before the first store, so that `unroll`
 * (twice that with two inputs) of them are under way at once; that is also what
 * allows out == x. `whole`: the chunk is known to lie inside the array. */
static __device__ __forceinline__ void elementwise_chunk4(
    ElementwiseOp op, ElementwiseHint hint, int unroll, bool whole, ElementwiseScalars s,
    size_t first, size_t stride, size_t groups, const float4 *x, const float4 *y, float4 *out) {
    float4 vx[ELEMENTWISE_MAX_UNROLL], vy[ELEMENTWISE_MAX_UNROLL];
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
        const size_t i = first + k * stride;
        vx[k] = vy[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (whole || i < groups) {
            if (elementwise_reads_x(op)) vx[k] = elementwise_load4(hint, x + i);
            if (elementwise_reads_y(op)) vy[k] = elementwise_load4(hint, y + i);
        }
    }
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
        const size_t i = first + k * stride;
        if (whole || i < groups) {
            elementwise_store4(hint, out + i, elementwise_apply4(op, s, vx[k], vy[k]));
        }
    }
}

/* The same with accesses of 4 bytes, for arrays whose alignments differ. */
static __device__ __forceinline__ void elementwise_chunk1(ElementwiseOp op, ElementwiseHint hint,
                                                          bool whole, ElementwiseScalars s,
                                                          size_t first, size_t stride, size_t n,
                                                          const float *x, const float *y,
                                                          float *out) {
    float vx[ELEMENTWISE_NARROW_UNROLL], vy[ELEMENTWISE_NARROW_UNROLL];
#pragma unroll
    for (int k = 0; k < ELEMENTWISE_NARROW_UNROLL; ++k) {
        const size_t i = first + k * stride;
        vx[k] = vy[k] = 0.0f;
        if (whole || i < n) {
            if (elementwise_reads_x(op)) vx[k] = elementwise_load1(hint, x + i);
            if (elementwise_reads_y(op)) vy[k] = elementwise_load1(hint, y + i);
        }
    }
#pragma unroll
    for (int k = 0; k < ELEMENTWISE_NARROW_UNROLL; ++k) {
        const size_t i = first + k * stride;
        if (whole || i < n)
            elementwise_store1(hint, out + i, elementwise_apply(op, s, vx[k], vy[k]));
    }
}

/* The work of one thread of block `block`. The block's number is a parameter,
 * and not blockIdx.x, so that a test can run any block of a huge array alone.
 * Index arithmetic is in size_t throughout: n may exceed 2^32. `unroll` is for
 * accesses of 16 bytes; plan.per_thread says what is meant. */
static __device__ __forceinline__ void elementwise_body(ElementwiseOp op, ElementwiseHint hint,
                                                        int unroll, ElementwisePlan plan,
                                                        size_t block, ElementwiseScalars s,
                                                        const float *x, const float *y,
                                                        float *out) {
    const size_t threads = blockDim.x, groups = plan.groups;

    if (plan.width == 4) {
        const size_t chunk = threads * unroll, step = chunk * plan.blocks;
        const float4 *x4 = (const float4 *)(x + plan.head);
        const float4 *y4 = (const float4 *)(y + plan.head);
        float4 *out4 = (float4 *)(out + plan.head);
        for (size_t start = block * chunk; start < groups; start += step) {
            const size_t first = start + threadIdx.x;
            if (start + chunk <= groups)
                elementwise_chunk4(op, hint, unroll, true, s, first, threads, groups, x4, y4, out4);
            else
                elementwise_chunk4(op, hint, unroll, false, s, first, threads, groups, x4, y4,
                                   out4);
        }
    } else {
        const size_t chunk = threads * ELEMENTWISE_NARROW_UNROLL, step = chunk * plan.blocks;
        for (size_t start = block * chunk; start < groups; start += step) {
            const size_t first = start + threadIdx.x;
            if (start + chunk <= groups)
                elementwise_chunk1(op, hint, true, s, first, threads, groups, x, y, out);
            else elementwise_chunk1(op, hint, false, s, first, threads, groups, x, y, out);
        }
    }

    /* At most 6 elements in front of and behind the whole accesses. */
    if (block == 0 && threadIdx.x < plan.head + plan.tail) {
        const size_t t = threadIdx.x;
        const size_t i = t < plan.head ? t : t + plan.groups * plan.width;
        const float vx = elementwise_reads_x(op) ? x[i] : 0.0f;
        const float vy = elementwise_reads_y(op) ? y[i] : 0.0f;
        out[i] = elementwise_apply(op, s, vx, vy);
    }
}

#endif /* KERNELS_ELEMENTWISE_BODY_H */
