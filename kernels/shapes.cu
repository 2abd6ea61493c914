/* SPDX-License-Identifier: Apache-2.0 */
/* factor * x in several shapes of launch. Contracts in shapes.h. */
#include "kernels/shapes.h"

#include <cuda_runtime.h>

/* The largest grids of a device since 2012, in blocks. */
enum { MAX_GRID_X = 2147483647, MAX_GRID_YZ = 65535 };

/* Columns lie along x: neighbours in a warp are neighbours in memory. */
__global__ void scale_image_kernel(size_t rows, size_t cols, const float *x, float factor,
                                   float *out) {
    const size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = factor * x[row * cols + col];
}

/* The mistake: as right as the other, but neighbours in a warp are a whole row apart. */
__global__ void scale_image_swapped_kernel(size_t rows, size_t cols, const float *x, float factor,
                                           float *out) {
    const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t col = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = factor * x[row * cols + col];
}

/* Whose element is (row, col)? */
__global__ void sign_image_kernel(size_t rows, size_t cols, uint32_t *block, uint32_t *thread) {
    const size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        block[row * cols + col] = blockIdx.y * gridDim.x + blockIdx.x;
        thread[row * cols + col] = threadIdx.y * blockDim.x + threadIdx.x;
    }
}

/* Every index is some thread's, however many threads there are: in steps of all of them. */
__global__ void scale_stride_kernel(size_t n, const float *x, float factor, float *out) {
    const size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        out[i] = factor * x[i];
}

/* The same for threads in up to three dimensions: counted x first, then y, then z. */
__global__ void scale_shaped_kernel(size_t n, const float *x, float factor, float *out) {
    const size_t in_block = blockDim.x * blockDim.y * blockDim.z;
    const size_t block = blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z);
    const size_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const size_t all = in_block * gridDim.x * gridDim.y * gridDim.z;
    for (size_t i = block * in_block + thread; i < n; i += all) out[i] = factor * x[i];
}

/* The block's number is a parameter, so that a block of a huge grid can be asked alone. */
__global__ void index_of_kernel(unsigned block, unsigned threads, unsigned thread,
                                uint64_t *indices) {
    const size_t right = (size_t)block * threads + thread;
    const size_t wrapped = block * threads + thread; /* 32 bits, whatever it is stored in */
    indices[0] = right;
    indices[1] = wrapped;
}

/* Blocks for n elements, rounded up; 0 if a grid cannot have so many. */
static unsigned blocks_for(size_t n, unsigned threads) {
    const size_t blocks = n / threads + (n % threads != 0);
    return blocks <= UINT32_MAX ? (unsigned)blocks : 0;
}

LaunchShape shape_for_image(size_t rows, size_t cols, unsigned block_x, unsigned block_y) {
    const LaunchShape shape = {{blocks_for(cols, block_x), blocks_for(rows, block_y), 1},
                               {block_x, block_y, 1}};
    return shape;
}

static size_t product(const unsigned extent[3]) {
    return (size_t)extent[0] * extent[1] * extent[2];
}

size_t shape_block_threads(const LaunchShape *shape) { return product(shape->block); }

size_t shape_threads(const LaunchShape *shape) {
    return product(shape->grid) * product(shape->block);
}

static bool fits_a_grid(const LaunchShape *shape) {
    return shape->grid[0] > 0 && shape->grid[1] > 0 && shape->grid[0] <= MAX_GRID_X &&
           shape->grid[1] <= MAX_GRID_YZ;
}

static dim3 as_dim3(const unsigned extent[3]) { return dim3(extent[0], extent[1], extent[2]); }

/* True if there is something to launch; else *status is what to return. */
static bool image_is_there(size_t rows, size_t cols, const void *first, const void *second,
                           unsigned block_x, unsigned block_y, LaunchShape *shape,
                           cudaError_t *status) {
    *status = cudaSuccess;
    if (rows == 0 || cols == 0) return false;
    *status = cudaErrorInvalidValue;
    if (first == NULL || second == NULL || block_x == 0 || block_y == 0) return false;
    *shape = shape_for_image(rows, cols, block_x, block_y);
    return fits_a_grid(shape);
}

cudaError_t scale_image_gpu(size_t rows, size_t cols, const float *d_x, float factor, float *d_out,
                            unsigned block_x, unsigned block_y, cudaStream_t stream) {
    LaunchShape shape;
    cudaError_t status;
    if (!image_is_there(rows, cols, d_x, d_out, block_x, block_y, &shape, &status)) return status;
    scale_image_kernel<<<as_dim3(shape.grid), as_dim3(shape.block), 0, stream>>>(rows, cols, d_x,
                                                                                 factor, d_out);
    return cudaGetLastError();
}

cudaError_t scale_image_swapped_gpu(size_t rows, size_t cols, const float *d_x, float factor,
                                    float *d_out, unsigned block_x, unsigned block_y,
                                    cudaStream_t stream) {
    LaunchShape shape;
    cudaError_t status;
    if (!image_is_there(cols, rows, d_x, d_out, block_x, block_y, &shape, &status)) return status;
    scale_image_swapped_kernel<<<as_dim3(shape.grid), as_dim3(shape.block), 0, stream>>>(
        rows, cols, d_x, factor, d_out);
    return cudaGetLastError();
}

cudaError_t sign_image_gpu(size_t rows, size_t cols, uint32_t *d_block, uint32_t *d_thread,
                           unsigned block_x, unsigned block_y, cudaStream_t stream) {
    LaunchShape shape;
    cudaError_t status;
    if (!image_is_there(rows, cols, d_block, d_thread, block_x, block_y, &shape, &status))
        return status;
    sign_image_kernel<<<as_dim3(shape.grid), as_dim3(shape.block), 0, stream>>>(rows, cols, d_block,
                                                                                d_thread);
    return cudaGetLastError();
}

cudaError_t scale_stride_gpu(size_t n, const float *d_x, float factor, float *d_out,
                             unsigned blocks, unsigned threads, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    if (d_x == NULL || d_out == NULL) return cudaErrorInvalidValue;
    scale_stride_kernel<<<blocks, threads, 0, stream>>>(n, d_x, factor, d_out);
    return cudaGetLastError();
}

cudaError_t scale_shaped_gpu(size_t n, const float *d_x, float factor, float *d_out,
                             LaunchShape shape, size_t shared_bytes, cudaStream_t stream) {
    scale_shaped_kernel<<<as_dim3(shape.grid), as_dim3(shape.block), shared_bytes, stream>>>(
        n, d_x, factor, d_out);
    return cudaGetLastError();
}

int scale_stride_blocks_per_sm(unsigned threads) {
    int blocks = 0;
    const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, scale_stride_kernel, (int)threads, 0);
    return status == cudaSuccess ? blocks : 0;
}

cudaError_t index_of_gpu(unsigned block, unsigned threads, unsigned thread, uint64_t *d_indices,
                         cudaStream_t stream) {
    if (d_indices == NULL) return cudaErrorInvalidValue;
    index_of_kernel<<<1, 1, 0, stream>>>(block, threads, thread, d_indices);
    return cudaGetLastError();
}
