/* Copies between arrays of any strides on the device. Private to device_array.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_STRIDED_COPY_H_
#define COMMON_STRIDED_COPY_H_

#include <stddef.h>

#include <cuda_runtime_api.h>

#include "common/device_array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* to[…] = from[…] for every index of the shape, one thread per element in turn.
 *
 * Shapes: both arrays have from's shape and element type, their memory does not
 *         overlap, and every address is aligned to the element's size.
 * Errors: the launch's own status. Returns before the kernel ends. 0 elements: no-op.
 * Cost:   2 n elements moved; without coalescing where strides are long. */
cudaError_t strided_copy_gpu(const DeviceArray *to, const DeviceArray *from, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
