/* Fibers: stacks for the threads of a block, and the switch from one to another, through the
 * inlined instructions of cpu_device/switch.h or through Boost.Context. For block.cc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_FIBER_H
#define CPU_DEVICE_FIBER_H

#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/runtime.h"

#if !CPU_DEVICE_INLINE_SWITCH
#include <boost/context/detail/fcontext.hpp>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#define INLINED __attribute__((always_inline)) inline

namespace cpu_device {

/* The address and the thread sanitizer have to be told of each switch. This comes right before it,
 * on the old stack; `from` is null if that stack is never returned to. */
INLINED void sanitizer_leave([[maybe_unused]] Fiber *from, [[maybe_unused]] Fiber *to) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(from ? &from->sanitizer_stack : nullptr, to->stack,
                                   to->stack_size);
#elif defined(__SANITIZE_THREAD__)
    /* Flags 0: what ran before the switch happens before what follows, as on one thread. */
    __tsan_switch_to_fiber(to->sanitizer_fiber, 0);
#endif
}

/* `f` is about to start at the top of its stack. The thread sanitizer gets a new fiber each time:
 * in the old one's call stack, calls that never returned would pile up. `f` may be running, so the
 * old one is destroyed only once it is left, by sanitizer_begun(). */
inline void sanitizer_begin([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_THREAD__)
    f->sanitizer_left = f->sanitizer_fiber;
    f->sanitizer_fiber = __tsan_create_fiber(0);
#endif
}

/* Forgets what the address sanitizer noted about the stack's last user. */
inline void sanitizer_fresh_stack([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(f->stack, f->stack_size);
#endif
}

/* This comes right after each switch, on the new stack; `at` is null if a fiber starts there. */
INLINED void sanitizer_arrive([[maybe_unused]] Fiber *at) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(at ? at->sanitizer_stack : nullptr, nullptr, nullptr);
#endif
}

inline void sanitizer_begun([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_THREAD__)
    if (f->sanitizer_left) __tsan_destroy_fiber(f->sanitizer_left);
    f->sanitizer_left = nullptr;
#endif
}

/* The stack of `f`, which does not run, is about to be unmapped. */
inline void sanitizer_drop([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_THREAD__)
    if (f->sanitizer_fiber) __tsan_destroy_fiber(f->sanitizer_fiber);
#endif
}

/* Makes `f` stand for the calling thread's own stack. */
inline void sanitizer_main([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_t attributes;
    void *stack = nullptr;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &f->stack_size);
    pthread_attr_destroy(&attributes);
    f->stack = (char *)stack;
#elif defined(__SANITIZE_THREAD__)
    f->sanitizer_fiber = __tsan_get_current_fiber();
#endif
}

/* Where a fiber begins; block.cc. */
void fiber_main();

#if CPU_DEVICE_INLINE_SWITCH
INLINED void switch_slots(Slot *from, Slot *to) { switch_stacks(from, to); }

inline void point_at_beginning(Slot *s, Fiber *f) {
    s->fiber = f;
    void **top = (void **)(((uintptr_t)f->stack + f->stack_size) & ~(uintptr_t)15) - 1;
    *top = nullptr; /* in the place of fiber_main's return address */
    s->stack_pointer = top;
    s->frame_pointer = nullptr;
    s->resume = (void *)fiber_main;
}
#else
using boost::context::detail::transfer_t;

inline void note_context(const transfer_t &t) { ((Slot *)t.data)->stack_pointer = t.fctx; }

INLINED void switch_slots(Slot *from, Slot *to) {
    note_context(boost::context::detail::jump_fcontext(to->stack_pointer, from));
}

inline void enter_fiber(transfer_t t) {
    note_context(t);
    fiber_main();
}

inline void point_at_beginning(Slot *s, Fiber *f) {
    s->fiber = f;
    s->stack_pointer =
        boost::context::detail::make_fcontext(f->stack + f->stack_size, f->stack_size, enter_fiber);
}
#endif

/* Leaves `from` for `to`, and comes back. */
INLINED void switch_fibers(Slot *from, Slot *to) {
    sanitizer_leave(from->fiber, to->fiber);
    switch_slots(from, to);
    sanitizer_arrive(from->fiber);
}

__attribute__((noinline)) inline void make_fiber(Worker *w) {
    static_assert(sizeof(Fiber) < 4096, "a fiber's record lies at the top of its stack");
    char *stack = map_between_guards(kFiberStackSize, kStackGuard);
    /* Tops of stacks at the same offset of their pages would share few lines of the cache. */
    const size_t colour = w->fibers.size() % 64 * 64;
    char *top = stack + kFiberStackSize - sizeof(Fiber) - colour;
    Fiber *f = new ((void *)((uintptr_t)top & ~(uintptr_t)63)) Fiber();
    f->stack = stack;
    f->stack_size = (size_t)((char *)f - stack);
    w->fibers.push_back(f);
    w->spare.reserve(w->fibers.capacity());
    w->spare.push_back(f);
}

inline Fiber *new_fiber(Worker *w) {
    if (__builtin_expect(w->spare.empty(), 0)) make_fiber(w);
    Fiber *f = w->spare.back();
    w->spare.pop_back();
    sanitizer_fresh_stack(f);
    f->sanitizer_stack = nullptr;
    return f;
}

/* Of many fibers those that lie side by side are used: their tops share the cache evenly. */
inline void sort_spare_fibers(Worker *w) { w->spare.assign(w->fibers.rbegin(), w->fibers.rend()); }

} // namespace cpu_device

#endif
