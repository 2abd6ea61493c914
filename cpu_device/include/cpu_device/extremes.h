/* fmax, fmin, max and min of floats and doubles, as the device has them: a number wins over NaN,
 * +0 is more than -0, and of two NaN comes the device's own. The C library says nothing of zeros.
 *
 * Device code gets these for fmaxf(), fminf(), fmax() and fmin(), through cu_to_cpp; host code
 * keeps the C library's. Written so that the compiler makes vector instructions of them: they
 * cost a fraction of a call of the library's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_EXTREMES_H
#define CPU_DEVICE_EXTREMES_H

#include <stdint.h>
#include <string.h>

#include <type_traits>

namespace cpu_device {

template <class Bits, class T>
inline Bits bits_of(T value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
template <class T, class Bits>
inline T number_of(Bits bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* `chosen` is the greater or the less of two different numbers, `same` what comes of two equal
 * ones, as bits; else one of them is no number. */
template <class Bits, class T>
inline T extreme(T a, T b, T chosen, Bits same, Bits nan) {
    Bits bits = a == b ? same : bits_of<Bits>(chosen);
    bits = b != b ? (a != a ? nan : bits_of<Bits>(a)) : bits;
    return number_of<T>(bits);
}

#define CPU_DEVICE_EXTREMES_(T, Bits, nan)                                                         \
    inline T fmax(T a, T b) {                                                                      \
        return extreme<Bits>(a, b, a > b ? a : b, bits_of<Bits>(a) & bits_of<Bits>(b), (Bits)nan); \
    }                                                                                              \
    inline T fmin(T a, T b) {                                                                      \
        return extreme<Bits>(a, b, a < b ? a : b, bits_of<Bits>(a) | bits_of<Bits>(b), (Bits)nan); \
    }
CPU_DEVICE_EXTREMES_(float, uint32_t, 0x7fffffff)
CPU_DEVICE_EXTREMES_(double, uint64_t, 0x7fffffffffffffff)
#undef CPU_DEVICE_EXTREMES_

/* Other numbers become doubles, as <cmath> has it. */
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
inline double fmax(A a, B b) {
    return fmax((double)a, (double)b);
}
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
inline double fmin(A a, B b) {
    return fmin((double)a, (double)b);
}

inline float fmaxf(float a, float b) { return fmax(a, b); }
inline float fminf(float a, float b) { return fmin(a, b); }

} // namespace cpu_device

#endif
