/* Stream capture: work that is put into a stream becomes nodes of a graph.
 *
 * A capture begins in one stream, and reaches another one when that waits for an event that was
 * recorded within the capture. A call that it cannot follow makes the capture fail: it stays,
 * and every stream of it refuses work with 901, until cudaStreamEndCapture.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>

#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

/* Tells threads apart: its address is one's own. */
const void *this_thread() { return &t_mode; }

std::vector<CaptureRef> &active() {
    static auto &captures = *new std::vector<CaptureRef>();
    return captures;
}

uint64_t next_id() {
    static uint64_t last = 0;
    return ++last;
}

cudaError_t fails(Capture &capture, cudaError_t error) {
    capture.invalid = true;
    return error;
}

void join(const CaptureRef &capture, Stream &stream) {
    stream.capture = capture;
    stream.tail.clear();
    capture->streams.push_back(&stream);
}

void leave(Stream &stream) {
    stream.capture = nullptr;
    stream.tail.clear();
}

void add_to_tail(Stream &stream, const std::vector<cudaGraphNode_t> &nodes) {
    for (cudaGraphNode_t n : nodes)
        if (!std::count(stream.tail.begin(), stream.tail.end(), n)) stream.tail.push_back(n);
}

/* Captures whose work the legacy stream of the device would have to wait for. */
std::vector<CaptureRef> blocking_captures(int device) {
    std::vector<CaptureRef> found;
    for (const CaptureRef &c : active())
        for (const Stream *s : c->streams)
            if (s->device == device && s->blocking()) {
                found.push_back(c);
                break;
            }
    return found;
}

/* All streams go back to ordinary work. */
void end(const CaptureRef &capture) {
    for (Stream *s : capture->streams) leave(*s);
    capture->streams.clear();
    capture->ended = true;
    active().erase(std::find(active().begin(), active().end(), capture));
}

/* Everything that the capture's streams did comes before what the origin would do next. */
bool joined(const Capture &capture) {
    const auto reached = reached_backwards(capture.origin->tail);
    const auto is_reached = [&](cudaGraphNode_t n) { return reached.count(n) != 0; };
    const auto all_reached = [&](const std::vector<cudaGraphNode_t> &tail) {
        return std::all_of(tail.begin(), tail.end(), is_reached);
    };
    return all_reached(capture.left_behind) &&
           std::all_of(capture.streams.begin(), capture.streams.end(),
                       [&](const Stream *s) { return all_reached(s->tail); });
}

bool forbids(const Capture &c, cudaStreamCaptureMode mode) {
    if (mode == cudaStreamCaptureModeRelaxed || c.mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (c.thread == this_thread()) return true;
    return mode == cudaStreamCaptureModeGlobal && c.mode == cudaStreamCaptureModeGlobal;
}

} // namespace

cudaError_t may_take_work(cudaStream_t handle, const Stream &stream) {
    if (stream.capture)
        return stream.capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (!is_legacy(handle) || active().empty()) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (const CaptureRef &c : blocking_captures(stream.device))
        error = fails(*c, cudaErrorStreamCaptureImplicit);
    return error;
}

cudaError_t capture_work(Stream &stream, Work work) {
    cudaGraphNode_t node;
    const std::vector<cudaGraphNode_t> after = stream.tail;
    if (cudaError_t e =
            add_node(&node, stream.capture->graph, after.data(), after.size(), std::move(work)))
        return fails(*stream.capture, e);
    node->device = stream.device;
    stream.tail = {node};
    return cudaSuccess;
}

cudaError_t may_wait_for_stream(cudaStream_t handle, const Stream &stream) {
    if (stream.capture) return fails(*stream.capture, cudaErrorStreamCaptureUnsupported);
    if (cudaError_t e = may_take_work(handle, stream)) return e;
    return unseen_call();
}

cudaError_t may_wait_for_event(const Event &event) {
    if (event.capture) return fails(*event.capture, cudaErrorCapturedEvent);
    return unseen_call();
}

cudaError_t may_wait_for_all(int device) {
    cudaError_t error = cudaSuccess;
    for (const CaptureRef &c : active())
        if (std::any_of(c->streams.begin(), c->streams.end(),
                        [device](const Stream *s) { return s->device == device; }))
            error = fails(*c, cudaErrorStreamCaptureUnsupported);
    return error;
}

cudaError_t unseen_call() {
    cudaError_t error = cudaSuccess;
    for (const CaptureRef &c : active())
        if (forbids(*c, t_mode)) error = fails(*c, cudaErrorStreamCaptureUnsupported);
    return error;
}

cudaError_t unseen_call_unlocked() {
    Lock lock(runtime_mutex());
    return unseen_call();
}

bool is_capturing(cudaStream_t stream) {
    const Stream *s = find_stream(stream);
    return s && s->capture;
}

