/* Warp operations: lanes that wait for one another.
 *
 * Lanes that name the same mask meet. A lane gets what it came for once every lane of its mask
 * that has not ended is there: values that lanes bring are handed out by the last to come, so
 * that no lane has to wait a second time. Where a program does not name a mask (__activemask,
 * the shuffles without _sync), the mask is the lanes of the warp that stand at the same place
 * once none of the warp's block can go further.
 *
 * A lane that its own mask leaves out is not meant to be there. An H200 lets it take part with all
 * that are at the same place of the program, whatever the mask; so do we, as far as it can be done:
 * it waits as where no mask is named, together with those of the mask that have not gone on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/warp.h"

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/sync.h"

namespace cpu_device {
namespace {

unsigned live_lanes(const Block *b, unsigned warp) {
    const unsigned first = warp * kWarpSize, n = b->thread_count - first;
    const unsigned present = n >= kWarpSize ? ~0u : (1u << n) - 1;
    return present & ~b->ended_lanes[warp];
}

/* ---- results ---- */

/* What a lane gets from those that are in `met`. */
using Result = uint64_t(const Warp &w, unsigned met, unsigned lane);

/* A lane that did not come gives 0, as the device does. */
uint64_t of_source(const Warp &w, unsigned met, unsigned lane) {
    const unsigned source = w.request[lane] % kWarpSize;
    return met >> source & 1 ? w.given[source] : 0;
}

uint64_t ballot(const Warp &w, unsigned met, unsigned) {
    unsigned bits = 0;
    for (unsigned left = met; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (w.given[i]) bits |= 1u << i;
    }
    return bits;
}

uint64_t same_value(const Warp &w, unsigned met, unsigned lane) {
    unsigned bits = 0;
    for (unsigned left = met; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (w.given[i] == w.given[lane]) bits |= 1u << i;
    }
    return bits;
}

template <class T, class Combine>
uint64_t reduced(const Warp &w, unsigned met, Combine combine) {
    T value = (T)w.given[__builtin_ctz(met)];
    for (unsigned left = met & (met - 1); left; left &= left - 1)
        value = combine(value, (T)w.given[__builtin_ctz(left)]);
    return (uint64_t)value;
}

