/* SPDX-License-Identifier: Apache-2.0 */
/* Which GPUs a program sees, and why: CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER,
 * and what to do where it sees none.
 *
 * All but device_visibility_find are functions of what was found out: they read no
 * environment and call no CUDA function, so that each case can be tested on any machine. */
#ifndef LESSONS_DEVICE_VISIBILITY_H_
#define LESSONS_DEVICE_VISIBILITY_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "common/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was found out about this machine. known_gpus is -1 where nothing says
 * how many the driver knows. Null strings: the variable is not set. */
typedef struct {
    bool cpu_device;
    cudaError_t status;  /* of cudaGetDeviceCount */
    int visible_count;   /* what it counted */
    int known_gpus;      /* device_visibility_known_gpus() */
    int driver_version;  /* of cudaDriverGetVersion, 0: no driver */
    int runtime_version; /* of cudaRuntimeGetVersion */
    const char *visible; /* CUDA_VISIBLE_DEVICES */
    const char *order;   /* CUDA_DEVICE_ORDER */
} DeviceVisibility;

/* GPUs that the kernel driver lists, hidden ones included; -1 where it has no
 * list (no driver, or a system such as WSL that has none). */
int device_visibility_known_gpus(void);

/* What is behind the answer of cudaGetDeviceCount: asks CUDA for its versions, the driver for
 * its GPUs, and the environment. Never fails, and leaves no CUDA error behind. */
DeviceVisibility device_visibility_find(cudaError_t status, int visible_count);

/* The effect of CUDA_VISIBLE_DEVICES, in one or two lines. */
void device_visibility_describe(const DeviceVisibility *found, char *text, size_t size);

/* The effect of CUDA_DEVICE_ORDER, in one line. */
void device_visibility_describe_order(const DeviceVisibility *found, char *text, size_t size);

/* For visible_count == 0 or a failed count: why there is no device, and on a
 * second line what to do about it. */
void device_visibility_explain_none(const DeviceVisibility *found, char *text, size_t size);

/* Prints and records all of that but the explanation, as a table with a heading. */
void device_visibility_print(const DeviceVisibility *found, Record *record);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_DEVICE_VISIBILITY_H_ */
