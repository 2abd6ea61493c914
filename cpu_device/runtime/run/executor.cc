/* Runs kernels: the grid's blocks over operating-system threads.
 *
 * Workers are the host thread that waits for the kernel and threads of a pool. Each takes
 * shares of the grid until none is left. While a kernel runs, a timer interrupts each worker
 * every few milliseconds, and looks how it gets on (progress.cc).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <thread>

#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/fiber.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/ptx.h"
#include "cpu_device/spin.h"

namespace cpu_device {

__thread ThreadState t_thread = {};
bool launched() { return on_device(); }
namespace ptx {
__thread unsigned carry = 0;
}

namespace {

enum { kMinThreadsForHelp = 2048, kMaxAssertions = 1024, kAssertionsMs = 200 };

thread_local Worker *t_worker; /* this thread's, whether or not a kernel runs */
thread_local bool t_in_kernel;

/* ---- workers ---- */

void drop_stacks(Worker *w) {
    for (Fiber *f : w->fibers) {
        sanitizer_drop(f);
        unmap_between_guards(f->stack, kFiberStackSize, kStackGuard);
    }
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
    sanitizer_main(&w->main_fiber);
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
    begin_turns(w);
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
    /* Calls work() on this thread and on up to `helpers` others; returns when all are done. */
    void run(unsigned helpers, const std::function<void()> &work) {
        helpers = std::min(helpers, settings().threads - 1);
        if (helpers == 0) return work();
        Job job = {&work, helpers, 0};
        {
            std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push_back(&job);
            for (; idle_ + starting_ < helpers; ++starting_)
                std::thread(&Pool::serve, this).detach();
        }
        wake_.notify_all();
        work();
        std::unique_lock<std::mutex> lock(mutex_);
        jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
        done_.wait(lock, [&] { return job.busy == 0; });
    }

  private:
    struct Job {
        const std::function<void()> *work;
        unsigned wanted, busy;
    };

    Job *wanting() const {
        for (Job *job : jobs_)
            if (job->wanted) return job;
        return nullptr;
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        --starting_;
        for (;;) {
            ++idle_;
            wake_.wait(lock, [&] { return wanting(); });
            --idle_;
            Job *job = wanting();
            --job->wanted;
            ++job->busy;
            lock.unlock();
            (*job->work)();
            lock.lock();
            if (--job->busy == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<Job *> jobs_; /* more than one where kernels run beside one that stands still */
    unsigned idle_ = 0, starting_ = 0;
};

Pool &pool() {
    static Pool &p = *new Pool();
    return p;
}

} // namespace

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

bool must_stop(const Launch *l) {
    const int error = l->error.load(std::memory_order_relaxed);
    return error && (error != cudaErrorAssert || l->failed_assertions >= kMaxAssertions ||
                     now_ms() - l->failed_ms > kAssertionsMs);
}

void claim_share(Worker *w) {
    Launch *l = w->launch;
    if (must_stop(l)) return;
    const uint64_t first = l->next_block.fetch_add(l->chunk, std::memory_order_relaxed);
    if (first >= l->block_count) return;
    w->next_block = first;
    w->end_block = std::min(first + l->chunk, l->block_count);
}

namespace {

/* Kernels that run, so that an error of the device's can end them. */
struct Running {
    std::mutex mutex;
    std::vector<Launch *> launches;
};
Running &running() {
    static Running &r = *new Running();
    return r;
}

struct IsRunning {
    explicit IsRunning(Launch *l) : launch(l) {
        std::lock_guard<std::mutex> lock(running().mutex);
        running().launches.push_back(l);
    }
    ~IsRunning() {
        std::lock_guard<std::mutex> lock(running().mutex);
        auto &all = running().launches;
        all.erase(std::find(all.begin(), all.end(), launch));
    }
    Launch *const launch;
};

} // namespace

void stop_kernels(int device, cudaError_t error) {
    std::lock_guard<std::mutex> lock(running().mutex);
    int none = 0;
    for (Launch *l : running().launches)
        if (l->record->device == device) l->error.compare_exchange_strong(none, error), none = 0;
}

cudaError_t run_kernel(const LaunchRecord &record) {
    Launch l = {};
    l.record = &record;
    l.block_count = (uint64_t)record.grid.x * record.grid.y * record.grid.z;
    l.progress_ms = now_ms();
    l.op = running_op();
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
    const IsRunning is_running(&l);
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

} // namespace cpu_device
