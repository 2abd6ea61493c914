/* How kernels get on.
 *
 * Every few milliseconds a timer interrupts each worker. A thread that still runs then gives way to
 * others, in case it spins: the first soon, and as long as none ends, each after twice the time, so
 * that threads with much to do end too. A kernel of which no block ends for a while stands still: it
 * may be waiting for another stream or for the host, and lets other work run. When nothing at all gets
 * on, and the host waits, for as long as the time limit says, the kernel ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "cpu_device/ptx.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/spin.h"

namespace cpu_device {
namespace {

enum { kFirstTickMs = 10, kTickMs = 2, kMostTicks = 16, kRestUs = 50 };

/* How long a kernel gets on with nothing before others may run: one whose threads may wait, and
 * one of which that is not known. */
const double kStillMs = 20, kStillWithoutWaitingMs = 100;

/* A worker with which nothing goes on leaves the core to others, then sleeps. */
const double kIdleMs = 0.05, kSleepyMs = 1;

/* When some kernel was last seen to get on. */
std::atomic<double> g_progress_ms{0};

KernelKind kind_of(const Launch *l) { return l->record->call->kind(); }

void note_time(Launch *l, double now) {
    l->progress_ms = now;
    g_progress_ms = now;
}

/* `line` finds the running thread's line of the program. */
template <class Line>
[[noreturn]] void end_endless(const Launch *l, const Line &line, double limit_ms) {
    set_interruptible(kInRuntime); /* the next tick comes while lines are looked up */
    say("%s%s has not ended after %g s in which no block of it ended (%llu of its %llu blocks "
        "have ended): an endless loop? LAB_CPU_DEVICE_TIME_LIMIT=SECONDS sets the limit, 0 takes it away",
        line().c_str(), where_in_kernel().c_str(), limit_ms / 1000,
        (unsigned long long)l->blocks_ended.load(), (unsigned long long)l->block_count);
    abort_kernel(cudaErrorLaunchTimeout);
}

/* True if nothing can let the kernel go on: the host waits too, and no other work does. */
bool is_endless(const Launch *l, double now, double limit_ms) {
    double since;
    if (limit_ms <= 0 || !host_waits_since(&since)) return false;
    return now - std::max({l->progress_ms.load(), g_progress_ms.load(), since}) > limit_ms;
}

template <class Line>
void judge(Worker *w, double now, const Line &line) {
    Launch *l = w->launch;
    if (must_stop(l)) abort_kernel((cudaError_t)l->error.load());
    const double still_ms = now - l->progress_ms;
    if (still_ms > (kind_of(l) == kMayWait ? kStillMs : kStillWithoutWaitingMs) && l->op &&
        !l->stands_still.exchange(true)) {
        const Interruptible before = (Interruptible)t_thread.interruptible;
        set_interruptible(kInRuntime);
        let_others_run(l->op);
        set_interruptible(before);
    }
    const double limit_ms = settings().time_limit_ms;
    if (is_endless(l, now, limit_ms)) end_endless(l, line, limit_ms);
}

/* The running thread has run long enough. */
bool turn_is_over(Worker *w) {
    if (w->steps != w->seen_steps) w->turn_ticks = 1;
    w->seen_steps = w->steps;
    if (++w->ticks < w->turn_ticks) return false;
    w->ticks = 0;
    w->turn_ticks = std::min<unsigned>(2 * w->turn_ticks, kMostTicks);
    return true;
}

void on_tick(int, siginfo_t *, void *context) {
    const int saved_errno = errno;
    if (in_kernel() && t_thread.interruptible != kInRuntime) {
        Worker *w = this_worker();
        const double now = now_ms();
        if (w->progress != w->seen_progress) note_time(w->launch, now);
        w->seen_progress = w->progress;
        judge(w, now, [context] { return line_of_fault(context); });
        if (t_thread.interruptible == kMayYield && turn_is_over(w)) {
            const unsigned carry =
                ptx::carry; /* others may be in the middle of a long addition too */
            preempt();
            ptx::carry = carry;
        }
    }
    errno = saved_errno;
}

} // namespace

int tick_signal() { return SIGRTMIN + 7; }

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

void begin_turns(Worker *w) {
    w->seen_progress = UINT64_MAX;
    w->ticks = 0;
    w->turn_ticks = 1;
    w->rounds = 0;
    w->idle_since = 0;
    t_thread.patience = kPatience;
    t_thread.counted = w->counted_rounds = kCountedRounds;
}

void rest_if_idle(Worker *w) {
    const double now = now_ms();
    const uint64_t at = w->progress + w->steps;
    if (at != w->rested_at || w->idle_since == 0) {
        w->rested_at = at;
        w->idle_since = now;
        return;
    }
    const double idle_ms = now - w->idle_since;
    if (idle_ms > kSleepyMs) {
        usleep(kRestUs);
        judge(w, now, line_of_caller);
    } else if (idle_ms > kIdleMs) {
        sched_yield();
    }
}

} // namespace cpu_device
