/* Mathematics and number intrinsics of device code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_MATH_H
#define CPU_DEVICE_MATH_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CPU_DEVICE_MIN_MAX_(T)                                   \
  inline T min(T a, T b) { return b < a ? b : a; }               \
  inline T max(T a, T b) { return a < b ? b : a; }
CPU_DEVICE_MIN_MAX_(int)
CPU_DEVICE_MIN_MAX_(unsigned int)
CPU_DEVICE_MIN_MAX_(long)
CPU_DEVICE_MIN_MAX_(unsigned long)
CPU_DEVICE_MIN_MAX_(long long)
CPU_DEVICE_MIN_MAX_(unsigned long long)
#undef CPU_DEVICE_MIN_MAX_
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
/* Mixed signs and widths meet as the device's overloads make them meet. */
inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
inline unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
inline unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float sinpif(float x) { return (float)sin(M_PI * fmod((double)x, 2.0)); }
inline float cospif(float x) { return (float)cos(M_PI * fmod((double)x, 2.0)); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rcbrtf(float x) { return (float)rcbrt((double)x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float normcdff(float x) { return (float)normcdf((double)x); }
inline double erfcx(double x) { return x < 26.0 ? exp(x * x) * erfc(x) : 0.5641895835477563 / x; }
inline float erfcxf(float x) { return (float)erfcx((double)x); }
inline void sincospi(double x, double *s, double *c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospif(float x, float *s, float *c) {
  *s = sinpif(x);
  *c = cospif(x);
}
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float rhypotf(float x, float y) { return (float)rhypot((double)x, (double)y); }
inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline double norm4d(double a, double b, double c, double d) {
  return hypot(hypot(a, b), hypot(c, d));
}
inline float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
inline float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float fdividef(float a, float b) { return a / b; }
inline float norm3df(float a, float b, float c) {
  return (float)sqrt((double)a * a + (double)b * b + (double)c * c);
}

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
inline float __saturatef(float x) { return saturate(x); }

inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return (float)pow(10.0, (double)x); }
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

namespace cpu_device {
template <class To, class From>
inline To reinterpret(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
/* The device's conversion: to the nearest value that the type has, and 0 for NaN. */
template <class To, class From>
inline To saturating(From x) {
  if (x != x) return 0;
  const From low = (From)(sizeof(To) == 4 ? (To(-1) < 0 ? (double)INT_MIN : 0.0)
                                          : (To(-1) < 0 ? (double)LLONG_MIN : 0.0));
  const To lowest = sizeof(To) == 4 ? (To(-1) < 0 ? (To)INT_MIN : 0) : (To(-1) < 0 ? (To)LLONG_MIN : 0);
  const To highest = sizeof(To) == 4 ? (To(-1) < 0 ? (To)INT_MAX : (To)UINT_MAX)
                                     : (To(-1) < 0 ? (To)LLONG_MAX : (To)ULLONG_MAX);
  if (x <= low) return lowest;
  if (x >= (From)highest) return highest;
  return (To)x;
}
}  // namespace cpu_device

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
inline int __float2int_rn(float x) { return cpu_device::saturating<int>(rintf(x)); }
inline int __float2int_rz(float x) { return cpu_device::saturating<int>(truncf(x)); }
inline int __float2int_ru(float x) { return cpu_device::saturating<int>(ceilf(x)); }
inline int __float2int_rd(float x) { return cpu_device::saturating<int>(floorf(x)); }
inline unsigned int __float2uint_rn(float x) {
  return cpu_device::saturating<unsigned int>(rintf(x));
}
inline unsigned int __float2uint_rz(float x) {
  return cpu_device::saturating<unsigned int>(truncf(x));
}
inline int __double2int_rn(double x) { return cpu_device::saturating<int>(rint(x)); }
inline int __double2int_rz(double x) { return cpu_device::saturating<int>(trunc(x)); }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned int x) { return (float)x; }
inline double __int2double_rn(int x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }

/* Loads and stores with cache hints: hints only. */
#define CPU_DEVICE_LOAD_(function) \
  template <class T>               \
  inline T function(const T *p) {  \
    return *p;                     \
  }
CPU_DEVICE_LOAD_(__ldg)
CPU_DEVICE_LOAD_(__ldca)
CPU_DEVICE_LOAD_(__ldcg)
CPU_DEVICE_LOAD_(__ldcs)
CPU_DEVICE_LOAD_(__ldlu)
CPU_DEVICE_LOAD_(__ldcv)
#undef CPU_DEVICE_LOAD_
#define CPU_DEVICE_STORE_(function)        \
  template <class T>                       \
  inline void function(T *p, T value) {    \
    *p = value;                            \
  }
CPU_DEVICE_STORE_(__stwb)
CPU_DEVICE_STORE_(__stcg)
CPU_DEVICE_STORE_(__stcs)
CPU_DEVICE_STORE_(__stwt)
#undef CPU_DEVICE_STORE_

#endif
