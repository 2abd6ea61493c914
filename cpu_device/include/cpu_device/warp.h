/* Warp operations: shuffles, votes, matches, reductions.
 *
 * A lane that a shuffle reads and that does not take part gives 0. The forms without _sync,
 * which toolkit 9 withdrew, take the lanes that stand at the same place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_WARP_H
#define CPU_DEVICE_WARP_H

#include <stdint.h>
#include <string.h>

#include "cpu_device/thread.h"

namespace cpu_device {

enum class WarpOperation {
    kShuffle,
    kBallot,
    kSameValue,
    kSum,
    kAnd,
    kOr,
    kXor,
    kMinSigned,
    kMaxSigned,
    kMinUnsigned,
    kMaxUnsigned
};

/* ---- which lanes are there ---- */

inline unsigned thread_number() {
    const uint3 &t = t_thread.thread_index;
    const dim3 &d = t_thread.block_dim;
    return (t.z * d.y + t.y) * d.x + t.x;
}

/* The running thread's next operation that asks which lanes are with it, or its next call of a
 * function in which one is, stands there: a number that no other place of the program has, and
 * that grows along a kernel. cu_to_cpp says it, see translator/rewrite/sites.h. */
inline void at_site(uint64_t site) { t_thread.block->sites[thread_number()] = site; }

/* What was said, 0 for nothing. */
inline uint64_t take_site() {
    uint64_t &said = t_thread.block->sites[thread_number()];
    const uint64_t site = said;
    said = 0;
    return site;
}

/* The number of a place in a kernel's own body. Bits: 26 for that, 12 for the calls on the way to
 * a function, 26 for the place in it. */
constexpr uint64_t site_in_kernel(uint64_t place) { return place << 38; }

/* From where a function was called in which such operations are. */
class Path {
  public:
    Path() : caller_(take_site()) {}
    uint64_t site(uint64_t place) const {
        if (!caller_) return site_in_kernel(place);
        const uint64_t kernel = caller_ >> 38, way = caller_ & (((uint64_t)1 << 38) - 1);
        return kernel << 38 | (way * 0x9E3779B97F4A7C15u >> 52) << 26 | (place & 0x3ffffff);
    }

  private:
    const uint64_t caller_;
};

inline unsigned lane_number() {
    const uint3 &t = t_thread.thread_index;
    if (!(t.y | t.z)) return t.x % 32;
    const dim3 &d = t_thread.block_dim;
    return ((t.z * d.y + t.y) * d.x + t.x) % 32;
}

/* A thread that has to wait, and the one to run meanwhile: the same, if it need not wait. */
struct Turn {
    Slot *me, *next;
};

/* The running thread brings a value to the lanes of `mask`; with mask 0, to those that stand at
 * `site`, too. It must switch to `next`. */
Turn come_to_warp(unsigned mask, const void *site, uint64_t given, unsigned request);

/* The same, inlined for lanes in the middle of a meeting: neither the first nor the last. */
__attribute__((always_inline)) inline Turn come_to_meeting(unsigned mask, const void *site,
                                                           uint64_t given, unsigned request) {
    Slot *me = t_thread.slot;
    if (__builtin_expect(!me, 0)) return come_to_warp(mask, site, given, request);
    set_interruptible(kInRuntime);
    Crossing *const block = t_thread.block;
    Warp &warp = block->warps[me->linear / kWarpSize];
    Meeting &m = *warp.last;
    const unsigned lane = me->linear % kWarpSize, missing = m.missing & ~(1u << lane);
    if (__builtin_expect(
            m.mask != mask || m.missing == missing || missing == 0 || block->ready->count == 0, 0))
        return come_to_warp(mask, site, given, request);
    warp.given[lane] = given;
    warp.request[lane] = (unsigned short)request;
    m.missing = missing;
    m.arrived |= 1u << lane;
    me->waiting = Waiting::kWarp;
    return {me, &block->slots[block->ready->pop()]};
}

