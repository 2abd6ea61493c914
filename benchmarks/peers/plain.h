/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that a C programmer writes instead of the kernels without barriers: one core,
 * compiled at -O2. They are a side of the comparison, and references. */
#ifndef BENCHMARKS_PEERS_PLAIN_H
#define BENCHMARKS_PEERS_PLAIN_H

#include <stddef.h>

/* Position and mass of a body; of an acceleration, w is 0. */
typedef struct Body {
    float x, y, z, w;
} Body;

void plain_vector_add(size_t n, const float *x, const float *y, float *out);
void plain_nbody(size_t n, const Body *bodies, Body *out);
/* Iterations until the point leaves the circle of radius 2, for n x n points. */
void plain_mandelbrot(size_t n, int *out);
/* Prices of calls; interest and volatility are fixed, a year to go. */
void plain_black_scholes(size_t n, const float *price, const float *strike, float *out);
/* n x n matrices, row by row */
void plain_matrix_product(size_t n, const float *a, const float *b, float *out);

#endif
