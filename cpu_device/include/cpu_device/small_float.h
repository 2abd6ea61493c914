/* Rounding numbers to 16-bit floats: what __half and __nv_bfloat16 have in common.
 *
 * Both types compute in float or double and round once. Where two roundings would follow one
 * another, the first is to odd: it keeps the last bit set when anything was lost, so that the
 * second sees on which side of a tie the exact value lies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SMALL_FLOAT_H
#define CPU_DEVICE_SMALL_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cpu_device/atomics.h"
#include "vector_types.h"

namespace cpu_device {

enum class SmallRounding { kNearest, kZero, kUp, kDown };

/* The float's bits moved right by `shift`, rounded. */
inline uint32_t round_shift(uint32_t value, unsigned shift, bool negative, SmallRounding mode) {
    if (shift == 0) return value;
    const uint32_t kept = shift > 31 ? 0 : value >> shift;
    const uint32_t lost = shift > 31 ? value : value & ((1u << shift) - 1);
    if (lost == 0) return kept;
    if (mode == SmallRounding::kUp) return kept + !negative;
    if (mode == SmallRounding::kDown) return kept + negative;
    if (mode == SmallRounding::kZero || shift > 31) return kept;
    const uint32_t tie = 1u << (shift - 1);
    return kept + (lost > tie || (lost == tie && kept & 1));
}

/* The bits of x in IEEE's binary16. */
inline uint16_t to_half_bits(float x, SmallRounding mode) {
    const uint32_t bits = bits_to<uint32_t>(x), size = bits & 0x7FFFFFFFu;
    const bool negative = bits >> 31;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    if (size > 0x7F800000u) return 0x7FFF;
    if (size == 0x7F800000u) return sign | 0x7C00;
    const unsigned exponent = size >> 23;
    if (exponent >= 143) { /* 2^16 and above */
        const bool to_infinity = mode == SmallRounding::kNearest ||
                                 mode == (negative ? SmallRounding::kDown : SmallRounding::kUp);
        return (uint16_t)(sign | (to_infinity ? 0x7C00 : 0x7BFF));
    }
    if (exponent >= 113) /* a normal number of half: the exponent's bias changes */
        return (uint16_t)(sign | round_shift(size - (112u << 23), 13, negative, mode));
    const uint32_t significand = exponent ? (size & 0x7FFFFFu) | 0x800000u : size;
    const unsigned shift = 126 - (exponent ? exponent : 1);
    return (uint16_t)(sign | round_shift(significand, shift, negative, mode));
}
inline float from_half_bits(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, size = h & 0x7FFFu;
    if (size >= 0x7C00u) return bits_to<float>(sign | 0x7F800000u | (size & 0x3FFu) << 13);
    if (size >= 0x400u) return bits_to<float>(sign | ((size << 13) + (112u << 23)));
    const float x = (float)size * 0x1p-24f;
    return sign ? -x : x;
}

/* The bits of x in bfloat16, the upper half of a float. */
inline uint16_t to_bfloat16_bits(float x, SmallRounding mode) {
    const uint32_t bits = bits_to<uint32_t>(x), size = bits & 0x7FFFFFFFu;
    if (size > 0x7F800000u) return 0x7FFF;
    return (uint16_t)((bits >> 16 & 0x8000u) | round_shift(size, 16, bits >> 31, mode));
}
inline float from_bfloat16_bits(uint16_t b) { return bits_to<float>((uint32_t)b << 16); }

/* x as a float, rounded to odd. */
template <class T>
inline float odd_float(T x) {
    const float nearest = (float)x;
    if (!((T)nearest < x || (T)nearest > x) || nearest != nearest) return nearest;
    const bool away = x < 0 ? (T)nearest < x : (T)nearest > x;
    return bits_to<float>((bits_to<uint32_t>(nearest) - away) | 1u);
}

/* a * b + c, rounded to odd; the product of two 16-bit floats is exact in double. */
inline float odd_multiply_add(float a, float b, float c) {
    const double product = (double)a * b, sum = product + c, part = sum - product;
    const double lost = (product - (sum - part)) + (c - part);
    if (!(lost < 0 || lost > 0)) return odd_float(sum);
    const uint64_t bits = bits_to<uint64_t>(sum);
    return odd_float(bits_to<double>((bits - ((sum > 0) != (lost > 0))) | 1u));
}

/* A whole number in an integer type: what does not fit becomes the nearest that does, NaN 0, or
 * in 64 bits the highest bit alone. */
template <class To>
inline To nearest_integer(float whole) {
    const bool is_signed = (To)-1 < 0;
    const int bits = 8 * (int)sizeof(To) - is_signed;
    if (whole != whole) return sizeof(To) < 8 ? (To)0 : (To)(1ull << 63);
    if (whole >= ldexpf(1.0f, bits)) return (To)(~0ull >> (64 - bits));
    if (is_signed && whole <= -ldexpf(1.0f, bits)) return (To)(1ull << bits);
    return !is_signed && whole <= 0 ? (To)0 : (To)whole;
}

} // namespace cpu_device

#define CPU_DEVICE_JOIN_(a, b, c) a##b##c
#define CPU_DEVICE_JOIN_MORE_(a, b, c, d, e) a##b##c##d##e
#define CPU_DEVICE_JOIN(a, b, c) CPU_DEVICE_JOIN_(a, b, c)
#define CPU_DEVICE_JOIN_MORE(a, b, c, d, e) CPU_DEVICE_JOIN_MORE_(a, b, c, d, e)
#define WITH_WORD_(before, after) CPU_DEVICE_JOIN(before, SMALL_WORD, after)
#define WITH_WORDS_(before, between, after) \
    CPU_DEVICE_JOIN_MORE(before, SMALL_WORD, between, SMALL_WORD, after)

#endif
