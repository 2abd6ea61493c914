/* Runs kernels: blocks over operating-system threads, a block's threads as fibers where they
 * have to wait for one another.
 *
 * A worker runs a block's threads one after another on one fiber. A thread that waits keeps
 * that fiber; the next thread starts on a fresh one. Threads that run again after a barrier do
 * so in the order in which they came. A worker is either a pool thread or the host thread that
 * waits for the kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "executor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <thread>

#include "include/cpu_device_shared.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define SANITIZER_LEAVE(save, to) \
  __sanitizer_start_switch_fiber(save, (to)->stack, (to)->stack_size)
#define SANITIZER_ARRIVE(saved) __sanitizer_finish_switch_fiber(saved, nullptr, nullptr)
#else
#define SANITIZER_LEAVE(save, to) (void)0
#define SANITIZER_ARRIVE(saved) (void)0
#endif

namespace cpu_device {

__thread ThreadState t_thread = {};

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

thread_local Block *t_own_block;   /* this thread's, whether or not a kernel runs */
thread_local bool t_in_kernel;

/* ---- memory that ends at a guard page ---- */

size_t page_size() {
  static const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  return size;
}

char *map_with_guards(size_t size, bool guard_before) {
  const size_t page = page_size();
  char *p = (char *)mmap(nullptr, size + 2 * page, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE) != 0) {
    fprintf(stderr, "CPU device: no memory for the stacks of a kernel's threads\n");
    abort();
  }
  (void)guard_before;
#ifdef MADV_NOHUGEPAGE
  madvise(p + page, size, MADV_NOHUGEPAGE);
#endif
  return p + page;
}

/* ---- fibers ---- */

/* Goes on in `to`; returns when somebody switches back to `from`. */
inline void switch_to(Block *b, Fiber *from, Fiber *to) {
  b->current = to;
  SANITIZER_LEAVE(&from->sanitizer_stack, to);
  const transfer_t t = jump_fcontext(to->context, from);
  SANITIZER_ARRIVE(from->sanitizer_stack);
  static_cast<Fiber *>(t.data)->context = t.fctx;
  if (b->ended) {
    b->ended->next = b->spare;
    b->spare = b->ended;
    b->ended = nullptr;
  }
}

void fiber_main(transfer_t t);

/* A fiber that will run the block's threads from `from` on. */
Fiber *new_fiber(Block *b, unsigned first_thread) {
  if (!b->spare) {
    static_assert(sizeof(Fiber) < 4096, "a fiber's record lies at the top of its stack");
    char *stack = map_with_guards(kFiberStackSize, true);
    b->stacks.push_back(stack);
    /* Tops of stacks at the same offset of their pages would share few lines of the cache. */
    const size_t colour = b->stacks.size() % 29 * 2 * 64;
    char *top = stack + kFiberStackSize - sizeof(Fiber) - colour;
    Fiber *f = new ((void *)((uintptr_t)top & ~(uintptr_t)63)) Fiber();
    f->stack = stack;
    f->stack_size = (size_t)((char *)f - stack);
    f->next = nullptr;
    b->spare = f;
  }
  Fiber *f = b->spare;
  b->spare = f->next;
  const dim3 d = t_thread.block_dim;
  f->loop.from = uint3{first_thread % d.x, first_thread / d.x % d.y, first_thread / (d.x * d.y)};
  f->loop.handed_off = 0;
  f->sanitizer_stack = nullptr;
  f->context = make_fcontext(f->stack + f->stack_size, f->stack_size, fiber_main);
  return f;
}

unsigned linear(const uint3 &t) {
  const dim3 d = t_thread.block_dim;
  return (t.z * d.y + t.y) * d.x + t.x;
}

/* ---- a block's threads ---- */

void set_block_index(Block *b) {
  const dim3 g = t_thread.grid_dim;
  t_thread.block_index = uint3{(unsigned)(b->index % g.x), (unsigned)(b->index / g.x % g.y),
                               (unsigned)(b->index / g.x / g.y)};
}

/* The next share of blocks; false: none is left, or the kernel has failed. */
bool claim(Block *b) {
  Launch *l = b->launch;
  if (l->error.load(std::memory_order_relaxed)) return false;
  const uint64_t first = l->next_block.fetch_add(l->chunk, std::memory_order_relaxed);
  if (first >= l->block_count) return false;
  b->index = first;
  b->end = std::min(first + l->chunk, l->block_count);
  return true;
}

