/* CUDA errors, explained to a student: what failed, where, and what to do about it.
 *
 * CUDA_CHECK is for a main (it prints and exits). Everything else here only
 * writes text, so that libraries and tests can use it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_CHECK_H_
#define COMMON_CHECK_H_

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates `call` once. If it is not cudaSuccess, prints file, line, the call,
 * the error's name and text, the library's own explanation if it left one, and
 * advice, to stderr, and exits with status 1. For a main only. */
#define CUDA_CHECK(call)                                                    \
    do {                                                                    \
        cudaError_t cuda_check_status_ = (call);                            \
        if (cuda_check_status_ != cudaSuccess) {                            \
            cuda_check_fail(__FILE__, __LINE__, #call, cuda_check_status_); \
        }                                                                   \
    } while (0)

/* To stand right after a launch of `grid` blocks of `block` threads with
 * `shared_bytes` bytes of dynamic shared memory: takes cudaGetLastError(), and
 * if the launch did not happen prints grid and block, names the dimension that
 * is 0 or too large, and exits with status 1. An error that no launch gives, such
 * as that of an allocation that failed before, is only reported. For a
 * main only. */
#define CUDA_CHECK_LAUNCH(grid, block, shared_bytes)                               \
    do {                                                                           \
        cudaError_t cuda_check_status_ = cudaGetLastError();                       \
        if (cuda_check_status_ != cudaSuccess) {                                   \
            cuda_check_launch(__FILE__, __LINE__, (grid), (block), (shared_bytes), \
                              cuda_check_status_);                                 \
        }                                                                          \
    } while (0)

/* What CUDA_CHECK and CUDA_CHECK_LAUNCH call. The first does not return, the second
 * only where the error is not the launch's. */
void cuda_check_fail(const char *file, int line, const char *call, cudaError_t status)
    __attribute__((noreturn, cold));
void cuda_check_launch(const char *file, int line, dim3 grid, dim3 block, size_t shared_bytes,
                       cudaError_t status) __attribute__((cold));

/* Returns what to do about `status`, in one to three sentences; "" where nothing
 * general can be said, and for cudaSuccess. Static text, calls no CUDA. */
const char *cuda_error_advice(cudaError_t status);

/* Writes what CUDA_CHECK prints into text[0 .. size), always terminated.
 * Returns the length that the whole text has, as snprintf does. */
size_t cuda_error_describe(char *text, size_t size, const char *file, int line, const char *call,
                           cudaError_t status);

/* Checks a launch of this shape against the current device's limits.
 *
 * Returns the number of faults found; for each, text says which dimension is 0
 * or above which limit, and what to do ("grid.y is 0: … round up"). The first
 * line gives grid and block. With no fault, returns 0 and text holds that line.
 * Without a device the limits that every CUDA device since 2012 has are used.
 * Leaves no error behind. */
int launch_explain(dim3 grid, dim3 block, size_t shared_bytes, char *text, size_t size);

/* Returns the explanation that the last call into this library on this thread left,
 * beyond its cudaError_t: "" if it left none. Every call that can fail clears
 * it first. CUDA_CHECK prints it. Valid until the next call on this thread. */
const char *lab_last_message(void);

/* For the library's own modules: clear, or set as printf does. Returns `status`,
 * so that a failing function can end with one statement. */
void lab_clear_message(void);
cudaError_t lab_fail(cudaError_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
