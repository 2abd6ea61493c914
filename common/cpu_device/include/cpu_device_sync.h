/* Barriers and fences.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SYNC_H
#define CPU_DEVICE_SYNC_H

#include <time.h>

namespace cpu_device {
/* Waits until every thread of the block that has not ended waits here too. */
void block_barrier();
}  // namespace cpu_device

inline void __syncthreads() { ::cpu_device::block_barrier(); }

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* Ticks that grow; one is a nanosecond. */
inline long long clock64() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