uint64_t sum(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a + b; });
}
uint64_t bits_and(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a & b; });
}
uint64_t bits_or(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a | b; });
}
uint64_t bits_xor(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a ^ b; });
}
uint64_t min_signed(const Warp &w, unsigned met, unsigned) {
    return reduced<int32_t>(w, met, [](int32_t a, int32_t b) { return a < b ? a : b; });
}
uint64_t max_signed(const Warp &w, unsigned met, unsigned) {
    return reduced<int32_t>(w, met, [](int32_t a, int32_t b) { return a > b ? a : b; });
}
uint64_t min_unsigned(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
}
uint64_t max_unsigned(const Warp &w, unsigned met, unsigned) {
    return reduced<uint32_t>(w, met, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
}

Result *const kResults[] = {of_source, ballot,     same_value, sum,          bits_and,    bits_or,
                            bits_xor,  min_signed, max_signed, min_unsigned, max_unsigned};

WarpOperation operation_of(const Warp &w, unsigned lane) {
    return (WarpOperation)(w.request[lane] / kWarpSize);
}

/* ---- lanes outside of their masks ---- */

/* Where they meet: no place of a program has such a number. */
const void *outside_site(unsigned mask) { return (const void *)((uintptr_t)1 << 32 | mask); }
bool is_outside(const void *site) { return (uintptr_t)site >> 32 == 1; }

Meeting *open_meeting(Warp &w, unsigned mask, const void *site) {
    for (Meeting &m : w.meetings)
        if (m.arrived && m.mask == mask && m.site == site) return &m;
    return nullptr;
}

/* All of the lanes wait for their turn; then they no longer do. */
bool take_back(Block *b, unsigned first, unsigned lanes) {
    const auto is_one = [&](unsigned i) {
        return i - first < kWarpSize && lanes >> (i - first) & 1;
    };
    unsigned found = 0;
    for (unsigned k = 0; k < b->ready->count; ++k)
        found += is_one(b->ready->items[(b->ready->head + k) % kMaxThreadsPerBlock]);
    if (found != (unsigned)__builtin_popcount(lanes)) return false;
    for (unsigned n = b->ready->count; n; --n) {
        const unsigned i = b->ready->pop();
        if (!is_one(i)) b->ready->push(i);
    }
    return true;
}

/* ---- meetings ---- */

/* The meeting of that mask or place which the lane has not joined, or a new one. */
Meeting *find_meeting(Block *b, unsigned warp, unsigned mask, const void *site, unsigned lane) {
    Warp &w = b->warps[warp];
    Meeting *free_one = nullptr;
    for (Meeting &m : w.meetings) {
        if (m.arrived == 0) {
            if (!free_one) free_one = &m;
        } else if (m.mask == mask && m.site == site && !(m.arrived >> lane & 1)) {
            return w.last = &m;
        }
        if (free_one && w.open == 0) break;
    }
    free_one->mask = mask;
    free_one->site = site;
    free_one->missing = mask & live_lanes(b, warp);
    ++w.open;
    return w.last = free_one;
}

/* Whether all lanes get the same. */
bool is_common(WarpOperation operation) {
    return operation != WarpOperation::kShuffle && operation != WarpOperation::kSameValue;
}

/* Everyone is there: all get what they came for. */
void hand_out(Block *b, const Warp &w, unsigned first, unsigned met) {
    const unsigned any = (unsigned)__builtin_ctz(met);
    const WarpOperation operation = operation_of(w, any);
    bool common = is_common(operation);
    for (unsigned left = met; common && left; left &= left - 1)
        common = operation_of(w, (unsigned)__builtin_ctz(left)) == operation;
    const uint64_t result = common ? kResults[(int)operation](w, met, any) : 0;
    for (unsigned left = met; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const WarpOperation own = operation_of(w, i);
        b->met[first + i] = met;
        if (common) b->taken[first + i] = result;
        else if (own == WarpOperation::kShuffle) b->taken[first + i] = of_source(w, met, i);
        else b->taken[first + i] = kResults[(int)own](w, met, i);
    }
}

/* Everyone is there, and goes on in the order of lanes: where a first lane writes what the others
 * read, as programs without __syncwarp do, they find it written. */
void hold(Block *b, Warp &w, unsigned warp, Meeting &m) {
    const unsigned met = m.arrived, first = warp * kWarpSize;
    w.done_mask = m.mask;
    w.done = met;
    w.done_place = m.place;
    w.outside -= is_outside(m.site);
    hand_out(b, w, first, met);
    m.arrived = m.mask = m.missing = 0;
    m.site = nullptr;
    --w.open;
    for (unsigned left = met; left; left &= left - 1) {
        const unsigned i = first + (unsigned)__builtin_ctz(left);
        b->slots[i].waiting = Waiting::kNothing;
        b->ready->push(i);
    }
}

} // namespace

[[noreturn]] void refuse_mask(unsigned mask, unsigned lane) {
    say("%s%s is lane %u, and its mask 0x%08x lacks that lane: a lane that calls a warp operation "
        "must be in its own mask",
        line_of_caller().c_str(), where_in_kernel().c_str(), lane, mask);
    abort_kernel(cudaErrorIllegalInstruction);
}

/* Lanes of the mask that do the same, and wait, or have not gone on since, come to `to`. */
static void gather(Block *b, unsigned warp, unsigned mask, const void *place, Meeting *to) {
    Warp &w = b->warps[warp];
    unsigned lanes = 0;
    Meeting *m = open_meeting(w, mask, nullptr);
    if (m && m->place == place) {
        lanes = m->arrived;
        m->arrived = m->mask = m->missing = 0;
        --w.open;
    } else if (w.done && w.done_mask == mask && w.done_place == place &&
               take_back(b, warp * kWarpSize, w.done)) {
        lanes = w.done;
        w.done = 0;
    }
    to->arrived |= lanes;
    b->converging += (unsigned)__builtin_popcount(lanes);
    for (; lanes; lanes &= lanes - 1)
        b->slots[warp * kWarpSize + (unsigned)__builtin_ctz(lanes)].waiting = Waiting::kConvergence;
}

/* No thread of the warp can go further without the others. */
static bool is_stuck(const Block *b, unsigned warp) {
    for (unsigned live = live_lanes(b, warp); live; live &= live - 1) {
        const unsigned i = warp * kWarpSize + (unsigned)__builtin_ctz(live);
        if (i >= b->next_thread || !is_waiting(b, i)) return false;
    }
    return true;
}

/* The lanes of the mask had the operation to themselves, at another place. */
static bool are_elsewhere(const Warp &w, const Meeting &m) {
    const unsigned mask = (unsigned)(uintptr_t)m.site;
    return !(m.arrived & mask) && w.done_mask == mask && w.done_place != m.place;
}

/* Lanes outside of masks of several kinds, or of a mask that others use elsewhere: an H200 ends the
 * kernel too. */
