/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes, from the naive one to the one without bank conflicts. Contracts in transpose.h. */
#include "kernels/transpose.h"

#include <cuda_runtime.h>

/* A block of 32 x 8 threads moves a tile of 32 x 32 elements, four rows each thread. */
enum { TILE = 32, ROWS = 8, MAX_GRID_X = 2147483647, MAX_GRID_Y = 65535 };

/* 1. Lanes read along a row, and write a whole row of the output apart. */
__global__ void transpose_naive_kernel(size_t rows, size_t cols, const float *x, float *out) {
    const size_t col = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (size_t row = first; row < first + TILE; row += ROWS)
        if (row < rows && col < cols) out[col * rows + row] = x[row * cols + col];
}

/* 2. Turned in shared memory: lanes read a row, and write a row. But the column that they read from
 * the tile lies in one bank, 32 floats apart. */
__global__ void transpose_tile_kernel(size_t rows, size_t cols, const float *x, float *out) {
    __shared__ float tile[TILE][TILE];
    const size_t col = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * cols + col];
    __syncthreads(); /* a thread reads what others wrote */
    const size_t out_col = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t out_row = (size_t)blockIdx.x * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        if (out_row + k < cols && out_col < rows)
            out[(out_row + k) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k];
}

/* 3. One column more, which nobody uses: the elements of a column lie 33 floats apart. */
__global__ void transpose_padded_kernel(size_t rows, size_t cols, const float *x, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    const size_t col = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * cols + col];
    __syncthreads();
    const size_t out_col = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t out_row = (size_t)blockIdx.x * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        if (out_row + k < cols && out_col < rows)
            out[(out_row + k) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k];
}

/* 4. Without the column: row r of the tile is written in another order, c ^ r, so that a column of
 * it lies in 32 banks, and the same order finds it again. */
__global__ void transpose_swizzled_kernel(size_t rows, size_t cols, const float *x, float *out) {
    __shared__ float tile[TILE][TILE];
    const size_t col = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS) {
        const unsigned r = threadIdx.y + k;
        if (row + k < rows && col < cols) tile[r][threadIdx.x ^ r] = x[(row + k) * cols + col];
    }
    __syncthreads();
    const size_t out_col = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t out_row = (size_t)blockIdx.x * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS) {
        const unsigned c = threadIdx.y + k;
        if (out_row + k < cols && out_col < rows)
            out[(out_row + k) * rows + out_col] = tile[threadIdx.x][c ^ threadIdx.x];
    }
}

typedef void (*TransposeKernel)(size_t, size_t, const float *, float *);

static cudaError_t launch(TransposeKernel kernel, size_t rows, size_t cols, const float *d_x,
                          float *d_out, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const size_t across = (cols + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
    if (d_x == NULL || d_out == NULL || across > MAX_GRID_X || down > MAX_GRID_Y)
        return cudaErrorInvalidValue;
    kernel<<<dim3((unsigned)across, (unsigned)down), dim3(TILE, ROWS), 0, stream>>>(rows, cols, d_x,
                                                                                    d_out);
    return cudaGetLastError();
}

cudaError_t transpose_naive_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                cudaStream_t stream) {
    return launch(transpose_naive_kernel, rows, cols, d_x, d_out, stream);
}

cudaError_t transpose_tile_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                               cudaStream_t stream) {
    return launch(transpose_tile_kernel, rows, cols, d_x, d_out, stream);
}

cudaError_t transpose_padded_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                 cudaStream_t stream) {
    return launch(transpose_padded_kernel, rows, cols, d_x, d_out, stream);
}

cudaError_t transpose_swizzled_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                                   cudaStream_t stream) {
    return launch(transpose_swizzled_kernel, rows, cols, d_x, d_out, stream);
}

void transpose_cpu(size_t rows, size_t cols, const float *x, float *out) {
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) out[c * rows + r] = x[r * cols + c];
}
