/* Random numbers in kernels, under cuRAND's names: the generators XORWOW and Philox4x32-10, and
 * uniform, normal, log-normal and Poisson numbers from them.
 *
 * Philox gives the numbers that a GPU gives, uniform ones bit by bit. XORWOW is Marsaglia's
 * generator with subsequences 2^67 apart as on a GPU, but seeded in a way of our own: its
 * numbers are as good and differ from a GPU's. A state belongs to one thread. For host code too.
 *
 * Sources: G. Marsaglia, Xorshift RNGs, J. Stat. Soft. 8 (2003). J. Salmon et al., Parallel
 * random numbers: as easy as 1, 2, 3, SC 2011.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CURAND_KERNEL_H
#define CPU_DEVICE_CURAND_KERNEL_H
#include "cpu_device/names_begin.h"

#ifdef __cplusplus

#include <math.h>
#include <stdint.h>

#include "vector_types.h"

namespace cpu_device {

/* Numbers come in pairs: the second is kept for the next call that wants one of its kind. */
enum class KeptKind : unsigned { kNothing, kNormal, kLogNormal };
struct KeptNumbers {
    float single;
    double twice;
    KeptKind single_is, twice_is;
};

/* Moves the five words of XORWOW's state `steps` + 2^67 * `sequences` steps on. */
void xorwow_jump(uint32_t *words, uint64_t steps, uint64_t sequences);

inline uint64_t scrambled(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

} // namespace cpu_device

/* ---- XORWOW ---- */

struct curandStateXORWOW {
    uint32_t sum, words[5];
    ::cpu_device::KeptNumbers kept;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

inline unsigned int curand(curandStateXORWOW *state) {
    uint32_t *w = state->words;
    const uint32_t t = w[0] ^ w[0] >> 2;
    for (int i = 0; i < 4; ++i) w[i] = w[i + 1];
    w[4] = (w[4] ^ w[4] << 4) ^ (t ^ t << 1);
    state->sum += 362437;
    return w[4] + state->sum;
}
inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
    ::cpu_device::xorwow_jump(state->words, n, 0);
    state->sum += 362437 * (uint32_t)n;
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
    ::cpu_device::xorwow_jump(state->words, 0, n); /* 2^67 steps leave the sum as it is */
}
/* Begins at number `offset` of subsequence `sequence`. */
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStateXORWOW *state) {
    uint64_t mix = seed;
    const uint64_t a = ::cpu_device::scrambled(&mix), b = ::cpu_device::scrambled(&mix),
                   c = ::cpu_device::scrambled(&mix);
    *state = {(uint32_t)(c >> 32),
              {(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32), (uint32_t)c | 1},
              {}};
    ::cpu_device::xorwow_jump(state->words, offset, sequence);
    state->sum += 362437 * (uint32_t)offset;
}

/* ---- Philox4x32-10 ---- */

struct curandStatePhilox4_32_10 {
    uint64_t position; /* of the block of four that `block` holds */
    uint64_t sequence;
    uint64_t seed;
    uint32_t block[4];
    unsigned used; /* numbers of it */
    ::cpu_device::KeptNumbers kept;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace cpu_device {

/* Ten rounds on the counter (position, sequence) with the seed as key. */
inline void philox_block(curandStatePhilox4_32_10 *state) {
    uint32_t c[4] = {(uint32_t)state->position, (uint32_t)(state->position >> 32),
                     (uint32_t)state->sequence, (uint32_t)(state->sequence >> 32)};
    uint32_t key[2] = {(uint32_t)state->seed, (uint32_t)(state->seed >> 32)};
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
        for (int i = 0; i < 4; ++i) c[i] = next[i];
        key[0] += 0x9E3779B9u; /* the golden ratio */
        key[1] += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    for (int i = 0; i < 4; ++i) state->block[i] = c[i];
}

} // namespace cpu_device

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
    const uint64_t from = state->used + (n & 3), blocks = (n >> 2) + (from >> 2);
    state->sequence += state->position + blocks < state->position; /* one counter of 128 bits */
    state->position += blocks;
    state->used = (unsigned)from & 3;
    ::cpu_device::philox_block(state);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
    state->sequence += n;
    ::cpu_device::philox_block(state);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStatePhilox4_32_10 *state) {
    *state = {0, sequence, seed, {}, 0, {}};
    skipahead(offset, state);
}
inline unsigned int curand(curandStatePhilox4_32_10 *state) {
    const unsigned int r = state->block[state->used];
    if (++state->used == 4) {
        state->used = 0;
        if (++state->position == 0) ++state->sequence;
        ::cpu_device::philox_block(state);
    }
    return r;
}
inline uint4 curand4(curandStatePhilox4_32_10 *state) {
    const unsigned int x = curand(state), y = curand(state), z = curand(state);
    return uint4{x, y, z, curand(state)};
}

#include "cpu_device/distributions.h"

#endif

#include "cpu_device/names_end.h"

#endif
