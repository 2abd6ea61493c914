/* The work of nodes: made from parameters, and shown as parameters again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

namespace cpu_device {
namespace {

Work nothing_to_do(const char *name, WorkSource source) {
    return {Op::kHost, name, nullptr, std::move(source)};
}

} // namespace

cudaError_t capture_allocation(void **pointer, size_t size, cudaStream_t stream) {
    std::shared_ptr<GraphMemory> memory;
    if (cudaError_t e = make_graph_memory(size, find_stream(stream)->device, &memory)) return e;
    *pointer = memory->pointer;
    return enqueue(stream, nothing_to_do("cudaMallocAsync", AllocatesMemory{memory}));
}

cudaError_t capture_free(void *pointer, cudaStream_t stream) {
    const auto memory = graph_memory_at(pointer);
    if (!memory) return cudaErrorInvalidValue;
    return enqueue(stream, nothing_to_do("cudaFreeAsync", FreesMemory{memory}));
}

Work host_work(const cudaHostNodeParams &p) {
    const auto run = [p] {
        p.fn(p.userData);
        return cudaSuccess;
    };
    return {Op::kHost, "cudaLaunchHostFunc", run, p};
}

Work child_work(const CUgraph_st &child) {
    auto copy = copy_of(child);
    copy->part_of_another = true;
    return nothing_to_do("cudaGraphLaunch", copy);
}

Work record_work(cudaEvent_t event) {
    return nothing_to_do("cudaEventRecord", RecordsEvent{event});
}
Work wait_work(cudaEvent_t event) {
    return nothing_to_do("cudaStreamWaitEvent", WaitsForEvent{event});
}

/* Adds a node, unless making its work was an error. */
static cudaError_t add(cudaError_t made, cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *after, size_t count, Work work) {
    if (made != cudaSuccess) return record(made);
    Lock lock(runtime_mutex());
    return record(add_node(node, graph, after, count, std::move(work)));
}

/* The node's parameters, if it is of that kind. */
template <class T>
static T *source_of(cudaGraphNode_t node) {
    return is_node(node) ? std::get_if<T>(&node->work.source) : nullptr;
}

template <class T, class Out>
static cudaError_t get(cudaGraphNode_t node, Out *out, Out T::*member) {
    Lock lock(runtime_mutex());
    const T *source = source_of<T>(node);
    if (!out || !source) return record(cudaErrorInvalidValue);
    *out = source->*member;
    return cudaSuccess;
}

template <class T>
static cudaError_t get(cudaGraphNode_t node, T *out) {
    Lock lock(runtime_mutex());
    const T *source = source_of<T>(node);
    if (!out || !source) return record(cudaErrorInvalidValue);
    *out = *source;
    return cudaSuccess;
}

/* Other work of the same kind, unless making it was an error. */
static cudaError_t set(cudaError_t made, cudaGraphNode_t node, Work work) {
    if (made != cudaSuccess) return record(made);
    Lock lock(runtime_mutex());
    if (!is_node(node) || node->work.source.index() != work.source.index())
        return record(cudaErrorInvalidValue);
    node->work = std::move(work);
    return cudaSuccess;
}

cudaError_t launch_instead(cudaGraphNode_t node, const cudaKernelNodeParams *params, Work *work) {
    std::shared_ptr<LaunchRecord> before;
    {
        Lock lock(runtime_mutex());
        const auto *source = source_of<std::shared_ptr<LaunchRecord>>(node);
        if (!params || !source) return cudaErrorInvalidValue;
        before = *source;
    }
    return launch_work(*params, before.get(), work);
}

static bool is_event(cudaEvent_t event) {
    Lock lock(runtime_mutex());
    return find_event(event) != nullptr;
}

} // namespace cpu_device

