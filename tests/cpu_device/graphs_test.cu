/* Graphs that are built node by node, instantiated, launched, looked at and changed: the same on
 * the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/cpu_device/alone.h"

__global__ void append(int *list, int value) { list[1 + list[0]++] = value; }

template <class T>
__global__ void append_typed(int *list, T value) {
    list[1 + list[0]++] = (int)value;
}

__global__ void fault(int *nothing) { *nothing = 1; }

namespace {

const int kLength = 64;

/* A graph whose nodes write their numbers to a list on the device: list[0] is its length. */
class Graphs : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(cudaSuccess, cudaStreamCreate(&s_));
        ASSERT_EQ(cudaSuccess, cudaMalloc(&list_, kLength * sizeof(int)));
        ASSERT_EQ(cudaSuccess, cudaMemset(list_, 0, kLength * sizeof(int)));
        ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph_, 0));
    }
    void TearDown() override {
        EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph_));
        EXPECT_EQ(cudaSuccess, cudaFree(list_));
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s_));
        cudaGetLastError();
    }
    cudaKernelNodeParams appends(int *value) {
        static void *arguments[2];
        arguments[0] = &list_;
        arguments[1] = value;
        cudaKernelNodeParams p = {};
        p.func = (void *)append;
        p.gridDim = dim3(1);
        p.blockDim = dim3(1);
        p.kernelParams = arguments;
        return p;
    }
    cudaGraphNode_t add(int value, std::vector<cudaGraphNode_t> after = {}) {
        return add(graph_, value, after);
    }
    cudaGraphNode_t add(cudaGraph_t graph, int value, std::vector<cudaGraphNode_t> after = {}) {
        cudaGraphNode_t node = nullptr;
        const cudaKernelNodeParams p = appends(&value);
        EXPECT_EQ(cudaSuccess,
                  cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &p));
        return node;
    }
    std::vector<int> launch(cudaGraphExec_t exec) {
        EXPECT_EQ(cudaSuccess, cudaMemset(list_, 0, kLength * sizeof(int)));
        EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
        EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
        int h[kLength];
        EXPECT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
        return std::vector<int>(h + 1, h + 1 + h[0]);
    }
    std::vector<int> launch() {
        cudaGraphExec_t exec;
        EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
        const std::vector<int> values = launch(exec);
        EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
        return values;
    }
    size_t count() {
        size_t n = 0;
        EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph_, nullptr, &n));
        return n;
    }
    cudaStream_t s_;
    cudaGraph_t graph_;
    int *list_;
};

using Values = std::vector<int>;

TEST_F(Graphs, NodesRunInTheOrderOfTheirDependencies) {
    const auto last = add(3);
    const auto first = add(1);
    const auto middle = add(2, {first});
    ASSERT_EQ(cudaSuccess, cudaGraphAddDependencies(graph_, &middle, &last, nullptr, 1));
    EXPECT_EQ((Values{1, 2, 3}), launch());
    EXPECT_EQ(3u, count());
}

TEST_F(Graphs, NothingToDoIsAGraphToo) {
    EXPECT_EQ((Values{}), launch());
    cudaGraphNode_t a, b;
    ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&a, graph_, nullptr, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&b, graph_, &a, 1));
    EXPECT_EQ((Values{}), launch());
}

TEST_F(Graphs, EdgesCanBeSeenAddedAndRemoved) {
    const auto a = add(1), b = add(2, {a}), c = add(3, {a, b});
    size_t n = 0;
    ASSERT_EQ(cudaSuccess, cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &n));
    EXPECT_EQ(3u, n);
    cudaGraphNode_t nodes[4] = {};
    n = 4;
    ASSERT_EQ(cudaSuccess, cudaGraphNodeGetDependencies(c, nodes, nullptr, &n));
    ASSERT_EQ(2u, n);
    EXPECT_TRUE((nodes[0] == a && nodes[1] == b) || (nodes[0] == b && nodes[1] == a));
    EXPECT_EQ(nullptr, nodes[2]);
    n = 4;
    ASSERT_EQ(cudaSuccess, cudaGraphNodeGetDependentNodes(a, nodes, nullptr, &n));
    EXPECT_EQ(2u, n);
    n = 4;
    ASSERT_EQ(cudaSuccess, cudaGraphGetRootNodes(graph_, nodes, &n));
    ASSERT_EQ(1u, n);
    EXPECT_EQ(a, nodes[0]);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddDependencies(graph_, &a, &b, nullptr, 1));
    ASSERT_EQ(cudaSuccess, cudaGraphRemoveDependencies(graph_, &b, &c, nullptr, 1));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph_, &b, &c, nullptr, 1));
    n = 0;
    ASSERT_EQ(cudaSuccess, cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &n));
    EXPECT_EQ(2u, n);
}

