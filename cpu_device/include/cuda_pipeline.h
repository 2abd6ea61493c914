/* Asynchronous copies into shared memory, by primitives. A copy is done where it is asked for,
 * which is one of the ways in which it may behave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUDA_PIPELINE_H
#define CPU_DEVICE_CUDA_PIPELINE_H
#include "cpu_device/names_begin.h"

#include <stddef.h>
#include <string.h>

#include "cuda_runtime.h"

/* 4, 8 or 16 bytes, the last `zero_fill` of them zeros. */
inline void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zero_fill = 0) {
    memcpy(dst, src, size - zero_fill);
    memset((char *)dst + size - zero_fill, 0, zero_fill);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}

#include "cpu_device/names_end.h"

#endif
