/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of launchers that lesson 05 uses (--wrap). The variable WRONG says which of them is
 * wrong in this run: the lesson must notice each.
 *   stride   scale_stride_gpu forgets the last element
 *   image    scale_image_gpu forgets the last row
 *   swapped  scale_image_swapped_gpu forgets the last column
 *   owner    the signatures are those of blocks of half the width
 *   limits   scale_shaped_gpu makes any shape launchable
 *   wrapped  index_of_gpu asks for a smaller block */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/shapes.h"

static bool wrong(const char *what) {
    const char *value = getenv("WRONG");
    return value != NULL && strcmp(value, what) == 0;
}

cudaError_t __real_scale_stride_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    unsigned blocks, unsigned threads, cudaStream_t stream);
cudaError_t __wrap_scale_stride_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    unsigned blocks, unsigned threads, cudaStream_t stream);
cudaError_t __wrap_scale_stride_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    unsigned blocks, unsigned threads, cudaStream_t stream) {
    return __real_scale_stride_gpu(n - wrong("stride"), d_x, factor, d_out, blocks, threads,
                                   stream);
}

cudaError_t __real_scale_image_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                   float *d_out, unsigned block_x, unsigned block_y,
                                   cudaStream_t stream);
cudaError_t __wrap_scale_image_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                   float *d_out, unsigned block_x, unsigned block_y,
                                   cudaStream_t stream);
cudaError_t __wrap_scale_image_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                   float *d_out, unsigned block_x, unsigned block_y,
                                   cudaStream_t stream) {
    return __real_scale_image_gpu(rows - wrong("image"), cols, d_x, factor, d_out, block_x, block_y,
                                  stream);
}

cudaError_t __real_scale_image_swapped_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                           float *d_out, unsigned block_x, unsigned block_y,
                                           cudaStream_t stream);
cudaError_t __wrap_scale_image_swapped_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                           float *d_out, unsigned block_x, unsigned block_y,
                                           cudaStream_t stream);
cudaError_t __wrap_scale_image_swapped_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                           float *d_out, unsigned block_x, unsigned block_y,
                                           cudaStream_t stream) {
    return __real_scale_image_swapped_gpu(rows - wrong("swapped"), cols, d_x, factor, d_out,
                                          block_x, block_y, stream);
}

cudaError_t __real_sign_image_gpu(size_t rows, size_t cols, uint32_t *d_block, uint32_t *d_thread,
                                  unsigned block_x, unsigned block_y, cudaStream_t stream);
cudaError_t __wrap_sign_image_gpu(size_t rows, size_t cols, uint32_t *d_block, uint32_t *d_thread,
                                  unsigned block_x, unsigned block_y, cudaStream_t stream);
cudaError_t __wrap_sign_image_gpu(size_t rows, size_t cols, uint32_t *d_block, uint32_t *d_thread,
                                  unsigned block_x, unsigned block_y, cudaStream_t stream) {
    return __real_sign_image_gpu(rows, cols, d_block, d_thread,
                                 wrong("owner") ? block_x / 2 : block_x, block_y, stream);
}

cudaError_t __real_scale_shaped_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    LaunchShape shape, size_t shared_bytes, cudaStream_t stream);
cudaError_t __wrap_scale_shaped_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    LaunchShape shape, size_t shared_bytes, cudaStream_t stream);
cudaError_t __wrap_scale_shaped_gpu(size_t n, const float *d_x, float factor, float *d_out,
                                    LaunchShape shape, size_t shared_bytes, cudaStream_t stream) {
    const LaunchShape small = {{1, 1, 1}, {32, 1, 1}};
    return __real_scale_shaped_gpu(n, d_x, factor, d_out, wrong("limits") ? small : shape,
                                   wrong("limits") ? 0 : shared_bytes, stream);
}

cudaError_t __real_index_of_gpu(unsigned block, unsigned threads, unsigned thread,
                                uint64_t *d_indices, cudaStream_t stream);
cudaError_t __wrap_index_of_gpu(unsigned block, unsigned threads, unsigned thread,
                                uint64_t *d_indices, cudaStream_t stream);
cudaError_t __wrap_index_of_gpu(unsigned block, unsigned threads, unsigned thread,
                                uint64_t *d_indices, cudaStream_t stream) {
    return __real_index_of_gpu(wrong("wrapped") ? block - 1 : block, threads, thread, d_indices,
                               stream);
}
