/* Copies that a group makes together, and waiting for them. The group's threads share the bytes;
 * each has copied its part before it goes on, and wait() brings all together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "cpu_device/names_begin.h"

#include <string.h>

#include "cooperative_groups.h"

namespace cooperative_groups {

namespace internal {
template <class Group>
inline void copy_together(const Group &group, void *dst, const void *src, size_t size) {
    const size_t threads = group.size(), part = (size + threads - 1) / threads;
    const size_t begin = part * group.thread_rank();
    if (begin < size)
        memcpy((char *)dst + begin, (const char *)src + begin,
               size - begin < part ? size - begin : part);
}
} // namespace internal

/* `size` in bytes. */
template <class Group, class Dst, class Src, class Size>
inline void memcpy_async(const Group &group, Dst *dst, Src *src, const Size &size) {
    internal::copy_together(group, dst, src, (size_t)size);
}
/* Counts of elements: the smaller one counts. */
template <class Group, class Dst, class DstCount, class Src, class SrcCount>
inline void memcpy_async(const Group &group, Dst *dst, const DstCount &dst_count, Src *src,
                         const SrcCount &src_count) {
    const size_t to = (size_t)dst_count * sizeof(Dst), from = (size_t)src_count * sizeof(Src);
    internal::copy_together(group, dst, src, to < from ? to : from);
}

template <class Group>
inline void wait(const Group &group) {
    group.sync();
}
template <unsigned stages, class Group>
inline void wait_prior(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#include "cpu_device/names_end.h"

#endif
