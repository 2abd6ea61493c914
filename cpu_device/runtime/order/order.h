/* Work in the order of streams, captures and graphs, as other rooms see it (queue.h: what streams are;
 * graph.h: what graphs are).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_ORDER_H
#define CPU_DEVICE_RUNTIME_ORDER_H

#include <stdint.h>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "cuda_runtime_api.h"

namespace cpu_device {

/* ---- queue.cc ---- */

struct Stream;
struct Op;
struct LaunchRecord;
using OpRef = std::shared_ptr<Op>;

/* Memory that belongs to a graph: see graph.h. */
struct GraphMemory;
struct AllocatesMemory {
    std::shared_ptr<GraphMemory> memory;
};
struct FreesMemory {
    std::shared_ptr<GraphMemory> memory;
};
struct RecordsEvent {
    cudaEvent_t event;
};
struct WaitsForEvent {
    cudaEvent_t event;
};

/* What a piece of work was made from: what a graph's node shows as its parameters. */
using WorkSource = std::variant<std::monostate, std::shared_ptr<LaunchRecord>, cudaMemcpy3DParms,
                                cudaMemsetParams, cudaHostNodeParams, std::shared_ptr<CUgraph_st>,
                                WaitsForEvent, RecordsEvent, AllocatesMemory, FreesMemory>;

/* Something that a stream does. run() is called once, in its turn, with device memory open and
 * without runtime_mutex(); its error sticks to the device. */
struct Op {
    enum Kind { kKernel, kCopy, kEvent, kHost };
    Kind kind;
    uint64_t id;
    int device;
    std::vector<OpRef> after;
    std::function<cudaError_t()> run;
    std::string name;
    bool begun = false, done = false;
    bool stands_still = false; /* it is being done, and lets others run */
    double queued_ms;          /* on a steady clock */
    double end_ms;             /* when it was done, likewise */
};

/* What can be given to a stream, or be a graph's node. run() may be called many times. */
struct Work {
    Op::Kind kind = Op::kHost;
    std::string name;
    std::function<cudaError_t()> run;
    WorkSource source;
};

using Lock = std::unique_lock<std::mutex>;

/* Queues `work` on the stream; the error where the stream is none, or cannot take work. If the
 * stream is capturing, the work becomes a node of its graph, and *out stays null. Needs the
 * lock. */
cudaError_t enqueue(cudaStream_t stream, Work work, OpRef *out = nullptr);

/* As the device's, the queue takes about a thousand launches; then the host has to wait. */
enum { kLaunchQueueLength = 1024 };
void keep_queue_short(Lock &lock);

/* Runs `op` and all that it waits for, or waits for the thread that does. Returns the device's
 * sticky error. */
cudaError_t wait_for(Lock &lock, const OpRef &op);

/* The same for all that is queued on a device. */
cudaError_t wait_for_device(Lock &lock, int device);

cudaError_t check_stream(cudaStream_t stream);

/* Drops what is queued on the device, its streams and its events. Needs the lock. */
void forget_queue(int device);

double now_ms();

/* What the calling thread is doing; null: no op. */
Op *running_op();

/* The op, which is being done, makes no progress: what can begin beside it may. Takes the lock. */
void let_others_run(Op *op);

/* True while a thread of the program's waits for the device, or asks it time and again; *since:
 * from when on. Takes no lock. */
bool host_waits_since(double *since);

/* ---- capture.cc ---- */

/* For calls that no capture could see (cudaMalloc and its kin): success, or 900 where a capture
 * forbids them now, which ends that capture. Needs the lock. */
cudaError_t unseen_call();
cudaError_t unseen_call_unlocked();

/* The stream is capturing. Needs the lock. */
bool is_capturing(cudaStream_t stream);

/* ---- graph_nodes.cc ---- */

/* In a stream that captures: memory of its graph, and the node that makes it. Needs the lock. */
cudaError_t capture_allocation(void **pointer, size_t size, cudaStream_t stream);
cudaError_t capture_free(void *pointer, cudaStream_t stream);

/* Memory of a graph that stands allocated no longer does; null: the pointer is no such memory.
 * It stays reachable while the result lives. Takes the lock. */
std::shared_ptr<GraphMemory> free_graph_memory(void *pointer);

/* The same for cudaFree, which waits for all work: false, it is no such memory. */
bool free_graph_memory_now(void *pointer);

/* ---- copy.cc, launch.cc: the work of a graph's node ---- */

cudaError_t copy_work(const cudaMemcpy3DParms &p, Work *work);
cudaError_t fill_work(const cudaMemsetParams &p, Work *work);
/* `before`: the launch whose place the new one takes, or null. */
cudaError_t launch_work(const cudaKernelNodeParams &p, const LaunchRecord *before, Work *work);

} // namespace cpu_device

#endif
