/* cudaGraphAddNode and its kin: nodes of any type, by the calls for each type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>

#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

static cudaKernelNodeParams kernel_of(const cudaGraphNodeParams &p) {
    return {p.kernel.func,           p.kernel.gridDim,      p.kernel.blockDim,
            p.kernel.sharedMemBytes, p.kernel.kernelParams, p.kernel.extra};
}

static cudaMemsetParams memset_of(const cudaGraphNodeParams &p) {
    return {p.memset.dst,         p.memset.pitch, p.memset.value,
            p.memset.elementSize, p.memset.width, p.memset.height};
}

static cudaHostNodeParams host_of(const cudaGraphNodeParams &p) {
    return {p.host.fn, p.host.userData};
}

static cudaError_t refuse(const char *what) {
    say("%s are not supported on the CPU device: see docs/cpu_device.md, \"What is supported\"",
        what);
    return record(cudaErrorNotSupported);
}

/* What must be zero is. */
static bool well_formed(const cudaGraphNodeParams *p) {
    if (!p || p->reserved2) return false;
    for (int r : p->reserved0)
        if (r) return false;
    return p->type != cudaGraphNodeTypeMemcpy || p->memcpy.flags == 0;
}

static bool is_plain(const cudaGraphEdgeData *edges, size_t count) {
    return !edges || std::all_of(edges, edges + count, [](const cudaGraphEdgeData &e) {
        return !e.from_port && !e.to_port && e.type == cudaGraphDependencyTypeDefault;
    });
}

static cudaError_t add_allocation(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count,
                                  cudaMemAllocNodeParamsV2 *p) {
    cudaMemAllocNodeParams params = {p->poolProps, p->accessDescs, p->accessDescCount, p->bytesize,
                                     nullptr};
    const cudaError_t e = cudaGraphAddMemAllocNode(node, graph, after, count, &params);
    p->dptr = params.dptr;
    return e;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t count,
                             struct cudaGraphNodeParams *p) {
    if (!well_formed(p)) return record(cudaErrorInvalidValue);
    if (!is_plain(edges, count)) return refuse("programmatic dependencies of graphs' nodes");
    const cudaKernelNodeParams kernel = kernel_of(*p);
    const cudaMemsetParams fill = memset_of(*p);
    const cudaHostNodeParams host = host_of(*p);
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(node, graph, after, count, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(node, graph, after, count, &fill);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, after, count, &host);
    case cudaGraphNodeTypeGraph:
        if (p->graph.ownership != cudaGraphChildGraphOwnershipClone)
            return refuse("child graphs that are moved");
        return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return add_allocation(node, graph, after, count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    case cudaGraphNodeTypeConditional: return refuse("conditional nodes of graphs");
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait: return refuse("external semaphores");
    default: return record(cudaErrorInvalidValue);
    }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    if (!well_formed(p)) return record(cudaErrorInvalidValue);
    const cudaKernelNodeParams kernel = kernel_of(*p);
    const cudaMemsetParams fill = memset_of(*p);
    const cudaHostNodeParams host = host_of(*p);
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphKernelNodeSetParams(node, &kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &fill);
    case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &host);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default: return record(cudaErrorInvalidValue);
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p) {
    if (!well_formed(p)) return record(cudaErrorInvalidValue);
    const cudaKernelNodeParams kernel = kernel_of(*p);
    const cudaMemsetParams fill = memset_of(*p);
    const cudaHostNodeParams host = host_of(*p);
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphExecMemsetNodeSetParams(exec, node, &fill);
    case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(exec, node, &host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(exec, node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(exec, node, p->eventRecord.event);
    default: return record(cudaErrorInvalidValue);
    }
}
