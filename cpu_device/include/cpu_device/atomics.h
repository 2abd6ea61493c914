/* Atomic operations on global and shared memory, with the device's semantics: each returns the
 * value before, Inc and Dec wrap at their bound.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_ATOMICS_H
#define CPU_DEVICE_ATOMICS_H

#include <stddef.h>
#include <string.h>

#include "cpu_device/alignment.h"
#include "cpu_device/spin.h"
#include "vector_types.h"

namespace cpu_device {

template <size_t size>
struct BitsOf;
template <>
struct BitsOf<2> {
    typedef unsigned short __attribute__((may_alias)) type;
};
template <>
struct BitsOf<4> {
    typedef unsigned int __attribute__((may_alias)) type;
};
template <>
struct BitsOf<8> {
    typedef unsigned long long __attribute__((may_alias)) type;
};

template <class To, class From>
inline To bits_to(From from) {
    static_assert(sizeof(To) == sizeof(From), "same size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/* *address = change(*address) in one step; the value before. */
template <class T, class Change>
inline T atomically(T *address, Change change) {
    using Bits = typename BitsOf<sizeof(T)>::type;
    Bits *bits = (Bits *)aligned<16>(address);
    Bits before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    for (;;) {
        const T old = bits_to<T>(before);
        const Bits after = bits_to<Bits>((T)change(old));
        if (__atomic_compare_exchange_n(bits, &before, after, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return old;
    }
}

} // namespace cpu_device

/* idle: `before` and `value` are such that memory is as before. */
#define CPU_DEVICE_FETCH_(function, builtin, idle, T)                                        \
    inline T function(T *address, T value) {                                                 \
        const T before =                                                                     \
            __atomic_##builtin(::cpu_device::aligned<16>(address), value, __ATOMIC_RELAXED); \
        if (idle) ::cpu_device::found_again(address, (unsigned long long)before);            \
        return before;                                                                       \
    }
#define CPU_DEVICE_CHANGE_(function, T, expression)                                      \
    inline T function(T *address, T value) {                                             \
        return ::cpu_device::atomically(address, [value](T old) { return expression; }); \
    }
#define CPU_DEVICE_FOR_INTEGERS_(macro, function, argument, idle)                      \
    macro(function, argument, idle, int) macro(function, argument, idle, unsigned int) \
        macro(function, argument, idle, unsigned long long)

CPU_DEVICE_FOR_INTEGERS_(CPU_DEVICE_FETCH_, atomicAdd, fetch_add, value == 0)
CPU_DEVICE_FETCH_(atomicSub, fetch_sub, value == 0, int)
CPU_DEVICE_FETCH_(atomicSub, fetch_sub, value == 0, unsigned int)
CPU_DEVICE_FOR_INTEGERS_(CPU_DEVICE_FETCH_, atomicAnd, fetch_and, value == (decltype(value))-1)
CPU_DEVICE_FOR_INTEGERS_(CPU_DEVICE_FETCH_, atomicOr, fetch_or, value == 0)
CPU_DEVICE_FOR_INTEGERS_(CPU_DEVICE_FETCH_, atomicXor, fetch_xor, value == 0)
CPU_DEVICE_FOR_INTEGERS_(CPU_DEVICE_FETCH_, atomicExch, exchange_n, before == value)

CPU_DEVICE_CHANGE_(atomicAdd, float, old + value)
CPU_DEVICE_CHANGE_(atomicAdd, double, old + value)
CPU_DEVICE_CHANGE_(atomicExch, float, ((void)old, value))
CPU_DEVICE_CHANGE_(atomicMin, int, old < value ? old : value)
CPU_DEVICE_CHANGE_(atomicMin, unsigned int, old < value ? old : value)
CPU_DEVICE_CHANGE_(atomicMin, long long, old < value ? old : value)
CPU_DEVICE_CHANGE_(atomicMin, unsigned long long, old < value ? old : value)
CPU_DEVICE_CHANGE_(atomicMax, int, old > value ? old : value)
CPU_DEVICE_CHANGE_(atomicMax, unsigned int, old > value ? old : value)
CPU_DEVICE_CHANGE_(atomicMax, long long, old > value ? old : value)
CPU_DEVICE_CHANGE_(atomicMax, unsigned long long, old > value ? old : value)
CPU_DEVICE_CHANGE_(atomicInc, unsigned int, old >= value ? 0 : old + 1)
CPU_DEVICE_CHANGE_(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)

#undef CPU_DEVICE_FETCH_
#undef CPU_DEVICE_CHANGE_
#undef CPU_DEVICE_FOR_INTEGERS_

#define CPU_DEVICE_CAS_(T)                                                                  \
    inline T atomicCAS(T *address, T compare, T value) {                                    \
        if (!__atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, \
                                         __ATOMIC_RELAXED))                                 \
            ::cpu_device::found_again(address, (unsigned long long)compare);                \
        return compare;                                                                     \
    }
CPU_DEVICE_CAS_(int)
CPU_DEVICE_CAS_(unsigned int)
CPU_DEVICE_CAS_(unsigned long long)
CPU_DEVICE_CAS_(unsigned short)
#undef CPU_DEVICE_CAS_

/* Vectors of floats: each element by itself, as on the device. */
inline float2 atomicAdd(float2 *address, float2 value) {
    return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4 *address, float4 value) {
    return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                  atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

/* Narrower and wider scopes: all the same here. */
namespace cpu_device {
template <class T>
struct SameType {
    typedef T type;
};
} // namespace cpu_device
#define CPU_DEVICE_SCOPE_(function, scope)                                                 \
    template <class T>                                                                     \
    inline T function##scope(T *address, typename ::cpu_device::SameType<T>::type value) { \
        return function(address, value);                                                   \
    }
#define CPU_DEVICE_SCOPES_(function) \
    CPU_DEVICE_SCOPE_(function, _block) CPU_DEVICE_SCOPE_(function, _system)
CPU_DEVICE_SCOPES_(atomicAdd)
CPU_DEVICE_SCOPES_(atomicSub)
CPU_DEVICE_SCOPES_(atomicExch)
CPU_DEVICE_SCOPES_(atomicMin)
CPU_DEVICE_SCOPES_(atomicMax)
CPU_DEVICE_SCOPES_(atomicInc)
CPU_DEVICE_SCOPES_(atomicDec)
CPU_DEVICE_SCOPES_(atomicAnd)
CPU_DEVICE_SCOPES_(atomicOr)
CPU_DEVICE_SCOPES_(atomicXor)
#undef CPU_DEVICE_SCOPES_
#undef CPU_DEVICE_SCOPE_
template <class T>
inline T atomicCAS_block(T *address, typename ::cpu_device::SameType<T>::type compare,
                         typename ::cpu_device::SameType<T>::type value) {
    return atomicCAS(address, compare, value);
}
template <class T>
inline T atomicCAS_system(T *address, typename ::cpu_device::SameType<T>::type compare,
                          typename ::cpu_device::SameType<T>::type value) {
    return atomicCAS(address, compare, value);
}

#endif
