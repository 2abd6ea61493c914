/* Two or four small integers in a word: the __v... intrinsics and dot products.
 *
 * Part of cpu_device/math.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SIMD_H
#define CPU_DEVICE_SIMD_H

#include "vector_types.h"

namespace cpu_device {

/* change(a, b) for each field of type T; a field is computed in int and cut to its width. */
template <class T, class Change>
inline unsigned int by_field(unsigned int a, unsigned int b, Change change) {
    const int bits = 8 * (int)sizeof(T);
    unsigned int r = 0;
    for (int at = 0; at < 32; at += bits)
        r |= (unsigned int)(typename ::std::make_unsigned<T>::type)change((int)(T)(a >> at),
                                                                          (int)(T)(b >> at))
             << at;
    return r;
}
inline int clamp_to(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
inline int distance(int a, int b) { return a < b ? b - a : a - b; }

template <class A, class B>
inline int dot(int n, int bits, unsigned int a, unsigned int b) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += (int)(A)(a >> bits * i) * (int)(B)(b >> 8 * i);
    return sum;
}
template <class T>
inline unsigned int word_of(const T &v) {
    unsigned int word;
    static_assert(sizeof v == sizeof word, "four bytes");
    memcpy(&word, &v, sizeof word);
    return word;
}

} // namespace cpu_device

#define CPU_DEVICE_FIELDS_(name, T, expression)                   \
    inline unsigned int name(unsigned int x, unsigned int y) {    \
        return ::cpu_device::by_field<T>(x, y, [](int a, int b) { \
            (void)b;                                              \
            return expression;                                    \
        });                                                       \
    }
#define CPU_DEVICE_FIELDS_OF_ONE_(name, T, expression)                                 \
    inline unsigned int name(unsigned int x) {                                         \
        return ::cpu_device::by_field<T>(x, x, [](int a, int) { return expression; }); \
    }
