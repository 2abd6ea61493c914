/* Conversions between number types, and arithmetic rounded otherwise than to nearest.
 *
 * Part of cpu_device/math.h. A directed result comes from the processor itself, its rounding
 * mode changed for one operation; so overflow, signs of zero and denormal numbers are IEEE's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_ROUNDING_H
#define CPU_DEVICE_ROUNDING_H

#include <fenv.h>

namespace cpu_device {

enum class Rounding {
    kNearest = FE_TONEAREST,
    kZero = FE_TOWARDZERO,
    kUp = FE_UPWARD,
    kDown = FE_DOWNWARD
};

/* The compiler may neither work this value out itself nor move what uses it: the rounding mode
 * is none of its concerns. */
template <class T>
inline T opaque(T x) {
    asm volatile("" : "+m"(x) : : "memory");
    return x;
}

/* operation(x...) with the processor rounding in that way. */
template <class Operation, class... T>
inline auto rounded(Rounding mode, Operation operation, T... x) {
    const int before = fegetround();
    fesetround((int)mode);
    const auto result = opaque(operation(opaque(x)...));
    fesetround(before);
    return result;
}

template <class T>
inline T add(T a, T b, Rounding mode) {
    return rounded(
        mode, [](T x, T y) { return x + y; }, a, b);
}
template <class T>
inline T multiply(T a, T b, Rounding mode) {
    return rounded(
        mode, [](T x, T y) { return x * y; }, a, b);
}
template <class T>
inline T divide(T a, T b, Rounding mode) {
    return rounded(
        mode, [](T x, T y) { return x / y; }, a, b);
}
inline float square_root(float x, Rounding mode) { return rounded(mode, sqrtf, x); }
inline double square_root(double x, Rounding mode) {
    return rounded(
        mode, [](double y) { return sqrt(y); }, x);
}
inline float multiply_add(float a, float b, float c, Rounding mode) {
    return rounded(mode, fmaf, a, b, c);
}
inline double multiply_add(double a, double b, double c, Rounding mode) {
    return rounded(
        mode, [](double x, double y, double z) { return fma(x, y, z); }, a, b, c);
}
/* Any number in a float or a double. */
template <class To, class From>
inline To convert(From x, Rounding mode) {
    return rounded(
        mode, [](From y) { return (To)y; }, x);
}

template <class To, class From>
inline To to_integer(From x, Rounding mode) {
    return saturating<To>(mode == Rounding::kNearest ? rint(x)
                          : mode == Rounding::kZero  ? trunc(x)
                          : mode == Rounding::kUp    ? ceil(x)
                                                     : floor(x));
}

} // namespace cpu_device

#define CPU_DEVICE_ROUNDINGS_(macro, ...)                                                      \
    macro(rn, kNearest, __VA_ARGS__) macro(rz, kZero, __VA_ARGS__) macro(ru, kUp, __VA_ARGS__) \
        macro(rd, kDown, __VA_ARGS__)
#define CPU_DEVICE_DIRECTED_(macro, ...) \
    macro(rz, kZero, __VA_ARGS__) macro(ru, kUp, __VA_ARGS__) macro(rd, kDown, __VA_ARGS__)

#define CPU_DEVICE_TO_INTEGER_(suffix, mode, name, From, To)                  \
    inline To __##name##_##suffix(From x) {                                   \
        return ::cpu_device::to_integer<To>(x, ::cpu_device::Rounding::mode); \
    }
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, float2int, float, int)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, float2uint, float, unsigned int)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, float2ll, float, long long)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, float2ull, float, unsigned long long)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, double2int, double, int)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, double2uint, double, unsigned int)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, double2ll, double, long long)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_TO_INTEGER_, double2ull, double, unsigned long long)

#define CPU_DEVICE_CONVERT_(suffix, mode, name, From, To)                  \
    inline To __##name##_##suffix(From x) {                                \
        return ::cpu_device::convert<To>(x, ::cpu_device::Rounding::mode); \
    }
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, int2float, int, float)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, uint2float, unsigned int, float)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, ll2float, long long, float)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, ull2float, unsigned long long, float)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, ll2double, long long, double)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, ull2double, unsigned long long, double)
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_CONVERT_, double2float, double, float)
inline double __int2double_rn(int x) { return (double)x; }
inline double __uint2double_rn(unsigned int x) { return (double)x; }

#define CPU_DEVICE_BINARY_(suffix, mode, name, operation, T)                \
    inline T __##name##_##suffix(T a, T b) {                                \
        return ::cpu_device::operation(a, b, ::cpu_device::Rounding::mode); \
    }
#define CPU_DEVICE_SUBTRACT_(suffix, mode, name, T)                    \
    inline T __##name##_##suffix(T a, T b) {                           \
        return ::cpu_device::add(a, -b, ::cpu_device::Rounding::mode); \
    }
#define CPU_DEVICE_RECIPROCAL_(suffix, mode, name, T)                       \
    inline T __##name##_##suffix(T x) {                                     \
        return ::cpu_device::divide((T)1, x, ::cpu_device::Rounding::mode); \
    }
#define CPU_DEVICE_ROOT_(suffix, mode, name, T)                            \
    inline T __##name##_##suffix(T x) {                                    \
        return ::cpu_device::square_root(x, ::cpu_device::Rounding::mode); \
    }
#define CPU_DEVICE_FMA_(suffix, mode, name, T)                                    \
    inline T __##name##_##suffix(T a, T b, T c) {                                 \
        return ::cpu_device::multiply_add(a, b, c, ::cpu_device::Rounding::mode); \
    }
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, fadd, add, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, dadd, add, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, fmul, multiply, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, dmul, multiply, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, fdiv, divide, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_BINARY_, ddiv, divide, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_SUBTRACT_, fsub, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_SUBTRACT_, dsub, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_RECIPROCAL_, frcp, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_RECIPROCAL_, drcp, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_ROOT_, fsqrt, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_ROOT_, dsqrt, double)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_FMA_, fmaf, float)
CPU_DEVICE_DIRECTED_(CPU_DEVICE_FMA_, fma, double)
#define CPU_DEVICE_IEEE_FMA_(suffix, mode, ...)                                   \
    inline float __fmaf_ieee_##suffix(float a, float b, float c) {                \
        return ::cpu_device::multiply_add(a, b, c, ::cpu_device::Rounding::mode); \
    }
CPU_DEVICE_ROUNDINGS_(CPU_DEVICE_IEEE_FMA_, )
inline double __drcp_rn(double x) { return 1.0 / x; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }

#undef CPU_DEVICE_TO_INTEGER_
#undef CPU_DEVICE_CONVERT_
#undef CPU_DEVICE_BINARY_
#undef CPU_DEVICE_SUBTRACT_
#undef CPU_DEVICE_RECIPROCAL_
#undef CPU_DEVICE_ROOT_
#undef CPU_DEVICE_FMA_
#undef CPU_DEVICE_IEEE_FMA_

#endif
