/* Graphs, as graph.cc, graph_nodes.cc, graph_exec.cc and capture.cc share them. All of it needs
 * runtime_mutex().
 *
 * A node holds work, the same that a stream would have been given. Handles are the addresses
 * of these structures; a table of those that live tells good ones from stale ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_GRAPH_H
#define CPU_DEVICE_GRAPH_H

#include <set>

#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/order/queue.h"
#include "cpu_device/runtime/runtime.h"

struct CUgraphNode_st {
    CUgraph_st *graph;
    uint64_t number; /* in the order in which a graph's nodes were made; clones keep it */
    int device;
    cpu_device::Work work;
    std::vector<cudaGraphNode_t> after; /* what it depends on */
    std::vector<void *> arguments;      /* what cudaGraphKernelNodeGetParams points at */

    cudaGraphNodeType type() const;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes; /* by number */
    uint64_t last_number = 0;
    bool part_of_another = false; /* a child's copy, or a capture's own graph */

    ~CUgraph_st();
};

namespace cpu_device {

/* Device memory at an address that stays the same in every launch. */
struct GraphMemory {
    void *pointer;
    size_t size;
    int device;
    bool allocated; /* between the nodes that allocate and free it */

    ~GraphMemory();
};

/* The live handles. */
bool is_graph(cudaGraph_t graph);
bool is_node(cudaGraphNode_t node);

std::shared_ptr<CUgraph_st> new_graph();
/* The graph's owner, for handles that a program may destroy. */
void keep_graph(const std::shared_ptr<CUgraph_st> &graph);
void drop_graph(cudaGraph_t graph);

/* A copy with the same numbers, children copied too. */
std::shared_ptr<CUgraph_st> copy_of(const CUgraph_st &graph);

/* Appends a node; the error where a dependency is not a node of the graph. */
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                     size_t count, Work work);

/* Nodes such that each comes after what it depends on, else by number; fewer than the graph
 * has where there is a cycle. */
std::vector<cudaGraphNode_t> in_order(const CUgraph_st &graph);

/* The nodes from which `from` can be reached, themselves included. */
std::set<cudaGraphNode_t> reached_backwards(const std::vector<cudaGraphNode_t> &from);

/* The work of a node that is not made by copy_work and its kin. */
Work host_work(const cudaHostNodeParams &p);
Work child_work(const CUgraph_st &child);
Work record_work(cudaEvent_t event);
Work wait_work(cudaEvent_t event);

/* The parameters of a copy of one row. */
inline cudaMemcpy3DParms plain_copy(void *dst, const void *src, size_t size, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(dst, size, size, 1);
    p.srcPtr = make_cudaPitchedPtr(const_cast<void *>(src), size, size, 1);
    p.extent = make_cudaExtent(size, 1, 1);
    p.kind = kind;
    return p;
}

/* A launch in the place of the one that the node has. Takes the lock. */
cudaError_t launch_instead(cudaGraphNode_t node, const cudaKernelNodeParams *params, Work *work);

/* New memory for a graph of `size` bytes, not allocated yet as the program sees it; and the memory
 * at an address, null if it is no graph's. */
cudaError_t make_graph_memory(size_t size, int device, std::shared_ptr<GraphMemory> *memory);
std::shared_ptr<GraphMemory> graph_memory_at(void *pointer);

/* A launch of a graph is about to pass a node that allocates (or frees) the memory. `again`:
 * it may stand allocated already. */
cudaError_t begin_allocation(const std::shared_ptr<GraphMemory> &memory, bool again);
cudaError_t end_allocation(const std::shared_ptr<GraphMemory> &memory);

} // namespace cpu_device

#endif
