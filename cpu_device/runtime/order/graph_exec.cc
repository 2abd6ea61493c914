/* Instantiated graphs: launched as one piece of work, changed without touching what is queued.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <map>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

namespace cpu_device {

struct Body;

/* A node of an instantiated graph. */
struct Step {
    cudaGraphNode_t original; /* by which the program names it */
    int device;
    Work work;
    std::vector<size_t> after; /* indices of steps */
    bool enabled;
    std::shared_ptr<Body> child;
};

/* What a launch does: steps, each after those that it depends on. Launches that are queued share
 * it, so a change makes a new one. */
struct Body {
    std::vector<Step> steps;
};

} // namespace cpu_device

struct CUgraphExec_st {
    std::shared_ptr<Body> body;
    unsigned long long flags;
    int device;
    OpRef last; /* its launches keep their order */
};

namespace cpu_device {
namespace {

std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> &execs() {
    static auto &table = *new std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>>();
    return table;
}

bool is_exec(cudaGraphExec_t exec) { return execs().count(exec) != 0; }

/* Null where the graph has a cycle. */
std::shared_ptr<Body> body_of(const CUgraph_st &graph) {
    auto body = std::make_shared<Body>();
    const auto order = in_order(graph);
    if (order.size() != graph.nodes.size()) return nullptr;
    std::map<cudaGraphNode_t, size_t> index;
    for (cudaGraphNode_t n : order) {
        index[n] = body->steps.size();
        Step step = {n, n->device, n->work, {}, true, nullptr};
        for (cudaGraphNode_t before : n->after) step.after.push_back(index[before]);
        std::sort(step.after.begin(), step.after.end());
        if (auto child = std::get_if<std::shared_ptr<CUgraph_st>>(&n->work.source)) {
            step.child = body_of(**child);
            if (!step.child) return nullptr;
        }
        body->steps.push_back(std::move(step));
    }
    return body;
}

std::shared_ptr<Body> copy_of(const Body &body) {
    auto copy = std::make_shared<Body>(body);
    for (Step &step : copy->steps)
        if (step.child) step.child = copy_of(*step.child);
    return copy;
}

Step *find_step(Body &body, cudaGraphNode_t original) {
    for (Step &step : body.steps) {
        if (step.original == original) return &step;
        if (Step *inner = step.child ? find_step(*step.child, original) : nullptr) return inner;
    }
    return nullptr;
}

/* Calls see(step) for all steps that a launch passes, in its order. */
template <class See>
cudaError_t for_each_step(const Body &body, const See &see) {
    for (const Step &step : body.steps) {
        if (!step.enabled) continue;
        const cudaError_t e = step.child ? for_each_step(*step.child, see) : see(step);
        if (e != cudaSuccess) return e;
    }
    return cudaSuccess;
}

/* Does all steps; `marks` stand for the events that are recorded on the way. */
cudaError_t do_steps(const Body &body, const std::vector<OpRef> &marks) {
    size_t passed = 0;
    const cudaError_t error = for_each_step(body, [&](const Step &step) {
        if (std::holds_alternative<RecordsEvent>(step.work.source)) {
            Lock lock(runtime_mutex());
            finish_mark(marks[passed++]);
            return cudaSuccess;
        }
        if (!step.work.run) return cudaSuccess;
        if (settings().device_count > 1) activate_variables(step.device);
        return step.work.run();
    });
    Lock lock(runtime_mutex());
    while (passed < marks.size()) finish_mark(marks[passed++]);
    return error;
}

/* Memory that the launch allocates and frees on its way, noted when it is queued. */
cudaError_t note_memory(const Body &body, bool auto_free) {
    return for_each_step(body, [auto_free](const Step &step) {
        if (auto *allocates = std::get_if<AllocatesMemory>(&step.work.source))
            return begin_allocation(allocates->memory, auto_free);
        if (auto *frees = std::get_if<FreesMemory>(&step.work.source))
            return end_allocation(frees->memory);
        return cudaSuccess;
    });
}

bool is_one_of(const std::vector<OpRef> &marks, const OpRef &op) {
    return std::find(marks.begin(), marks.end(), op) != marks.end();
}

/* Puts one launch into the stream. */
cudaError_t queue_graph(CUgraphExec_st &exec, cudaStream_t stream) {
    const std::shared_ptr<Body> body = exec.body;
    if (cudaError_t e = note_memory(*body, exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
        return e;
    auto marks = std::make_shared<std::vector<OpRef>>();
    const std::string name = "a graph of " + std::to_string(body->steps.size()) + " nodes";
    OpRef op;
    const auto run = [body, marks] { return do_steps(*body, *marks); };
    if (cudaError_t e = enqueue(stream, {Op::kKernel, name, run, {}}, &op)) return e;
    if (exec.last && !exec.last->done) op->after.push_back(exec.last);
    exec.last = op;
    return for_each_step(*body, [&](const Step &step) {
        auto *records = std::get_if<RecordsEvent>(&step.work.source);
        auto *waits = std::get_if<WaitsForEvent>(&step.work.source);
        Event *event = records ? find_event(records->event)
                       : waits ? find_event(waits->event)
                               : nullptr;
        if (records) marks->push_back(new_mark(op));
        if (!event) return cudaSuccess;
        if (records) {
            event->recorded = marks->back();
            event->capture = nullptr;
        } else if (event->recorded && !event->recorded->done &&
                   !is_one_of(*marks, event->recorded)) {
            op->after.push_back(event->recorded);
        }
        return cudaSuccess;
    });
}

/* Other work for a step of the exec, made by make(&work). */
template <class Make>
cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, const Make &make) {
    Work work;
    if (cudaError_t e = make(&work)) return record(e);
    Lock lock(runtime_mutex());
    if (!is_exec(exec)) return record(cudaErrorInvalidValue);
    const auto body = copy_of(*exec->body);
    Step *step = find_step(*body, node);
    if (!step || step->work.source.index() != work.source.index())
        return record(cudaErrorInvalidValue);
    if (auto child = std::get_if<std::shared_ptr<CUgraph_st>>(&work.source)) {
        const auto inner = body_of(**child);
        if (!inner || inner->steps.size() != step->child->steps.size())
            return record(cudaErrorInvalidValue);
        step->child = inner;
    }
    step->work = std::move(work);
    exec->body = body;
    return cudaSuccess;
}

/* How the new body's shape differs from the old one's. */
cudaGraphExecUpdateResult difference(const Body &old, const Body &fresh, cudaGraphNode_t *node) {
    *node = nullptr;
    if (old.steps.size() != fresh.steps.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < old.steps.size(); ++i) {
        const Step &a = old.steps[i], &b = fresh.steps[i];
        *node = b.original;
        if (a.work.source.index() != b.work.source.index())
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (a.after != b.after) return cudaGraphExecUpdateErrorTopologyChanged;
        if (a.child) {
            const auto inner = difference(*a.child, *b.child, node);
            if (inner != cudaGraphExecUpdateSuccess) return inner;
        }
    }
    *node = nullptr;
    return cudaGraphExecUpdateSuccess;
}

/* The old names for the new work. */
void keep_names(const Body &old, Body &fresh) {
    for (size_t i = 0; i < old.steps.size(); ++i) {
        fresh.steps[i].original = old.steps[i].original;
        fresh.steps[i].enabled = old.steps[i].enabled;
        if (old.steps[i].child) keep_names(*old.steps[i].child, *fresh.steps[i].child);
    }
}

} // namespace

} // namespace cpu_device

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
    if (!exec || !params || params->flags > 15) return record(cudaErrorInvalidValue);
    *exec = nullptr;
    params->errNode_out = nullptr;
    params->result_out = cudaGraphInstantiateError;
    if (params->flags & cudaGraphInstantiateFlagDeviceLaunch) {
        say("graphs that kernels launch (cudaGraphInstantiateFlagDeviceLaunch) are not supported on "
            "the CPU device");
        return record(cudaErrorNotSupported);
    }
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    if (!is_graph(graph)) return record(cudaErrorInvalidValue);
    const auto body = body_of(*graph);
    if (!body) {
        say("the graph has a cycle of dependencies: none of its nodes could be the first");
        params->result_out = cudaGraphInstantiateInvalidStructure;
        return record(cudaErrorInvalidValue);
    }
    auto made = std::make_unique<CUgraphExec_st>(
        CUgraphExec_st{body, params->flags, current_ordinal(), nullptr});
    *exec = made.get();
    execs()[*exec] = std::move(made);
    params->result_out = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    cudaGraphInstantiateParams params = {};
    params.flags = flags;
    return cudaGraphInstantiateWithParams(exec, graph, &params);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    Lock lock(runtime_mutex());
    if (!flags || !is_exec(exec)) return record(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    if (!is_exec(exec)) return record(cudaErrorInvalidValue);
    return record(find_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    if (!is_exec(exec)) return record(cudaErrorInvalidValue);
    /* The runtime's documentation has it become a child; an H200 refuses it. */
    Stream *to = find_stream(stream);
    if (to && to->capture) return record(may_wait_for_stream(stream, *to));
    const cudaError_t queued = queue_graph(*exec, stream);
    keep_queue_short(lock);
    return record(queued);
}

/* Launches that are queued keep what they need. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    Lock lock(runtime_mutex());
    return record(execs().erase(exec) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result) {
    if (!result) return record(cudaErrorInvalidValue);
    *result = {cudaGraphExecUpdateError, nullptr, nullptr};
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    if (!is_exec(exec) || !is_graph(graph)) return record(cudaErrorInvalidValue);
    const auto fresh = body_of(*graph);
    if (!fresh) return record(cudaErrorGraphExecUpdateFailure);
    result->result = difference(*exec->body, *fresh, &result->errorNode);
    if (result->result != cudaGraphExecUpdateSuccess)
        return record(cudaErrorGraphExecUpdateFailure);
    keep_names(*exec->body, *fresh);
    exec->body = fresh;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params) {
    return change(exec, node, [&](Work *work) { return launch_instead(node, params, work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params) {
    return change(exec, node, [&](Work *work) {
        return params ? copy_work(*params, work) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t size,
                                               enum cudaMemcpyKind kind) {
    const cudaMemcpy3DParms p = plain_copy(dst, src, size, kind);
    return cudaGraphExecMemcpyNodeSetParams(exec, node, &p);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params) {
    return change(exec, node, [&](Work *work) {
        return params ? fill_work(*params, work) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params) {
    return change(exec, node, [&](Work *work) {
        if (!params || !params->fn) return cudaErrorInvalidValue;
        *work = host_work(*params);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    return change(exec, node, [&](Work *work) {
        Lock lock(runtime_mutex());
        if (!is_graph(child)) return cudaErrorInvalidValue;
        *work = child_work(*child);
        return cudaSuccess;
    });
}

/* Events are found when the graph is launched. */
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
    return change(exec, node, [&](Work *work) {
        *work = record_work(event);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
    return change(exec, node, [&](Work *work) {
        *work = wait_work(event);
        return cudaSuccess;
    });
}

/* Kernels, copies and fills can be left out of launches. */
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled) {
    Lock lock(runtime_mutex());
    if (!is_exec(exec)) return record(cudaErrorInvalidValue);
    const auto body = copy_of(*exec->body);
    Step *step = find_step(*body, node);
    if (!step || step->work.source.index() < 1 || step->work.source.index() > 3)
        return record(cudaErrorInvalidValue);
    step->enabled = enabled != 0;
    exec->body = body;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled) {
    Lock lock(runtime_mutex());
    if (!enabled || !is_exec(exec)) return record(cudaErrorInvalidValue);
    const Step *step = find_step(*exec->body, node);
    if (!step) return record(cudaErrorInvalidValue);
    *enabled = step->enabled;
    return cudaSuccess;
}
