/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define __DEVICE_LAUNCH_PARAMETERS_H__ /* the toolkit's own guard: programs ask for it */
#include "cpu_device/names_begin.h"

#ifdef __cplusplus
#include "cpu_device/launch.h"
#include "cpu_device/cluster.h"
#include "cpu_device/phases.h"
#include "cpu_device/shared.h"
#include "cpu_device/thread.h"

static constexpr int warpSize = 32;
#endif

#include "cpu_device/names_end.h"

#endif
