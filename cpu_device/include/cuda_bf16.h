/* __nv_bfloat16 and __nv_bfloat162: the upper 16 bits of a float.
 *
 * Every operation computes in more precision and rounds once, to nearest even, as the device's
 * own do; the functions (hexp, hsin …) are the float's, rounded, and may differ from a
 * GPU's in the last place. For host code too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUDA_BF16_H
#define CPU_DEVICE_CUDA_BF16_H
#include "cpu_device/names_begin.h"

#ifdef __cplusplus

#include "cpu_device/small_float.h"

#define SMALL __nv_bfloat16
#define SMALL2 __nv_bfloat162
#define SMALL_RAW __nv_bfloat16_raw
#define SMALL2_RAW __nv_bfloat162_raw
#define SMALL_WORD bfloat16
#define TO_BITS ::cpu_device::to_bfloat16_bits
#define FROM_BITS ::cpu_device::from_bfloat16_bits
#define NAME_(x) cpu_device_bfloat16_##x
#include "cpu_device/small_float.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif

#include "cpu_device/names_end.h"

#endif
