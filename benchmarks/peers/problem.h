/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU device and its peers are given to do: inputs, sizes and right answers, the same
 * for every side. */
#ifndef BENCHMARKS_PEERS_PROBLEM_H
#define BENCHMARKS_PEERS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_INPUTS = 2, PEER_SCRATCHES = 3 };

typedef enum PeerCaseId {
    VECTOR_ADD,
    NBODY,
    MANDELBROT,
    BLACK_SCHOLES,
    MATRIX_PRODUCT,
    SUM_CLASSIC,
    SUM_GRID_STRIDE,
    SUM_SHUFFLE,
    STENCIL,
    MATRIX_PRODUCT_TILED,
    TRANSPOSE,
    SCAN,
    HISTOGRAM,
    BARRIERS,
    LOCALS,
    PEER_CASES
} PeerCaseId;

typedef struct PeerCase {
    const char *name, *about;
    bool barriers;     /* its kernel waits: __syncthreads or a warp operation */
    size_t n, small_n; /* what n counts, `about` says; small: for simulators */
} PeerCase;

extern const PeerCase PEER_CASE[PEER_CASES];

/* One case at one size. in, scratch and out are arrays that a side keeps where its kernels
 * find them; in[] here are the host's. */
typedef struct Problem {
    PeerCaseId id;
    size_t n;
    void *in[PEER_INPUTS];
    size_t in_bytes[PEER_INPUTS], scratch_bytes[PEER_SCRATCHES], out_bytes;
} Problem;

/* PEER_CASES for a name that is none. */
PeerCaseId peer_case_named(const char *name);

/* Fills *p; false if memory is short. problem_free gives it back. */
bool problem_make(PeerCaseId id, size_t n, Problem *p);
void problem_free(Problem *p);

/* Every element of `out` (out_bytes) against the reference; NaN is wrong. On false, one line
 * that names the first wrong element is in message. */
bool problem_check(const Problem *p, const void *out, char *message, size_t size);

/* blocks of `block` threads for n of them */
static inline size_t blocks_for(size_t n, size_t block) { return (n + block - 1) / block; }

#ifdef __cplusplus
}
#endif

#endif