/* Waits for the lanes of `mask`. Afterwards the thread's result is in `taken`, the lanes that took
 * part in `met`. */
#if CPU_DEVICE_INLINE_SWITCH
__attribute__((always_inline)) inline Slot *meet(unsigned mask, const void *site, uint64_t given,
                                                 WarpOperation operation, unsigned source = 0) {
    const unsigned request = (unsigned)operation * kWarpSize + source;
    const void *here;
    asm volatile("leaq 0(%%rip), %0" : "=r"(here));
    const Turn turn = site ? come_to_warp(mask, site, given, request)
                           : come_to_meeting(mask, here, given, request);
    Slot *me = turn.me;
    if (turn.next != me) {
        me = switch_stacks(me, turn.next);
        t_thread.slot = me;
        t_thread.thread_index = me->index;
    }
    set_interruptible(kMayYield);
    return me;
}
#else
Slot *meet(unsigned mask, const void *site, uint64_t given, WarpOperation operation,
           unsigned source = 0);
#endif

/* The lanes of the warp that stand where at_site() said, else at that address of the program. */
inline unsigned active_lanes(const void *address) {
    const uint64_t said = take_site();
    const void *const site = said ? (const void *)said : address;
    const Slot *me = meet(0, site, 0, WarpOperation::kBallot);
    return t_thread.block->met[me->linear];
}

inline void warp_barrier(unsigned mask) { meet(mask, nullptr, 0, WarpOperation::kShuffle); }

inline uint64_t warp_shuffle(unsigned mask, uint64_t value, unsigned source) {
    const Slot *me = meet(mask, nullptr, value, WarpOperation::kShuffle, source % kWarpSize);
    return t_thread.block->taken[me->linear];
}

inline uint64_t warp_combine(unsigned mask, uint64_t value, WarpOperation operation,
                             unsigned *met) {
    const Slot *me = meet(mask, nullptr, value, operation);
    if (met) *met = t_thread.block->met[me->linear];
    return t_thread.block->taken[me->linear];
}

template <class T>
inline T shuffle_from(unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_shuffle(mask, bits, source);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Which lane a shuffle of `lane` reads, in segments of `width` lanes; to be taken modulo 32. */
inline unsigned source_lane(unsigned lane, int source, int width) {
    return (lane & ~(unsigned)(width - 1)) | ((unsigned)source & (unsigned)(width - 1));
}
inline unsigned source_up(unsigned lane, unsigned delta, int width) {
    return (lane & (unsigned)(width - 1)) >= delta ? lane - delta : lane;
}
inline unsigned source_down(unsigned lane, unsigned delta, int width) {
    return (lane & (unsigned)(width - 1)) + (uint64_t)delta < (unsigned)width ? lane + delta : lane;
}
inline unsigned source_xor(unsigned lane, int lane_mask, int width) {
    const unsigned other = lane ^ (unsigned)lane_mask;
    return other <= (lane | (unsigned)(width - 1)) ? other : lane;
}

template <class T>
inline T shuffle(unsigned mask, T value, int source, int width) {
    return shuffle_from(mask, value, source_lane(lane_number(), source, width));
}
template <class T>
inline T shuffle_up(unsigned mask, T value, unsigned delta, int width) {
    return shuffle_from(mask, value, source_up(lane_number(), delta, width));
}
template <class T>
inline T shuffle_down(unsigned mask, T value, unsigned delta, int width) {
    return shuffle_from(mask, value, source_down(lane_number(), delta, width));
}
template <class T>
inline T shuffle_xor(unsigned mask, T value, int lane_mask, int width) {
    return shuffle_from(mask, value, source_xor(lane_number(), lane_mask, width));
}

} // namespace cpu_device

#define CPU_DEVICE_ACTIVE_ (::cpu_device::active_lanes(__builtin_return_address(0)))

__attribute__((noinline)) inline unsigned __activemask() { return CPU_DEVICE_ACTIVE_; }