TEST_F(Graphs, ADestroyedNodeTakesItsEdgesAlong) {
    const auto a = add(1), b = add(2, {a}), c = add(3, {b});
    (void)c;
    ASSERT_EQ(cudaSuccess, cudaGraphDestroyNode(a));
    EXPECT_EQ(2u, count());
    EXPECT_EQ((Values{2, 3}), launch());
}

TEST_F(Graphs, ACycleIsRefusedBeforeItRuns) {
    const auto a = add(1), b = add(2, {a});
    cudaError_t error = cudaGraphAddDependencies(graph_, &b, &a, nullptr, 1);
    cudaGraphExec_t exec = nullptr;
    if (error == cudaSuccess) error = cudaGraphInstantiate(&exec, graph_, 0);
    EXPECT_EQ(cudaErrorInvalidValue, error);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddDependencies(graph_, &a, &a, nullptr, 1));
}

TEST_F(Graphs, CopiesFillsAndHostNodes) {
    static int h[4], counter;
    counter = 0;
    int *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
    for (int i = 0; i < 4; ++i) h[i] = i + 1;
    cudaGraphNode_t in, fill, out, call;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemcpyNode1D(&in, graph_, nullptr, 0, d, h, sizeof h,
                                                    cudaMemcpyHostToDevice));
    cudaMemsetParams m = {};
    m.dst = d + 1;
    m.value = 0x01020304;
    m.elementSize = 4;
    m.width = 2;
    m.height = 1;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemsetNode(&fill, graph_, &in, 1, &m));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(d, sizeof h, 4, 1);
    c.dstPtr = make_cudaPitchedPtr(h, sizeof h, 4, 1);
    c.extent = make_cudaExtent(sizeof h, 1, 1);
    c.kind = cudaMemcpyDeviceToHost;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemcpyNode(&out, graph_, &fill, 1, &c));
    cudaHostNodeParams host = {};
    host.fn = [](void *data) { *(int *)data += h[1] == 0x01020304 ? 1 : 100; };
    host.userData = &counter;
    ASSERT_EQ(cudaSuccess, cudaGraphAddHostNode(&call, graph_, &out, 1, &host));
    launch();
    EXPECT_EQ(1, h[0]);
    EXPECT_EQ(0x01020304, h[1]);
    EXPECT_EQ(0x01020304, h[2]);
    EXPECT_EQ(4, h[3]);
    EXPECT_EQ(1, counter);

    cudaMemsetParams seen = {};
    ASSERT_EQ(cudaSuccess, cudaGraphMemsetNodeGetParams(fill, &seen));
    EXPECT_EQ(m.dst, seen.dst);
    EXPECT_EQ(m.value, seen.value);
    EXPECT_EQ(2u, seen.width);
    cudaHostNodeParams seen_host = {};
    ASSERT_EQ(cudaSuccess, cudaGraphHostNodeGetParams(call, &seen_host));
    EXPECT_EQ((void *)&counter, seen_host.userData);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(call, &seen));
    m.value = 7;
    m.elementSize = 1;
    m.width = 8;
    ASSERT_EQ(cudaSuccess, cudaGraphMemsetNodeSetParams(fill, &m));
    host.fn = [](void *data) { *(int *)data = 50; };
    ASSERT_EQ(cudaSuccess, cudaGraphHostNodeSetParams(call, &host));
    launch();
    EXPECT_EQ(0x07070707, h[2]);
    EXPECT_EQ(50, counter);
    m.elementSize = 3;
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(fill, &m));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

/* The parameters of a node of that type, all else zero. */
static cudaGraphNodeParams of_type(cudaGraphNodeType type) {
    cudaGraphNodeParams p = {};
    p.type = type;
    return p;
}

