/* Streams and events: what is done when.
 *
 * Everything queued is an Op that names the ops it must come after. Within a stream that is
 * the op before it; the legacy default stream also waits for all blocking streams, and they
 * for it. A wait does the ops it needs in the order in which they were queued.
 *
 * One op is done at a time, unless those that are being done stand still: kernels that have made
 * no progress for some time, and functions of the host's, may be waiting for another stream's work,
 * or for the host. Then what
 * else can begin is done beside them, by the host threads that wait for it, or by servers. These
 * are threads that also do what no host thread has asked for within settings().background_ms, so
 * that a host that waits in a way of its own (on mapped memory, by cudaStreamQuery) gets there too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

namespace {

struct Queue {
    std::map<uint64_t, OpRef> pending; /* by id, all devices */
    std::map<cudaStream_t, std::unique_ptr<Stream>> streams;
    std::map<cudaEvent_t, std::unique_ptr<Event>> events;
    std::map<int, Stream> legacy; /* by device */
    uint64_t last_id = 0;
    uint64_t last_stream = 0;
    uintptr_t last_handle = 0x1000;
    unsigned running = 0;                  /* ops that are being done */
    unsigned standing = 0;                 /* those of them that let others run */
    int running_device = 0;                /* of the op that began last */
    std::map<Op *, double> host_functions; /* that run, and since when */
    bool hurry = false;                    /* the program polls: begin in the background now */
    std::condition_variable changed;       /* work has been done, or other work may begin */
    std::condition_variable poked;         /* a server may have something to do */
    bool served = false;                   /* there are servers */
    unsigned idle_servers = 0;
    unsigned waiting_hosts = 0; /* threads of the program that wait for work */
};

/* When the host last began to wait for the device without a break; read without the lock. */
std::atomic<bool> g_host_waits{false};
std::atomic<double> g_host_waits_since{0}, g_last_poll{-1e9};
const double kPollMs = 1000;       /* polls that are less far apart are one wait */
const double kHostFunctionMs = 20; /* for so long nothing runs beside one */

thread_local Op *t_running_op = nullptr;

Queue &queue() {
    static Queue &q = *new Queue();
    return q;
}

Stream new_stream(int device, unsigned flags = 0, int priority = 0) {
    return Stream{device, flags, priority, ++queue().last_stream, nullptr, nullptr, {}};
}

thread_local Stream t_stream_of_thread = {-1, 0, 0, 0, nullptr, nullptr, {}};

Stream &legacy_stream(int device) {
    auto at = queue().legacy.find(device);
    return at != queue().legacy.end()
               ? at->second
               : queue().legacy.emplace(device, new_stream(device)).first->second;
}

void add_unless_done(std::vector<OpRef> *ops, const OpRef &op) {
    if (op && !op->done) ops->push_back(op);
}

/* The device's variables stand where one device's can: another's work waits. */
bool device_may_run(int device) {
    return settings().device_count == 1 || queue().running == 0 ||
           queue().running_device == device || !has_device_variables();
}

bool may_begin(const Op &op) {
    const Queue &q = queue();
    if (op.begun || q.running > q.standing || !device_may_run(op.device)) return false;
    return std::all_of(op.after.begin(), op.after.end(),
                       [](const OpRef &before) { return before->done; });
}

bool is_host_function(const Op &op) {
    return op.run && (op.kind == Op::kHost || op.kind == Op::kEvent);
}

cudaError_t run(Lock &lock, Op &op) {
    if (settings().device_count > 1) activate_variables(op.device);
    if (is_host_function(op)) queue().host_functions[&op] = now_ms();
    lock.unlock();
    Op *const outer = t_running_op;
    t_running_op = &op;
    const cudaError_t error = op.run ? op.run() : cudaSuccess;
    t_running_op = outer;
    lock.lock();
    queue().host_functions.erase(&op);
    return error;
}

void stand_still(Op *op) {
    if (op->stands_still) return;
    op->stands_still = true;
    ++queue().standing;
    queue().changed.notify_all();
    queue().poked.notify_all();
}

void execute(Lock &lock, const OpRef &op) {
    Queue &q = queue();
    Device &device = device_at(op->device);
    cudaError_t error = device.broken;
    op->begun = true;
    ++q.running;
    q.running_device = op->device;
    if (error == cudaSuccess || op->kind == Op::kEvent) error = run(lock, *op);
    --q.running;
    q.standing -= op->stands_still;
    op->end_ms = now_ms();
    op->done = true;
    op->run = nullptr;
    op->after.clear();
    if (error != cudaSuccess && device.broken == cudaSuccess) {
        device.broken = error;
        if (q.running) stop_kernels(op->device, error);
    }
    q.pending.erase(op->id);
    q.changed.notify_all();
    if (q.hurry || q.standing) q.poked.notify_all();
}