void begin_block(Block *b) {
  set_block_index(b);
  b->live = b->thread_count;
  b->next_thread = 0;
}

bool begin_next_block(Block *b) {
  if (++b->index >= b->end) {
    if (!claim(b)) return false;
    begin_block(b);
    return true;
  }
  /* No division here: blocks of a few threads are common. */
  uint3 &i = t_thread.block_index;
  if (++i.x == t_thread.grid_dim.x) {
    i.x = 0;
    if (++i.y == t_thread.grid_dim.y) {
      i.y = 0;
      ++i.z;
    }
  }
  b->live = b->thread_count;
  b->next_thread = 0;
  return true;
}

void release_barrier_if_complete(Block *b) {
  if (b->at_barrier.count && b->at_barrier.count == b->live) {
    b->ready = b->at_barrier;
    b->at_barrier.clear();
  }
}

/* The running thread cannot go on: its fiber is its own from here. */
Fiber *hand_off(Block *b) {
  Fiber *me = b->current;
  const unsigned index = linear(t_thread.thread_index);
  if (!me->loop.handed_off) {
    me->loop.handed_off = 1;
    b->live -= index - linear(me->loop.from);
    b->next_thread = index + 1;
    me->thread_index = t_thread.thread_index;
    me->linear_index = index;
  }
  return me;
}

[[noreturn]] void report_deadlock(Block *b) {
  say("%u of %u threads of a block wait at a barrier that the others never reach: %s",
      b->at_barrier.count, b->thread_count, where_in_kernel().c_str());
  abort_kernel(cudaErrorLaunchTimeout);
}

/* Somebody else's turn; returns when the running thread's comes again. */
void give_way(Block *b, Fiber *me) {
  Fiber *next;
  if (b->next_thread < b->thread_count)
    next = new_fiber(b, b->next_thread), b->next_thread = b->thread_count;
  else if (b->ready.head)
    next = b->ready.pop();
  else
    report_deadlock(b);
  /* A block's stacks do not all fit into the first cache: fetch the one after next. */
  if (Fiber *later = b->ready.head) {
    __builtin_prefetch(later->context);
    __builtin_prefetch((char *)later->context + 64);
    if (later->next) __builtin_prefetch(later->next);
  }
  if (next != me) switch_to(b, me, next);
  t_thread.thread_index = me->thread_index;
}

void fiber_main(transfer_t t) {
  Block *b = t_own_block;
  SANITIZER_ARRIVE(nullptr);
  static_cast<Fiber *>(t.data)->context = t.fctx;
  if (b->ended) {
    b->ended->next = b->spare;
    b->spare = b->ended;
    b->ended = nullptr;
  }
  Fiber *me = b->current;
  Fiber *next = &b->main;
  for (;;) {
    b->launch->record->call->run(&me->loop);
    if (me->loop.handed_off) {
      --b->live;
      if (b->live == 0) {
        if (!begin_next_block(b)) break;
        me->loop.from = uint3{0, 0, 0};
        me->loop.handed_off = 0;
        b->next_thread = b->thread_count;
        continue;
      }
    } else if (b->live == 0) {
      break;
    }
    release_barrier_if_complete(b);
    if (b->next_thread < b->thread_count) {
      const dim3 d = t_thread.block_dim;
      const unsigned i = b->next_thread;
      me->loop.from = uint3{i % d.x, i / d.x % d.y, i / (d.x * d.y)};
      me->loop.handed_off = 0;
      b->next_thread = b->thread_count;
      continue;
    }
    if (!b->ready.head) report_deadlock(b);
    next = b->ready.pop();
    break;
  }
  b->ended = me;
  b->current = next;
  SANITIZER_LEAVE(nullptr, next);
  jump_fcontext(next->context, me);
  abort();
}

/* ---- workers ---- */

Block *own_block() {
  if (!t_own_block) {
    prepare_thread_for_faults();
    Block *b = new Block();
    b->shared_area = map_with_guards((kMaxSharedSize + 4095) / 4096 * 4096, true);
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_t attributes;
    void *stack = nullptr;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &b->main.stack_size);
    pthread_attr_destroy(&attributes);
    b->main.stack = (char *)stack;
#endif
    t_own_block = b;
  }
  return t_own_block;
}

