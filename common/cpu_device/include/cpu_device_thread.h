/* What a kernel's thread knows about itself, and how a grid of them is run.
 *
 * For C++ read by cu_to_cpp only. A kernel launch becomes a KernelCall: the arguments by
 * value and a loop over blocks and threads with the kernel inlined in it, so that a kernel
 * without barriers costs what a plain loop costs. The loop runs on a fiber. When a thread has
 * to wait, its fiber becomes that thread's own, and the runtime goes on with the threads that
 * follow on another fiber; `handed_off` tells the loop, once the thread has ended, that its
 * followers are no longer its business.
 *
 * Fibers never change their operating-system thread, so t_thread may be read at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_THREAD_H
#define CPU_DEVICE_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "vector_types.h"

namespace cpu_device {

struct Block;  /* executor.h: the block that runs on this operating-system thread */

struct ThreadState {
  uint3 thread_index;
  uint3 block_index;
  dim3 block_dim;
  dim3 grid_dim;
  Block *block;
};

extern __thread ThreadState t_thread __attribute__((tls_model("initial-exec")));

inline const uint3 &thread_index() { return t_thread.thread_index; }
inline const uint3 &block_index() { return t_thread.block_index; }
inline const dim3 &block_dim() { return t_thread.block_dim; }
inline const dim3 &grid_dim() { return t_thread.grid_dim; }

/* The threads that one fiber has still to run, in order, from `from` in the current block. */
struct ThreadLoop {
  uint3 from;
  int handed_off;
};

/* Makes the next block of this worker's share the current one; false: no block is left. */
bool next_block(ThreadLoop *loop);

/* One launch: kernel and arguments. */
class KernelCall {
 public:
  virtual ~KernelCall() {}
  virtual void run(ThreadLoop *loop) const = 0;
};

/* Runs body() once for each thread. can_wait: whether a thread may have to wait for others. */
template <bool can_wait, class Body>
inline void run_threads(ThreadLoop *loop, const Body &body) {
  const unsigned nx = t_thread.block_dim.x, ny = t_thread.block_dim.y, nz = t_thread.block_dim.z;
  do {
    unsigned x = loop->from.x, y = loop->from.y, z = loop->from.z;
    for (; z < nz; ++z, y = 0) {
      for (; y < ny; ++y, x = 0) {
        t_thread.thread_index.z = z;
        t_thread.thread_index.y = y;
        for (; x < nx; ++x) {
          t_thread.thread_index.x = x;
          body();
          if (can_wait && __builtin_expect(loop->handed_off, 0)) return;
        }
      }
    }
  } while (next_block(loop));
}

}  // namespace cpu_device

#define threadIdx (::cpu_device::thread_index())
#define blockIdx (::cpu_device::block_index())
#define blockDim (::cpu_device::block_dim())
#define gridDim (::cpu_device::grid_dim())

#endif
