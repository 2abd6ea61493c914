/* What kernels call: barriers, fences, atomics, loads and stores with cache hints, rounding and
 * integer intrinsics, mathematics.
 *
 * Numbers are IEEE, as on the device without fast-math; intrinsics that are approximate there
 * (__sinf and others) give the exact function's value here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_DEVICE_FUNCTIONS_H
#define CPU_DEVICE_DEVICE_FUNCTIONS_H
#define __DEVICE_FUNCTIONS_H__ /* the toolkit's own guard: programs ask for it */
#include "cpu_device/names_begin.h"

#ifdef __cplusplus
#include "cpu_device/atomics.h"
#include "cpu_device/math.h"
#include "cpu_device/printf.h"
#include "cpu_device/ptx.h"
#include "cpu_device/steps.h"
#include "cpu_device/sync.h"
#include "cpu_device/warp.h"
#endif

#include "cpu_device/names_end.h"

#endif
