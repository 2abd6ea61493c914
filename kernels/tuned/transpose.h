/* SPDX-License-Identifier: Apache-2.0 */
/* The kit's transpose: 16 bytes a thread in both directions, tiles of 64 x 64. */
#ifndef KERNELS_TUNED_TRANSPOSE_H
#define KERNELS_TUNED_TRANSPOSE_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[c][r] = x[r][c].
 *
 * Shapes, errors, cost: as transpose_naive_gpu (kernels/transpose.h), with any number of rows.
 * Fast where both sides are multiples of 4 and both arrays are aligned to 16 bytes; right in
 * any case. */
cudaError_t transpose_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_TUNED_TRANSPOSE_H */
