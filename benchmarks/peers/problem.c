/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs are seeded and random; references accumulate in double. A peer may fuse a * b + c
 * into one rounding (PoCL does), so results of float arithmetic are compared with a tolerance;
 * integers and mere moves are compared exactly. */
#include "benchmarks/peers/problem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/peers/plain.h"
#include "benchmarks/peers/shapes.h"
#include "common/philox.h"

#define MIB ((size_t)1 << 20)

const PeerCase PEER_CASE[PEER_CASES] = {
    [VECTOR_ADD] = {"vector_add", "out = x + y, n floats", false, 16 * MIB, 4096},
    [NBODY] = {"nbody", "all forces between n bodies", false, 4096, 64},
    [MANDELBROT] = {"mandelbrot", "n x n points, threads diverge", false, 512, 32},
    [BLACK_SCHOLES] = {"black_scholes", "n prices: logf, expf, erfcf", false, 4 * MIB, 4096},
    [MATRIX_PRODUCT] = {"matrix_product", "n x n, no shared memory", false, 512, 32},
    [SUM_CLASSIC] = {"sum_classic", "n floats, one a thread, tree in shared memory", true, 16 * MIB,
                     4096},
    [SUM_GRID_STRIDE] = {"sum_grid_stride", "n floats, 256 blocks, tree in shared memory", true,
                         16 * MIB, 4096},
    [SUM_SHUFFLE] = {"sum_shuffle", "n floats, one a thread, warp shuffles", true, 16 * MIB, 4096},
    [STENCIL] = {"stencil", "n floats, radius 3, halo in shared memory", true, 4 * MIB, 4096},
    [MATRIX_PRODUCT_TILED] = {"matrix_product_tiled", "n x n, 16 x 16 tiles in shared memory", true,
                              512, 32},
    [TRANSPOSE] = {"transpose", "n x n/2 floats through shared memory", true, 2048, 64},
    [SCAN] = {"scan", "inclusive sums of n floats, three levels", true, 4 * MIB, 4096},
    [HISTOGRAM] = {"histogram", "n bytes, 256 bins, atomics in shared memory", true, 16 * MIB,
                   4096},
    [BARRIERS] = {"barriers", "n threads in blocks of 256, 64 barriers each", true, 64 * 1024, 512},
    [LOCALS] = {"locals", "n threads in blocks of 1024, 16 KB of locals each", true, 16 * 1024,
                1024},
};

PeerCaseId peer_case_named(const char *name) {
    int id = 0;
    while (id < PEER_CASES && strcmp(PEER_CASE[id].name, name) != 0) ++id;
    return (PeerCaseId)id;
}

/* ---- inputs ---- */

static bool floats(Problem *p, int which, size_t count, bool normal) {
    p->in_bytes[which] = count * sizeof(float);
    float *x = p->in[which] = malloc(p->in_bytes[which]);
    if (x == NULL) return false;
    if (normal) philox_normal_fill(x, count, 11 + (uint64_t)which);
    else philox_uniform_fill(x, count, 11 + (uint64_t)which);
    return true;
}

static bool words(Problem *p, size_t bytes) {
    p->in_bytes[0] = bytes;
    p->in[0] = malloc(blocks_for(bytes, 4) * 4);
    if (p->in[0] == NULL) return false;
    philox_bits_fill(p->in[0], blocks_for(bytes, 4), 5);
    return true;
}

static bool prices(Problem *p) {
    if (!floats(p, 0, p->n, false) || !floats(p, 1, p->n, false)) return false;
    float *price = p->in[0], *strike = p->in[1];
    for (size_t i = 0; i < p->n; ++i) {
        price[i] = 10 + 90 * price[i];
        strike[i] = 10 + 90 * strike[i];
    }
    return true;
}

static bool bodies(Problem *p) {
    if (!floats(p, 0, 4 * p->n, true)) return false;
    Body *body = p->in[0];
    for (size_t i = 0; i < p->n; ++i) body[i].w = fabsf(body[i].w); /* a mass */
    return true;
}

/* Levels of partial results, each BLOCK times shorter than the one before. */
static void partials(Problem *p) {
    size_t count = p->n;
    for (int level = 0; level < PEER_SCRATCHES; ++level) {
        count = blocks_for(count, BLOCK);
        p->scratch_bytes[level] = count * sizeof(float);
    }
}

