/* SPDX-License-Identifier: Apache-2.0 */
/* An elementwise kernel that forgets the bounds guard, for lesson 03 to show
 * what the guard is for. Not for use anywhere else. */
#ifndef LESSONS_WITHOUT_GUARD_H_
#define LESSONS_WITHOUT_GUARD_H_

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x[i] + y[i] for every thread that was started, needed or not: the
 * threads past element n - 1 compute and write as well.
 *
 * Shapes: d_x, d_y, d_out: float32 in device memory, with room for n rounded
 *         up to a whole number of blocks, or the kernel leaves the arrays.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with
 *         n > 0 or threads == 0, else the launch's own status. */
cudaError_t add_without_guard_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                                  unsigned threads, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_WITHOUT_GUARD_H_ */
