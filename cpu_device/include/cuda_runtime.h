/* The toolkit's main header: the runtime API, and in C++ what kernels use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUDA_RUNTIME_H
#define CPU_DEVICE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* the toolkit's own guard: programs ask for it */
#include "cpu_device/names_begin.h"

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include "cpu_device/api_templates.h"
#ifdef __CUDACC__
#include "device_launch_parameters.h"
#include "device_functions.h"
#endif
#endif

#include "cpu_device/names_end.h"

#endif
