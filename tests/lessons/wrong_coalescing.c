/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of launchers that lesson 06 uses (--wrap). The variable WRONG says which of them is
 * wrong in this run: the lesson must notice each.
 *   strided  copy_strided_gpu copies in order, whatever the stride
 *   offset   copy_offset_gpu forgets the offset
 *   float4   copy_float4_gpu forgets the last 16 bytes
 *   structs  move_structs_gpu forgets the last point
 *   arrays   move_arrays_gpu moves by another distance */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/coalescing.h"

static bool wrong(const char *what) {
    const char *value = getenv("WRONG");
    return value != NULL && strcmp(value, what) == 0;
}

cudaError_t __real_copy_strided_gpu(size_t n, size_t stride, const float *d_x, float *d_out,
                                    cudaStream_t stream);
cudaError_t __wrap_copy_strided_gpu(size_t n, size_t stride, const float *d_x, float *d_out,
                                    cudaStream_t stream);
cudaError_t __wrap_copy_strided_gpu(size_t n, size_t stride, const float *d_x, float *d_out,
                                    cudaStream_t stream) {
    return __real_copy_strided_gpu(n, wrong("strided") ? 1 : stride, d_x, d_out, stream);
}

cudaError_t __real_copy_offset_gpu(size_t n, size_t offset, const float *d_x, float *d_out,
                                   cudaStream_t stream);
cudaError_t __wrap_copy_offset_gpu(size_t n, size_t offset, const float *d_x, float *d_out,
                                   cudaStream_t stream);
cudaError_t __wrap_copy_offset_gpu(size_t n, size_t offset, const float *d_x, float *d_out,
                                   cudaStream_t stream) {
    return __real_copy_offset_gpu(n, wrong("offset") ? 0 : offset, d_x, d_out, stream);
}

cudaError_t __real_copy_float4_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);
cudaError_t __wrap_copy_float4_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);
cudaError_t __wrap_copy_float4_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    return __real_copy_float4_gpu(wrong("float4") ? n - 4 : n, d_x, d_out, stream);
}

cudaError_t __real_move_structs_gpu(size_t n, const Point *d_points, Point move, Point *d_out,
                                    cudaStream_t stream);
cudaError_t __wrap_move_structs_gpu(size_t n, const Point *d_points, Point move, Point *d_out,
                                    cudaStream_t stream);
cudaError_t __wrap_move_structs_gpu(size_t n, const Point *d_points, Point move, Point *d_out,
                                    cudaStream_t stream) {
    return __real_move_structs_gpu(n - wrong("structs"), d_points, move, d_out, stream);
}

cudaError_t __real_move_arrays_gpu(size_t n, const float *d_points, Point move, float *d_out,
                                   cudaStream_t stream);
cudaError_t __wrap_move_arrays_gpu(size_t n, const float *d_points, Point move, float *d_out,
                                   cudaStream_t stream);
cudaError_t __wrap_move_arrays_gpu(size_t n, const float *d_points, Point move, float *d_out,
                                   cudaStream_t stream) {
    if (wrong("arrays")) move.z = move.x;
    return __real_move_arrays_gpu(n, d_points, move, d_out, stream);
}
