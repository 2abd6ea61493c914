/* Warp operations: lanes that wait for one another.
 *
 * Lanes that name the same mask meet. A lane gets what it came for once every lane of its mask
 * that has not ended is there: values that lanes bring are handed out by the last to come, so
 * that nobody has to wait a second time. Where a program does not name a mask (__activemask,
 * the shuffles without _sync), the mask is the lanes of the warp that stand at the same place
 * once none of the warp's block can go further.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/cpu_device_warp.h"

#include "executor.h"

namespace cpu_device {
namespace {

Warp &warp_of(Block *b, unsigned linear) {
  if (b->warps.empty()) b->warps.resize(kMaxWarps);
  return b->warps[linear / kWarpSize];
}

unsigned live_lanes(const Block *b, unsigned warp) {
  const unsigned first = warp * kWarpSize, n = b->thread_count - first;
  const unsigned present = n >= kWarpSize ? ~0u : (1u << n) - 1;
  return present & ~b->ended_lanes[warp];
}

/* The meeting of that mask or place which the lane has not joined, or a new one. */
Meeting *find_meeting(Warp &w, unsigned mask, const void *site, unsigned lane) {
  Meeting *free_one = nullptr;
  for (Meeting &m : w.meetings) {
    if (m.arrived == 0) {
      if (!free_one) free_one = &m;
    } else if (m.mask == mask && m.site == site && !(m.arrived >> lane & 1)) {
      return &m;
    }
  }
  free_one->mask = mask;
  free_one->site = site;
  return free_one;
}

/* Everyone is there: all get what they came for, and go on. */
void hold(Block *b, Warp &w, unsigned warp, Meeting &m) {
  const unsigned met = m.arrived;
  for (unsigned lanes = met; lanes; lanes &= lanes - 1) {
    const unsigned i = (unsigned)__builtin_ctz(lanes);
    Lane &lane = w.lanes[i];
    lane.taken = lane.result(w.lanes, met, i);
    lane.met = met;
  }
  m.arrived = m.mask = 0;
  m.site = nullptr;
  for (unsigned lanes = met; lanes; lanes &= lanes - 1)
    b->ready->push(warp * kWarpSize + (unsigned)__builtin_ctz(lanes));
}

bool complete(const Block *b, unsigned warp, const Meeting &m) {
  const unsigned expected = m.mask & live_lanes(b, warp);
  return m.arrived && m.mask && (m.arrived & expected) == expected;
}

/* The calling lane comes with a value; what it takes is in its Lane afterwards. */
Lane &meet(unsigned mask, const void *site, uint64_t given, unsigned source, WarpResult *result) {
  set_interruptible(kInRuntime);
  Block *b = this_block();
  const unsigned me = take_slot(b), warp = me / kWarpSize, number = me % kWarpSize;
  if (mask && !(mask >> number & 1)) {
    say("%s is lane %u, and its mask 0x%08x lacks that lane: a lane that calls a warp operation "
        "must be in its own mask",
        where_in_kernel().c_str(), number, mask);
    abort_kernel(cudaErrorIllegalInstruction);
  }
  Warp &w = warp_of(b, me);
  Lane &lane = w.lanes[number];
  lane.given = given;
  lane.source = source;
  lane.result = result;
  Meeting *m = find_meeting(w, mask, site, number);
  m->arrived |= 1u << number;
  if (mask) {
    if (complete(b, warp, *m)) hold(b, w, warp, *m);
    suspend(b, me, Waiting::kWarp);
  } else {
    ++b->converging;
    suspend(b, me, Waiting::kConvergence);
  }
  set_interruptible(kMayYield);
  return lane;
}

/* ---- results ---- */

uint64_t nothing(const Lane *, unsigned, unsigned) { return 0; }

/* A lane that did not come gives 0, as the device does. */
uint64_t of_source(const Lane *lanes, unsigned met, unsigned lane) {
  const unsigned source = lanes[lane].source;
  return met >> source & 1 ? lanes[source].given : 0;
}

uint64_t ballot(const Lane *lanes, unsigned met, unsigned) {
  unsigned bits = 0;
  for (unsigned left = met; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (lanes[i].given) bits |= 1u << i;
  }
  return bits;
}

uint64_t same_value(const Lane *lanes, unsigned met, unsigned lane) {
  unsigned bits = 0;
  for (unsigned left = met; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (lanes[i].given == lanes[lane].given) bits |= 1u << i;
  }
  return bits;
}

template <class T, class Combine>
uint64_t reduced(const Lane *lanes, unsigned met, Combine combine) {
  T value = (T)lanes[__builtin_ctz(met)].given;
  for (unsigned left = met & (met - 1); left; left &= left - 1)
    value = combine(value, (T)lanes[__builtin_ctz(left)].given);
  return (uint64_t)value;
}

uint64_t sum(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a + b; });
}
uint64_t bits_and(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a & b; });
}
uint64_t bits_or(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a | b; });
}
uint64_t bits_xor(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a ^ b; });
}
uint64_t min_signed(const Lane *l, unsigned met, unsigned) {
  return reduced<int32_t>(l, met, [](int32_t a, int32_t b) { return a < b ? a : b; });
}
uint64_t max_signed(const Lane *l, unsigned met, unsigned) {
  return reduced<int32_t>(l, met, [](int32_t a, int32_t b) { return a > b ? a : b; });
}
uint64_t min_unsigned(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
}
uint64_t max_unsigned(const Lane *l, unsigned met, unsigned) {
  return reduced<uint32_t>(l, met, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
}

WarpResult *const kResults[] = {of_source,  ballot,     same_value,   sum,         bits_and,
                                bits_or,    bits_xor,   min_signed,   max_signed,  min_unsigned,
                                max_unsigned};

}  // namespace

void lane_ended(Block *b, unsigned linear) {
  if (b->warps.empty()) return;
  const unsigned warp = linear / kWarpSize;
  Warp &w = b->warps[warp];
  for (Meeting &m : w.meetings)
    if (complete(b, warp, m)) hold(b, w, warp, m);
}

bool converge(Block *b) {
  if (b->warps.empty()) return false;
  for (unsigned warp = 0; warp * kWarpSize < b->thread_count; ++warp)
    for (Meeting &m : b->warps[warp].meetings)
      if (m.arrived && m.mask == 0) {
        b->converging -= (unsigned)__builtin_popcount(m.arrived);
        hold(b, b->warps[warp], warp, m);
        return true;
      }
  return false;
}

unsigned lane_number() { return linear_index(t_thread.thread_index) % kWarpSize; }

unsigned active_lanes(const void *site) { return meet(0, site, 0, 0, nothing).met; }

void warp_barrier(unsigned mask) { meet(mask, nullptr, 0, 0, nothing); }

uint64_t warp_shuffle(unsigned mask, uint64_t value, unsigned source) {
  return meet(mask, nullptr, value, source & (kWarpSize - 1), of_source).taken;
}

uint64_t warp_combine(unsigned mask, uint64_t value, WarpOperation operation, unsigned *met) {
  const Lane &lane = meet(mask, nullptr, value, 0, kResults[(int)operation]);
  if (met) *met = lane.met;
  return lane.taken;
}

}  // namespace cpu_device