/* Does the op, or waits until another thread has. */
void do_or_await(Lock &lock, const OpRef &op) {
    while (!op->done)
        if (may_begin(*op)) execute(lock, op);
        else queue().changed.wait(lock);
}

/* Does, in order, the pending ops of `wanted` and all that they come after. */
void wait_for_all(Lock &lock, std::vector<OpRef> wanted) {
    std::map<uint64_t, OpRef> todo;
    while (!wanted.empty()) {
        const OpRef op = wanted.back();
        wanted.pop_back();
        if (op->done || !todo.emplace(op->id, op).second) continue;
        wanted.insert(wanted.end(), op->after.begin(), op->after.end());
    }
    if (todo.empty()) return;
    lock.unlock();
    {
        DeviceAccess access;
        lock.lock();
        for (auto &entry : todo) do_or_await(lock, entry.second);
        lock.unlock();
    }
    lock.lock();
}

/* The same for a thread of the program's. */
void host_waits_for(Lock &lock, std::vector<OpRef> wanted) {
    Queue &q = queue();
    if (q.waiting_hosts++ == 0) {
        g_host_waits_since = now_ms();
        g_host_waits = true;
    }
    wait_for_all(lock, std::move(wanted));
    if (--q.waiting_hosts == 0) g_host_waits = false;
}

std::vector<OpRef> all_pending(int device) {
    std::vector<OpRef> ops;
    for (auto &entry : queue().pending)
        if (device < 0 || entry.second->device == device) ops.push_back(entry.second);
    return ops;
}

/* ---- servers ---- */

/* What can begin beside ops that stand still, or null. */
OpRef work_beside() {
    const Queue &q = queue();
    if (q.running == 0 || q.running > q.standing) return nullptr;
    for (auto &entry : q.pending)
        if (may_begin(*entry.second)) return entry.second;
    return nullptr;
}

/* Begins work that the program has not waited for. */
bool unawaited_work() {
    const Queue &q = queue();
    const double delay_ms = settings().background_ms;
    if (delay_ms == 0 || q.running || q.pending.empty()) return false;
    return q.hurry || now_ms() - q.pending.begin()->second->queued_ms >= delay_ms;
}

/* The host's functions may wait, too. */
void look_at_host_functions() {
    for (auto &function : queue().host_functions)
        if (now_ms() - function.second >= kHostFunctionMs) stand_still(function.first);
}

/* Looks from time to time, so that queueing work does not have to wake it. */
void serve() {
    Queue &q = queue();
    Lock lock(runtime_mutex());
    const double delay_ms = settings().background_ms ? settings().background_ms : 50;
    const auto tick = std::chrono::duration<double, std::milli>(std::min(delay_ms, 50.0));
    for (;;) {
        ++q.idle_servers;
        q.poked.wait_for(lock, tick, [] { return work_beside() || unawaited_work(); });
        --q.idle_servers;
        look_at_host_functions();
        const OpRef beside = work_beside();
        if (!beside && !unawaited_work()) continue;
        /* What this one does may stand still, too. */
        if (q.idle_servers == 0) std::thread(serve).detach();
        if (!beside) q.hurry = false;
        wait_for_all(lock, beside ? std::vector<OpRef>{beside} : all_pending(-1));
    }
}

void start_servers() {
    if (queue().served) return;
    queue().served = true;
    std::thread(serve).detach();
}

/* Work that the program never waited for is lost, as on a device; unlike there, it is reported. */
struct LostWork {
    ~LostWork() {
        Lock lock(runtime_mutex(), std::try_to_lock);
        if (!lock.owns_lock()) return;
        unsigned kernels = 0;
        std::string first;
        for (auto &entry : queue().pending) {
            if (entry.second->kind != Op::kKernel) continue;
            if (kernels++ == 0) first = entry.second->name;
        }
        if (kernels)
            say("the program ended before %u queued kernel launch%s ran, the first of %s; wait for "
                "them with cudaDeviceSynchronize()",
                kernels, kernels == 1 ? "" : "es", first.c_str());
    }
};

