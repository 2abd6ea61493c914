/* Barriers and fences.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SYNC_H
#define CPU_DEVICE_SYNC_H

#include <time.h>

#include "cpu_device/thread.h"

namespace cpu_device {
/* Waits until every thread of the block that has not ended waits here too. */
void block_barrier();
/* The same; block_votes() then returns how many threads came with a true vote. */
void block_barrier_vote(bool vote);
/* Parts of a barrier that happen once in a round: the running thread becomes one with a slot;
 * which one goes on after the last. */
Slot *take_slot_in_kernel();
Slot *next_after_barrier();
int block_votes();
bool block_all_voted();
/* Waits until every thread of every block has come here. */
void grid_barrier();
/* Lets other threads of the block, or other blocks, go on. */
void yield_to_others();
/* Ends the kernel with cudaErrorLaunchFailure. */
[[noreturn]] void trap();
/* Which memory the address lies in, for the running thread. */
bool is_shared_address(const void *pointer);
bool is_local_address(const void *pointer);
bool is_global_address(const void *pointer);
/* It is a local variable of the running thread of a kernel whose threads may wait. */
bool is_on_own_stack(const void *pointer);
} // namespace cpu_device

#if CPU_DEVICE_INLINE_SWITCH
/* Calls come back before the switch: returns meet the calls that the processor expects. */
__attribute__((always_inline)) inline void __syncthreads() {
    using namespace ::cpu_device;
    Slot *me = t_thread.slot;
    if (__builtin_expect(!me, 0)) me = take_slot_in_kernel();
    set_interruptible(kInRuntime);
    Crossing *const block = t_thread.block;
    me->waiting = block->barrier;
    block->at_barrier->push(me->linear);
    Slot *const next = __builtin_expect(block->ready->count != 0, 1)
                           ? &block->slots[block->ready->pop()]
                           : next_after_barrier();
    if (__builtin_expect(next != me, 1)) me = switch_stacks(me, next);
    t_thread.slot = me;
    t_thread.thread_index = me->index;
    set_interruptible(kMayYield);
}
#else
inline void __syncthreads() { ::cpu_device::block_barrier(); }
#endif
inline int __syncthreads_count(int predicate) {
    ::cpu_device::block_barrier_vote(predicate != 0);
    return ::cpu_device::block_votes();
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) {
    ::cpu_device::block_barrier_vote(predicate != 0);
    return ::cpu_device::block_all_voted();
}
inline void __trap() { ::cpu_device::trap(); }
inline void __brkpt() { ::cpu_device::trap(); }
inline void __prof_trigger(int) {}
inline void __nanosleep(unsigned int) { ::cpu_device::yield_to_others(); }

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline unsigned int __isShared(const void *p) { return ::cpu_device::is_shared_address(p); }
inline unsigned int __isLocal(const void *p) { return ::cpu_device::is_local_address(p); }
inline unsigned int __isGlobal(const void *p) { return ::cpu_device::is_global_address(p); }

#if !defined(__clang__)
#define __builtin_assume(condition)                \
    do {                                           \
        if (!(condition)) __builtin_unreachable(); \
    } while (0)
#endif

/* Ticks that grow; one is a nanosecond. */
inline long long clock64() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
