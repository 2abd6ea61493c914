/* The driver API's header, which many programs include without calling any of it. Here are the
 * names that they then use; calls of cu...() are not supported: see docs/cpu_device.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUDA_H
#define CPU_DEVICE_CUDA_H
#include "cpu_device/names_begin.h"

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef enum { CUDA_SUCCESS = 0 } CUresult;

#include "cpu_device/names_end.h"

#endif
