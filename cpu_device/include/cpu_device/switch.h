/* How a device thread that waits leaves its stack to the next one.
 *
 * A thread that has had to wait has a Slot, which holds where it goes on. A barrier in the
 * middle of a block's round is only this: enter the queue of waiting threads, take the next one
 * from the queue of ready ones, switch. That much is inlined into kernels, so that
 * the compiler saves what lives across the barrier and nothing else; all else about waiting is
 * the runtime's (block.cc).
 *
 * On x86-64 the switch is a handful of instructions of our own. Elsewhere, and under the address
 * and the thread sanitizer, which need a call before each switch, the runtime switches through
 * Boost.Context.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_SWITCH_H
#define CPU_DEVICE_SWITCH_H

#include <stdint.h>

#include "vector_types.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CPU_DEVICE_INLINE_SWITCH 1
#else
#define CPU_DEVICE_INLINE_SWITCH 0
#endif

namespace cpu_device {

struct Fiber;

/* Why a thread is suspended. Barriers come in turns, of which a block has a current one: a
 * thread that still bears the other one's mark has been let through. */
enum class Waiting : unsigned char {
    kNothing,
    kEvenBarrier,
    kOddBarrier,
    kWarp,
    kConvergence,
    kGrid
};

/* A device thread that has a stack of its own. The first members are known to switch_stacks. */
struct Slot {
    void *stack_pointer; /* with Boost.Context: its context */
    void *frame_pointer;
    void *resume; /* the instruction to go on with */
    Fiber *fiber;
    uint3 index;
    unsigned short linear; /* of `index` */
    Waiting waiting;
};

enum { kMaxThreadsPerBlock = 1024 };

/* Linear thread indices, first in, first out. */
struct IndexQueue {
    unsigned short items[kMaxThreadsPerBlock];
    unsigned head, count;

    void push(unsigned i) { items[(head + count++) % kMaxThreadsPerBlock] = (unsigned short)i; }
    unsigned pop() {
        const unsigned i = items[head];
        head = (head + 1) % kMaxThreadsPerBlock;
        --count;
        return i;
    }
};

enum { kWarpSize = 32, kMaxWarps = kMaxThreadsPerBlock / kWarpSize };

/* Lanes of one warp that wait for one another at a warp operation. */
struct Meeting {
    unsigned mask;     /* lanes that must come; 0: to be found */
    unsigned arrived;  /* 0: this meeting is not in use */
    unsigned missing;  /* lanes that must come, have not ended, and have not come */
    const void *site;  /* of lanes whose mask is still to be found, else null */
    const void *place; /* in the program's code, of the lane that came first */
};

/* The lanes at warp operations: what each brings and asks for. */
struct Warp {
    Meeting *last; /* the meeting that was used last */
    uint64_t given[kWarpSize];
    unsigned short request[kWarpSize]; /* the operation * 32 + the lane to read */
    unsigned open;                     /* meetings that lanes wait at */
    unsigned outside;                  /* of these, of lanes that their own mask leaves out */
    unsigned done_mask, done;          /* the mask of the last meeting that ended, and its lanes, */
    const void *done_place;            /* and where */
    Meeting meetings[kWarpSize];
};

/* What a barrier in kernel code knows of its block; the rest is in the runtime's Block. */
struct Crossing {
    IndexQueue *ready;
    IndexQueue *at_barrier;
    Waiting barrier; /* the current one */
    Warp *warps;
    char **shared_places; /* by SharedArray::id; null: not met yet */
    Slot slots[kMaxThreadsPerBlock];
    /* What threads got from their last warp operation, and which lanes took part. */
    uint64_t taken[kMaxThreadsPerBlock];
    unsigned met[kMaxThreadsPerBlock];
    uint64_t sites[kMaxThreadsPerBlock]; /* said by at_site(), and not asked for yet; or 0 */
};

#if CPU_DEVICE_INLINE_SWITCH
/* Leaves `from`, goes on with `to`; returns, when someone switches to `from` again, `from`. */
__attribute__((always_inline)) inline Slot *switch_stacks(Slot *from, Slot *to) {
    asm volatile(
        "leaq 1f(%%rip), %%rax\n\t"
        "movq %%rsp, (%%rsi)\n\t"
        "movq %%rbp, 8(%%rsi)\n\t"
        "movq %%rax, 16(%%rsi)\n\t"
        "movq (%%rdi), %%rsp\n\t"
        "movq 8(%%rdi), %%rbp\n\t"
        "jmpq *16(%%rdi)\n"
        "1:"
        : "+D"(to), "+S"(from)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
          "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
          "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#if defined(__AVX512F__)
          ,
          "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
          "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
          "k7"
#endif
    );
    return to;
}
#endif

} // namespace cpu_device

#endif
