/* What a kernel's thread knows about itself, and how a grid of them is run.
 *
 * For C++ read by cu_to_cpp only. A kernel launch becomes a KernelCall: the arguments by
 * value and a loop over blocks and threads with the kernel inlined in it, so that a kernel
 * without barriers costs what a plain loop costs. The loop runs on a fiber. When a thread has
 * to wait, its fiber becomes that thread's own, and the runtime goes on with the threads that
 * follow on another fiber; `handed_off` tells the loop, once the thread has ended, that its
 * followers are no longer its business, and that the loop's return is not waited for.
 *
 * Fibers never change their operating-system thread, so t_thread may be read at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_THREAD_H
#define CPU_DEVICE_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_device/switch.h"
#include "vector_types.h"

namespace cpu_device {

/* What a signal may do to the thread that it interrupts. */
enum Interruptible { kInRuntime = 0, kMayYield = 1, kMayEnd = 2 };

struct ThreadState {
    uint3 thread_index;
    uint3 block_index;
    dim3 block_dim;
    dim3 grid_dim;
    Crossing *block; /* the one that runs on this operating-system thread */
    Slot *slot;      /* of the thread that runs; null: it has not had to wait */
    volatile int interruptible;
    unsigned patience; /* rounds of loops that may wait before others go on: cpu_device/spin.h */
    unsigned counted;  /* the same of loops that count them */
    const volatile void *found_at; /* what an atomic operation found that changed nothing, */
    unsigned long long found;      /* and where */
};

extern __thread ThreadState t_thread __attribute__((tls_model("initial-exec")));

/* A kernel's thread asks. */
inline bool on_device() { return t_thread.block != nullptr; }

/* The same for a kernel, which asks before it does anything else. No function goes from the host to
 * the device while it runs, so the answer is that function's constant: the loop below asks once for
 * a whole block, and the kernel that is inlined in it not at all. */
__attribute__((const)) bool launched();

/* The signal's handler changes the thread's state, fiber and all, so nothing that the compiler
 * reads or writes may cross this line. It costs no instruction. */
inline void set_interruptible(Interruptible how) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t_thread.interruptible = how;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* What stays the same for a whole block is read in a way that the compiler may do once, though
 * the kernel stores through pointers in between: run_block is a function of its own, and
 * nothing in it changes these values. */
template <unsigned offset>
inline unsigned block_constant() {
    const ThreadState *state = &t_thread;
    unsigned value;
#if defined(__x86_64__)
    asm("movl %c2(%1), %0" : "=r"(value) : "r"(state), "i"(offset));
#elif defined(__aarch64__)
    asm("ldr %w0, [%1, %2]" : "=r"(value) : "r"(state), "i"(offset));
#else
    value = *(const volatile unsigned *)((const char *)state + offset);
#endif
    return value;
}

inline const uint3 &thread_index() { return t_thread.thread_index; }

template <class T, unsigned offset>
inline T block_constants() {
    return T{block_constant<offset>(), block_constant<offset + 4>(), block_constant<offset + 8>()};
}
inline uint3 block_index() { return block_constants<uint3, offsetof(ThreadState, block_index)>(); }
inline dim3 block_dim() { return block_constants<dim3, offsetof(ThreadState, block_dim)>(); }
inline dim3 grid_dim() { return block_constants<dim3, offsetof(ThreadState, grid_dim)>(); }

/* What cu_to_cpp found a kernel to be: one whose threads never wait for each other; one whose
 * threads may; one that runs a whole block in one call (cpu_device/phases.h). */
enum KernelKind { kNeverWaits, kMayWait, kWholeBlock };

enum HandedOff { kKept = 0, kHandedOff = 1, kBlockDone = 2 };

/* The threads that one fiber has still to run, in order, from `from` in the current block. */
struct ThreadLoop {
    uint3 from;
    HandedOff handed_off;
};

/* Makes the next block of this worker's share the current one; false: no block is left. */
bool next_block(ThreadLoop *loop);

/* One launch: kernel and arguments. */
class KernelCall {
  public:
    virtual ~KernelCall() {}
    virtual void run(ThreadLoop *loop) const = 0;
    virtual KernelKind kind() const = 0;
    /* The arguments, for queries of a graph's node. */
    virtual unsigned argument_count() const = 0;
    virtual void argument_addresses(void **addresses) const = 0;
};

/* A thread that had to wait, and whose followers were handed off, has ended: leaves its fiber. */
[[noreturn]] void end_thread();

/* Runs body() for the threads of one block that are left in `loop`. The kernel is inlined,
 * however large it is. */
template <KernelKind kind, class Body>
__attribute__((noinline, flatten)) void run_block([[maybe_unused]] ThreadLoop *loop,
                                                  const Body body) {
    if (!launched()) return;
    if constexpr (kind == kWholeBlock) {
        t_thread.thread_index = uint3{0, 0, 0};
        set_interruptible(kMayEnd);
        body();
        set_interruptible(kInRuntime);
        return;
    }
    constexpr bool can_wait = kind == kMayWait;
    const dim3 size = block_dim();
    unsigned x = loop->from.x, y = loop->from.y, z = loop->from.z;
    if (!can_wait) set_interruptible(kMayEnd);
    for (; z < size.z; ++z, y = 0) {
        for (; y < size.y; ++y, x = 0) {
            t_thread.thread_index.z = z;
            t_thread.thread_index.y = y;
            for (; x < size.x; ++x) {
                t_thread.thread_index.x = x;
                if (can_wait) set_interruptible(kMayYield);
                body();
                if (can_wait) {
                    set_interruptible(kInRuntime);
                    if (__builtin_expect(loop->handed_off != kKept, 0)) {
                        if (loop->handed_off == kHandedOff) end_thread();
                        loop->handed_off = kKept;
                        return;
                    }
                }
            }
        }
    }
    if (!can_wait) set_interruptible(kInRuntime);
}

template <KernelKind kind, class Body>
inline void run_threads(ThreadLoop *loop, const Body &body) {
    do run_block<kind>(loop, body);
    while (next_block(loop));
}

} // namespace cpu_device

#endif