TEST_F(Graphs, NodesOfAnyTypeByOneCall) {
    static int h[2], counter;
    h[0] = h[1] = counter = 0;
    int one = 1, *list = list_;
    void *arguments[] = {&list, &one};
    cudaEvent_t event;
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&event));
    cudaGraph_t child;
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&child, 0));
    add(child, 2);
    cudaGraphNode_t n[10] = {};
    int made = 0;
    const auto append_node = [&](cudaGraphNodeParams p) {
        const cudaError_t e = cudaGraphAddNode(&n[made], graph_, made ? &n[made - 1] : nullptr,
                                               nullptr, made != 0, &p);
        ++made;
        return e;
    };
    cudaGraphNodeParams fill = of_type(cudaGraphNodeTypeMemset);
    fill.memset.dst = list_;
    fill.memset.elementSize = 4;
    fill.memset.width = kLength;
    fill.memset.height = 1;
    cudaGraphNodeParams kernel = of_type(cudaGraphNodeTypeKernel);
    kernel.kernel.func = (void *)append;
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = arguments;
    cudaGraphNodeParams nested = of_type(cudaGraphNodeTypeGraph);
    nested.graph.graph = child;
    cudaGraphNodeParams copy = of_type(cudaGraphNodeTypeMemcpy);
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(list_ + 1, sizeof h, sizeof h, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(h, sizeof h, sizeof h, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(sizeof h, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    cudaGraphNodeParams call = of_type(cudaGraphNodeTypeHost);
    call.host.fn = [](void *data) { *(int *)data += h[0] == 1 && h[1] == 2 ? 1 : 100; };
    call.host.userData = &counter;
    cudaGraphNodeParams record = of_type(cudaGraphNodeTypeEventRecord);
    record.eventRecord.event = event;
    cudaGraphNodeParams wait = of_type(cudaGraphNodeTypeWaitEvent);
    wait.eventWait.event = event;
    for (const cudaGraphNodeParams &p :
         {fill, kernel, nested, copy, call, record, wait, of_type(cudaGraphNodeTypeEmpty)})
        ASSERT_EQ(cudaSuccess, append_node(p)) << made;
    EXPECT_EQ((Values{1, 2}), launch());
    EXPECT_EQ(1, counter);
    for (int i = 0; i < made; ++i) {
        static const cudaGraphNodeType want[] = {
            cudaGraphNodeTypeMemset,    cudaGraphNodeTypeKernel, cudaGraphNodeTypeGraph,
            cudaGraphNodeTypeMemcpy,    cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord,
            cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEmpty};
        cudaGraphNodeType type;
        EXPECT_EQ(cudaSuccess, cudaGraphNodeGetType(n[i], &type));
        EXPECT_EQ(want[i], type) << i;
    }

    one = 5;
    EXPECT_EQ(cudaSuccess, cudaGraphNodeSetParams(n[1], &kernel));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    EXPECT_EQ((Values{5, 2}), launch(exec));
    one = 6;
    EXPECT_EQ(cudaSuccess, cudaGraphExecNodeSetParams(exec, n[1], &kernel));
    EXPECT_EQ((Values{6, 2}), launch(exec));
    EXPECT_EQ(201, counter);
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));

    cudaGraphNode_t bad;
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&bad, graph_, nullptr, nullptr, 0, nullptr));
    kernel.reserved0[1] = 1;
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&bad, graph_, nullptr, nullptr, 0, &kernel));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphNodeSetParams(n[1], &fill));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(child));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(event));
}

TEST_F(Graphs, AllocationsAsNodesOfAnyType) {
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeMemAlloc);
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 64;
    cudaGraphNode_t allocate, release;
    ASSERT_EQ(cudaSuccess, cudaGraphAddNode(&allocate, graph_, nullptr, nullptr, 0, &p));
    ASSERT_NE(nullptr, p.alloc.dptr);
    cudaGraphNodeParams f = of_type(cudaGraphNodeTypeMemFree);
    f.free.dptr = p.alloc.dptr;
    EXPECT_EQ(cudaSuccess, cudaGraphAddNode(&release, graph_, &allocate, nullptr, 1, &f));
    EXPECT_EQ((Values{}), launch());
}

