/* Random numbers with the same bits on host and device: Philox4x32-10.
 *
 * Counter based: number i of seed s is a pure function of (s, i), so any thread
 * can make any part of an array, in any order. Everything here is 32-bit integer
 * arithmetic and single float additions and multiplications, each rounded by
 * itself (never fused), so a compiler has nothing to choose: compile users of
 * the normal numbers with -ffp-contract=off on the host, as the kit's rules do.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_PHILOX_H_
#define COMMON_PHILOX_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__NVCC__) || defined(__CUDA__)
#define PHILOX_FN static __host__ __device__ __forceinline__
#else
#define PHILOX_FN static inline __attribute__((always_inline, unused))
#endif

/* One rounding each: on the device, nvcc would fuse `a * b + c` into one. */
#if defined(__CUDA_ARCH__) && !defined(LAB_CPU_DEVICE)
#define PHILOX_MUL(a, b) __fmul_rn((a), (b))
#define PHILOX_ADD(a, b) __fadd_rn((a), (b))
#define PHILOX_SQRT(a) __fsqrt_rn(a)
#define PHILOX_HIGH(a, b) __umulhi((a), (b))
#else
#define PHILOX_MUL(a, b) ((a) * (b))
#define PHILOX_ADD(a, b) ((a) + (b))
#define PHILOX_SQRT(a) __builtin_sqrtf(a)
#define PHILOX_HIGH(a, b) ((uint32_t)(((uint64_t)(a) * (b)) >> 32))
#endif

typedef struct Philox4x32 {
    uint32_t v[4];
} Philox4x32;

typedef struct Philox2x32 {
    uint32_t v[2];
} Philox2x32;

typedef struct PhiloxNormal4 {
    float v[4];
} PhiloxNormal4;

/* Ten rounds of Philox on a counter of 4 words of 32 bits with a key of 2.
 * Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3.
 *         SC 2011. */
