/* Arrays of Philox numbers, made by all cores. See philox.h.
 *
 * Blocks of the sequence are made LANES at a time, word by word into arrays of
 * their own, so that the compiler vectorises; then they are put in order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/philox.h"

#include "common/parallel.h"

enum {
    LANES = 64,      /* Philox blocks made together: 256 numbers, 1 KiB */
    GRAIN = 1 << 14, /* numbers that one thread takes at least */
};

typedef enum PhiloxKind { PHILOX_BITS, PHILOX_UNIFORM, PHILOX_NORMAL } PhiloxKind;

typedef struct FillJob {
    uint32_t *out; /* also floats, as bits */
    uint64_t first, seed;
    PhiloxKind kind;
} FillJob;

/* out[0 .. 4 * LANES) = numbers of blocks `block` to `block + LANES - 1`. */
static inline __attribute__((always_inline)) void make_lanes(uint32_t *restrict out, uint64_t block,
                                                             uint64_t seed, PhiloxKind kind) {
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        Philox4x32 words = philox_block(seed, block + lane);
        a[lane] = words.v[0];
        b[lane] = words.v[1];
        c[lane] = words.v[2];
        d[lane] = words.v[3];
    }
    if (kind == PHILOX_NORMAL) {
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            float x, y;
            philox_normal_pair(a[lane], b[lane], &x, &y);
            a[lane] = philox_float_bits(x);
            b[lane] = philox_float_bits(y);
        }
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            float x, y;
            philox_normal_pair(c[lane], d[lane], &x, &y);
            c[lane] = philox_float_bits(x);
            d[lane] = philox_float_bits(y);
        }
    } else if (kind == PHILOX_UNIFORM) {
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            a[lane] = philox_float_bits(philox_uniform(a[lane]));
            b[lane] = philox_float_bits(philox_uniform(b[lane]));
            c[lane] = philox_float_bits(philox_uniform(c[lane]));
            d[lane] = philox_float_bits(philox_uniform(d[lane]));
        }
    }
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        out[4 * lane] = a[lane];
        out[4 * lane + 1] = b[lane];
        out[4 * lane + 2] = c[lane];
        out[4 * lane + 3] = d[lane];
    }
}

/* Numbers [begin, end) of the job; the sequence's own index is first + i. */
static inline __attribute__((always_inline)) void fill(const FillJob *job, size_t begin,
                                                       size_t end) {
    enum { CHUNK = 4 * LANES };
    size_t i = begin;
    while (i < end) {
        uint64_t number = job->first + i;
        size_t skip = (size_t)(number % CHUNK);
        size_t count = CHUNK - skip < end - i ? CHUNK - skip : end - i;
        uint64_t block = (number - skip) / 4;
        if (count == CHUNK) {
            make_lanes(job->out + i, block, job->seed, job->kind);
        } else {
            uint32_t numbers[CHUNK];
            make_lanes(numbers, block, job->seed, job->kind);
            memcpy(job->out + i, numbers + skip, count * sizeof *numbers);
        }
        i += count;
    }
}

static void fill_plain(void *context, size_t begin, size_t end) { fill(context, begin, end); }

/* The same source for wider vectors. Without "fma": nothing can be fused. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void fill_avx2(void *context, size_t begin, size_t end) {
    fill(context, begin, end);
}

__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"))) static void
fill_avx512(void *context, size_t begin, size_t end) {
    fill(context, begin, end);
}
#endif

static ParallelRange best_fill(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        return fill_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return fill_avx2;
    }
#endif
    return fill_plain;
}

static void run(void *out, uint64_t first, size_t n, uint64_t seed, PhiloxKind kind) {
    FillJob job = {.out = out, .first = first, .seed = seed, .kind = kind};
    parallel_for(n, GRAIN, best_fill(), &job);
}

void philox_bits_fill(uint32_t *x, size_t n, uint64_t seed) { run(x, 0, n, seed, PHILOX_BITS); }

void philox_uniform_fill(float *x, size_t n, uint64_t seed) { run(x, 0, n, seed, PHILOX_UNIFORM); }

void philox_normal_fill(float *x, size_t n, uint64_t seed) { run(x, 0, n, seed, PHILOX_NORMAL); }

void philox_normal_fill_from(float *x, uint64_t first, size_t n, uint64_t seed) {
    run(x, first, n, seed, PHILOX_NORMAL);
}