static bool make_inputs(Problem *p) {
    const size_t n = p->n;
    p->out_bytes = n * sizeof(float);
    switch (p->id) {
    case VECTOR_ADD: return floats(p, 0, n, true) && floats(p, 1, n, true);
    case NBODY: p->out_bytes = n * sizeof(Body); return bodies(p);
    case MANDELBROT: p->out_bytes = n * n * sizeof(int); return true;
    case BLACK_SCHOLES: return prices(p);
    case MATRIX_PRODUCT:
    case MATRIX_PRODUCT_TILED:
        p->out_bytes = n * n * sizeof(float);
        return floats(p, 0, n * n, true) && floats(p, 1, n * n, true);
    case SUM_CLASSIC:
    case SUM_GRID_STRIDE:
    case SUM_SHUFFLE:
        p->out_bytes = sizeof(float);
        partials(p);
        return floats(p, 0, n, false);
    case STENCIL: return floats(p, 0, n, true);
    case TRANSPOSE:
        p->out_bytes = n * (n / 2) * sizeof(float);
        return floats(p, 0, n * (n / 2), true);
    case SCAN: partials(p); return floats(p, 0, n, false);
    case HISTOGRAM: p->out_bytes = BINS * sizeof(int); return words(p, n);
    case BARRIERS: return words(p, n * sizeof(int));
    case LOCALS: return true;
    case PEER_CASES: break;
    }
    return false;
}

bool problem_make(PeerCaseId id, size_t n, Problem *p) {
    memset(p, 0, sizeof *p);
    p->id = id;
    p->n = n;
    if (make_inputs(p)) return true;
    problem_free(p);
    return false;
}

void problem_free(Problem *p) {
    for (int i = 0; i < PEER_INPUTS; ++i) {
        free(p->in[i]);
        p->in[i] = NULL;
    }
}

/* ---- references ---- */

typedef struct Check {
    size_t wrong;
    char *message;
    size_t size;
} Check;

static void expect(Check *c, size_t i, double got, double want, double tolerance) {
    if (fabs(got - want) <= tolerance) return; /* false for NaN */
    if (c->wrong++ == 0)
        snprintf(c->message, c->size, "element %zu is %.9g, and should be %.9g", i, got, want);
}

static void check_vector_add(const Problem *p, const float *out, Check *c) {
    const float *x = p->in[0], *y = p->in[1];
    for (size_t i = 0; i < p->n; ++i) expect(c, i, out[i], x[i] + y[i], 0);
}

/* Each of n additions may be wrong by half a unit in the last place of what has come so far;
 * such errors cancel, so a tenth of that bound is ample. */
static void check_nbody(const Problem *p, const Body *out, Check *c) {
    const Body *b = p->in[0];
    for (size_t i = 0; i < p->n; ++i) {
        double x = 0, y = 0, z = 0, size = 0;
        for (size_t j = 0; j < p->n; ++j) {
            const double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            const double square = dx * dx + dy * dy + dz * dz + SOFTENING;
            const double pull = b[j].w / (square * sqrt(square));
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
            size += pull * sqrt(square);
        }
        const double tolerance = (1e-5 + 6e-9 * (double)p->n) * size;
        expect(c, 4 * i, out[i].x, x, tolerance);
        expect(c, 4 * i + 1, out[i].y, y, tolerance);
        expect(c, 4 * i + 2, out[i].z, z, tolerance);
    }
}

/* One rounding more or less moves a point near the set's edge: one in 200 may differ. */
static void check_mandelbrot(const Problem *p, const int *out, Check *c) {
    const size_t count = p->n * p->n;
    int *want = malloc(count * sizeof *want);
    if (want == NULL) {
        expect(c, 0, NAN, 0, 0);
        return;
    }
    plain_mandelbrot(p->n, want);
    for (size_t i = 0; i < count; ++i) expect(c, i, out[i], want[i], 0);
    if (c->wrong <= count / 200) c->wrong = 0;
    free(want);
}

/* Two terms of up to 100 are subtracted, each good to a few units in the last place (8e-6). */
static void check_black_scholes(const Problem *p, const float *out, Check *c) {
    const float *price = p->in[0], *strike = p->in[1];
    const double rate = 0.02f, volatility = 0.3f;
    for (size_t i = 0; i < p->n; ++i) {
        const double d1 =
            (log((double)price[i] / strike[i]) + rate + 0.5 * volatility * volatility) / volatility;
        const double want = price[i] * 0.5 * erfc(-d1 * sqrt(0.5)) -
                            strike[i] * exp(-rate) * 0.5 * erfc(-(d1 - volatility) * sqrt(0.5));
        expect(c, i, out[i], want, 1e-4);
    }
}

