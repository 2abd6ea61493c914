/* Threads that wait for a change in memory, in a loop.
 *
 *   while (atomicCAS(&lock, 0, 1) != 0) { }
 *   while (flag == 0) { }                    becomes     while (::cpu_device::spin(), flag == 0) { }
 *
 * Threads of a block run one after another, so that one which waits for another's store has to give
 * way to it. It does after a few rounds of its loop; one that has been let go on, and still waits,
 * at once. cu_to_cpp finds the loops that read volatile memory. Those whose condition asks what they
 * count may wait as well, or go through an array: they give way now and then. Atomic operations that
 * find the same value as before and change nothing look themselves. All other loops are interrupted
 * by a timer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SPIN_H
#define CPU_DEVICE_SPIN_H

#include "cpu_device/thread.h"

namespace cpu_device {

enum { kPatience = 32, kPatienceAgain = 2, kCountedRounds = 1024, kMostCountedRounds = 1 << 22 };

/* Let others go on, if the running thread's kernel is one whose threads may wait. */
void spin_out();
void count_out();

/* Once in each round of a loop that may wait. */
inline void spin() {
    if (__builtin_expect(--t_thread.patience == 0, 0)) spin_out();
}

/* The same in one that counts. As long as no thread ends, each gets more rounds than the one before. */
inline void spin_counting() {
    if (__builtin_expect(--t_thread.counted == 0, 0)) count_out();
}

/* An atomic operation has left memory as it was: it found `value` at `address`. */
inline void found_again(const volatile void *address, unsigned long long value) {
    ThreadState &t = t_thread;
    if (t.found_at == address && t.found == value) return spin();
    t.found_at = address;
    t.found = value;
    t.patience = kPatience;
}

/* The same for a value of any type; larger ones are not looked at. */
template <class T>
inline void found_value(const volatile void *address, const T &value) {
    if (sizeof(T) > sizeof(unsigned long long)) return;
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T) <= sizeof bits ? sizeof(T) : 0);
    found_again(address, bits);
}

} // namespace cpu_device

#endif