/* Something asks whether work is done without waiting for it. */
cudaError_t poll(Lock &lock, const OpRef &op) {
    Queue &q = queue();
    if (op && !op->done) {
        if (settings().background_ms == 0) return wait_for(lock, op);
        const double now = now_ms();
        if (now - g_last_poll > kPollMs && !g_host_waits) g_host_waits_since = now;
        g_last_poll = now;
        q.hurry = true;
        q.poked.notify_all();
        lock.unlock();
        std::this_thread::yield();
        return cudaErrorNotReady;
    }
    return current_device().broken;
}

} // namespace

bool is_legacy(cudaStream_t s) { return s == nullptr || s == cudaStreamLegacy; }

Stream *find_stream(cudaStream_t handle) {
    if (is_legacy(handle)) return &legacy_stream(current_ordinal());
    if (handle == cudaStreamPerThread) {
        if (t_stream_of_thread.device != current_ordinal())
            t_stream_of_thread = new_stream(current_ordinal());
        return &t_stream_of_thread;
    }
    auto at = queue().streams.find(handle);
    return at == queue().streams.end() ? nullptr : at->second.get();
}

Event *find_event(cudaEvent_t handle) {
    auto at = queue().events.find(handle);
    return at == queue().events.end() ? nullptr : at->second.get();
}

double now_ms() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

cudaError_t check_stream(cudaStream_t stream) {
    Lock lock(runtime_mutex());
    return find_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t enqueue(cudaStream_t handle, Work work, OpRef *out) {
    static LostWork lost_work;
    (void)lost_work;
    Queue &q = queue();
    Stream *stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (cudaError_t e = may_take_work(handle, *stream)) return e;
    if (stream->capture) return capture_work(*stream, std::move(work));
    OpRef op = std::make_shared<Op>();
    op->kind = work.kind;
    op->id = ++q.last_id;
    op->device = stream->device;
    op->name = std::move(work.name);
    op->run = std::move(work.run);
    op->queued_ms = now_ms();
    add_unless_done(&op->after, stream->last);
    if (is_legacy(handle)) {
        for (auto &entry : q.streams)
            if (entry.second->device == stream->device && entry.second->blocking())
                add_unless_done(&op->after, entry.second->last);
        add_unless_done(&op->after, t_stream_of_thread.last);
    } else if (stream->blocking()) {
        add_unless_done(&op->after, legacy_stream(stream->device).last);
    }
    stream->last = op;
    q.pending[op->id] = op;
    start_servers();
    if (q.standing && q.standing == q.running) q.poked.notify_all();
    if (out) *out = op;
    return cudaSuccess;
}

OpRef new_mark(const OpRef &within) {
    OpRef mark = std::make_shared<Op>();
    mark->kind = Op::kEvent;
    mark->id = ++queue().last_id;
    mark->device = within->device;
    mark->after = {within};
    return mark;
}

void finish_mark(const OpRef &mark) {
    if (mark->done) return;
    mark->end_ms = now_ms();
    mark->done = true;
    mark->after.clear();
    queue().changed.notify_all();
}

void let_others_run(Op *op) {
    Lock lock(runtime_mutex());
    stand_still(op);
}

Op *running_op() { return t_running_op; }

bool host_waits_since(double *since) {
    const bool polls = now_ms() - g_last_poll <= kPollMs;
    *since = g_host_waits_since;
    return g_host_waits || polls;
}

void keep_queue_short(Lock &lock) {
    Queue &q = queue();
    while (q.pending.size() > kLaunchQueueLength)
        host_waits_for(lock, {OpRef(q.pending.begin()->second)});
}

cudaError_t wait_for(Lock &lock, const OpRef &op) {
    if (!op) return print_device_text(current_ordinal()), cudaSuccess;
    const int device = op->device;
    host_waits_for(lock, {op});
    print_device_text(device);
    return device_at(device).broken;
}

cudaError_t wait_for_device(Lock &lock, int device) {
    host_waits_for(lock, all_pending(device));
    print_device_text(device);
    return device_at(device).broken;
}

void forget_queue(int device) {
    Queue &q = queue();
    for (auto &entry : q.streams)
        if (entry.second->device == device) stream_leaves(*entry.second);
    for (auto at = q.pending.begin(); at != q.pending.end();)
        at = at->second->device == device ? q.pending.erase(at) : std::next(at);
    for (auto at = q.streams.begin(); at != q.streams.end();)
        at = at->second->device == device ? q.streams.erase(at) : std::next(at);
    for (auto at = q.events.begin(); at != q.events.end();)
        at = at->second->device == device ? q.events.erase(at) : std::next(at);
    q.legacy.erase(device);
    t_stream_of_thread = {-1, 0, 0, 0, nullptr, nullptr, {}};
}

} // namespace cpu_device

