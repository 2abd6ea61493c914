/* What cu_to_cpp makes of inline PTX: special registers, and values as PTX types see them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_PTX_H
#define CPU_DEVICE_PTX_H

#include <math.h>
#include <stdint.h>

#include <type_traits>

#include "cpu_device_math.h"
#include "cpu_device_sync.h"
#include "cpu_device_thread.h"
#include "cpu_device_warp.h"

namespace cpu_device {

unsigned multiprocessors();

namespace ptx {

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

}  // namespace ptx
}  // namespace cpu_device

#endif