#define CPU_DEVICE_COMPARE_(n, name, T, op)                 \
    CPU_DEVICE_FIELDS_(__vcmp##name##n, T, a op b ? -1 : 0) \
    CPU_DEVICE_FIELDS_(__vset##name##n, T, a op b)
#define CPU_DEVICE_WIDTH_(n, S, U, least, most, umost)                                         \
    CPU_DEVICE_FIELDS_(__vadd##n, S, a + b)                                                    \
    CPU_DEVICE_FIELDS_(__vsub##n, S, a - b)                                                    \
    CPU_DEVICE_FIELDS_(__vaddss##n, S, ::cpu_device::clamp_to(a + b, least, most))             \
    CPU_DEVICE_FIELDS_(__vsubss##n, S, ::cpu_device::clamp_to(a - b, least, most))             \
    CPU_DEVICE_FIELDS_(__vaddus##n, U, ::cpu_device::clamp_to(a + b, 0, umost))                \
    CPU_DEVICE_FIELDS_(__vsubus##n, U, ::cpu_device::clamp_to(a - b, 0, umost))                \
    CPU_DEVICE_FIELDS_(__vmins##n, S, a < b ? a : b)                                           \
    CPU_DEVICE_FIELDS_(__vmaxs##n, S, a > b ? a : b)                                           \
    CPU_DEVICE_FIELDS_(__vminu##n, U, a < b ? a : b)                                           \
    CPU_DEVICE_FIELDS_(__vmaxu##n, U, a > b ? a : b)                                           \
    CPU_DEVICE_FIELDS_(__vavgs##n, S, (a + b + (a + b >= 0)) >> 1)                             \
    CPU_DEVICE_FIELDS_(__vavgu##n, U, (a + b + 1) >> 1)                                        \
    CPU_DEVICE_FIELDS_(__vhaddu##n, U, (a + b) >> 1)                                           \
    CPU_DEVICE_FIELDS_(__vabsdiffs##n, S, ::cpu_device::distance(a, b))                        \
    CPU_DEVICE_FIELDS_(__vabsdiffu##n, U, ::cpu_device::distance(a, b))                        \
    CPU_DEVICE_FIELDS_OF_ONE_(__vabs##n, S, a < 0 ? -a : a)                                    \
    CPU_DEVICE_FIELDS_OF_ONE_(__vabsss##n, S, ::cpu_device::clamp_to(a < 0 ? -a : a, 0, most)) \
    CPU_DEVICE_FIELDS_OF_ONE_(__vneg##n, S, -a)                                                \
    CPU_DEVICE_FIELDS_OF_ONE_(__vnegss##n, S, ::cpu_device::clamp_to(-a, least, most))         \
    CPU_DEVICE_COMPARE_(n, eq, U, ==)                                                          \
    CPU_DEVICE_COMPARE_(n, ne, U, !=)                                                          \
    CPU_DEVICE_COMPARE_(n, lts, S, <)                                                          \
    CPU_DEVICE_COMPARE_(n, les, S, <=)                                                         \
    CPU_DEVICE_COMPARE_(n, gts, S, >)                                                          \
    CPU_DEVICE_COMPARE_(n, ges, S, >=)                                                         \
    CPU_DEVICE_COMPARE_(n, ltu, U, <)                                                          \
    CPU_DEVICE_COMPARE_(n, leu, U, <=)                                                         \
    CPU_DEVICE_COMPARE_(n, gtu, U, >)                                                          \
    CPU_DEVICE_COMPARE_(n, geu, U, >=)                                                         \
    inline unsigned int __vsads##n(unsigned int x, unsigned int y) {                           \
        unsigned int sum = 0;                                                                  \
        for (int at = 0; at < 32; at += 8 * (int)sizeof(S))                                    \
            sum += (unsigned int)::cpu_device::distance((S)(x >> at), (S)(y >> at));           \
        return sum;                                                                            \
    }                                                                                          \
    inline unsigned int __vsadu##n(unsigned int x, unsigned int y) {                           \
        unsigned int sum = 0;                                                                  \
        for (int at = 0; at < 32; at += 8 * (int)sizeof(U))                                    \
            sum += (unsigned int)::cpu_device::distance((U)(x >> at), (U)(y >> at));           \
        return sum;                                                                            \
    }
CPU_DEVICE_WIDTH_(4, signed char, unsigned char, -128, 127, 255)
CPU_DEVICE_WIDTH_(2, short, unsigned short, -32768, 32767, 65535)
#undef CPU_DEVICE_WIDTH_
#undef CPU_DEVICE_COMPARE_
#undef CPU_DEVICE_FIELDS_OF_ONE_
#undef CPU_DEVICE_FIELDS_

/* ---- maxima and minima of two or three, of sums, and not below 0 (relu) ---- */

#define CPU_DEVICE_EXTREME_32_(name, type, T, op)                            \
    inline T __vi##name##3_##type(T a, T b, T c) { return op(op(a, b), c); } \
    inline T __viadd##name##_##type(T a, T b, T c) {                         \
        return op((T)((unsigned int)a + (unsigned int)b), c);                \
    }                                                                        \
    inline T __vib##name##_##type(T a, T b, bool *a_is_it) {                 \
        *a_is_it = op(a, b) == a;                                            \
        return op(a, b);                                                     \
    }
#define CPU_DEVICE_RELU_32_(name, op)                                                          \
    inline int __vi##name##_s32_relu(int a, int b) { return max(op(a, b), 0); }                \
    inline int __vi##name##3_s32_relu(int a, int b, int c) { return max(op(op(a, b), c), 0); } \
    inline int __viadd##name##_s32_relu(int a, int b, int c) {                                 \
        return max(__viadd##name##_s32(a, b, c), 0);                                           \
    }
#define CPU_DEVICE_EXTREME_16_(name, type, op)                                                   \
    inline unsigned int __vi##name##3_##type(unsigned int a, unsigned int b, unsigned int c) {   \
        return op(op(a, b), c);                                                                  \
    }                                                                                            \
    inline unsigned int __viadd##name##_##type(unsigned int a, unsigned int b, unsigned int c) { \
        return op(__vadd2(a, b), c);                                                             \
    }                                                                                            \
    inline unsigned int __vib##name##_##type(unsigned int a, unsigned int b, bool *high_is_a,    \
                                             bool *low_is_a) {                                   \
        const unsigned int r = op(a, b);                                                         \
        *high_is_a = r >> 16 == a >> 16;                                                         \
        *low_is_a = (r & 0xFFFF) == (a & 0xFFFF);                                                \
        return r;                                                                                \
    }
#define CPU_DEVICE_RELU_16_(name, op)                                                              \
    inline unsigned int __vi##name##_s16x2_relu(unsigned int a, unsigned int b) {                  \
        return __vmaxs2(op(a, b), 0);                                                              \
    }                                                                                              \
    inline unsigned int __vi##name##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
        return __vmaxs2(op(op(a, b), c), 0);                                                       \
    }                                                                                              \
    inline unsigned int __viadd##name##_s16x2_relu(unsigned int a, unsigned int b,                 \
                                                   unsigned int c) {                               \
        return __vmaxs2(op(__vadd2(a, b), c), 0);                                                  \
    }
CPU_DEVICE_EXTREME_32_(max, s32, int, max)
CPU_DEVICE_EXTREME_32_(min, s32, int, min)
CPU_DEVICE_EXTREME_32_(max, u32, unsigned int, max)
CPU_DEVICE_EXTREME_32_(min, u32, unsigned int, min)
CPU_DEVICE_RELU_32_(max, max)
CPU_DEVICE_RELU_32_(min, min)
CPU_DEVICE_EXTREME_16_(max, s16x2, __vmaxs2)
CPU_DEVICE_EXTREME_16_(min, s16x2, __vmins2)
CPU_DEVICE_EXTREME_16_(max, u16x2, __vmaxu2)
CPU_DEVICE_EXTREME_16_(min, u16x2, __vminu2)
CPU_DEVICE_RELU_16_(max, __vmaxs2)
CPU_DEVICE_RELU_16_(min, __vmins2)
#undef CPU_DEVICE_EXTREME_32_
#undef CPU_DEVICE_RELU_32_
#undef CPU_DEVICE_EXTREME_16_
#undef CPU_DEVICE_RELU_16_

/* Four products of bytes, or two of a 16-bit number and a byte, added to c. */
inline int __dp4a(int a, int b, int c) {
    return c + ::cpu_device::dot<signed char, signed char>(4, 8, (unsigned)a, (unsigned)b);
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return c + (unsigned)::cpu_device::dot<unsigned char, unsigned char>(4, 8, a, b);
}
inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a((int)::cpu_device::word_of(a), (int)::cpu_device::word_of(b), c);
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return __dp4a(::cpu_device::word_of(a), ::cpu_device::word_of(b), c);
}
inline int __dp2a_lo(int a, int b, int c) {
    return c + ::cpu_device::dot<short, signed char>(2, 16, (unsigned)a, (unsigned)b);
}
inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    return c + (unsigned)::cpu_device::dot<unsigned short, unsigned char>(2, 16, a, b);
}
inline int __dp2a_hi(int a, int b, int c) {
    return c + ::cpu_device::dot<short, signed char>(2, 16, (unsigned)a, (unsigned)b >> 16);
}
inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    return c + (unsigned)::cpu_device::dot<unsigned short, unsigned char>(2, 16, a, b >> 16);
}

#endif
