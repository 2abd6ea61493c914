/* SPDX-License-Identifier: Apache-2.0 */
/* The side without a device: plain C loops on one core, for the cases without barriers. */
#include <stdlib.h>
#include <string.h>

#include "benchmarks/peers/plain.h"
#include "benchmarks/peers/side.h"

static void *g_out;

static const char *lacks(PeerCaseId id) {
    return PEER_CASE[id].barriers ? "plain loops stand beside kernels without barriers only" : NULL;
}

static bool open_side(const Problem *p) {
    g_out = malloc(p->out_bytes);
    return g_out != NULL;
}

static bool run(const Problem *p) {
    switch (p->id) {
    case VECTOR_ADD: plain_vector_add(p->n, p->in[0], p->in[1], g_out); return true;
    case NBODY: plain_nbody(p->n, p->in[0], g_out); return true;
    case MANDELBROT: plain_mandelbrot(p->n, g_out); return true;
    case BLACK_SCHOLES: plain_black_scholes(p->n, p->in[0], p->in[1], g_out); return true;
    case MATRIX_PRODUCT: plain_matrix_product(p->n, p->in[0], p->in[1], g_out); return true;
    default: return false;
    }
}

static bool poison(const Problem *p) {
    memset(g_out, 0xFF, p->out_bytes);
    return true;
}

static bool fetch(const Problem *p, void *out) {
    memcpy(out, g_out, p->out_bytes);
    return true;
}

static const char *describe(void) { return "one core, plain C loops, -O2"; }

int main(int argc, char **argv) {
    const Side side = {"plain", lacks, open_side, run,
                       poison,  fetch, describe,  "gcc-compatible " __VERSION__,
                       NULL,    true};
    return side_main(argc, argv, &side);
}
