/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of access, right and wrong side by side. Contracts in coalescing.h. */
#include "kernels/coalescing.h"

#include <cuda_runtime.h>
#include <stdint.h>

enum { THREADS = 256, MAX_BLOCKS = 2147483647 };

/* Lane t and lane t + 1 read `stride` elements apart. columns is n / stride. */
__global__ void copy_strided_kernel(size_t n, size_t stride, size_t columns, const float *x,
                                    float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i % columns * stride + i / columns];
}

/* Lane t reads offset + t: neighbours all right, but a warp may touch a sector more. */
__global__ void copy_offset_kernel(size_t n, size_t offset, const float *x, float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i + offset];
}

/* Lane t moves 16 bytes: a warp 512, in four requests' worth of one instruction. */
__global__ void copy_float4_kernel(size_t quads, const float4 *x, float4 *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) out[i] = x[i];
}

/* Lane t reads the x of point t, 12 bytes from its neighbour's; then all y, then all z. */
__global__ void move_structs_kernel(size_t n, const Point *points, Point move, Point *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].x = points[i].x + move.x;
        out[i].y = points[i].y + move.y;
        out[i].z = points[i].z + move.z;
    }
}

/* Lane t reads the x beside its neighbour's. */
__global__ void move_arrays_kernel(size_t n, const float *points, Point move, float *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = points[i] + move.x;
        out[n + i] = points[n + i] + move.y;
        out[2 * n + i] = points[2 * n + i] + move.z;
    }
}

/* One third of what comes is used. */
__global__ void take_x_kernel(size_t n, const Point *points, float *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = points[i].x;
}

size_t strided_element(size_t n, size_t stride, size_t i) {
    const size_t columns = n / stride;
    return i % columns * stride + i / columns;
}

static size_t blocks_for(size_t threads) { return threads / THREADS + (threads % THREADS != 0); }

/* True if there is something to launch for that many threads; else *status is what to return. */
static bool launchable(size_t threads, const void *from, const void *to, cudaError_t *status) {
    *status = threads == 0 ? cudaSuccess : cudaErrorInvalidValue;
    return threads > 0 && from != NULL && to != NULL && blocks_for(threads) <= MAX_BLOCKS;
}

cudaError_t copy_strided_gpu(size_t n, size_t stride, const float *d_x, float *d_out,
                             cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_x, d_out, &status)) return status;
    if (stride == 0 || n % stride != 0) return cudaErrorInvalidValue;
    copy_strided_kernel<<<(unsigned)blocks_for(n), THREADS, 0, stream>>>(n, stride, n / stride, d_x,
                                                                         d_out);
    return cudaGetLastError();
}

cudaError_t copy_offset_gpu(size_t n, size_t offset, const float *d_x, float *d_out,
                            cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_x, d_out, &status)) return status;
    copy_offset_kernel<<<(unsigned)blocks_for(n), THREADS, 0, stream>>>(n, offset, d_x, d_out);
    return cudaGetLastError();
}

static bool is_aligned(const void *p) { return (uintptr_t)p % sizeof(float4) == 0; }

cudaError_t copy_float4_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_x, d_out, &status)) return status;
    if (n % 4 != 0 || !is_aligned(d_x) || !is_aligned(d_out)) return cudaErrorInvalidValue;
    copy_float4_kernel<<<(unsigned)blocks_for(n / 4), THREADS, 0, stream>>>(
        n / 4, (const float4 *)d_x, (float4 *)d_out);
    return cudaGetLastError();
}

cudaError_t move_structs_gpu(size_t n, const Point *d_points, Point move, Point *d_out,
                             cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_points, d_out, &status)) return status;
    move_structs_kernel<<<(unsigned)blocks_for(n), THREADS, 0, stream>>>(n, d_points, move, d_out);
    return cudaGetLastError();
}

cudaError_t move_arrays_gpu(size_t n, const float *d_points, Point move, float *d_out,
                            cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_points, d_out, &status)) return status;
    move_arrays_kernel<<<(unsigned)blocks_for(n), THREADS, 0, stream>>>(n, d_points, move, d_out);
    return cudaGetLastError();
}

cudaError_t take_x_gpu(size_t n, const Point *d_points, float *d_x, cudaStream_t stream) {
    cudaError_t status;
    if (!launchable(n, d_points, d_x, &status)) return status;
    take_x_kernel<<<(unsigned)blocks_for(n), THREADS, 0, stream>>>(n, d_points, d_x);
    return cudaGetLastError();
}
