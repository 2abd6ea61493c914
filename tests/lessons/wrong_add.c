/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of add_gpu (--wrap): forgets the elements of the last block,
 * as a grid that was rounded down does. Lesson 03 and 04 must notice. */
#include <stddef.h>

#include <cuda_runtime_api.h>

cudaError_t __real_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream);
cudaError_t __wrap_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream);

cudaError_t __wrap_add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                           cudaStream_t stream) {
    return __real_add_gpu(n - n % 256, d_x, d_y, d_out, stream);
}