using namespace cpu_device;

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    if (!stream || (flags & ~cudaStreamNonBlocking)) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Queue &q = queue();
    const int clamped = std::max(-5, std::min(0, priority));
    cudaStream_t handle = (cudaStream_t)(q.last_handle += 16);
    q.streams[handle].reset(new Stream(new_stream(current_ordinal(), flags, clamped)));
    *stream = handle;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

/* What the stream was given is done all the same. */
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    auto at = queue().streams.find(stream);
    if (at == queue().streams.end()) return record(cudaErrorInvalidResourceHandle);
    stream_leaves(*at->second);
    queue().streams.erase(at);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    if (cudaError_t e = may_wait_for_stream(handle, *stream)) return record(e);
    return record(wait_for(lock, OpRef(stream->last)));
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    if (cudaError_t e = may_wait_for_stream(handle, *stream)) return record(e);
    return record(poll(lock, OpRef(stream->last)));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags) {
    if (cudaError_t e = device_status()) return record(e);
    if (flags & ~cudaEventWaitExternal) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Event *e = find_event(event);
    Stream *stream = find_stream(handle);
    if (!e || !stream) return record(cudaErrorInvalidResourceHandle);
    bool captured;
    const cudaError_t refused = capture_wait(handle, *stream, event, flags, &captured);
    if (refused != cudaSuccess || captured) return record(refused);
    const OpRef recorded = e->recorded;
    OpRef op;
    const cudaError_t status =
        enqueue(handle, {Op::kEvent, "cudaStreamWaitEvent", nullptr, {}}, &op);
    if (status == cudaSuccess) add_unless_done(&op->after, recorded);
    return record(status);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags) {
    if (!flags) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    *flags = stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    if (!priority) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    *priority = stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    if (!id) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    *id = stream->id;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
    if (!device) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    *device = stream->device;
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
    if (!function) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    return record(enqueue(stream, host_work({function, user_data})));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *user_data, unsigned int flags) {
    if (!callback || flags) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Stream *to = find_stream(stream);
    if (!to) return record(cudaErrorInvalidResourceHandle);
    if (to->capture) return record(may_wait_for_stream(stream, *to)); /* no node can be one */
    const int device = current_ordinal();
    const auto call = [stream, callback, user_data, device] {
        print_device_text(device);
        callback(stream, device_at(device).broken, user_data);
        return cudaSuccess;
    };
    return record(enqueue(stream, {Op::kEvent, "cudaStreamAddCallback", call, {}}));
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    if (!event || (flags & ~7u)) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Queue &q = queue();
    cudaEvent_t handle = (cudaEvent_t)(q.last_handle += 16);
    q.events[handle].reset(new Event{current_ordinal(), flags, nullptr, nullptr, {}});
    *event = handle;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned int flags) {
    if (flags & ~cudaEventRecordExternal) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Event *event = find_event(handle);
    Stream *s = find_stream(stream);
    if (!event || !s || s->device != event->device) return record(cudaErrorInvalidResourceHandle);
    bool captured;
    const cudaError_t refused = capture_record(stream, *s, handle, flags, &captured);
    if (refused != cudaSuccess || captured) return record(refused);
    event->capture = nullptr;
    return record(enqueue(stream, {Op::kEvent, "cudaEventRecord", nullptr, {}}, &event->recorded));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Event *event = find_event(handle);
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (cudaError_t e = may_wait_for_event(*event)) return record(e);
    return record(poll(lock, OpRef(event->recorded)));
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Event *event = find_event(handle);
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (cudaError_t e = may_wait_for_event(*event)) return record(e);
    return record(wait_for(lock, OpRef(event->recorded)));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    Event *a = find_event(start), *b = find_event(end);
    if (!a || !b || (a->flags | b->flags) & cudaEventDisableTiming || !a->recorded ||
        !b->recorded || a->device != b->device)
        return record(cudaErrorInvalidResourceHandle);
    if (!a->recorded->done || !b->recorded->done) return record(cudaErrorNotReady);
    *ms = (float)(b->recorded->end_ms - a->recorded->end_ms);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    return record(queue().events.erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
