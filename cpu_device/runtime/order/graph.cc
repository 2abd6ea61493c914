/* Graphs: which nodes there are, and what they depend on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

#include <stdio.h>

#include <algorithm>
#include <map>

using namespace cpu_device;

namespace cpu_device {
namespace {

/* All graphs that live, children's copies and captures' own included. */
std::set<const CUgraph_st *> &live_graphs() {
    static auto &graphs = *new std::set<const CUgraph_st *>();
    return graphs;
}

std::set<const CUgraphNode_st *> &live_nodes() {
    static auto &nodes = *new std::set<const CUgraphNode_st *>();
    return nodes;
}

/* Those that a program has a handle of, and may destroy. */
std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>> &kept_graphs() {
    static auto &graphs = *new std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>>();
    return graphs;
}

cudaGraphNode_t append(CUgraph_st &graph, uint64_t number, int device, Work work) {
    auto node = std::make_unique<CUgraphNode_st>();
    node->graph = &graph;
    node->number = number;
    node->device = device;
    node->work = std::move(work);
    live_nodes().insert(node.get());
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().get();
}

bool depends(const CUgraphNode_st &node, cudaGraphNode_t on) {
    return std::count(node.after.begin(), node.after.end(), on) != 0;
}

/* Gives out at most *count of `all` as the API does: with no array it only counts. */
cudaError_t give(const std::vector<cudaGraphNode_t> &all, cudaGraphNode_t *out, size_t *count) {
    if (!out) {
        *count = all.size();
        return cudaSuccess;
    }
    for (size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
    *count = std::min(*count, all.size());
    return cudaSuccess;
}

const char *const kTypeNames[] = {"kernel", "memcpy", "memset", "host", "graph", "empty",
                                  "wait",   "record", "signal", "wait", "alloc", "free"};

} // namespace

bool is_graph(cudaGraph_t graph) { return live_graphs().count(graph) != 0; }
bool is_node(cudaGraphNode_t node) { return live_nodes().count(node) != 0; }

std::shared_ptr<CUgraph_st> new_graph() {
    auto graph = std::make_shared<CUgraph_st>();
    live_graphs().insert(graph.get());
    return graph;
}

void keep_graph(const std::shared_ptr<CUgraph_st> &graph) { kept_graphs()[graph.get()] = graph; }
void drop_graph(cudaGraph_t graph) { kept_graphs().erase(graph); }

std::shared_ptr<CUgraph_st> copy_of(const CUgraph_st &graph) {
    auto copy = new_graph();
    copy->last_number = graph.last_number;
    std::map<cudaGraphNode_t, cudaGraphNode_t> made;
    for (const auto &n : graph.nodes) {
        Work work = n->work;
        if (auto child = std::get_if<std::shared_ptr<CUgraph_st>>(&work.source))
            work = child_work(**child);
        made[n.get()] = append(*copy, n->number, n->device, std::move(work));
    }
    for (const auto &n : graph.nodes)
        for (cudaGraphNode_t before : n->after) made[n.get()]->after.push_back(made[before]);
    return copy;
}

cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                     size_t count, Work work) {
    if (!node || !is_graph(graph) || (count && !after)) return cudaErrorInvalidValue;
    std::set<cudaGraphNode_t> distinct;
    for (size_t i = 0; i < count; ++i)
        if (!is_node(after[i]) || after[i]->graph != graph || !distinct.insert(after[i]).second)
            return cudaErrorInvalidValue;
    *node = append(*graph, ++graph->last_number, current_ordinal(), std::move(work));
    (*node)->after.assign(after, after + count);
    return cudaSuccess;
}

std::vector<cudaGraphNode_t> in_order(const CUgraph_st &graph) {
    std::map<cudaGraphNode_t, size_t> missing;
    std::map<cudaGraphNode_t, std::vector<cudaGraphNode_t>> dependents;
    std::map<uint64_t, cudaGraphNode_t> ready;
    for (const auto &n : graph.nodes) {
        missing[n.get()] = n->after.size();
        for (cudaGraphNode_t before : n->after) dependents[before].push_back(n.get());
        if (n->after.empty()) ready[n->number] = n.get();
    }
    std::vector<cudaGraphNode_t> order;
    while (!ready.empty()) {
        const cudaGraphNode_t n = ready.begin()->second;
        ready.erase(ready.begin());
        order.push_back(n);
        for (cudaGraphNode_t d : dependents[n])
            if (--missing[d] == 0) ready[d->number] = d;
    }
    return order;
}

std::set<cudaGraphNode_t> reached_backwards(const std::vector<cudaGraphNode_t> &from) {
    std::set<cudaGraphNode_t> reached;
    std::vector<cudaGraphNode_t> todo = from;
    while (!todo.empty()) {
        const cudaGraphNode_t n = todo.back();
        todo.pop_back();
        if (!reached.insert(n).second) continue;
        todo.insert(todo.end(), n->after.begin(), n->after.end());
    }
    return reached;
}

} // namespace cpu_device

cudaGraphNodeType CUgraphNode_st::type() const {
    static const cudaGraphNodeType types[] = {
        cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,
        cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,        cudaGraphNodeTypeGraph,
        cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeMemAlloc,
        cudaGraphNodeTypeMemFree};
    return types[work.source.index()];
}

