/* What cu_to_cpp makes of inline PTX: special registers, and values as PTX types see them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_PTX_H
#define CPU_DEVICE_PTX_H

#include <math.h>
#include <stdint.h>

#include <type_traits>

#include "cpu_device/math.h"
#include "cpu_device/sync.h"
#include "cpu_device/thread.h"
#include "cpu_device/warp.h"

namespace cpu_device {

unsigned multiprocessors();

/* The running block's shared memory as addresses that begin at 0, which fit 32 bits. */
size_t offset_in_shared(const void *pointer);
void *shared_at_offset(size_t offset);

namespace ptx {

/* CC.CF; the runtime keeps it for a thread that gives way to others. */
extern __thread unsigned carry __attribute__((tls_model("initial-exec")));

/* A register has bits, and the instruction gives them a type: a value of the same size keeps its
 * bits, any other one is converted. */
template <class To, class From>
inline To as(const From &from) {
    if constexpr (sizeof(To) == sizeof(From) && !std::is_same_v<To, From>) {
        To to;
        __builtin_memcpy(&to, &from, sizeof to);
        return to;
    } else {
        return (To)from;
    }
}
template <class To, class From>
inline void set(To &to, const From &from) {
    to = as<To>(from);
}

/* Each is done when it is reached, and once. */
template <class T>
inline T load(const volatile T *from) {
    return *from;
}
template <class T>
inline void store(volatile T *to, T value) {
    *to = value;
}

inline uint64_t to_shared(uint64_t generic) { return offset_in_shared((const void *)generic); }
inline uint64_t from_shared(uint64_t offset) { return (uint64_t)shared_at_offset(offset); }

/* cp.async: fills up with zeros what is not taken. */
inline void copy(void *to, const void *from, unsigned size, unsigned taken) {
    if (taken > size) taken = size;
    __builtin_memcpy(to, from, taken);
    __builtin_memset((char *)to + taken, 0, size - taken);
}

/* A float that has no fraction any more: the nearest integer, and 0 for a NaN. */
template <class To, class From>
inline To to_integer(From value) {
    constexpr unsigned bits = 8 * sizeof(To) - std::is_signed_v<To>;
    const From limit = (From)(1ull << (bits - 1)) * 2; /* 2^bits, the first that is too large */
    constexpr To largest = (To)(~0ull >> (64 - bits));
    if (value != value) return 0;
    if (value >= limit) return largest;
    if (value < (std::is_signed_v<To> ? -limit : 0)) return (To)~largest;
    return (To)value;
}

template <class Word, bool in, bool out>
inline Word add(Word a, Word b) {
    Word sum = 0;
    const bool first = __builtin_add_overflow(a, b, &sum);
    const bool second = in && __builtin_add_overflow(sum, (Word)carry, &sum);
    if (out) carry = first || second;
    return sum;
}
template <class Word, bool in, bool out>
inline Word subtract(Word a, Word b) {
    Word difference = 0;
    const bool first = __builtin_sub_overflow(a, b, &difference);
    const bool second = in && __builtin_sub_overflow(difference, (Word)carry, &difference);
    if (out) carry = first || second;
    return difference;
}

/* The place of the highest bit that is not the sign's, from the low or from the high end. */
template <class T>
inline unsigned bfind(T value) {
    const std::make_unsigned_t<T> bits = value < 0 ? ~value : value;
    return bits ? 63 - (unsigned)__builtin_clzll(bits) : ~0u;
}
template <class T>
inline unsigned bfind_shiftamt(T value) {
    const unsigned place = bfind(value);
    return place == ~0u ? place : 8 * (unsigned)sizeof(T) - 1 - place;
}

/* Bytes of a (0 to 3) and b (4 to 7), each chosen by four bits; the highest of these takes its
 * byte's sign in all its bits. */
inline unsigned prmt(unsigned a, unsigned b, unsigned selector) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned which = selector >> 4 * i & 15;
        unsigned byte = bytes >> 8 * (which & 7) & 255;
        if (which & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}
/* The modes: which byte comes to place i, by the two low bits of the third operand. */
struct f4e {
    static unsigned at(unsigned m, unsigned i) { return m + i; }
};
struct b4e {
    static unsigned at(unsigned m, unsigned i) { return m - i; }
};
struct rc8 {
    static unsigned at(unsigned m, unsigned) { return m; }
};
struct ecl {
    static unsigned at(unsigned m, unsigned i) { return m > i ? m : i; }
};
struct ecr {
    static unsigned at(unsigned m, unsigned i) { return m < i ? m : i; }
};
struct rc16 {
    static unsigned at(unsigned m, unsigned i) { return (m & 1) * 2 + (i & 1); }
};
template <class Mode>
inline unsigned prmt_mode(unsigned a, unsigned b, unsigned m) {
    unsigned selector = 0;
    for (unsigned i = 0; i < 4; ++i) selector |= (Mode::at(m & 3, i) & 7) << 4 * i;
    return prmt(a, b, selector);
}

/* The low or the high 32 of the 48 bits of a product. */
template <class T>
inline T mul24(T a, T b, bool high) {
    const int64_t product = (int64_t)((T)((unsigned)a << 8) >> 8) * ((T)((unsigned)b << 8) >> 8);
    return (T)(high ? product >> 16 : product);
}

/* Whether a shuffle's source is in the lane's segment of `width` lanes. */
inline bool shfl_up_within(unsigned delta, unsigned width) {
    return delta <= lane_number() % width;
}
inline bool shfl_down_within(unsigned delta, unsigned width) {
    return lane_number() % width + (uint64_t)delta < width;
}
inline bool shfl_xor_within(unsigned lanes, unsigned width) {
    return ((lane_number() ^ lanes) & 31) < (lane_number() & ~(width - 1)) + width;
}

/* Shifts take counts beyond the width. */
template <class T>
inline T shl(T value, unsigned count) {
    return count >= 8 * sizeof(T) ? 0 : (T)(value << count);
}
template <class T>
inline T shr(T value, unsigned count) {
    const unsigned last = 8 * sizeof(T) - 1;
    if (count > last) return std::is_signed_v<T> ? (T)(value >> last) : 0;
    return (T)(value >> count);
}

inline unsigned bfe(unsigned value, unsigned position, unsigned length) {
    position &= 255, length &= 255;
    const unsigned field = shr<unsigned>(value, position);
    return length >= 32 ? field : field & ((1u << length) - 1);
}
inline unsigned bfi(unsigned field, unsigned base, unsigned position, unsigned length) {
    position &= 255, length &= 255;
    const unsigned mask = shl<unsigned>(length >= 32 ? ~0u : (1u << length) - 1, position);
    return (base & ~mask) | (shl<unsigned>(field, position) & mask);
}

/* Bit i of the table is the result where the three inputs' bits make the number i. */
inline unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned i = 0; i < 8; ++i)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

