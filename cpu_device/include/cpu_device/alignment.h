/* Accesses that are not aligned to their type, which end a kernel with 716.
 *
 * The compiler could check each load and store; that costs a third to three times a kernel's time
 * (docs/cpu_device.md), so only --config=check does it. What is checked always is what leads to
 * such accesses: pointers that come of a cast in device code, and those that a kernel is given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_ALIGNMENT_H
#define CPU_DEVICE_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include "cpu_device/thread.h"

namespace cpu_device {

#if defined(__x86_64__) && !LAB_CPU_DEVICE_CHECK
#define CPU_DEVICE_MARKS_MISALIGNED 1
/* A misaligned pointer becomes one that faults when it is followed: no memory can have that
 * address. The report gives the true one, and the alignment: 2 to the power of the last digit. So
 * the check calls nothing, and a loop keeps its values in registers. */
constexpr uintptr_t kMisalignedMark = (uintptr_t)0x5A50 << 48;

constexpr uintptr_t misaligned_mark(size_t alignment) {
    return kMisalignedMark | (uintptr_t)__builtin_ctzll(alignment) << 48;
}
#else
/* Ends the kernel; on the host, does nothing. */
void misaligned(const void *address, size_t alignment);
#endif

/* 1 where the type is not known yet. */
template <class T, class = void>
constexpr size_t kAlignmentOf = 1;
template <class T>
constexpr size_t kAlignmentOf<T, std::enable_if_t<(sizeof(T) > 1)>> = alignof(T);

/* What cu_to_cpp puts around a pointer made by a cast before it is followed; most: of a member, of
 * which less is asked than of the whole. What is no pointer is itself. */
template <size_t most, class X>
__attribute__((always_inline)) inline decltype(auto) aligned(X &&x) {
#if LAB_CPU_DEVICE_CHECK
    return static_cast < X
    && > (x); /* the compiler's own checks name the access itself */
#else
    using P = std::decay_t < X
    > ;
    if constexpr (std::is_pointer_v<P>) {
        constexpr size_t whole = kAlignmentOf<std::remove_cv_t<std::remove_pointer_t<P>>>;
        constexpr size_t wanted = whole < most ? whole : most;
        const P p = x;
        if constexpr (wanted > 1)
            if (__builtin_expect((uintptr_t)p % wanted, 0)) {
#if CPU_DEVICE_MARKS_MISALIGNED
                /* An address that no memory can have will say so itself. */
                if (on_device() && (intptr_t)p >> 47 == 0)
                    return P((uintptr_t)p ^ misaligned_mark(wanted));
#else
                misaligned((const void *)p, wanted);
#endif
            }
        return P(p);
    } else {
        return static_cast < X
        && > (x);
    }
#endif
}

/* For pointers that a kernel is given. */
template <class T>
inline T *marked_if_misaligned(T *p) {
#if CPU_DEVICE_MARKS_MISALIGNED
    constexpr size_t alignment = kAlignmentOf<std::remove_cv_t<T>>;
    if ((uintptr_t)p % alignment && (intptr_t)p >> 47 == 0)
        return (T *)((uintptr_t)p ^ misaligned_mark(alignment));
#endif
    return p;
}

} // namespace cpu_device

#endif
