/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook kernel again, kept in the program as PTX alone: the driver compiles it while the
 * program runs, and keeps what it compiled on disk. For lesson 04, which measures that. */
#ifndef KERNELS_ADD_PTX_H
#define KERNELS_ADD_PTX_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x[i] + y[i].
 *
 * Shapes: d_x, d_y, d_out: (n,) float32 in device memory, n below 2^39.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with n > 0 and for an n
 *         that needs more than 2^31 - 1 blocks. Else the launch's own status. Returns before
 *         the kernel ends.
 * Cost:   12 n bytes moved, n flop. */
cudaError_t add_ptx_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                        cudaStream_t stream);

/* Loads the kernel and does not launch it: compiles its PTX, or finds it compiled on disk. */
cudaError_t add_ptx_gpu_load(void);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_ADD_PTX_H */
