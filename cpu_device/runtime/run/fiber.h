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

#define INLINED __attribute__((always_inline)) inline

namespace cpu_device {

inline void sanitizer_leave([[maybe_unused]] Fiber *from, [[maybe_unused]] Fiber *to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(from ? &from->sanitizer_stack : nullptr, to->stack,
                                 to->stack_size);
#endif
}

/* What the stack's last user left behind says nothing about the next. */
inline void sanitizer_fresh_stack([[maybe_unused]] Fiber *f) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(f->stack, f->stack_size);
#endif
}

inline void sanitizer_arrive([[maybe_unused]] Fiber *at) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(at ? at->sanitizer_stack : nullptr, nullptr, nullptr);
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
  s->stack_pointer = boost::context::detail::make_fcontext(f->stack + f->stack_size,
                                                           f->stack_size, enter_fiber);
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

}  // namespace cpu_device

#endif