PHILOX_FN Philox4x32 philox4x32_10(Philox4x32 counter, Philox2x32 key) {
    for (int round = 0; round < 10; ++round) {
        const uint32_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
        Philox4x32 next = {{PHILOX_HIGH(multiplier1, counter.v[2]) ^ counter.v[1] ^ key.v[0],
                            multiplier1 * counter.v[2],
                            PHILOX_HIGH(multiplier0, counter.v[0]) ^ counter.v[3] ^ key.v[1],
                            multiplier0 * counter.v[0]}};
        counter = next;
        key.v[0] += 0x9E3779B9u; /* golden ratio */
        key.v[1] += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    return counter;
}

/* The four words of block `block` of seed `seed`: numbers 4 * block to 4 * block + 3. */
PHILOX_FN Philox4x32 philox_block(uint64_t seed, uint64_t block) {
    Philox4x32 counter = {{(uint32_t)block, (uint32_t)(block >> 32), 0, 0}};
    Philox2x32 key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32_10(counter, key);
}

/* 24 random bits as a float: in [0, 1), and in (0, 1]. Exact. */
PHILOX_FN float philox_uniform(uint32_t bits) { return (float)(int32_t)(bits >> 8) * 0x1p-24f; }

PHILOX_FN float philox_uniform_positive(uint32_t bits) {
    return (float)((int32_t)(bits >> 8) + 1) * 0x1p-24f;
}

PHILOX_FN uint32_t philox_float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PHILOX_FN float philox_bits_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* a * b + c in two roundings. */
PHILOX_FN float philox_step(float a, float b, float c) { return PHILOX_ADD(PHILOX_MUL(a, b), c); }

/* Two independent normal numbers (mean 0, variance 1) from two words, by Box and
 * Muller's method: radius sqrt(-2 ln u), u in (0, 1], from a; angle from b. At
 * most 6.56 in size. The polynomials are minimax fits (relative error below 3e-8
 * for the logarithm, 6e-9 for the sine, absolute below 5e-8 for the cosine). */
PHILOX_FN void philox_normal_pair(uint32_t a, uint32_t b, float *x, float *y) {
    /* u = t * 2^-31 with t odd, so never 0. ln t = ln m + e ln 2, m in [sqrt 1/2, sqrt 2). */
    const uint32_t sqrt_half_bits = 0x3F3504F3u;
    float t = (float)(int32_t)((a >> 1) | 1u);
    uint32_t shifted = philox_float_bits(t) - sqrt_half_bits;
    float exponent = (float)((int32_t)(shifted >> 23) - 31);
    float m1 = PHILOX_ADD(philox_bits_float((shifted & 0x007FFFFFu) + sqrt_half_bits), -1.0f);
    float p = -0x1.654492p-3f; /* p(m1) = -2 ln(1 + m1) / m1 */
    p = philox_step(p, m1, 0x1.263ba6p-2f);
    p = philox_step(p, m1, -0x1.3238f0p-2f);
    p = philox_step(p, m1, 0x1.5332a4p-2f);
    p = philox_step(p, m1, -0x1.98b748p-2f);
    p = philox_step(p, m1, 0x1.000570p-1f);
    p = philox_step(p, m1, -0x1.555792p-1f);
    p = philox_step(p, m1, 0x1.fffff8p-1f);
    p = philox_step(p, m1, -2.0f);
    float square = philox_step(p, m1, PHILOX_MUL(exponent, -0x1.62e430p+0f)); /* 2 ln 2 */
    float radius = PHILOX_SQRT(square);

    /* The angle is pi * g, g in [-1/2, 1/2]: half the circle. The lowest bit of b,
     * which g has no room for, says which half. */
    float g = (float)(int32_t)b * 0x1p-32f;
    radius = philox_bits_float(philox_float_bits(radius) ^ (b << 31));
    float s = PHILOX_MUL(g, g);
    float sine = 0x1.3daff6p-4f; /* sin(pi g) / g */
    sine = philox_step(sine, s, -0x1.324ccap-1f);
    sine = philox_step(sine, s, 0x1.4668b0p+1f);
    sine = philox_step(sine, s, -0x1.4abbc2p+2f);
    sine = philox_step(sine, s, 0x1.921fb6p+1f);
    float cosine = 0x1.c1f066p-3f; /* cos(pi g) */
    cosine = philox_step(cosine, s, -0x1.54f61ap+0f);
    cosine = philox_step(cosine, s, 0x1.03bd06p+2f);
    cosine = philox_step(cosine, s, -0x1.3bd3a6p+2f);
    cosine = philox_step(cosine, s, 0x1.fffffep-1f);
    *x = PHILOX_MUL(radius, cosine);
    *y = PHILOX_MUL(radius, PHILOX_MUL(sine, g));
}

/* Normal numbers 4 * block to 4 * block + 3 of `seed`. */
PHILOX_FN PhiloxNormal4 philox_normal_block(uint64_t seed, uint64_t block) {
    Philox4x32 words = philox_block(seed, block);
    PhiloxNormal4 normal;
    philox_normal_pair(words.v[0], words.v[1], &normal.v[0], &normal.v[1]);
    philox_normal_pair(words.v[2], words.v[3], &normal.v[2], &normal.v[3]);
    return normal;
}

#ifdef __cplusplus
extern "C" {
#endif

/* x[i] = number i of `seed` for i in [0, n), by all cores. kernels/tuned/random.h has
 * the device's counterparts, which give the same bits.
 *
 * Shapes: x: (n,) on the host; null only with n = 0.
 * The _from form gives numbers first to first + n - 1 of the sequence. */
void philox_bits_fill(uint32_t *x, size_t n, uint64_t seed);
void philox_uniform_fill(float *x, size_t n, uint64_t seed); /* [0, 1) */
void philox_normal_fill(float *x, size_t n, uint64_t seed);  /* mean 0, variance 1 */
void philox_normal_fill_from(float *x, uint64_t first, size_t n, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
