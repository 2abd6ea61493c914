/* First in each header that programs include: from here to names_end.h the kit's names are no macros,
 * whatever the program or its command line (-DN=16, -DS, #define block) calls so. Headers that
 * include one another count how deep they are; the outermost one does it.
 *
 * And what the compiler sees when it has inlined these headers' functions into a program's is no
 * matter of their lines: it would warn of values that pass through them.
 *
 * The list of names is made of the headers' own text when the kit is built: list_names.sh.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if !defined(CPU_DEVICE_DEPTH_)
#define CPU_DEVICE_DEPTH_ 1
#if __has_include("cpu_device/names_hidden.inc")
#include "cpu_device/names_hidden.inc"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wnonnull"
#endif
#elif CPU_DEVICE_DEPTH_ == 1
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 2
#elif CPU_DEVICE_DEPTH_ == 2
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 3
#elif CPU_DEVICE_DEPTH_ == 3
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 4
#elif CPU_DEVICE_DEPTH_ == 4
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 5
#elif CPU_DEVICE_DEPTH_ == 5
#undef CPU_DEVICE_DEPTH_
#define CPU_DEVICE_DEPTH_ 6
#else
#error "headers of the kit include one another more than 6 deep: see cpu_device/names_begin.h"
#endif
