/* CUDA's built-in vector types (char1 … double4, dim3), for C and C++.
 *
 * Sizes and alignments are those of the device: float4 is aligned to 16 bytes, float3 to 4.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_VECTOR_TYPES_H
#define CPU_DEVICE_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* the toolkit's own guard: programs ask for it */
#include "cpu_device/names_begin.h"

#define CPU_DEVICE_VECTORS_(name, type, align2, align4) \
    struct name##1 {                                    \
        type x;                                         \
    };                                                  \
    struct __attribute__((aligned(align2))) name##2 {   \
        type x, y;                                      \
    };                                                  \
    struct name##3 {                                    \
        type x, y, z;                                   \
    };                                                  \
    struct __attribute__((aligned(align4))) name##4 {   \
        type x, y, z, w;                                \
    };                                                  \
    typedef struct name##1 name##1;                     \
    typedef struct name##2 name##2;                     \
    typedef struct name##3 name##3;                     \
    typedef struct name##4 name##4;

CPU_DEVICE_VECTORS_(char, signed char, 2, 4)
CPU_DEVICE_VECTORS_(uchar, unsigned char, 2, 4)
CPU_DEVICE_VECTORS_(short, short, 4, 8)
CPU_DEVICE_VECTORS_(ushort, unsigned short, 4, 8)
CPU_DEVICE_VECTORS_(int, int, 8, 16)
CPU_DEVICE_VECTORS_(uint, unsigned int, 8, 16)
CPU_DEVICE_VECTORS_(long, long, 16, 16)
CPU_DEVICE_VECTORS_(ulong, unsigned long, 16, 16)
CPU_DEVICE_VECTORS_(longlong, long long, 16, 16)
CPU_DEVICE_VECTORS_(ulonglong, unsigned long long, 16, 16)
CPU_DEVICE_VECTORS_(float, float, 8, 16)
CPU_DEVICE_VECTORS_(double, double, 16, 16)
#undef CPU_DEVICE_VECTORS_

/* Four of 8 bytes, aligned to 16 as above, or to 32. */
#define CPU_DEVICE_ALIGNED_VECTORS_(name, type)       \
    struct __attribute__((aligned(16))) name##4_16a { \
        type x, y, z, w;                              \
    };                                                \
    struct __attribute__((aligned(32))) name##4_32a { \
        type x, y, z, w;                              \
    };                                                \
    typedef struct name##4_16a name##4_16a;           \
    typedef struct name##4_32a name##4_32a;
CPU_DEVICE_ALIGNED_VECTORS_(long, long)
CPU_DEVICE_ALIGNED_VECTORS_(ulong, unsigned long)
CPU_DEVICE_ALIGNED_VECTORS_(longlong, long long)
CPU_DEVICE_ALIGNED_VECTORS_(ulonglong, unsigned long long)
CPU_DEVICE_ALIGNED_VECTORS_(double, double)
#undef CPU_DEVICE_ALIGNED_VECTORS_

/* The size of a grid or a block; what is left out is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#include "cpu_device/names_end.h"

#endif
