/* What this device's memory can do, measured in the same run: the figure
 * that every rate is held against.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_CEILING_H_
#define COMMON_CEILING_H_

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Device-to-device copy of `bytes` bytes; *gbps counts bytes read plus written.
 * Allocates 2 * bytes on the device, fills the source first, and releases both.
 *
 * Errors: cudaErrorInvalidValue for bytes = 0 or a null gbps; cudaErrorMemoryAllocation
 *         if two such arrays do not fit; *gbps is 0 then. */
cudaError_t measure_copy_ceiling(size_t bytes, cudaStream_t stream, double *gbps);

/* The same between two buffers that the caller has, which saves the memory:
 * d_to and d_from, `bytes` long each, not overlapping; d_to is overwritten. */
cudaError_t measure_copy_ceiling_in(void *d_to, const void *d_from, size_t bytes,
                                    cudaStream_t stream, double *gbps);

/* 2 * memory clock * bus width of a device, in GB/s; 0 where the device does not
 * report them (never an error). */
double memory_peak_gbps(int device);

#ifdef __cplusplus
}
#endif

#endif
