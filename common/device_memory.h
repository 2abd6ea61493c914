/* The device allocations of arrays, counted. Private to device_array.
 *
 * An allocation is named by a number that is never used again, so a stale array
 * (freed twice, or a copy of one that was freed) is found out by looking it up.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_DEVICE_MEMORY_H_
#define COMMON_DEVICE_MEMORY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

/* Allocates `bytes` on the current device (0: no memory, but a name all the same)
 * and names it, with one holder. On error *name is 0, *d null, nothing is kept. */
cudaError_t device_memory_new(size_t bytes, void **d, int *device, uint64_t *name);

/* One holder more. False if no such memory is alive. */
bool device_memory_hold(uint64_t name);

/* One holder less; the last one frees it, from any current device. A name that is
 * not alive is no error. */
cudaError_t device_memory_drop(uint64_t name);

bool device_memory_is_alive(uint64_t name);
size_t device_memory_count(void);

#endif
