/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define __DEVICE_LAUNCH_PARAMETERS_H__ /* the toolkit's own guard: programs ask for it */

#ifdef __cplusplus
#include "cpu_device_launch.h"
#include "cpu_device_cluster.h"
#include "cpu_device_phases.h"
#include "cpu_device_shared.h"
#include "cpu_device_thread.h"

static constexpr int warpSize = 32;
#endif

#endif
