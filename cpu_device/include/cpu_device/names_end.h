/* Last in each header that begins with names_begin.h: the program's macros are back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if CPU_DEVICE_DEPTH_ == 1
#undef CPU_DEVICE_DEPTH_
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if __has_include("cpu_device/names_back.inc")
#include "cpu_device/names_back.inc"
#endif
#elif CPU_DEVICE_DEPTH_ == 2
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 1
#elif CPU_DEVICE_DEPTH_ == 3
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 2
#elif CPU_DEVICE_DEPTH_ == 4
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 3
#elif CPU_DEVICE_DEPTH_ == 5
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 4
#elif CPU_DEVICE_DEPTH_ == 6
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 5
#endif
