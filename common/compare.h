/* Comparing results, so that a wrong one cannot pass, and saying in GPU words
 * what is wrong with it.
 *
 * Every element is looked at, by all cores. Needs no CUDA header: results are on
 * the host when they are compared.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_COMPARE_H_
#define COMMON_COMPARE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill outputs with this byte before a run (memset, cudaMemset): an element that
 * was never written then stands out. As float32 it is the NaN 0xFFFFFFFF, which
 * no GPU arithmetic makes (that gives 0x7FFFFFFF); as int32 it is -1. */
enum { LAB_POISON_BYTE = 0xFF };

/* Tolerances for one or two roundings per element with or without fused
 * multiply-add: 8 units in the last place of float32 or float64, and as much
 * of 1 as absolute part, for results that cancel to nearly 0. Longer sums need
 * more: a kernel's test states its own. */
#define COMPARE_ATOL_FLOAT32 1e-6f
#define COMPARE_RTOL_FLOAT32 1e-6f
#define COMPARE_ATOL_FLOAT64 2e-15
#define COMPARE_RTOL_FLOAT64 2e-15

/* A distance that is no number of steps: NaN against a number, or an infinity
 * against anything else. */
#define ULP_INCOMPARABLE UINT64_MAX

typedef struct CompareResult {
    size_t n;              /* elements compared */
    size_t wrong;          /* elements outside the tolerance; 0 means right */
    size_t exact;          /* elements with the same bits on both sides */
    size_t first_wrong;    /* index of the first and last wrong element; */
    size_t last_wrong;     /*   n if none is wrong */
    double got, want;      /* at first_wrong, converted to double */
    size_t unexpected_nan; /* got is NaN and want is not */
    size_t missing_nan;    /* want is NaN and got is not */
    size_t never_written;  /* wrong elements that hold the poison pattern */
    size_t flushed;        /* want is subnormal, got is 0 */
    uint64_t max_ulp;      /* largest distance among elements finite on both sides */
    size_t max_ulp_index;  /* where; n if no such element */
    double max_abs_error;  /* largest |got - want| among those */
    double max_abs_want;   /* largest finite |want| */
    double atol, rtol;     /* the tolerance used */
    bool equal_nan;        /* NaN on both sides counted as right */
    bool bitwise;          /* compare_exact made this */
    DType dtype;
    const void *got_data;  /* the arrays, which compare_describe reads again: */
    const void *want_data; /*   they must still be there then */
} CompareResult;

/* The shape that says which thread computed which element: for compare_describe.
 * Zero fields count as 1, except cols. {.block_x = 256, .grid_x = blocks} describes
 * both one element per thread and a grid-stride loop.
 *
 * 1-D (block_y <= 1): element i is handled by global thread (i / vector) mod
 * (grid_x * block_x). 2-D (block_y > 1, cols > 0): element (row, col) by block
 * (col / block_x, row / block_y), thread (col % block_x, row % block_y). */
typedef struct LaunchGeometry {
    size_t grid_x, grid_y;
    size_t block_x, block_y;
    size_t vector; /* consecutive elements per thread, 4 for float4 accesses */
    size_t cols;   /* columns of a row-major matrix; 0: it is no matrix */
} LaunchGeometry;

/* got against want: element i is right if
 *     |got[i] - want[i]| <= atol + rtol * |want[i]|   (formed in double)
 * or both are the same infinity, or equal_nan and both are NaN. So a NaN on one
 * side is always wrong, and an infinity equals only itself.
 *
 * Shapes: got, want: (n,) on the host; null only with n = 0, which is right.
 * Cost:   one pass at memory speed over all cores if nothing is wrong. */
CompareResult compare_float32(size_t n, const float *got, const float *want, float atol, float rtol,
                              bool equal_nan);
CompareResult compare_float64(size_t n, const double *got, const double *want, double atol,
                              double rtol, bool equal_nan);

/* The same bits, element for element: -0 differs from 0, and a NaN equals only
 * a NaN of the same bits. Any DType. */
CompareResult compare_exact(size_t n, const void *got, const void *want, DType dtype);

/* Representable numbers from a to b: 0 for equal values (also -0 and 0, and NaN
 * and NaN), 1 for neighbours; ULP_INCOMPARABLE as said there. */
uint64_t ulp_distance_f32(float a, float b);
uint64_t ulp_distance_f64(double a, double b);

/* Was element i judged wrong? Looks at the arrays again. */
bool compare_is_wrong(const CompareResult *result, size_t i);

/* One line for a right result or several for a wrong one, into text[0 .. size),
 * always terminated, no newline at the end:
 *   right: "all 1,000 elements right, largest error 1 ULP"
 *   wrong: how many of how many; the first wrong element with its index (row and
 *          column too if geometry->cols), expected and found, block and thread;
 *          then each pattern that fits: NaN, never written, only the first block
 *          right, only the last (partial) block wrong, every k-th element,
 *          repeats with the block size, a whole tail or head; and whether the
 *          differences fit fused multiply-add, flushed subnormals.
 * geometry may be null: then patterns that need it are left out.
 * Returns the length of the whole text, as snprintf does. */
size_t compare_describe(const CompareResult *result, const LaunchGeometry *geometry, char *text,
                        size_t size);

#ifdef __cplusplus
}
#endif

#endif
