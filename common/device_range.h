/* How far an allocation reaches. Private to staged_copy.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_DEVICE_RANGE_H_
#define COMMON_DEVICE_RANGE_H_

#include <stdbool.h>
#include <stddef.h>

/* *bytes = bytes from d to the end of the allocation that d points into. False if
 * that cannot be had (the CPU device, which checks each copy itself; no driver). */
bool device_range(const void *d, size_t *bytes);

#endif
