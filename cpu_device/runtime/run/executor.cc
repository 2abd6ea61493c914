/* Runs kernels: the grid's blocks over operating-system threads.
 *
 * Workers are the host thread that waits for the kernel and threads of a pool. Each takes
 * shares of the grid until none is left. While a kernel runs, a timer interrupts each worker
 * every few milliseconds: a thread that spins gives way to others, and a kernel that outlives
 * the time limit ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <thread>

#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/ptx.h"

namespace cpu_device {

__thread ThreadState t_thread = {};
bool launched() { return on_device(); }
namespace ptx {
__thread unsigned carry = 0;
}

namespace {

enum { kFirstTickMs = 10, kTickMs = 2, kMinThreadsForHelp = 2048, kMaxAssertions = 1024, kAssertionsMs = 200 };

thread_local Worker *t_worker;       /* this thread's, whether or not a kernel runs */
thread_local bool t_in_kernel;

/* The kernel has failed, and others need not go on. Threads whose assertions fail too are heard,
 * for a while. */
bool must_stop(const Launch *l) {
  const int error = l->error.load(std::memory_order_relaxed);
  return error && (error != cudaErrorAssert || l->failed_assertions >= kMaxAssertions ||
                   now_ms() - l->failed_ms > kAssertionsMs);
}

/* ---- the timer ---- */

int tick_signal() { return SIGRTMIN + 7; }

void on_tick(int, siginfo_t *, void *context) {
  const int saved_errno = errno;
  Worker *w = t_worker;
  if (t_in_kernel && t_thread.interruptible != kInRuntime) {
    const Launch *l = w->launch;
    if (must_stop(l)) abort_kernel((cudaError_t)l->error.load());
    const double limit_ms = settings().time_limit_ms;
    if (limit_ms > 0 && now_ms() - l->begin_ms > limit_ms) {
      set_interruptible(kInRuntime); /* the next tick comes while lines are looked up */
      say("%s%s has not ended after %g s: an endless loop? LAB_CPU_DEVICE_TIME_LIMIT=SECONDS sets "
          "the limit, 0 takes it away",
          line_of_fault(context).c_str(), where_in_kernel().c_str(), limit_ms / 1000);
      abort_kernel(cudaErrorLaunchTimeout);
    }
    if (t_thread.interruptible == kMayYield) {
      const unsigned carry = ptx::carry; /* others may be in the middle of a long addition too */
      yield_to_others();
      ptx::carry = carry;
    }
  }
  errno = saved_errno;
}

void make_timer(Worker *w) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_tick;
    /* It may leave for another fiber, so the signal must not stay blocked. */
    action.sa_flags = SA_RESTART | SA_NODEFER | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(tick_signal(), &action, nullptr);
  });
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick_signal();
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  w->has_timer = timer_create(CLOCK_MONOTONIC, &event, &w->timer) == 0;
}

void set_timer(Worker *w, bool on) {
  if (!w->has_timer) return;
  itimerspec when = {};
  if (on) {
    when.it_value.tv_nsec = kFirstTickMs * 1000000;
    when.it_interval.tv_nsec = kTickMs * 1000000;
  }
  timer_settime(w->timer, 0, &when, nullptr);
}

/* ---- workers ---- */

void drop_stacks(Worker *w) {
  for (Fiber *f : w->fibers) unmap_between_guards(f->stack, kFiberStackSize, kStackGuard);
  w->fibers.clear();
  w->spare.clear();
}

/* Frees a thread's stacks and shared areas when it ends. */
struct WorkerKeeper {
  ~WorkerKeeper() {
    Worker *w = t_worker;
    if (!w) return;
    t_worker = nullptr;
    if (w->has_timer) timer_delete(w->timer);
    drop_stacks(w);
    for (Block *b : w->free_blocks) {
      unmap_between_guards(b->shared_area, kSharedAreaSize, kSharedGuard);
      delete[] b->warps;
      delete b;
    }
    delete w;
  }
};

Worker *own_worker() {
  static thread_local WorkerKeeper keeper;
  (void)keeper;
  if (t_worker) return t_worker;
  prepare_thread_for_faults();
  Worker *w = new Worker();
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  void *stack = nullptr;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &w->main_fiber.stack_size);
  pthread_attr_destroy(&attributes);
  w->main_fiber.stack = (char *)stack;
#endif
  make_timer(w);
  t_worker = w;
  return w;
}

/* This thread's part of a kernel. */
void work_on(Launch *l) {
  Worker *w = own_worker();
  const ThreadState outer = t_thread;
  w->launch = l;
  w->next_block = w->end_block = 0;
  t_thread.block_dim = l->record->block;
  t_thread.grid_dim = l->record->grid;
  l->workers.fetch_add(1);
  t_in_kernel = true;
  set_timer(w, true);
  run_blocks(w);
  t_in_kernel = false;
  set_timer(w, false);
  l->workers.fetch_sub(1);
  if (l->error.load() && (w->block || !w->resident.empty())) {
    /* The fibers stopped in the middle of what they did: new ones next time. */
    if (w->block) w->resident.push_back(w->block);
    for (Block *b : w->resident) {
      clear_meetings(b);
      w->free_blocks.push_back(b);
    }
    w->resident.clear();
    w->block = nullptr;
    drop_stacks(w);
  }
  t_thread = outer;
}

