/* Reductions and scans over a group of lanes.
 *
 * The order of additions is that of ranks, so that floating-point results are the same in each
 * run; a GPU may add in another order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H
#include "cpu_device/names_begin.h"

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned Size, class Parent, class T, class Op, std::enable_if_t<(Size > 32), int> = 0>
inline T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op op) {
    return tile.reduced(value, op);
}

template <class Group, class T, class Op>
inline T reduce(const Group &group, T value, Op op) {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank)
        result = op(result, group.shfl(value, (int)rank));
    return result;
}

template <class Group, class T, class Op = plus<T>>
inline T inclusive_scan(const Group &group, T value, Op op = Op()) {
    T result = value;
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const T before = group.shfl_up(result, delta);
        if (group.thread_rank() >= delta) result = op(before, result);
    }
    return result;
}

template <class Group, class T, class Op = plus<T>>
inline T exclusive_scan(const Group &group, T value, Op op = Op()) {
    const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : before;
}

} // namespace cooperative_groups

#include "cpu_device/names_end.h"

#endif