inline unsigned laneid() { return lane_number(); }
inline unsigned rank() {
    const uint3 &t = thread_index();
    const dim3 d = block_dim();
    return (t.z * d.y + t.y) * d.x + t.x;
}
inline unsigned warpid() { return rank() / 32; }
inline unsigned nwarpid() { return 64; }
inline unsigned nsmid() { return multiprocessors(); }
inline unsigned smid() {
    const uint3 b = block_index();
    const dim3 g = grid_dim();
    return (unsigned)((((uint64_t)b.z * g.y + b.y) * g.x + b.x) % nsmid());
}
inline unsigned lanemask_eq() { return 1u << laneid(); }
inline unsigned lanemask_lt() { return lanemask_eq() - 1; }
inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
inline unsigned lanemask_gt() { return ~lanemask_le(); }
inline unsigned lanemask_ge() { return ~lanemask_lt(); }
inline uint64_t clock64() { return (uint64_t)::clock64(); }
inline unsigned clock() { return (unsigned)::clock64(); }
inline uint64_t globaltimer() { return (uint64_t)::clock64(); }
inline unsigned globaltimer_lo() { return (unsigned)globaltimer(); }
inline unsigned globaltimer_hi() { return (unsigned)(globaltimer() >> 32); }

} // namespace ptx
} // namespace cpu_device

inline size_t __cvta_generic_to_shared(const void *p) { return ::cpu_device::offset_in_shared(p); }
inline void *__cvta_shared_to_generic(size_t offset) {
    return ::cpu_device::shared_at_offset(offset);
}
inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }

#endif