cudaError_t capture_wait(cudaStream_t handle, Stream &stream, cudaEvent_t event_handle,
                         unsigned flags, bool *captured) {
    const Event &event = *find_event(event_handle);
    *captured = stream.capture || (event.capture && !event.capture->ended);
    if (!*captured) return event.capture ? cudaErrorCapturedEvent : cudaSuccess;
    if (stream.capture && stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (stream.capture && flags == cudaEventWaitExternal)
        return capture_work(stream, wait_work(event_handle));
    if (!event.capture) {
        if (!event.recorded) return cudaSuccess;
        return fails(*stream.capture, cudaErrorStreamCaptureIsolation);
    }
    if (event.capture->invalid) return cudaErrorInvalidValue;
    if (stream.capture && stream.capture != event.capture) {
        if (!event.capture->ended) fails(*event.capture, cudaErrorStreamCaptureMerge);
        return fails(*stream.capture, cudaErrorStreamCaptureMerge);
    }
    if (!stream.capture) {
        if (is_legacy(handle)) return fails(*event.capture, cudaErrorStreamCaptureImplicit);
        join(event.capture, stream);
    }
    add_to_tail(stream, event.tail);
    return cudaSuccess;
}

cudaError_t capture_record(cudaStream_t, Stream &stream, cudaEvent_t event_handle, unsigned flags,
                           bool *captured) {
    *captured = stream.capture != nullptr;
    if (!*captured) return cudaSuccess;
    if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (flags == cudaEventRecordExternal) return capture_work(stream, record_work(event_handle));
    Event &event = *find_event(event_handle);
    event.capture = stream.capture;
    event.tail = stream.tail;
    return cudaSuccess;
}

void stream_leaves(Stream &stream) {
    if (!stream.capture) return;
    const CaptureRef capture = stream.capture;
    if (&stream == capture->origin) {
        fails(*capture, cudaErrorStreamCaptureInvalidated);
        const bool owned = capture->owns_graph;
        end(capture);
        if (owned) drop_graph(capture->graph);
        return;
    }
    capture->left_behind.insert(capture->left_behind.end(), stream.tail.begin(), stream.tail.end());
    capture->streams.erase(std::find(capture->streams.begin(), capture->streams.end(), &stream));
    leave(stream);
}

/* Begins a capture into `given`, or into a graph of its own if that is null. */
static cudaError_t begin_capture(cudaStream_t handle, cudaGraph_t given,
                                 const cudaGraphNode_t *after, size_t count,
                                 cudaStreamCaptureMode mode) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (cudaError_t e = device_status()) return e;
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (is_legacy(handle)) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    for (size_t i = 0; i < count; ++i)
        if (!is_node(after[i]) || after[i]->graph != given) return cudaErrorInvalidValue;
    auto capture = std::make_shared<Capture>();
    capture->id = next_id();
    capture->mode = mode;
    capture->thread = this_thread();
    capture->origin = stream;
    capture->owns_graph = !given;
    capture->graph = given;
    if (!given) {
        const auto graph = new_graph();
        keep_graph(graph);
        capture->graph = graph.get();
    }
    join(capture, *stream);
    stream->tail.assign(after, after + count);
    active().push_back(capture);
    return cudaSuccess;
}

} // namespace cpu_device

using namespace cpu_device;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return record(begin_capture(stream, nullptr, nullptr, 0, mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *, size_t count,
                                          enum cudaStreamCaptureMode mode) {
    {
        Lock lock(runtime_mutex());
        if (!is_graph(graph) || (count && !dependencies)) return record(cudaErrorInvalidValue);
    }
    return record(begin_capture(stream, graph, dependencies, count, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    if (!graph) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    *graph = nullptr;
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    const CaptureRef capture = stream->capture;
    if (!capture) return record(cudaErrorIllegalState);
    if (capture->origin != stream) return record(fails(*capture, cudaErrorStreamCaptureUnmatched));
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != this_thread())
        return record(cudaErrorStreamCaptureWrongThread);
    cudaError_t error = capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (error == cudaSuccess && !joined(*capture)) error = cudaErrorStreamCaptureUnjoined;
    end(capture);
    if (error == cudaSuccess) *graph = capture->graph;
    else if (capture->owns_graph) drop_graph(capture->graph);
    return record(error);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edge_data, size_t *count) {
    static const cudaGraphEdgeData plain_edges[1024] = {};
    if (!status || (edge_data && !dependencies)) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    const Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    if (is_legacy(handle) && !blocking_captures(stream->device).empty())
        return record(cudaErrorStreamCaptureImplicit);
    *status = cudaStreamCaptureStatusNone;
    if (!stream->capture) return cudaSuccess;
    const Capture &capture = *stream->capture;
    *status = capture.invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id) *id = capture.id;
    if (graph) *graph = capture.graph;
    if (dependencies) *dependencies = stream->tail.data();
    if (edge_data) *edge_data = plain_edges;
    if (count) *count = stream->tail.size();
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *, size_t count,
                                                unsigned int flags) {
    if (flags > cudaStreamSetCaptureDependencies || (count && !dependencies))
        return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    Stream *stream = find_stream(handle);
    if (!stream) return record(cudaErrorInvalidResourceHandle);
    if (!stream->capture) return record(cudaErrorIllegalState);
    if (stream->capture->invalid) return record(cudaErrorStreamCaptureInvalidated);
    for (size_t i = 0; i < count; ++i)
        if (!is_node(dependencies[i]) || dependencies[i]->graph != stream->capture->graph)
            return record(cudaErrorInvalidValue);
    const std::vector<cudaGraphNode_t> nodes(dependencies, dependencies + count);
    if (flags == cudaStreamSetCaptureDependencies) stream->tail.clear();
    add_to_tail(*stream, nodes);
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
        return record(cudaErrorInvalidValue);
    std::swap(*mode, t_mode);
    return cudaSuccess;
}
