/* Streams and events, as queue.cc and capture.cc share them. All of it needs runtime_mutex().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_QUEUE_H
#define CPU_DEVICE_QUEUE_H

#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

/* One capture: from cudaStreamBeginCapture to cudaStreamEndCapture. */
struct Capture {
    uint64_t id;
    cudaGraph_t graph;
    bool owns_graph; /* made for the capture, not given to it */
    cudaStreamCaptureMode mode;
    const void *thread; /* the one that began it: the address of a variable of the thread's */
    Stream *origin;
    std::vector<Stream *> streams;            /* that it has reached, the origin among them */
    std::vector<cudaGraphNode_t> left_behind; /* last nodes of reached streams since destroyed */
    bool invalid;
    bool ended;
};
using CaptureRef = std::shared_ptr<Capture>;

struct Stream {
    int device;
    unsigned flags;
    int priority;
    uint64_t id;
    OpRef last;
    CaptureRef capture;                /* null: not capturing */
    std::vector<cudaGraphNode_t> tail; /* what its next node will depend on */

    bool blocking() const { return !(flags & cudaStreamNonBlocking); }
};

struct Event {
    int device;
    unsigned flags;
    OpRef recorded;
    CaptureRef capture;                /* it was last recorded in a stream that captured */
    std::vector<cudaGraphNode_t> tail; /* what that stream's next node depended on then */
};

bool is_legacy(cudaStream_t handle);

/* The stream or event of a handle, or null. */
Stream *find_stream(cudaStream_t handle);
Event *find_event(cudaEvent_t handle);

/* An op that stands for a point within another one, and is done there by finish_mark. */
OpRef new_mark(const OpRef &within);
void finish_mark(const OpRef &mark);

/* ---- capture.cc ---- */

/* Whether work may be put into the stream: success; 901, its capture has failed; 906, it is the
 * legacy stream and would wait for a stream that captures, which makes that capture fail. */
cudaError_t may_take_work(cudaStream_t handle, const Stream &stream);

/* The work becomes a node of the graph that the stream captures. */
cudaError_t capture_work(Stream &stream, Work work);

/* Calls that wait for, or ask after, what a capture has put off: 900 and 907 where they touch
 * one, which makes it fail; else success. */
cudaError_t may_wait_for_stream(cudaStream_t handle, const Stream &stream);
cudaError_t may_wait_for_event(const Event &event);
cudaError_t may_wait_for_all(int device);

/* cudaStreamWaitEvent and cudaEventRecord where a capture is concerned; *captured tells whether
 * it was: otherwise the caller goes on as ever. */
cudaError_t capture_wait(cudaStream_t handle, Stream &stream, cudaEvent_t event, unsigned flags,
                         bool *captured);
cudaError_t capture_record(cudaStream_t handle, Stream &stream, cudaEvent_t event, unsigned flags,
                           bool *captured);

/* The stream is about to go. A capture that began in it fails; one that only reached it keeps
 * its nodes, which the origin must have waited for by the end as those of any other stream. */
void stream_leaves(Stream &stream);

} // namespace cpu_device

#endif
