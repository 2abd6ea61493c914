/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a matrix, step by step: each kernel fixes what the one before wasted. For
 * lesson 07; the kit's own is in tuned/transpose.h. */
#ifndef KERNELS_TRANSPOSE_H
#define KERNELS_TRANSPOSE_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of d_x at most, in all but the tuned one: 65,535 blocks of 32 rows in y. */
enum { TRANSPOSE_MOST_ROWS = 65535 * 32 };

/* out[c][r] = x[r][c].
 *
 * Shapes: d_x: (rows, cols), d_out: (cols, rows) float32 in device memory, row by row, not
 *         overlapping. Any size: no side has to be a multiple of anything.
 * Errors: a matrix without elements is a no-op. cudaErrorInvalidValue for a null pointer with
 *         elements, and where a side needs more blocks than a grid may have. Else the launch's
 *         own status. Returns before the kernel ends.
 * Cost:   8 rows cols bytes moved.
 *
 * naive:    reads along rows, writes along columns: each lane writes to a sector of its own.
 * tile:     through a tile in shared memory, so that both sides of global memory stay straight; the
 *           columns of the tile all lie in one bank.
 * padded:   a column more in the tile, and its columns lie in 32 banks.
 * swizzled: the same without the column: element (r, c) lies at (r, c ^ r). */
cudaError_t transpose_naive_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                cudaStream_t stream);
cudaError_t transpose_tile_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                               cudaStream_t stream);
cudaError_t transpose_padded_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                 cudaStream_t stream);
cudaError_t transpose_swizzled_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                   cudaStream_t stream);

/* The reference: the same on the host, element by element. */
void transpose_cpu(size_t rows, size_t cols, const float *x, float *out);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_TRANSPOSE_H */