/* ---- adding ---- */

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaKernelNodeParams *params) {
    Work work;
    const cudaError_t made = params ? launch_work(*params, nullptr, &work) : cudaErrorInvalidValue;
    return add(made, node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaMemcpy3DParms *params) {
    Work work;
    const cudaError_t made = params ? copy_work(*params, &work) : cudaErrorInvalidValue;
    return add(made, node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *dst,
                                     const void *src, size_t size, enum cudaMemcpyKind kind) {
    const cudaMemcpy3DParms p = plain_copy(dst, src, size, kind);
    return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const struct cudaMemsetParams *params) {
    Work work;
    const cudaError_t made = params ? fill_work(*params, &work) : cudaErrorInvalidValue;
    return add(made, node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const struct cudaHostNodeParams *params) {
    const bool good = params && params->fn;
    return add(good ? cudaSuccess : cudaErrorInvalidValue, node, graph, dependencies, count,
               good ? host_work(*params) : Work());
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t child) {
    Lock lock(runtime_mutex());
    if (!is_graph(child) || child == graph) return record(cudaErrorInvalidValue);
    return record(add_node(node, graph, dependencies, count, child_work(*child)));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
    return add(cudaSuccess, node, graph, dependencies, count, nothing_to_do("empty", {}));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event) {
    return add(is_event(event) ? cudaSuccess : cudaErrorInvalidValue, node, graph, dependencies,
               count, record_work(event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count,
                                      cudaEvent_t event) {
    return add(is_event(event) ? cudaSuccess : cudaErrorInvalidValue, node, graph, dependencies,
               count, wait_work(event));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     struct cudaMemAllocNodeParams *params) {
    if (!params || params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice ||
        !is_device(params->poolProps.location.id))
        return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    std::shared_ptr<GraphMemory> memory;
    if (cudaError_t e = make_graph_memory(params->bytesize, params->poolProps.location.id, &memory))
        return record(e);
    params->dptr = memory->pointer;
    return record(add_node(node, graph, dependencies, count,
                           nothing_to_do("cudaMallocAsync", AllocatesMemory{memory})));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    void *pointer) {
    Lock lock(runtime_mutex());
    const auto memory = graph_memory_at(pointer);
    if (!memory) return record(cudaErrorInvalidValue);
    return record(add_node(node, graph, dependencies, count,
                           nothing_to_do("cudaFreeAsync", FreesMemory{memory})));
}

/* ---- looking and changing ---- */

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *params) {
    Lock lock(runtime_mutex());
    const auto *source = source_of<std::shared_ptr<LaunchRecord>>(node);
    if (!params || !source) return record(cudaErrorInvalidValue);
    const LaunchRecord &launch = **source;
    node->arguments.resize(launch.call->argument_count());
    launch.call->argument_addresses(node->arguments.data());
    *params = {const_cast<void *>(launch.function),
               launch.grid,
               launch.block,
               (unsigned)launch.dynamic_shared,
               node->arguments.data(),
               nullptr};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *params) {
    Work work;
    const cudaError_t made = launch_instead(node, params, &work);
    return set(made, node, std::move(work));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params) {
    return get(node, params);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *params) {
    Work work;
    const cudaError_t made = params ? copy_work(*params, &work) : cudaErrorInvalidValue;
    return set(made, node, std::move(work));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t size, enum cudaMemcpyKind kind) {
    const cudaMemcpy3DParms p = plain_copy(dst, src, size, kind);
    return cudaGraphMemcpyNodeSetParams(node, &p);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params) {
    return get(node, params);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *params) {
    Work work;
    const cudaError_t made = params ? fill_work(*params, &work) : cudaErrorInvalidValue;
    return set(made, node, std::move(work));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params) {
    return get(node, params);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *params) {
    if (!params || !params->fn) return record(cudaErrorInvalidValue);
    return set(cudaSuccess, node, host_work(*params));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    Lock lock(runtime_mutex());
    const auto *source = source_of<std::shared_ptr<CUgraph_st>>(node);
    if (!graph || !source) return record(cudaErrorInvalidValue);
    *graph = source->get();
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get(node, event, &RecordsEvent::event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get(node, event, &WaitsForEvent::event);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set(is_event(event) ? cudaSuccess : cudaErrorInvalidValue, node, record_work(event));
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set(is_event(event) ? cudaSuccess : cudaErrorInvalidValue, node, wait_work(event));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params) {
    Lock lock(runtime_mutex());
    const auto *source = source_of<AllocatesMemory>(node);
    if (!params || !source) return record(cudaErrorInvalidValue);
    *params = {};
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location = {cudaMemLocationTypeDevice, node->device};
    params->bytesize = source->memory->size;
    params->dptr = source->memory->pointer;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
    Lock lock(runtime_mutex());
    const auto *source = source_of<FreesMemory>(node);
    if (!pointer || !source) return record(cudaErrorInvalidValue);
    *(void **)pointer = source->memory->pointer;
    return cudaSuccess;
}
