/* Complex numbers of the toolkit's names, for C and C++, on host and device.
 *
 * Quotients and absolute values are scaled, so that what is representable does not overflow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CUCOMPLEX_H
#define CPU_DEVICE_CUCOMPLEX_H
#include "cpu_device/names_begin.h"

#include <math.h>

#include "vector_types.h"

#define CPU_DEVICE_COMPLEX_(T, C, f, fabs_, hypot_)                                             \
    static inline C make_##C(T re, T im) {                                                      \
        C z;                                                                                    \
        z.x = re;                                                                               \
        z.y = im;                                                                               \
        return z;                                                                               \
    }                                                                                           \
    static inline T cuCreal##f(C z) { return z.x; }                                             \
    static inline T cuCimag##f(C z) { return z.y; }                                             \
    static inline C cuConj##f(C z) { return make_##C(z.x, -z.y); }                              \
    static inline C cuCadd##f(C a, C b) { return make_##C(a.x + b.x, a.y + b.y); }              \
    static inline C cuCsub##f(C a, C b) { return make_##C(a.x - b.x, a.y - b.y); }              \
    static inline C cuCmul##f(C a, C b) {                                                       \
        return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                          \
    }                                                                                           \
    static inline C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }          \
    static inline C cuCdiv##f(C a, C b) {                                                       \
        const T scale = 1 / (fabs_(b.x) + fabs_(b.y));                                          \
        const C p = make_##C(a.x * scale, a.y * scale), q = make_##C(b.x * scale, b.y * scale); \
        const T norm = 1 / (q.x * q.x + q.y * q.y);                                             \
        return make_##C((p.x * q.x + p.y * q.y) * norm, (p.y * q.x - p.x * q.y) * norm);        \
    }                                                                                           \
    static inline T cuCabs##f(C z) { return hypot_(z.x, z.y); }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

CPU_DEVICE_COMPLEX_(float, cuFloatComplex, f, fabsf, hypotf)
CPU_DEVICE_COMPLEX_(double, cuDoubleComplex, , fabs, hypot)
#undef CPU_DEVICE_COMPLEX_

static inline cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#include "cpu_device/names_end.h"

#endif
