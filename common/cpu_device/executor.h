/* Fibers and blocks: what executor.cc, warps and faults.cc share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_EXECUTOR_H
#define CPU_DEVICE_EXECUTOR_H

#include <setjmp.h>

#include <atomic>
#include <boost/context/detail/fcontext.hpp>

#include "runtime.h"

namespace cpu_device {

enum {
  kFiberStackSize = 256 * 1024,  /* reserved; only touched pages take memory */
  kMaxThreadsPerBlock = 1024,
  kWarpSize = 32,
  kMaxSharedSize = 227 * 1024,   /* per block, with opt-in */
  kSharedGranule = 128           /* a block's window is a multiple of this */
};

/* One stack, and the device thread or the run of device threads that uses it. */
struct Fiber {
  boost::context::detail::fcontext_t context;
  char *stack;                 /* lowest address */
  size_t stack_size;
  Fiber *next;                 /* in whichever list it is */
  ThreadLoop loop;
  uint3 thread_index;
  unsigned linear_index;
  void *sanitizer_stack;
};

struct FiberList {
  Fiber *head;
  Fiber *tail;
  unsigned count;

  void push(Fiber *f) {
    f->next = nullptr;
    if (head)
      tail->next = f;
    else
      head = f;
    tail = f;
    ++count;
  }
  Fiber *pop() {
    Fiber *f = head;
    head = f->next;
    --count;
    return f;
  }
  void clear() {
    head = tail = nullptr;
    count = 0;
  }
};

struct Launch;

/* The block that runs on an operating-system thread. */
struct Block {
  Launch *launch;
  uint64_t index;              /* linear */
  uint64_t end;                /* first block that is not this worker's share */
  unsigned thread_count;
  unsigned live;               /* threads that have not ended, started or not */
  unsigned next_thread;        /* first thread that no fiber runs or has run */
  FiberList ready;
  FiberList at_barrier;
  Fiber *current;
  Fiber *ended;                /* has left its stack for good; to be put in spare */
  Fiber *spare;
  Fiber main;                  /* the operating-system thread's own stack */
  char *shared_area;           /* kMaxSharedSize bytes that end at a guard page */
  char *shared_base;           /* the running block's window */
  char *shared_below;          /* device functions' arrays lie from here down */
  size_t shared_used;          /* of the window, by arrays met so far */
  std::vector<char *> shared_arrays;  /* by SharedArray::id */
  sigjmp_buf on_fault;
  std::vector<char *> stacks;
};

/* A kernel on its way over the workers. */
struct Launch {
  const LaunchRecord *record;
  uint64_t block_count;
  uint64_t chunk;
  std::atomic<uint64_t> next_block;
  std::atomic<int> error;
};

}  // namespace cpu_device

#endif
