/* CUDA's keywords, for sources that an ordinary C or C++ compiler reads.
 *
 * A .cu file is first read by cu_to_cpp, which must still see the keywords: it defines
 * CPU_DEVICE_TRANSLATING and removes them itself. Editors that understand CUDA (clangd with
 * -x cuda) get the attributes they know. Everything else sees nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_HOST_DEFINES_H
#define CPU_DEVICE_HOST_DEFINES_H
#include "cpu_device/names_begin.h"

#if defined(CPU_DEVICE_TRANSLATING)
/* left as they are, but for one that cu_to_cpp finds as an attribute */
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#elif defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define __grid_constant__
#define __cluster_dims__(...)
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __grid_constant__
#define __cluster_dims__(...)
#endif

/* __noinline__ is no macro: system headers write __attribute__((__noinline__)). cu_to_cpp
 * knows it. */
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#ifndef __builtin_align__
#define __builtin_align__(n) __attribute__((aligned(n)))
#endif
#ifndef CUDART_CB
#define CUDART_CB
#endif
#ifndef CUDARTAPI
#define CUDARTAPI
#endif

#include "cpu_device/names_end.h"

#endif
