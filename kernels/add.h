/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook form of an elementwise kernel: one thread for each element, and
 * a guard for the threads past the end. This is where lesson 03 starts and
 * what the kernels of tuned/elementwise.h are compared with. */
#ifndef KERNELS_ADD_H
#define KERNELS_ADD_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks of `threads` threads that n elements need: n / threads, rounded up.
 * threads > 0. */
size_t one_per_thread_blocks(size_t n, unsigned threads);

/* out[i] = x[i] + y[i], element i by thread i % threads of block i / threads.
 *
 * Shapes: d_x, d_y, d_out: (n,) float32 in device memory; d_out may be one of
 *         the inputs, but may not overlap them in part.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with
 *         n > 0, for threads outside 1 to 1024, and for an n that needs more
 *         than 2^31 - 1 blocks. Else the launch's own status.
 *         Returns before the kernel ends.
 * Cost:   12 n bytes moved, n flop. */
cudaError_t add_one_per_thread_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                   unsigned threads, cudaStream_t stream);

/* The same without the guard `if (i < n)`, for lesson 03 to show what the guard is for, and for
 * nothing else: threads past element n - 1 compute and write as well.
 *
 * Shapes: as add_one_per_thread_gpu, with room for n rounded up to a whole number of blocks,
 *         or the kernel leaves the arrays.
 * Errors: as add_one_per_thread_gpu. */
cudaError_t add_without_guard_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                  unsigned threads, cudaStream_t stream);

/* Records which thread computes which element: the thread that
 * add_one_per_thread_gpu would give element i writes its own blockIdx.x to
 * block[i] and its own threadIdx.x to thread[i].
 *
 * Shapes: d_block, d_thread: (n,) uint32 in device memory, not overlapping.
 * Errors: as add_one_per_thread_gpu.
 * Cost:   8 n bytes moved. */
cudaError_t owner_one_per_thread_gpu(size_t n, uint32_t *d_block, uint32_t *d_thread,
                                     unsigned threads, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_ADD_H */