TEST_F(Graphs, KernelParametersCanBeSeenAndChanged) {
    const auto node = add(5);
    cudaKernelNodeParams p = {};
    ASSERT_EQ(cudaSuccess, cudaGraphKernelNodeGetParams(node, &p));
    EXPECT_EQ((void *)append, p.func);
    EXPECT_EQ(1u, p.gridDim.x);
    EXPECT_EQ(5, *(int *)p.kernelParams[1]);
    int six = 6;
    void *arguments[2] = {p.kernelParams[0], &six};
    p.kernelParams = arguments;
    p.gridDim = dim3(2);
    ASSERT_EQ(cudaSuccess, cudaGraphKernelNodeSetParams(node, &p));
    ASSERT_EQ(cudaSuccess, cudaGraphKernelNodeGetParams(node, &p));
    EXPECT_EQ(2u, p.gridDim.x);
    p.gridDim = dim3(1);
    ASSERT_EQ(cudaSuccess, cudaGraphKernelNodeSetParams(node, &p));
    EXPECT_EQ((Values{6}), launch());
}

TEST_F(Graphs, AKernelOfATemplateByItsAddress) {
    double value = 7.9;
    void *arguments[2] = {&list_, &value};
    cudaKernelNodeParams p = {};
    p.func = (void *)append_typed<double>;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    cudaGraphNode_t node;
    ASSERT_EQ(cudaSuccess, cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &p));
    value = 100;
    EXPECT_EQ((Values{7}), launch());
}

TEST_F(Graphs, AnInstantiatedGraphIsACopy) {
    const auto node = add(1);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    add(2, {node});
    int nine = 9;
    cudaKernelNodeParams p = appends(&nine);
    ASSERT_EQ(cudaSuccess, cudaGraphKernelNodeSetParams(node, &p));
    EXPECT_EQ((Values{1}), launch(exec));
    ASSERT_EQ(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, node, &p));
    EXPECT_EQ((Values{9}), launch(exec));
    EXPECT_EQ((Values{9, 2}), launch());
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, ALaunchThatIsQueuedIsNotChangedAfterwards) {
    const auto node = add(1);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    for (int value = 10; value < 14; ++value) {
        int v = value;
        cudaKernelNodeParams p = appends(&v);
        ASSERT_EQ(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, node, &p));
        ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    }
    ASSERT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    int h[5];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ((Values{4, 10, 11, 12, 13}), Values(h, h + 5));
}

TEST_F(Graphs, UpdateTakesTheParametersOfAGraphOfTheSameShape) {
    const auto a = add(1);
    add(2, {a});
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    cudaGraph_t other;
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&other, 0));
    const auto b = add(other, 3);
    add(other, 4, {b});
    cudaGraphExecUpdateResultInfo info = {};
    ASSERT_EQ(cudaSuccess, cudaGraphExecUpdate(exec, other, &info));
    EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
    EXPECT_EQ((Values{3, 4}), launch(exec));
    add(other, 5, {b});
    EXPECT_EQ(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
    EXPECT_EQ((Values{3, 4}), launch(exec));
    cudaGetLastError();
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(other));
}

TEST_F(Graphs, ACloneIsAGraphOfItsOwn) {
    const auto a = add(1), b = add(2, {a});
    cudaGraph_t clone;
    ASSERT_EQ(cudaSuccess, cudaGraphClone(&clone, graph_));
    cudaGraphNode_t twin;
    ASSERT_EQ(cudaSuccess, cudaGraphNodeFindInClone(&twin, b, clone));
    EXPECT_NE(b, twin);
    add(clone, 3, {twin});
    EXPECT_EQ(2u, count());
    ASSERT_EQ(cudaSuccess, cudaGraphDestroyNode(b));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, clone, 0));
    EXPECT_EQ((Values{1, 2, 3}), launch(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(clone));
}

TEST_F(Graphs, AChildIsAGraphInANode) {
    cudaGraph_t child, seen;
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&child, 0));
    const auto inner = add(child, 2);
    add(child, 3, {inner});
    const auto first = add(1);
    cudaGraphNode_t node;
    ASSERT_EQ(cudaSuccess, cudaGraphAddChildGraphNode(&node, graph_, &first, 1, child));
    ASSERT_EQ(cudaSuccess, cudaGraphDestroy(child));
    add(4, {node});
    cudaGraphNodeType type;
    ASSERT_EQ(cudaSuccess, cudaGraphNodeGetType(node, &type));
    EXPECT_EQ(cudaGraphNodeTypeGraph, type);
    ASSERT_EQ(cudaSuccess, cudaGraphChildGraphNodeGetGraph(node, &seen));
    size_t n = 0;
    ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(seen, nullptr, &n));
    EXPECT_EQ(2u, n);
    EXPECT_EQ((Values{1, 2, 3, 4}), launch());
}