void give_back(Block *b) {
  if (!b) return;
  for (char *stack : b->stacks) munmap(stack - page_size(), kFiberStackSize + 2 * page_size());
  munmap(b->shared_area - page_size(),
         (kMaxSharedSize + 4095) / 4096 * 4096 + 2 * page_size());
  delete b;
}

/* Frees a thread's stacks when it ends. */
struct OwnBlockKeeper {
  ~OwnBlockKeeper() {
    give_back(t_own_block);
    t_own_block = nullptr;
  }
};

void prepare_shared(Block *b, const LaunchRecord &r) {
  const size_t wanted = r.static_shared + r.dynamic_shared;
  const size_t window = (wanted + kSharedGranule - 1) / kSharedGranule * kSharedGranule;
  char *end = b->shared_area + (kMaxSharedSize + 4095) / 4096 * 4096;
  b->shared_base = b->shared_below = end - window;
  b->shared_used = 0;
  std::fill(b->shared_arrays.begin(), b->shared_arrays.end(), nullptr);
  if (settings().poison) memset(b->shared_base, 0xFF, window);
}

/* This thread's share of a kernel. */
void work_on(Launch *l) {
  static thread_local OwnBlockKeeper keeper;
  (void)keeper;
  Block *b = own_block();
  b->launch = l;
  if (!claim(b)) return;
  const LaunchRecord &r = *l->record;
  const ThreadState outer = t_thread;
  t_thread.block_dim = r.block;
  t_thread.grid_dim = r.grid;
  t_thread.block = b;
  b->thread_count = r.block.x * r.block.y * r.block.z;
  b->ready.clear();
  b->at_barrier.clear();
  b->ended = nullptr;
  prepare_shared(b, r);
  if (sigsetjmp(b->on_fault, 1) == 0) {
    begin_block(b);
    Fiber *first = new_fiber(b, 0);
    b->next_thread = b->thread_count;
    t_in_kernel = true;
    switch_to(b, &b->main, first);
  } else {
    /* The fibers of the failed block are lost in the middle of what they did: new ones. */
    for (char *stack : b->stacks) munmap(stack - page_size(), kFiberStackSize + 2 * page_size());
    b->stacks.clear();
    b->spare = nullptr;
  }
  t_in_kernel = false;
  t_thread = outer;
}

/* Threads that wait for something to work on. */
class Pool {
 public:
  /* Calls work() on this thread and on up to `helpers` others; returns when all are done.
   * While another thread uses the pool, on this one only. */
  void run(unsigned helpers, const std::function<void()> &work) {
    std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
    if (!turn.owns_lock()) {
      work();
      return;
    }
    helpers = std::min(helpers, settings().threads - 1);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      while (threads_ < helpers) {
        std::thread(&Pool::serve, this).detach();
        ++threads_;
      }
      work_ = &work;
      wanted_ = helpers;
    }
    if (helpers) wake_.notify_all();
    work();
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = 0;
    done_.wait(lock, [&] { return busy_ == 0; });
    work_ = nullptr;
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return wanted_ > 0; });
      --wanted_;
      ++busy_;
      const std::function<void()> *work = work_;
      lock.unlock();
      (*work)();
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex turn_, mutex_;
  std::condition_variable wake_, done_;
  const std::function<void()> *work_ = nullptr;
  unsigned threads_ = 0, wanted_ = 0, busy_ = 0;
};

Pool &pool() {
  static Pool &p = *new Pool();
  return p;
}

}  // namespace

/* A fiber's loop has come to the end of its block. */
bool next_block(ThreadLoop *loop) {
  Block *b = t_thread.block;
  b->live -= b->thread_count - linear(loop->from);
  if (b->live != 0 || !begin_next_block(b)) return false;
  b->next_thread = b->thread_count;
  loop->from = uint3{0, 0, 0};
  return true;
}

void block_barrier() {
  Block *b = t_thread.block;
  Fiber *me = hand_off(b);
  b->at_barrier.push(me);
  release_barrier_if_complete(b);
  give_way(b, me);
}