inline void __syncwarp(unsigned mask = 0xffffffffu) { ::cpu_device::warp_barrier(mask); }

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    return ::cpu_device::shuffle(mask, value, source, width);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return ::cpu_device::shuffle_up(mask, value, delta, width);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return ::cpu_device::shuffle_down(mask, value, delta, width);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
    return ::cpu_device::shuffle_xor(mask, value, lane_mask, width);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return (unsigned)::cpu_device::warp_combine(mask, predicate != 0,
                                                ::cpu_device::WarpOperation::kBallot, nullptr);
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return (unsigned)::cpu_device::warp_combine(mask, bits, ::cpu_device::WarpOperation::kSameValue,
                                                nullptr);
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *all_same) {
    uint64_t bits = 0;
    unsigned met = 0;
    memcpy(&bits, &value, sizeof value);
    const unsigned same = (unsigned)::cpu_device::warp_combine(
        mask, bits, ::cpu_device::WarpOperation::kSameValue, &met);
    *all_same = same == met;
    return same == met ? met : 0;
}

#define CPU_DEVICE_REDUCE_(name, T, operation)                                                 \
    inline T __reduce_##name##_sync(unsigned mask, T value) {                                  \
        return (T)::cpu_device::warp_combine(mask, (uint32_t)value,                            \
                                             ::cpu_device::WarpOperation::operation, nullptr); \
    }
CPU_DEVICE_REDUCE_(add, int, kSum)
CPU_DEVICE_REDUCE_(add, unsigned, kSum)
CPU_DEVICE_REDUCE_(min, int, kMinSigned)
CPU_DEVICE_REDUCE_(min, unsigned, kMinUnsigned)
CPU_DEVICE_REDUCE_(max, int, kMaxSigned)
CPU_DEVICE_REDUCE_(max, unsigned, kMaxUnsigned)
CPU_DEVICE_REDUCE_(and, unsigned, kAnd)
CPU_DEVICE_REDUCE_(or, unsigned, kOr)
CPU_DEVICE_REDUCE_(xor, unsigned, kXor)
#undef CPU_DEVICE_REDUCE_

/* Withdrawn spellings. */
#define CPU_DEVICE_OLD_(modern) \
    __attribute__((noinline, deprecated("toolkit 9 withdrew it: use " #modern " with a mask")))
template <class T>
CPU_DEVICE_OLD_(__shfl_sync)
inline T __shfl(T value, int source, int width = 32) {
    return ::cpu_device::shuffle(CPU_DEVICE_ACTIVE_, value, source, width);
}
template <class T>
CPU_DEVICE_OLD_(__shfl_up_sync)
inline T __shfl_up(T value, unsigned delta, int width = 32) {
    return ::cpu_device::shuffle_up(CPU_DEVICE_ACTIVE_, value, delta, width);
}
template <class T>
CPU_DEVICE_OLD_(__shfl_down_sync)
inline T __shfl_down(T value, unsigned delta, int width = 32) {
    return ::cpu_device::shuffle_down(CPU_DEVICE_ACTIVE_, value, delta, width);
}
template <class T>
CPU_DEVICE_OLD_(__shfl_xor_sync)
inline T __shfl_xor(T value, int lane_mask, int width = 32) {
    return ::cpu_device::shuffle_xor(CPU_DEVICE_ACTIVE_, value, lane_mask, width);
}
CPU_DEVICE_OLD_(__ballot_sync) inline unsigned __ballot(int predicate) {
    return __ballot_sync(CPU_DEVICE_ACTIVE_, predicate);
}
CPU_DEVICE_OLD_(__any_sync) inline int __any(int predicate) {
    return __any_sync(CPU_DEVICE_ACTIVE_, predicate);
}
CPU_DEVICE_OLD_(__all_sync) inline int __all(int predicate) {
    return __all_sync(CPU_DEVICE_ACTIVE_, predicate);
}
#undef CPU_DEVICE_OLD_

#endif
