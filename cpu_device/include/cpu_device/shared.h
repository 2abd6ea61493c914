/* Shared memory: what cu_to_cpp makes of __shared__ declarations.
 *
 *   __shared__ float tile[16][17], sum;
 *
 * becomes a local struct with these members and references to them in the running block's
 * window, which ends at a page that no access may touch. `extern __shared__` arrays name the
 * dynamic part that follows. Declared outside of functions the struct stands there, and the
 * references where functions speak of its members.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SHARED_H
#define CPU_DEVICE_SHARED_H

#include <stddef.h>

#include <typeinfo>

#include "cpu_device/thread.h"

namespace cpu_device {

/* One __shared__ declaration; known to the runtime before main. */
struct SharedArray {
    int id;
    SharedArray(const char *symbol, size_t size, size_t alignment);
};

template <class Struct>
struct SharedArrayOf {
    static SharedArray array;
};
template <class Struct>
SharedArray SharedArrayOf<Struct>::array(typeid(Struct).name(), sizeof(Struct), alignof(Struct));

/* Finds a place in the running block's window for the array of that id, which has none yet. */
void *place_shared_array(int id);

/* Where the array of that id lies in the running block's window. */
inline void *shared_array(int id) {
    char *const place = t_thread.block->shared_places[id];
    return __builtin_expect(place != nullptr, 1) ? place : place_shared_array(id);
}

/* Where the dynamic part begins. */
void *dynamic_shared();

/* The address that the host gets for it, which no access may touch. */
static void *const kNoSharedMemory = (void *)64;

/* For functions that the host may call too, which then come by no variable. */
template <class Struct>
inline Struct &shared_of_block() {
    const int id = SharedArrayOf<Struct>::array.id;
    return *static_cast<Struct *>(t_thread.block ? shared_array(id) : kNoSharedMemory);
}

template <class Struct>
inline Struct &shared() {
    return *static_cast<Struct *>(shared_array(SharedArrayOf<Struct>::array.id));
}

} // namespace cpu_device

#endif
