/* __half and __half2: IEEE's 16-bit floating point.
 *
 * Every operation computes in more precision and rounds once, to nearest even, as the device's
 * own do; the functions (hexp, hsin …) are the float's, rounded, and may differ from a
 * GPU's in the last place. For host code too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUDA_FP16_H
#define CPU_DEVICE_CUDA_FP16_H
#include "cpu_device/names_begin.h"

#ifdef __cplusplus

#include "cpu_device/small_float.h"

#define SMALL __half
#define SMALL2 __half2
#define SMALL_RAW __half_raw
#define SMALL2_RAW __half2_raw
#define SMALL_WORD half
#define TO_BITS ::cpu_device::to_half_bits
#define FROM_BITS ::cpu_device::from_half_bits
#define NAME_(x) cpu_device_half_##x
#include "cpu_device/small_float.inc"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif

#include "cpu_device/names_end.h"

#endif