CUgraph_st::~CUgraph_st() {
    for (const auto &n : nodes) live_nodes().erase(n.get());
    live_graphs().erase(this);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
    if (!graph || flags) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    const auto made = new_graph();
    keep_graph(made);
    *graph = made.get();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    Lock lock(runtime_mutex());
    if (!kept_graphs().count(graph)) return record(cudaErrorInvalidValue);
    drop_graph(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    Lock lock(runtime_mutex());
    if (!clone || !is_graph(graph)) return record(cudaErrorInvalidValue);
    for (const auto &n : graph->nodes)
        if (n->type() == cudaGraphNodeTypeMemAlloc || n->type() == cudaGraphNodeTypeMemFree)
            return record(cudaErrorNotSupported);
    const auto made = copy_of(*graph);
    keep_graph(made);
    *clone = made.get();
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    Lock lock(runtime_mutex());
    if (!node || !is_node(original) || !is_graph(clone)) return record(cudaErrorInvalidValue);
    for (const auto &n : clone->nodes)
        if (n->number == original->number) {
            *node = n.get();
            return cudaSuccess;
        }
    return record(cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    Lock lock(runtime_mutex());
    if (!count || !is_graph(graph)) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> all;
    for (const auto &n : graph->nodes) all.push_back(n.get());
    return give(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    Lock lock(runtime_mutex());
    if (!count || !is_graph(graph)) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> roots;
    for (const auto &n : graph->nodes)
        if (n->after.empty()) roots.push_back(n.get());
    return give(roots, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edge_data, size_t *count) {
    Lock lock(runtime_mutex());
    if (!count || !is_graph(graph) || !from != !to) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> sources, targets;
    for (const auto &n : graph->nodes)
        for (cudaGraphNode_t before : n->after) {
            sources.push_back(before);
            targets.push_back(n.get());
        }
    size_t again = *count;
    if (edge_data && from) std::fill_n(edge_data, *count, cudaGraphEdgeData{});
    give(sources, from, count);
    return give(targets, to, &again);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    Lock lock(runtime_mutex());
    if (!type || !is_node(node)) return record(cudaErrorInvalidValue);
    *type = node->type();
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         cudaGraphEdgeData *edge_data, size_t *count) {
    Lock lock(runtime_mutex());
    if (!count || !is_node(node)) return record(cudaErrorInvalidValue);
    if (edge_data && dependencies) std::fill_n(edge_data, *count, cudaGraphEdgeData{});
    return give(node->after, dependencies, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                           cudaGraphEdgeData *edge_data, size_t *count) {
    Lock lock(runtime_mutex());
    if (!count || !is_node(node)) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> all;
    for (const auto &n : node->graph->nodes)
        if (depends(*n, node)) all.push_back(n.get());
    if (edge_data && dependents) std::fill_n(edge_data, *count, cudaGraphEdgeData{});
    return give(all, dependents, count);
}

/* Whether each pair is two nodes of the graph, the second depending on the first or not. */
static bool all_pairs(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                      size_t count, bool dependent) {
    for (size_t i = 0; i < count; ++i)
        if (!is_node(from[i]) || !is_node(to[i]) || from[i]->graph != graph ||
            to[i]->graph != graph || from[i] == to[i] || depends(*to[i], from[i]) != dependent)
            return false;
    return true;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                     size_t count) {
    Lock lock(runtime_mutex());
    if (!is_graph(graph) || (count && (!from || !to)) || !all_pairs(graph, from, to, count, false))
        return record(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                        size_t count) {
    Lock lock(runtime_mutex());
    if (!is_graph(graph) || (count && (!from || !to)) || !all_pairs(graph, from, to, count, true))
        return record(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
        auto &after = to[i]->after;
        after.erase(std::find(after.begin(), after.end(), from[i]));
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    Lock lock(runtime_mutex());
    if (!is_node(node)) return record(cudaErrorInvalidValue);
    if (node->type() == cudaGraphNodeTypeMemAlloc || node->type() == cudaGraphNodeTypeMemFree)
        return record(cudaErrorNotSupported);
    auto &nodes = node->graph->nodes;
    for (const auto &n : nodes)
        n->after.erase(std::remove(n->after.begin(), n->after.end(), node), n->after.end());
    live_nodes().erase(node);
    nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                             [node](const auto &n) { return n.get() == node; }));
    return cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int) {
    Lock lock(runtime_mutex());
    if (!path || !is_graph(graph)) return record(cudaErrorInvalidValue);
    FILE *f = fopen(path, "w");
    if (!f) return record(cudaErrorOperatingSystem);
    fprintf(f, "digraph graph_of_%zu_nodes {\n", graph->nodes.size());
    for (const auto &n : graph->nodes)
        fprintf(f, "  node%llu [label=\"%s\\n%s\"];\n", (unsigned long long)n->number,
                kTypeNames[n->type()], n->work.name.c_str());
    for (const auto &n : graph->nodes)
        for (cudaGraphNode_t before : n->after)
            fprintf(f, "  node%llu -> node%llu;\n", (unsigned long long)before->number,
                    (unsigned long long)n->number);
    fprintf(f, "}\n");
    return record(fclose(f) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
