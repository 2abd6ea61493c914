/* SPDX-License-Identifier: Apache-2.0 */
/* One job, factor * x, in the shapes that a launch may have: a line of threads, an image of them,
 * a grid-stride loop; and kernels that say who they are. For lesson 05. */
#ifndef KERNELS_SHAPES_H
#define KERNELS_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands between <<< and >>>, in plain numbers: x, y, z of each. */
typedef struct LaunchShape {
    unsigned grid[3], block[3];
} LaunchShape;

/* Returns the grid of block_x times block_y threads that covers cols columns (x) and rows (y),
 * both rounded up; 0 blocks in a direction that needs more than 2^32 - 1. block_x, block_y > 0. */
LaunchShape shape_for_image(size_t rows, size_t cols, unsigned block_x, unsigned block_y);

/* Counts the shape's threads: of a block, and of all of them. */
size_t shape_block_threads(const LaunchShape *shape);
size_t shape_threads(const LaunchShape *shape);

/* out[r][c] = factor * x[r][c], a thread for each element: column from x, row from y.
 *
 * Shapes: d_x, d_out: (rows, cols) float32 in device memory, row by row; d_out may be d_x.
 * Errors: an image without elements is a no-op. cudaErrorInvalidValue for a null pointer with
 *         elements, and where rows or columns need more blocks than there may be. Else the
 *         launch's own status: a block of more than 1,024 threads, for one.
 *         Returns before the kernel ends.
 * Cost:   8 rows cols bytes moved. */
cudaError_t scale_image_gpu(size_t rows, size_t cols, const float *d_x, float factor, float *d_out,
                            unsigned block_x, unsigned block_y, cudaStream_t stream);

/* The same with rows and columns exchanged: row from x, column from y. Right, and slow: neighbours
 * in a warp are a row apart in memory. Lesson 06 says what that costs.
 *
 * Shapes, errors, cost: as scale_image_gpu; block_x threads along the rows. */
cudaError_t scale_image_swapped_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                    float *d_out, unsigned block_x, unsigned block_y,
                                    cudaStream_t stream);

/* Asks the device who does what: the thread that scale_image_gpu would give element (r, c) writes
 * its block, counted row by row of blocks, and its thread, counted in the same way within it.
 *
 * Shapes: d_block, d_thread: (rows, cols) uint32 in device memory.
 * Errors: as scale_image_gpu. */
cudaError_t sign_image_gpu(size_t rows, size_t cols, uint32_t *d_block, uint32_t *d_thread,
                           unsigned block_x, unsigned block_y, cudaStream_t stream);

/* out[i] = factor * x[i] by a grid-stride loop: each thread takes its first element, then the one
 * that lies all threads further, and so on. Right for any number of blocks and threads.
 *
 * Shapes: d_x, d_out: (n,) float32 in device memory; d_out may be d_x.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with n > 0. Else the
 *         launch's own status. Returns before the kernel ends.
 * Cost:   8 n bytes moved. */
cudaError_t scale_stride_gpu(size_t n, const float *d_x, float factor, float *d_out,
                             unsigned blocks, unsigned threads, cudaStream_t stream);

/* The same in any shape, with `shared_bytes` of dynamic shared memory that nobody uses: what a
 * launch must not be is the device's to say. A block or a grid may be 0 in a direction.
 *
 * Shapes: as scale_stride_gpu.
 * Errors: the launch's own. */
cudaError_t scale_shaped_gpu(size_t n, const float *d_x, float factor, float *d_out,
                             LaunchShape shape, size_t shared_bytes, cudaStream_t stream);

/* Returns how many blocks of `threads` threads of scale_stride_gpu's kernel an SM holds at the same
 * time; 0 if it can hold none. */
int scale_stride_blocks_per_sm(unsigned threads);

/* Where thread `thread` of block `block` of `threads` threads each looks: block * threads + thread
 * in 64 bits, and in 32, which is what C computes where both factors are unsigned int. One thread
 * is launched, and told that it is that one.
 *
 * Shapes: d_indices: (2,) uint64 in device memory: in 64 bits, in 32.
 * Errors: cudaErrorInvalidValue for a null pointer. Else the launch's own status. */
cudaError_t index_of_gpu(unsigned block, unsigned threads, unsigned thread, uint64_t *d_indices,
                         cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_SHAPES_H */
