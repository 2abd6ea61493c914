/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of launchers that lesson 07 uses (--wrap). The variable WRONG names the one that
 * leaves the last element out in this run: the lesson must notice each. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

typedef cudaError_t Transpose(size_t rows, size_t cols, const float *d_x, float *d_out,
                              cudaStream_t stream);

/* The last element becomes what no transpose makes of it. */
static cudaError_t spoil(const char *name, cudaError_t status, size_t n, float *d_out) {
    const char *wrong = getenv("WRONG");
    if (status == cudaSuccess && n > 0 && wrong != NULL && strcmp(wrong, name) == 0)
        return cudaMemset(d_out + n - 1, 0x7B, sizeof *d_out);
    return status;
}

Transpose __real_transpose_naive_gpu, __wrap_transpose_naive_gpu;
cudaError_t __wrap_transpose_naive_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                       cudaStream_t stream) {
    return spoil("transpose_naive_gpu", __real_transpose_naive_gpu(rows, cols, d_x, d_out, stream),
                 rows * cols, d_out);
}

Transpose __real_transpose_tile_gpu, __wrap_transpose_tile_gpu;
cudaError_t __wrap_transpose_tile_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                      cudaStream_t stream) {
    return spoil("transpose_tile_gpu", __real_transpose_tile_gpu(rows, cols, d_x, d_out, stream),
                 rows * cols, d_out);
}

Transpose __real_transpose_padded_gpu, __wrap_transpose_padded_gpu;
cudaError_t __wrap_transpose_padded_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                        cudaStream_t stream) {
    return spoil("transpose_padded_gpu",
                 __real_transpose_padded_gpu(rows, cols, d_x, d_out, stream), rows * cols, d_out);
}

Transpose __real_transpose_swizzled_gpu, __wrap_transpose_swizzled_gpu;
cudaError_t __wrap_transpose_swizzled_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                          cudaStream_t stream) {
    return spoil("transpose_swizzled_gpu",
                 __real_transpose_swizzled_gpu(rows, cols, d_x, d_out, stream), rows * cols, d_out);
}

Transpose __real_transpose_gpu, __wrap_transpose_gpu;
cudaError_t __wrap_transpose_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                 cudaStream_t stream) {
    return spoil("transpose_gpu", __real_transpose_gpu(rows, cols, d_x, d_out, stream), rows * cols,
                 d_out);
}