TEST_F(Graphs, EventsInGraphs) {
    cudaEvent_t start, stop;
    cudaStream_t other;
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&start));
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&stop));
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaGraphNode_t begin, end;
    ASSERT_EQ(cudaSuccess, cudaGraphAddEventRecordNode(&begin, graph_, nullptr, 0, start));
    const auto kernel = add(1, {begin});
    ASSERT_EQ(cudaSuccess, cudaGraphAddEventRecordNode(&end, graph_, &kernel, 1, stop));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(other, stop, 0));
    append<<<1, 1, 0, other>>>(list_, 2);
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(other));
    int h[3];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ((Values{2, 1, 2}), Values(h, h + 3));
    ASSERT_EQ(cudaSuccess, cudaEventSynchronize(stop));
    float ms = -1;
    ASSERT_EQ(cudaSuccess, cudaEventElapsedTime(&ms, start, stop));
    EXPECT_GE(ms, 0.0f);
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(start));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(stop));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(other));
}

TEST_F(Graphs, AWaitNodeWaitsForWorkOutside) {
    cudaEvent_t event;
    cudaStream_t other;
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&event));
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaGraphNode_t wait;
    ASSERT_EQ(cudaSuccess, cudaGraphAddEventWaitNode(&wait, graph_, nullptr, 0, event));
    add(2, {wait});
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    append<<<1, 1, 0, other>>>(list_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(event, other));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    int h[3];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ((Values{2, 1, 2}), Values(h, h + 3));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(event));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(other));
}