/* 512 products of size 1 are added: errors of about 512 * 6e-8 * sqrt(512). */
static void check_product(const Problem *p, const float *out, Check *c) {
    const size_t n = p->n;
    const float *a = p->in[0], *b = p->in[1];
    double *sum = malloc(n * sizeof *sum);
    for (size_t row = 0; row < n && sum != NULL; ++row) {
        memset(sum, 0, n * sizeof *sum);
        for (size_t k = 0; k < n; ++k)
            for (size_t col = 0; col < n; ++col)
                sum[col] += (double)a[row * n + k] * b[k * n + col];
        for (size_t col = 0; col < n; ++col)
            expect(c, row * n + col, out[row * n + col], sum[col], 1e-3);
    }
    if (sum == NULL) expect(c, 0, NAN, 0, 0);
    free(sum);
}

/* Trees of 256: no more than a dozen additions deep (grid-stride: 256 more). */
static void check_sum(const Problem *p, const float *out, Check *c) {
    const float *x = p->in[0];
    double sum = 0;
    for (size_t i = 0; i < p->n; ++i) sum += x[i];
    expect(c, 0, out[0], sum, 1e-5 * sum);
}

static void check_scan(const Problem *p, const float *out, Check *c) {
    const float *x = p->in[0];
    double sum = 0;
    for (size_t i = 0; i < p->n; ++i) {
        sum += x[i];
        expect(c, i, out[i], sum, 1e-5 * sum + 1e-7);
    }
}

static void check_stencil(const Problem *p, const float *out, Check *c) {
    const float *x = p->in[0];
    for (size_t i = 0; i < p->n; ++i) {
        double sum = 0;
        for (int d = -STENCIL_RADIUS; d <= STENCIL_RADIUS; ++d)
            if (i + (size_t)d < p->n) sum += x[i + (size_t)d] / (1.0 + d * d); /* wraps below 0 */
        expect(c, i, out[i], sum, 1e-5); /* seven terms of a few units at most */
    }
}

static void check_transpose(const Problem *p, const float *out, Check *c) {
    const size_t rows = p->n, cols = p->n / 2;
    const float *x = p->in[0];
    for (size_t col = 0; col < cols; ++col)
        for (size_t row = 0; row < rows; ++row)
            expect(c, col * rows + row, out[col * rows + row], x[row * cols + col], 0);
}

static void check_histogram(const Problem *p, const int *out, Check *c) {
    const unsigned char *x = p->in[0];
    int want[BINS] = {0};
    for (size_t i = 0; i < p->n; ++i) ++want[x[i]];
    for (size_t i = 0; i < BINS; ++i) expect(c, i, out[i], want[i], 0);
}

/* Each step passes a number on to the neighbour and adds 1. */
static void check_barriers(const Problem *p, const int *out, Check *c) {
    const unsigned *x = p->in[0];
    for (size_t i = 0; i < p->n; ++i) {
        const size_t from = i / BLOCK * BLOCK + (i + BARRIER_STEPS) % BLOCK;
        expect(c, i, out[i], (int)(x[from] + BARRIER_STEPS), 0);
    }
}

/* Thread t keeps 7 i + t in its i-th local and gives their sum to its left neighbour. */
static void check_locals(const Problem *p, const int *out, Check *c) {
    for (size_t i = 0; i < p->n; ++i) {
        const int neighbour = (int)((i + 1) % LOCALS_BLOCK);
        const int sum = 7 * (LOCALS_COUNT / 2) * (LOCALS_COUNT - 1) + LOCALS_COUNT * neighbour;
        expect(c, i, out[i], sum, 0);
    }
}

bool problem_check(const Problem *p, const void *out, char *message, size_t size) {
    Check c = {0, message, size};
    switch (p->id) {
    case VECTOR_ADD: check_vector_add(p, out, &c); break;
    case NBODY: check_nbody(p, out, &c); break;
    case MANDELBROT: check_mandelbrot(p, out, &c); break;
    case BLACK_SCHOLES: check_black_scholes(p, out, &c); break;
    case MATRIX_PRODUCT:
    case MATRIX_PRODUCT_TILED: check_product(p, out, &c); break;
    case SUM_CLASSIC:
    case SUM_GRID_STRIDE:
    case SUM_SHUFFLE: check_sum(p, out, &c); break;
    case STENCIL: check_stencil(p, out, &c); break;
    case TRANSPOSE: check_transpose(p, out, &c); break;
    case SCAN: check_scan(p, out, &c); break;
    case HISTOGRAM: check_histogram(p, out, &c); break;
    case BARRIERS: check_barriers(p, out, &c); break;
    case LOCALS: check_locals(p, out, &c); break;
    case PEER_CASES: return false;
    }
    return c.wrong == 0;
}
