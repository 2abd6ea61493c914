/* SPDX-License-Identifier: Apache-2.0 */
/* The same numbers copied or scaled by threads that look at memory in different patterns: all move
 * the same useful bytes, and only the pattern decides how many more come along. For lesson 06. */
#ifndef KERNELS_COALESCING_H
#define KERNELS_COALESCING_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the element that thread i of n reads at that stride: 0, stride, 2 stride, ..., then 1,
 * stride + 1, ...: each element once. n is a multiple of stride > 0. */
size_t strided_element(size_t n, size_t stride, size_t i);

/* out[i] = x[strided_element(n, stride, i)]: neighbouring threads read `stride` elements apart and
 * write side by side.
 *
 * Shapes: d_x, d_out: (n,) float32 in device memory, not overlapping.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with n > 0, for stride 0, and
 *         where n is no multiple of stride. Else the launch's own status. Returns before the
 *         kernel ends.
 * Cost:   8 n useful bytes. */
cudaError_t copy_strided_gpu(size_t n, size_t stride, const float *d_x, float *d_out,
                             cudaStream_t stream);

/* out[i] = x[i + offset]: a copy that may begin in the middle of a sector.
 *
 * Shapes: d_x: (n + offset,), d_out: (n,) float32 in device memory, not overlapping.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with n > 0. Else the
 *         launch's own status. Returns before the kernel ends.
 * Cost:   8 n useful bytes. */
cudaError_t copy_offset_gpu(size_t n, size_t offset, const float *d_x, float *d_out,
                            cudaStream_t stream);

/* The same with 16 bytes a thread, four floats at a time, and no offset.
 *
 * Shapes: d_x, d_out: (n,) float32 in device memory, aligned to 16 bytes, not overlapping.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer or a misaligned one with
 *         n > 0, and where n is no multiple of 4. Else the launch's own status. Returns before the
 *         kernel ends.
 * Cost:   8 n useful bytes. */
cudaError_t copy_float4_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);

/* A point as a program in C writes it down. */
typedef struct Point {
    float x, y, z;
} Point;

/* An array of structures: each thread moves one point by (dx, dy, dz).
 *
 * Shapes: d_points, d_out: (n,) Point in device memory; d_out may be d_points.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with n > 0. Else the
 *         launch's own status. Returns before the kernel ends.
 * Cost:   24 n useful bytes. */
cudaError_t move_structs_gpu(size_t n, const Point *d_points, Point move, Point *d_out,
                             cudaStream_t stream);

/* A structure of arrays: the same points, all x first, then all y, then all z.
 *
 * Shapes: d_points, d_out: (3, n) float32 in device memory; d_out may be d_points.
 * Errors, cost: as move_structs_gpu. */
cudaError_t move_arrays_gpu(size_t n, const float *d_points, Point move, float *d_out,
                            cudaStream_t stream);

/* Of each structure x alone, which leaves y and z in memory that travels all the same.
 *
 * Shapes: d_points: (n,) Point, d_x: (n,) float32 in device memory.
 * Errors: as move_structs_gpu.
 * Cost:   8 n useful bytes. */
cudaError_t take_x_gpu(size_t n, const Point *d_points, float *d_x, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_COALESCING_H */