TEST_F(Graphs, NodesCanBeSwitchedOff) {
    const auto a = add(1), b = add(2, {a});
    add(3, {b});
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphNodeSetEnabled(exec, b, 0));
    unsigned enabled = 1;
    ASSERT_EQ(cudaSuccess, cudaGraphNodeGetEnabled(exec, b, &enabled));
    EXPECT_EQ(0u, enabled);
    EXPECT_EQ((Values{1, 3}), launch(exec));
    ASSERT_EQ(cudaSuccess, cudaGraphNodeSetEnabled(exec, b, 1));
    EXPECT_EQ((Values{1, 2, 3}), launch(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, AllocationNodesGiveTheSameAddressEachTime) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.poolProps.location.id = 0;
    p.bytesize = 1024;
    cudaGraphNode_t allocate, fill, copy, free_it;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemAllocNode(&allocate, graph_, nullptr, 0, &p));
    ASSERT_NE(nullptr, p.dptr);
    cudaMemsetParams m = {};
    m.dst = p.dptr;
    m.value = 3;
    m.elementSize = 4;
    m.width = 256;
    m.height = 1;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemsetNode(&fill, graph_, &allocate, 1, &m));
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemcpyNode1D(&copy, graph_, &fill, 1, list_, p.dptr,
                                                    2 * sizeof(int), cudaMemcpyDeviceToDevice));
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemFreeNode(&free_it, graph_, &copy, 1, p.dptr));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    int h[2];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(3, h[1]);
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, MemoryThatAGraphLeavesAllocatedIsTheProgramsToFree) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 1024;
    cudaGraphNode_t allocate;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemAllocNode(&allocate, graph_, nullptr, 0, &p));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphLaunch(exec, s_));
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(p.dptr, 1, 1024, s_));
    EXPECT_EQ(cudaSuccess, cudaFreeAsync(p.dptr, s_));
    EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    EXPECT_EQ(cudaSuccess, cudaFree(p.dptr));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, TheMemoryKeptForAllocationNodes) {
    const size_t kBytes = size_t(8) << 20, kPiece = size_t(32) << 20; /* given to graphs at once */
    const auto attribute = [](cudaGraphMemAttributeType which) {
        size_t bytes = 1;
        EXPECT_EQ(cudaSuccess, cudaDeviceGetGraphMemAttribute(0, which, &bytes));
        return bytes;
    };
    ASSERT_EQ(cudaSuccess, cudaDeviceGraphMemTrim(0));
    ASSERT_EQ(0u, attribute(cudaGraphMemAttrUsedMemCurrent));
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = kBytes;
    cudaGraphNode_t allocate;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemAllocNode(&allocate, graph_, nullptr, 0, &p));
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph_, 0));
    EXPECT_EQ(0u, attribute(cudaGraphMemAttrUsedMemCurrent));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    ASSERT_EQ(cudaSuccess, cudaDeviceGraphMemTrim(0));
    EXPECT_EQ(kPiece, attribute(cudaGraphMemAttrUsedMemCurrent)) << "it stands allocated";
    ASSERT_EQ(cudaSuccess, cudaFree(p.dptr));
    EXPECT_EQ(kPiece, attribute(cudaGraphMemAttrUsedMemCurrent)) << "kept for the next launch";
    ASSERT_EQ(cudaSuccess, cudaDeviceGraphMemTrim(0));
    EXPECT_EQ(0u, attribute(cudaGraphMemAttrUsedMemCurrent));
    EXPECT_LE(kBytes, attribute(cudaGraphMemAttrUsedMemHigh));
    EXPECT_LE(kBytes, attribute(cudaGraphMemAttrReservedMemHigh));

    size_t value = 0;
    EXPECT_EQ(cudaSuccess, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
    EXPECT_GT(kBytes, attribute(cudaGraphMemAttrUsedMemHigh));
    value = 1;
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, LaunchesAreOrderedInTheirStream) {
    add(2);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiateWithFlags(&exec, graph_, 0));
    append<<<1, 1, 0, s_>>>(list_, 1);
    ASSERT_EQ(cudaSuccess, cudaGraphUpload(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    append<<<1, 1, 0, s_>>>(list_, 3);
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    int h[4];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list_, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ((Values{3, 1, 2, 3}), Values(h, h + 4));
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
}

TEST_F(Graphs, TheDotFileNamesNodesAndEdges) {
    const auto a = add(1);
    add(2, {a});
    const char *folder = getenv("TEST_TMPDIR");
    const std::string path =
        std::string(folder ? folder : "/tmp") + "/graph" + std::to_string(getpid()) + ".dot";
    ASSERT_EQ(cudaSuccess, cudaGraphDebugDotPrint(graph_, path.c_str(), 0));
    FILE *f = fopen(path.c_str(), "r");
    ASSERT_NE(nullptr, f);
    char text[20000] = "";
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    unlink(path.c_str());
    EXPECT_NE(nullptr, strstr(text, "digraph")) << text;
    EXPECT_NE(nullptr, strstr(text, "->")) << text;
    EXPECT_NE(nullptr, strstr(text, "append")) << text;
}

TEST_F(Graphs, BadArgumentsAreRefused) {
    cudaGraphNode_t node;
    int one = 1;
    cudaKernelNodeParams p = appends(&one);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphCreate(&graph_, 1));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddKernelNode(nullptr, graph_, nullptr, 0, &p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph_, nullptr, 0, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph_, nullptr, 1, &p));
    p.blockDim = dim3(1025);
    EXPECT_NE(cudaSuccess, cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &p));
    EXPECT_EQ(0u, count());
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(nullptr, graph_, 0));
}

TEST(GraphsAlone, AFaultInAGraphsKernelSticksAsEver) {
    if (getenv("LAB_SANITIZER")) GTEST_SKIP() << "what it provokes on purpose would be reported";
    RUN_ALONE({
        cudaStream_t s;
        CHECK_ALONE(cudaSuccess, cudaStreamCreate(&s));
        CHECK_ALONE(cudaSuccess, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        fault<<<1, 1, 0, s>>>(nullptr);
        cudaGraph_t graph;
        CHECK_ALONE(cudaSuccess, cudaStreamEndCapture(s, &graph));
        cudaGraphExec_t exec;
        CHECK_ALONE(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
        CHECK_ALONE(cudaSuccess, cudaGraphLaunch(exec, s));
        CHECK_ALONE(cudaErrorIllegalAddress, cudaStreamSynchronize(s));
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

} // namespace
