/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of launchers that lessons 03 and 04 use (--wrap). The variable
 * WRONG says which of them is wrong in this run: the lessons must notice each.
 *   last_block  add_gpu forgets the last block, as a grid that was rounded down
 *   square      cube_fused_gpu forgets one multiplication
 *   owner       the signatures are those of blocks of half the size
 *   no_guard    add_one_per_thread_gpu has no bounds guard
 *   textbook    add_one_per_thread_gpu forgets the last block */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tuned/elementwise.h"

cudaError_t __real_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream);
cudaError_t __wrap_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream);
cudaError_t __real_cube_fused_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);
cudaError_t __wrap_cube_fused_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);
cudaError_t __real_owner_one_per_thread_gpu(size_t n, uint32_t *d_block, uint32_t *d_thread,
                                            unsigned threads, cudaStream_t stream);
cudaError_t __wrap_owner_one_per_thread_gpu(size_t n, uint32_t *d_block, uint32_t *d_thread,
                                            unsigned threads, cudaStream_t stream);
cudaError_t __real_add_one_per_thread_gpu(size_t n, const float *d_x, const float *d_y,
                                          float *d_out, unsigned threads, cudaStream_t stream);
cudaError_t __wrap_add_one_per_thread_gpu(size_t n, const float *d_x, const float *d_y,
                                          float *d_out, unsigned threads, cudaStream_t stream);

static bool wrong(const char *what) {
    const char *value = getenv("WRONG");
    return value != NULL && strcmp(value, what) == 0;
}

cudaError_t __wrap_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream) {
    return __real_add_gpu(wrong("last_block") ? n - n % 256 : n, d_x, d_y, d_out, stream);
}

cudaError_t __wrap_cube_fused_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream) {
    if (wrong("square")) return square_gpu(n, d_x, d_out, stream);
    return __real_cube_fused_gpu(n, d_x, d_out, stream);
}

cudaError_t __wrap_owner_one_per_thread_gpu(size_t n, uint32_t *d_block, uint32_t *d_thread,
                                            unsigned threads, cudaStream_t stream) {
    return __real_owner_one_per_thread_gpu(n, d_block, d_thread,
                                           wrong("owner") ? threads / 2 : threads, stream);
}

cudaError_t __wrap_add_one_per_thread_gpu(size_t n, const float *d_x, const float *d_y,
                                          float *d_out, unsigned threads, cudaStream_t stream) {
    size_t all = (n + threads - 1) / threads * threads;
    if (wrong("textbook")) n -= n % threads;
    return __real_add_one_per_thread_gpu(wrong("no_guard") ? all : n, d_x, d_y, d_out, threads,
                                         stream);
}