cudaError_t run_kernel(const LaunchRecord &record) {
  Launch l;
  l.record = &record;
  l.block_count = (uint64_t)record.grid.x * record.grid.y * record.grid.z;
  l.next_block = 0;
  l.error = 0;
  const uint64_t workers = settings().threads;
  l.chunk = std::max<uint64_t>(1, std::min<uint64_t>(l.block_count / (workers * 32), 4096));
  /* To wake another thread costs as much as a thousand device threads that do little. */
  const uint64_t threads = l.block_count * record.block.x * record.block.y * record.block.z;
  const uint64_t helpers = threads < 2048 ? 0 : std::min<uint64_t>(workers, l.block_count) - 1;
  pool().run((unsigned)helpers, [&l] { work_on(&l); });
  return (cudaError_t)l.error.load();
}

void run_parallel(size_t count, const std::function<void(size_t)> &part) {
  std::atomic<size_t> next{0};
  const size_t helpers = count ? std::min<size_t>(settings().threads, count) - 1 : 0;
  pool().run((unsigned)helpers, [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) part(i);
  });
}

void abort_kernel(cudaError_t error) {
  Block *b = t_own_block;
  int none = 0;
  b->launch->error.compare_exchange_strong(none, error);
  siglongjmp(b->on_fault, 1);
}

bool in_kernel() { return t_in_kernel; }

std::string where_in_kernel() {
  const uint3 t = t_thread.thread_index, b = t_thread.block_index;
  const LaunchPlace &p = t_own_block->launch->record->place;
  char text[512];
  snprintf(text, sizeof text,
           "thread (%u,%u,%u) of block (%u,%u,%u) of kernel %s, launched at %s:%d", t.x, t.y, t.z,
           b.x, b.y, b.z, p.kernel, p.file, p.line);
  return text;
}

/* ---- shared memory ---- */

namespace {

struct SharedArrayInfo {
  std::string symbol;          /* of the function that declares it, as compilers encode it */
  size_t size;
  size_t alignment;
};

std::vector<SharedArrayInfo> &shared_arrays() {
  static std::vector<SharedArrayInfo> &v = *new std::vector<SharedArrayInfo>();
  return v;
}

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

}  // namespace

/* `symbol` names a struct inside a function: "Z", the function, "E", the struct. */
SharedArray::SharedArray(const char *symbol, size_t size, size_t alignment)
    : id((int)shared_arrays().size()) {
  shared_arrays().push_back({symbol, size, alignment});
}

/* A kernel's symbol, as a template argument shows it: ...XadL_Z<function>EE... */
size_t static_shared_size(const char *kernel_symbol) {
  if (!kernel_symbol) return 0;
  const char *at = strstr(kernel_symbol, "L_Z");
  if (!at) return 0;
  const std::string kernel = at + 2;
  size_t size = 0;
  for (const SharedArrayInfo &a : shared_arrays()) {
    /* The struct's name differs, but up to it the encodings are the same. */
    const size_t end = a.symbol.rfind("EN10cpu_device") != std::string::npos
                           ? a.symbol.rfind("EN10cpu_device")
                           : a.symbol.rfind('E');
    if (end != std::string::npos && kernel.compare(0, end, a.symbol, 0, end) == 0)
      size = round_up(size, a.alignment) + a.size;
  }
  return round_up(size, 16);
}

void *shared_array(int id) {
  Block *b = t_thread.block;
  if ((size_t)id >= b->shared_arrays.size()) b->shared_arrays.resize(shared_arrays().size());
  char *&place = b->shared_arrays[id];
  if (!place) {
    const SharedArrayInfo &a = shared_arrays()[id];
    b->shared_used = round_up(b->shared_used, a.alignment);
    if (b->shared_used + a.size <= b->launch->record->static_shared) {
      place = b->shared_base + b->shared_used;
      b->shared_used += a.size;
    } else {
      /* A device function's array: not counted in the window, it lies below. */
      b->shared_below -= round_up(a.size, kSharedGranule);
      if (b->shared_below < b->shared_area) abort_kernel(cudaErrorIllegalAddress);
      place = b->shared_below;
    }
  }
  return place;
}

void *dynamic_shared() {
  Block *b = t_thread.block;
  return b->shared_base + b->launch->record->static_shared;
}

}  // namespace cpu_device