/* Threads that wait for something to work on. */
class Pool {
 public:
  /* Calls work() on this thread and on up to `helpers` others; returns when all are done.
   * While another thread uses the pool, on this one only. */
  void run(unsigned helpers, const std::function<void()> &work) {
    std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
    helpers = std::min(helpers, settings().threads - 1);
    if (!turn.owns_lock() || helpers == 0) {
      work();
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      while (threads_ < helpers) {
        std::thread(&Pool::serve, this).detach();
        ++threads_;
      }
      work_ = &work;
      wanted_ = helpers;
    }
    wake_.notify_all();
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

char *map_between_guards(size_t size, size_t guard) {
  char *p = (char *)mmap(nullptr, size + 2 * guard, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED || mprotect(p + guard, size, PROT_READ | PROT_WRITE) != 0) {
    fprintf(stderr, "CPU device: no memory for the stacks of a kernel's threads\n");
    abort();
  }
#ifdef MADV_NOHUGEPAGE
  madvise(p + guard, size, MADV_NOHUGEPAGE);
#endif
  return p + guard;
}

void unmap_between_guards(char *p, size_t size, size_t guard) {
  munmap(p - guard, size + 2 * guard);
}

Worker *this_worker() { return t_worker; }

void claim_share(Worker *w) {
  Launch *l = w->launch;
  if (must_stop(l)) return;
  const uint64_t first = l->next_block.fetch_add(l->chunk, std::memory_order_relaxed);
  if (first >= l->block_count) return;
  w->next_block = first;
  w->end_block = std::min(first + l->chunk, l->block_count);
}

cudaError_t run_kernel(const LaunchRecord &record) {
  Launch l = {};
  l.record = &record;
  l.block_count = (uint64_t)record.grid.x * record.grid.y * record.grid.z;
  l.begin_ms = now_ms();
  prepare_shared(&l);
  l.step = 1;
  std::optional<Clusters> clusters;
  if (record.cluster.x * record.cluster.y * record.cluster.z > 1)
    l.clusters = &clusters.emplace(record.grid, record.cluster);
  const uint64_t seed = settings().seed;
  if (seed && !l.clusters) {
    l.first = seed % l.block_count;
    l.step = l.block_count * 5 / 8 + seed % 1000 + 1;
    while (std::gcd(l.step, l.block_count) != 1) ++l.step;
  }
  const uint64_t workers = settings().threads;
  l.chunk = std::max<uint64_t>(1, std::min<uint64_t>(l.block_count / (workers * 32), 4096));
  if (l.clusters) l.chunk = (l.chunk + clusters->size - 1) / clusters->size * clusters->size;
  /* To wake another thread costs as much as a thousand device threads that do little. */
  const uint64_t threads = l.block_count * record.block.x * record.block.y * record.block.z;
  const uint64_t helpers =
      threads < kMinThreadsForHelp ? 0 : std::min<uint64_t>(workers, l.block_count) - 1;
  blame_host_for_overruns();
  pool().run((unsigned)helpers, [&l] { work_on(&l); });
  blame_kernel_for_overruns(record.place);
  return (cudaError_t)l.error.load();
}

void run_parallel(size_t count, const std::function<void(size_t)> &part) {
  std::atomic<size_t> next{0};
  const size_t helpers = count ? std::min<size_t>(settings().threads, count) - 1 : 0;
  pool().run((unsigned)helpers, [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) part(i);
  });
}

/* Back to the worker's own stack, from wherever a fiber or a signal handler on it is. */
void abort_kernel(cudaError_t error) {
  Worker *w = t_worker;
  int none = 0;
  w->launch->error.compare_exchange_strong(none, error);
  set_interruptible(kInRuntime);
  sigset_t signals;
  sigemptyset(&signals);
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, tick_signal()}) sigaddset(&signals, s);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  leave_for(w, &w->main);
}

bool note_assertion(cudaError_t error) {
  Launch *l = t_worker->launch;
  int none = 0;
  if (l->failed_assertions.fetch_add(1) == 0) l->failed_ms = now_ms();
  l->error.compare_exchange_strong(none, error);
  return l->failed_assertions.load() <= kMaxAssertions;
}

bool in_kernel() { return t_in_kernel; }

int device_of_kernel() { return t_worker->launch->record->device; }

std::string where_in_kernel() {
  const uint3 t = t_thread.thread_index, b = t_thread.block_index;
  const LaunchPlace &p = t_worker->launch->record->place;
  char text[512];
  snprintf(text, sizeof text,
           "thread (%u,%u,%u) of block (%u,%u,%u) of kernel %s, launched at %s:%d", t.x, t.y, t.z,
           b.x, b.y, b.z, p.kernel, p.file, p.line);
  return text;
}

}  // namespace cpu_device
