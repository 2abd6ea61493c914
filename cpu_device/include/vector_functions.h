/* make_float4 and its sisters: CUDA's built-in vector types from their components.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_VECTOR_FUNCTIONS_H
#define CPU_DEVICE_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* the toolkit's own guard: programs ask for it */
#include "cpu_device/names_begin.h"

#include "vector_types.h"

#define CPU_DEVICE_MAKE_(name, type)                                       \
    static inline name##1 make_##name##1(type x) {                         \
        name##1 v = {x};                                                   \
        return v;                                                          \
    }                                                                      \
    static inline name##2 make_##name##2(type x, type y) {                 \
        name##2 v = {x, y};                                                \
        return v;                                                          \
    }                                                                      \
    static inline name##3 make_##name##3(type x, type y, type z) {         \
        name##3 v = {x, y, z};                                             \
        return v;                                                          \
    }                                                                      \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { \
        name##4 v = {x, y, z, w};                                          \
        return v;                                                          \
    }

CPU_DEVICE_MAKE_(char, signed char)
CPU_DEVICE_MAKE_(uchar, unsigned char)
CPU_DEVICE_MAKE_(short, short)
CPU_DEVICE_MAKE_(ushort, unsigned short)
CPU_DEVICE_MAKE_(int, int)
CPU_DEVICE_MAKE_(uint, unsigned int)
CPU_DEVICE_MAKE_(long, long)
CPU_DEVICE_MAKE_(ulong, unsigned long)
CPU_DEVICE_MAKE_(longlong, long long)
CPU_DEVICE_MAKE_(ulonglong, unsigned long long)
CPU_DEVICE_MAKE_(float, float)
CPU_DEVICE_MAKE_(double, double)
#undef CPU_DEVICE_MAKE_

#define CPU_DEVICE_MAKE_ALIGNED_(name, type)                                       \
    static inline name##4_16a make_##name##4_16a(type x, type y, type z, type w) { \
        name##4_16a v = {x, y, z, w};                                              \
        return v;                                                                  \
    }                                                                              \
    static inline name##4_32a make_##name##4_32a(type x, type y, type z, type w) { \
        name##4_32a v = {x, y, z, w};                                              \
        return v;                                                                  \
    }
CPU_DEVICE_MAKE_ALIGNED_(long, long)
CPU_DEVICE_MAKE_ALIGNED_(ulong, unsigned long)
CPU_DEVICE_MAKE_ALIGNED_(longlong, long long)
CPU_DEVICE_MAKE_ALIGNED_(ulonglong, unsigned long long)
CPU_DEVICE_MAKE_ALIGNED_(double, double)
#undef CPU_DEVICE_MAKE_ALIGNED_

#include "cpu_device/names_end.h"

#endif
