/* SPDX-License-Identifier: Apache-2.0 */
/* A block of 16 x 16 threads moves a tile of 64 x 64 elements, 16 of them each thread, in accesses
 * of 16 bytes on both sides. Contracts in transpose.h.
 *
 * In the tile, row r holds column c at c ^ 2 (r / 4): a thread gathers its four elements of a column
 * from rows 4 t to 4 t + 3, so the 16 threads that read one column have r / 4 = t, and 16 different
 * even distances; the two columns that a warp reads at a time fill the odd banks as well. */
#include "kernels/tuned/transpose.h"

#include <cuda_runtime.h>
#include <stdint.h>

enum { TILE = 64, SIDE = 16, QUAD = 4, MAX_BLOCKS = 2147483647 };

static __device__ __forceinline__ unsigned place(unsigned row, unsigned col) {
    return row * TILE + (col ^ (row / QUAD * 2));
}

/* Four elements of a row in one access where `wide`, else those that lie within the matrix. */
static __device__ __forceinline__ void load(bool wide, size_t row, size_t col, size_t rows,
                                            size_t cols, const float *x, float value[QUAD]) {
    if (row >= rows) return;
    if (wide && col < cols) { /* cols is a multiple of 4 */
        const float4 v = *(const float4 *)(x + row * cols + col);
        value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
    } else {
        for (unsigned j = 0; j < QUAD; ++j)
            if (col + j < cols) value[j] = x[row * cols + col + j];
    }
}

static __device__ __forceinline__ void store(bool wide, size_t row, size_t col, size_t rows,
                                             size_t cols, const float value[QUAD], float *out) {
    if (row >= rows) return;
    if (wide && col < cols) {
        *(float4 *)(out + row * cols + col) = make_float4(value[0], value[1], value[2], value[3]);
    } else {
        for (unsigned j = 0; j < QUAD; ++j)
            if (col + j < cols) out[row * cols + col + j] = value[j];
    }
}

/* Blocks in one dimension, tile after tile along a row: a grid has room for few in y. */
__global__ void __launch_bounds__(SIDE *SIDE)
    transpose_kernel(bool wide, size_t rows, size_t cols, size_t across, const float *x,
                     float *out) {
    __shared__ float tile[TILE * TILE];
    const size_t tile_col = blockIdx.x % across * TILE, tile_row = blockIdx.x / across * TILE;
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    float value[TILE / SIDE][QUAD] = {};
#pragma unroll
    for (unsigned k = 0; k < TILE / SIDE; ++k)
        load(wide, tile_row + ty + SIDE * k, tile_col + QUAD * tx, rows, cols, x, value[k]);
#pragma unroll
    for (unsigned k = 0; k < TILE / SIDE; ++k)
#pragma unroll
        for (unsigned j = 0; j < QUAD; ++j) tile[place(ty + SIDE * k, QUAD * tx + j)] = value[k][j];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < TILE / SIDE; ++k) {
        float column[QUAD];
#pragma unroll
        for (unsigned j = 0; j < QUAD; ++j) column[j] = tile[place(QUAD * tx + j, ty + SIDE * k)];
        store(wide, tile_col + ty + SIDE * k, tile_row + QUAD * tx, cols, rows, column, out);
    }
}

static bool is_aligned(const void *p) { return (uintptr_t)p % sizeof(float4) == 0; }

cudaError_t transpose_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                          cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    const size_t across = (cols + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
    if (d_x == NULL || d_out == NULL || across > MAX_BLOCKS / down) return cudaErrorInvalidValue;
    const bool wide = rows % QUAD == 0 && cols % QUAD == 0 && is_aligned(d_x) && is_aligned(d_out);
    transpose_kernel<<<(unsigned)(across * down), dim3(SIDE, SIDE), 0, stream>>>(
        wide, rows, cols, across, d_x, d_out);
    return cudaGetLastError();
}
