/* Mathematics and number intrinsics of device code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_MATH_H
#define CPU_DEVICE_MATH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <limits>
#include <type_traits>

#include "cpu_device/extremes.h"

#define CPU_DEVICE_MIN_MAX_(T)                       \
    inline T min(T a, T b) { return b < a ? b : a; } \
    inline T max(T a, T b) { return a < b ? b : a; }
CPU_DEVICE_MIN_MAX_(int)
CPU_DEVICE_MIN_MAX_(unsigned int)
CPU_DEVICE_MIN_MAX_(long)
CPU_DEVICE_MIN_MAX_(unsigned long)
CPU_DEVICE_MIN_MAX_(long long)
CPU_DEVICE_MIN_MAX_(unsigned long long)
#undef CPU_DEVICE_MIN_MAX_
inline float min(float a, float b) { return ::cpu_device::fmin(a, b); }
inline float max(float a, float b) { return ::cpu_device::fmax(a, b); }
inline double min(double a, double b) { return ::cpu_device::fmin((double)a, (double)b); }
inline double max(double a, double b) { return ::cpu_device::fmax((double)a, (double)b); }
/* Mixed signs and widths meet as the device's overloads make them meet. */
inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
inline unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
inline unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
inline double min(float a, double b) { return ::cpu_device::fmin((double)a, (double)b); }
inline double min(double a, float b) { return ::cpu_device::fmin((double)a, (double)b); }
inline double max(float a, double b) { return ::cpu_device::fmax((double)a, (double)b); }
inline double max(double a, float b) { return ::cpu_device::fmax((double)a, (double)b); }
inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

#include "cpu_device/math_functions.h"

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return (float)pow(10.0, (double)x); }
inline float __tanhf(float x) { return tanhf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline void __sincosf(float x, float *s, float *c) {
    *s = sinf(x);
    *c = cosf(x);
}

inline int __mulhi(int a, int b) { return (int)(((int64_t)a * b) >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return (unsigned int)(((uint64_t)a * b) >> 32);
}
inline long long __mul64hi(long long a, long long b) {
    return (long long)(((__int128)a * b) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
inline int __mul24(int a, int b) {
    return (int)((unsigned)((a << 8) >> 8) * (unsigned)((b << 8) >> 8));
}
inline unsigned int __umul24(unsigned int a, unsigned int b) {
    return (a & 0xFFFFFF) * (b & 0xFFFFFF);
}
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
    const uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned int r = 0;
    for (int i = 0; i < 4; ++i) r |= (unsigned int)(bytes >> 8 * (s >> 4 * i & 7) & 0xFF) << 8 * i;
    return r;
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return (unsigned int)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return (unsigned int)(((uint64_t)high << 32 | low) >> (shift & 31));
}

/* The funnel shifts of which the distance is clamped to 32. */
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/* The place of the offset-th set bit from `base` upwards, or downwards if offset < 0. */
inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    if (offset == 0) return mask >> (base & 31) & 1 ? base : 0xFFFFFFFFu;
    const int step = offset > 0 ? 1 : -1;
    for (int at = (int)base, left = offset * step; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return (unsigned int)at;
    return 0xFFFFFFFFu;
}
inline unsigned int __sad(int a, int b, unsigned int c) {
    return (a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b) + c;
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return (a < b ? b - a : a - b) + c;
}
/* Averages that do not overflow; the r in the name rounds up. */
inline int __hadd(int a, int b) { return (int)(((int64_t)a + b) >> 1); }
inline int __rhadd(int a, int b) { return (int)(((int64_t)a + b + 1) >> 1); }
inline unsigned int __uhadd(unsigned int a, unsigned int b) {
    return (unsigned int)(((uint64_t)a + b) >> 1);
}
inline unsigned int __urhadd(unsigned int a, unsigned int b) {
    return (unsigned int)(((uint64_t)a + b + 1) >> 1);
}

#include "cpu_device/simd.h"

namespace cpu_device {
template <class To, class From>
inline To reinterpret(From from) {
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
/* The device's conversion: to the nearest value that the type has. NaN gives 0 where a float
 * becomes an int, else the highest bit alone. */
template <class To, class From>
inline To saturating(From x) {
    using Limits = ::std::numeric_limits<To>;
    if (x != x)
        return sizeof(From) == 4 && sizeof(To) == 4 ? (To)0 : (To)(1ull << (8 * sizeof(To) - 1));
    if (x <= (From)Limits::min()) return Limits::min();
    return x >= (From)Limits::max() ? Limits::max() : (To)x;
}
} // namespace cpu_device

inline int __float_as_int(float x) { return cpu_device::reinterpret<int>(x); }
inline unsigned int __float_as_uint(float x) { return cpu_device::reinterpret<unsigned int>(x); }
inline float __int_as_float(int x) { return cpu_device::reinterpret<float>(x); }
inline float __uint_as_float(unsigned int x) { return cpu_device::reinterpret<float>(x); }
inline long long __double_as_longlong(double x) { return cpu_device::reinterpret<long long>(x); }
inline double __longlong_as_double(long long x) { return cpu_device::reinterpret<double>(x); }
inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
#include "cpu_device/rounding.h"

/* Loads and stores with cache hints: hints only. */
#define CPU_DEVICE_LOAD_(function)  \
    template <class T>              \
    inline T function(const T *p) { \
        return *p;                  \
    }
CPU_DEVICE_LOAD_(__ldg)
CPU_DEVICE_LOAD_(__ldca)
CPU_DEVICE_LOAD_(__ldcg)
CPU_DEVICE_LOAD_(__ldcs)
CPU_DEVICE_LOAD_(__ldlu)
CPU_DEVICE_LOAD_(__ldcv)
#undef CPU_DEVICE_LOAD_
#define CPU_DEVICE_STORE_(function)       \
    template <class T>                    \
    inline void function(T *p, T value) { \
        *p = value;                       \
    }
CPU_DEVICE_STORE_(__stwb)
CPU_DEVICE_STORE_(__stcg)
CPU_DEVICE_STORE_(__stcs)
CPU_DEVICE_STORE_(__stwt)
#undef CPU_DEVICE_STORE_

#endif