[[noreturn]] static void refuse_outside(const Warp &w, unsigned warp) {
    for (const Meeting &m : w.meetings) {
        const unsigned mask = (unsigned)(uintptr_t)m.site;
        if (!m.arrived || !is_outside(m.site) || !(m.arrived & ~mask)) continue;
        const unsigned lane = (unsigned)__builtin_ctz(m.arrived & ~mask);
        t_thread.thread_index = index_of(warp * kWarpSize + lane);
        refuse_mask(mask, lane);
    }
    abort_kernel(cudaErrorIllegalInstruction);
}

/* Of the places where lanes of the warp stand, the first in the program goes on. */
static bool converge_warp(Block *b, unsigned warp) {
    Warp &w = b->warps[warp];
    Meeting *first = nullptr;
    for (Meeting &m : w.meetings)
        if (m.arrived && m.mask == 0 && (!first || m.site < first->site)) first = &m;
    if (!first) return false;
    if (w.outside > 1 || (is_outside(first->site) && are_elsewhere(w, *first)))
        refuse_outside(w, warp);
    b->converging -= (unsigned)__builtin_popcount(first->arrived);
    hold(b, w, warp, *first);
    return true;
}

/* Lanes in a loop may wait for those of another warp, whose last one to run has come to a barrier: so
 * no worker has seen that it can go no further. */
static void look_at_other_warp(Block *b) {
    if (!b->converging) return;
    const unsigned warps = (b->thread_count + kWarpSize - 1) / kWarpSize;
    b->converged = (b->converged + 1) % warps;
    if (is_stuck(b, b->converged)) converge_warp(b, b->converged);
}

Turn come_to_warp(unsigned mask, const void *place, uint64_t given, unsigned request) {
    const void *const site = mask ? nullptr : place;
    Slot *me = take_slot_in_kernel();
    Block *b = this_block();
    const unsigned warp = me->linear / kWarpSize, lane = me->linear % kWarpSize;
    Warp &w = b->warps[warp];
    w.given[lane] = given;
    w.request[lane] = (unsigned short)request;
    const bool outside = mask && !(mask >> lane & 1);
    Meeting *m = mask && w.outside ? open_meeting(w, 0, outside_site(mask)) : nullptr;
    if (!m && outside) {
        m = find_meeting(b, warp, 0, outside_site(mask), lane);
        ++w.outside;
    }
    if (outside) gather(b, warp, mask, place, m);
    if (m) mask = 0;
    else m = find_meeting(b, warp, mask, site, lane);
    if (!m->arrived) m->place = place;
    m->arrived |= 1u << lane;
    m->missing &= ~(1u << lane);
    if (mask && !m->missing) {
        hold(b, w, warp, *m);
        return {me, next_slot(b->worker)};
    }
    me->waiting = mask ? Waiting::kWarp : Waiting::kConvergence;
    if (!mask) {
        ++b->converging;
        if (is_stuck(b, warp)) {
            converge_warp(b, warp);
            look_at_other_warp(b);
        }
    }
    return {me, next_slot(b->worker)};
}

#if !CPU_DEVICE_INLINE_SWITCH
Slot *meet(unsigned mask, const void *site, uint64_t given, WarpOperation operation,
           unsigned source) {
    const unsigned request = (unsigned)operation * kWarpSize + source;
    const Turn turn = come_to_warp(mask, site ? site : __builtin_return_address(0), given, request);
    go_on_with(turn.me, turn.next);
    set_interruptible(kMayYield);
    return turn.me;
}
#endif

void clear_meetings(Block *b) {
    for (unsigned i = 0; i < kMaxWarps; ++i) {
        Warp &w = b->warps[i];
        w.open = w.outside = w.done = 0;
        w.last = w.meetings;
        for (Meeting &m : w.meetings) m = {};
    }
}

void lane_ended(Block *b, unsigned linear) {
    const unsigned warp = linear / kWarpSize;
    Warp &w = b->warps[warp];
    if (w.open == 0) return;
    for (Meeting &m : w.meetings) {
        if (!m.mask) continue;
        m.missing &= ~(1u << linear % kWarpSize);
        if (!m.missing) hold(b, w, warp, m);
    }
}

/* Warps take turns: lanes of one may wait in a loop for those of another. */
bool converge(Block *b) {
    const unsigned warps = (b->thread_count + kWarpSize - 1) / kWarpSize;
    for (unsigned i = 0; i < warps; ++i) {
        b->converged = (b->converged + 1) % warps;
        if (converge_warp(b, b->converged)) return true;
    }
    return false;
}

} // namespace cpu_device
