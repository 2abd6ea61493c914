/* Stream capture: what becomes a graph's node, in which order, and which calls a capture forbids;
 * the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

__global__ void add_to(int *x, int value) { x[threadIdx.x] += value; }
__global__ void multiply(int *x, int factor) { x[threadIdx.x] *= factor; }

namespace {

const int kThreads = 32;

/* A stream, two events and 32 integers on the device, all 1. */
class Capture : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
        ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&t_, cudaStreamNonBlocking));
        ASSERT_EQ(cudaSuccess, cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
        ASSERT_EQ(cudaSuccess, cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
        ASSERT_EQ(cudaSuccess, cudaMalloc(&x_, kThreads * sizeof(int)));
        std::vector<int> ones(kThreads, 1);
        ASSERT_EQ(cudaSuccess,
                  cudaMemcpy(x_, ones.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice));
        /* The copy may still be on its way, and the streams do not wait for it. */
        ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    }
    void TearDown() override {
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s_));
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(t_));
        EXPECT_EQ(cudaSuccess, cudaEventDestroy(fork_));
        EXPECT_EQ(cudaSuccess, cudaEventDestroy(join_));
        EXPECT_EQ(cudaSuccess, cudaFree(x_));
        cudaGetLastError();
    }
    int value() {
        int v[kThreads] = {};
        EXPECT_EQ(cudaSuccess, cudaMemcpy(v, x_, sizeof v, cudaMemcpyDeviceToHost));
        for (int i = 1; i < kThreads; ++i) EXPECT_EQ(v[0], v[i]);
        return v[0];
    }
    void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
        ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(s_, mode));
    }
    /* The capture has failed: ending it says so, gives no graph, and frees the stream. */
    void end_failed(cudaError_t error = cudaErrorStreamCaptureInvalidated) {
        cudaGraph_t graph = (cudaGraph_t)1;
        EXPECT_EQ(error, cudaStreamEndCapture(s_, &graph));
        EXPECT_EQ(nullptr, graph);
        EXPECT_EQ(cudaStreamCaptureStatusNone, status());
        EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
        cudaGetLastError();
    }
    void end_and_launch(int times) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
        ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
        ASSERT_EQ(cudaSuccess, cudaGraphDestroy(graph));
        for (int i = 0; i < times; ++i) ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
        ASSERT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    }
    cudaStreamCaptureStatus status() {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        EXPECT_EQ(cudaSuccess, cudaStreamIsCapturing(s_, &status));
        return status;
    }
    cudaStream_t s_, t_;
    cudaEvent_t fork_, join_;
    int *x_;
};

TEST_F(Capture, NothingRunsUntilTheGraphIsLaunchedAndThenEachTime) {
    begin();
    EXPECT_EQ(cudaStreamCaptureStatusActive, status());
    int two = 2;
    add_to<<<1, kThreads, 0, s_>>>(x_, two);
    two = 1000; /* arguments were copied */
    multiply<<<1, kThreads, 0, s_>>>(x_, 3);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    cudaGraph_t graph;
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status());
    EXPECT_EQ(1, value());
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_EQ(1, value());
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    EXPECT_EQ(9, value());
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    EXPECT_EQ(105, value());
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

void increment(void *counter) { ++*(int *)counter; }

TEST_F(Capture, CopiesFillsAndHostFunctionsBecomeNodes) {
    static int source[kThreads], result[kThreads], counter;
    counter = 0;
    for (int i = 0; i < kThreads; ++i) source[i] = 10 + i;
    begin();
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(x_, 0, kThreads * sizeof(int), s_));
    EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(x_, source, sizeof source, cudaMemcpyHostToDevice, s_));
    void *arguments[2] = {&x_, nullptr};
    int five = 5;
    arguments[1] = &five;
    EXPECT_EQ(cudaSuccess,
              cudaLaunchKernel((void *)add_to, dim3(1), dim3(kThreads), arguments, 0, s_));
    EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(result, x_, sizeof result, cudaMemcpyDeviceToHost, s_));
    EXPECT_EQ(cudaSuccess, cudaLaunchHostFunc(s_, increment, &counter));
    cudaGraph_t graph;
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
    EXPECT_EQ(0, counter);
    EXPECT_EQ(0, result[0]);

    cudaGraphNode_t nodes[8];
    size_t count = 8;
    ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nodes, &count));
    ASSERT_EQ(5u, count);
    int of_type[cudaGraphNodeTypeCount] = {};
    for (size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        ASSERT_EQ(cudaSuccess, cudaGraphNodeGetType(nodes[i], &type));
        ++of_type[type];
    }
    EXPECT_EQ(1, of_type[cudaGraphNodeTypeMemset]);
    EXPECT_EQ(2, of_type[cudaGraphNodeTypeMemcpy]);
    EXPECT_EQ(1, of_type[cudaGraphNodeTypeKernel]);
    EXPECT_EQ(1, of_type[cudaGraphNodeTypeHost]);

    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) {
        source[0] = 100 * i; /* read when the graph runs */
        ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
        EXPECT_EQ(100 * i + 5, result[0]);
        EXPECT_EQ(16, result[1]);
        EXPECT_EQ(i + 1, counter);
    }
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

TEST_F(Capture, ForksIntoAnotherStreamAndJoinsAgain) {
    int *y = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&y, kThreads * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemset(y, 0, kThreads * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(t_, fork_, 0));
    add_to<<<1, kThreads, 0, t_>>>(y, 7);
    multiply<<<1, kThreads, 0, s_>>>(x_, 10);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(join_, t_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(s_, join_, 0));
    cudaStreamCaptureStatus fork_status;
    unsigned long long id = 0, fork_id = 0;
    ASSERT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(t_, &fork_status, &fork_id));
    EXPECT_EQ(cudaStreamCaptureStatusActive, fork_status);
    ASSERT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(s_, &fork_status, &id));
    EXPECT_EQ(id, fork_id);
    EXPECT_NE(0u, id);
    ASSERT_EQ(cudaSuccess,
              cudaMemcpyAsync(x_ + 1, y + 1, sizeof(int), cudaMemcpyDeviceToDevice, s_));
    cudaGraph_t graph;
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
    ASSERT_EQ(cudaSuccess, cudaStreamIsCapturing(t_, &fork_status));
    EXPECT_EQ(cudaStreamCaptureStatusNone, fork_status);

    size_t nodes = 0, edges = 0, roots = 0;
    ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nullptr, &nodes));
    ASSERT_EQ(cudaSuccess, cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    ASSERT_EQ(cudaSuccess, cudaGraphGetRootNodes(graph, nullptr, &roots));
    EXPECT_EQ(4u, nodes);
    EXPECT_EQ(4u, edges);
    EXPECT_EQ(1u, roots);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    int v[2];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(v, x_, sizeof v, cudaMemcpyDeviceToHost));
    EXPECT_EQ(20, v[0]);
    EXPECT_EQ(7, v[1]);
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
    EXPECT_EQ(cudaSuccess, cudaFree(y));
}

/* A stream and events that served only the fork may go once the origin has waited for them. */
TEST_F(Capture, AForksStreamMayBeDestroyedBeforeTheCaptureEnds) {
    cudaStream_t fork;
    cudaEvent_t forked, joined;
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&fork, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&forked));
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&joined));
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(forked, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(fork, forked, 0));
    multiply<<<1, kThreads, 0, fork>>>(x_, 10);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(joined, fork));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(s_, joined, 0));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(fork));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(forked));
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(joined));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status());
    add_to<<<1, kThreads, 0, s_>>>(x_, 3);
    end_and_launch(1);
    EXPECT_EQ(23, value());
}

TEST_F(Capture, MemoryThatIsAllocatedAndFreedInTheGraph) {
    int *y = nullptr;
    begin();
    ASSERT_EQ(cudaSuccess, cudaMallocAsync(&y, kThreads * sizeof(int), s_));
    ASSERT_NE(nullptr, y);
    ASSERT_EQ(cudaSuccess, cudaMemsetAsync(y, 0, kThreads * sizeof(int), s_));
    add_to<<<1, kThreads, 0, s_>>>(y, 4);
    ASSERT_EQ(cudaSuccess,
              cudaMemcpyAsync(x_, y, kThreads * sizeof(int), cudaMemcpyDeviceToDevice, s_));
    ASSERT_EQ(cudaSuccess, cudaFreeAsync(y, s_));
    end_and_launch(3);
    EXPECT_EQ(4, value());
}

TEST_F(Capture, AGraphCannotBeLaunchedIntoACapture) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    begin(cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, s_));
    end_failed();
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    EXPECT_EQ(2, value());
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

/* Waiting for other streams is one of the calls that a global capture forbids. */
TEST_F(Capture, OtherStreamsCannotBeWaitedForUnlessTheCaptureIsRelaxed) {
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, t_));
    const cudaStream_t other = t_;
    const cudaEvent_t event = fork_;
    const std::function<cudaError_t()> calls[] = {[=] { return cudaStreamSynchronize(other); },
                                                  [=] { return cudaStreamQuery(other); },
                                                  [=] { return cudaEventSynchronize(event); },
                                                  [=] { return cudaEventQuery(event); },
                                                  [] { return cudaFree(nullptr); }};
    for (const auto &call : calls) {
        begin();
        EXPECT_EQ(cudaErrorStreamCaptureUnsupported, call());
        end_failed();
    }
    begin(cudaStreamCaptureModeRelaxed);
    for (const auto &call : calls) EXPECT_EQ(cudaSuccess, call());
    end_and_launch(1);
}

TEST_F(Capture, IntoAGraphThatIsThereAlready) {
    cudaGraph_t graph, same;
    cudaGraphNode_t first;
    ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = x_;
    fill.value = 3;
    fill.elementSize = 4;
    fill.width = kThreads;
    fill.height = 1;
    ASSERT_EQ(cudaSuccess, cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &fill));
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCaptureToGraph(s_, graph, &first, nullptr, 1,
                                                         cudaStreamCaptureModeGlobal));
    multiply<<<1, kThreads, 0, s_>>>(x_, 5);
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &same));
    EXPECT_EQ(graph, same);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s_));
    EXPECT_EQ(15, value());
    EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

/* ---- what a capture forbids ---- */

TEST_F(Capture, WaitingForTheStreamIs900AndEndsTheCapture) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s_));
    EXPECT_EQ(cudaStreamCaptureStatusInvalidated, status());
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaGetLastError());
    end_failed();
    begin();
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s_));
    end_failed();
    EXPECT_EQ(1, value());
}

TEST_F(Capture, WaitingForTheDeviceIs900) {
    begin();
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    end_failed();
}

TEST_F(Capture, CallsThatNoGraphCouldRepeatAre900UnlessRelaxed) {
    int *y = nullptr;
    begin();
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaMalloc(&y, 100));
    end_failed();
    begin(cudaStreamCaptureModeThreadLocal);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaMalloc(&y, 100));
    end_failed();
    begin(cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaSuccess, cudaMalloc(&y, 100));
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    end_and_launch(1);
    EXPECT_EQ(2, value());
    EXPECT_EQ(cudaSuccess, cudaFree(y));
}

TEST_F(Capture, AnotherThreadsModeDecidesWhatItMayCall) {
    const auto malloc_elsewhere = [](cudaStreamCaptureMode mode) {
        cudaError_t error = cudaSuccess;
        std::thread([&] {
            int *y = nullptr;
            if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess)
                error = cudaMalloc(&y, 100);
            if (error == cudaSuccess) cudaFree(y);
        }).join();
        return error;
    };
    begin(cudaStreamCaptureModeThreadLocal);
    EXPECT_EQ(cudaSuccess, malloc_elsewhere(cudaStreamCaptureModeGlobal));
    end_and_launch(1);
    begin();
    EXPECT_EQ(cudaSuccess, malloc_elsewhere(cudaStreamCaptureModeRelaxed));
    EXPECT_EQ(cudaSuccess, malloc_elsewhere(cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, malloc_elsewhere(cudaStreamCaptureModeGlobal));
    end_failed();
}

TEST_F(Capture, TheThreadsModeIsExchanged) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    ASSERT_EQ(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(cudaStreamCaptureModeGlobal, mode);
    int *y = nullptr;
    begin();
    EXPECT_EQ(cudaSuccess, cudaMalloc(&y, 100));
    end_and_launch(1);
    EXPECT_EQ(cudaSuccess, cudaFree(y));
    ASSERT_EQ(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(cudaStreamCaptureModeRelaxed, mode);
}

TEST_F(Capture, ACapturedEventCannotBeWaitedFor) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, s_));
    EXPECT_EQ(cudaErrorCapturedEvent, cudaEventSynchronize(fork_));
    cudaGraph_t graph;
    cudaStreamEndCapture(s_, &graph);
    if (graph) cudaGraphDestroy(graph);
    begin();
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, s_));
    EXPECT_EQ(cudaErrorCapturedEvent, cudaEventQuery(fork_));
    cudaStreamEndCapture(s_, &graph);
    if (graph) cudaGraphDestroy(graph);
}

TEST_F(Capture, AForkThatIsNotJoinedIs904) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(t_, fork_, 0));
    add_to<<<1, kThreads, 0, t_>>>(x_, 1);
    end_failed(cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(t_));
}

TEST_F(Capture, EndingInTheWrongStreamIs903) {
    begin();
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, s_));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(t_, fork_, 0));
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(t_, &graph));
    cudaStreamEndCapture(s_, &graph);
    if (graph) cudaGraphDestroy(graph);
}

TEST_F(Capture, WaitingForWorkOutsideOfTheCaptureIs905) {
    add_to<<<1, kThreads, 0, t_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, t_));
    begin();
    EXPECT_EQ(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s_, fork_, 0));
    end_failed();
}

TEST_F(Capture, TwoCapturesCannotMerge) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(t_, cudaStreamCaptureModeGlobal));
    add_to<<<1, kThreads, 0, t_>>>(x_, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(fork_, t_));
    EXPECT_EQ(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(s_, fork_, 0));
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(t_, &graph));
    end_failed();
}

TEST_F(Capture, TheLegacyStreamCannotWaitForABlockingStreamThatCaptures) {
    cudaStream_t blocking;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&blocking));
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    cudaStreamCaptureStatus status;
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(cudaStreamLegacy, &status));
    EXPECT_EQ(cudaSuccess, cudaStreamIsCapturing(blocking, &status));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status);
    add_to<<<1, kThreads>>>(x_, 1);
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaGetLastError());
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(blocking));
}

TEST_F(Capture, ANonBlockingStreamThatCapturesLeavesTheLegacyStreamAlone) {
    begin(cudaStreamCaptureModeRelaxed);
    add_to<<<1, kThreads, 0, s_>>>(x_, 100);
    add_to<<<1, kThreads>>>(x_, 1);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(cudaStreamLegacy));
    cudaGraph_t graph;
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s_, &graph));
    EXPECT_EQ(2, value());
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

TEST_F(Capture, AnotherThreadMayNotEndItUnlessRelaxed) {
    begin();
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    cudaError_t error = cudaSuccess;
    cudaGraph_t graph = nullptr;
    std::thread([&] { error = cudaStreamEndCapture(s_, &graph); }).join();
    EXPECT_EQ(cudaErrorStreamCaptureWrongThread, error);
    cudaStreamEndCapture(s_, &graph);
    if (graph) cudaGraphDestroy(graph);
    begin(cudaStreamCaptureModeRelaxed);
    add_to<<<1, kThreads, 0, s_>>>(x_, 1);
    std::thread([&] { error = cudaStreamEndCapture(s_, &graph); }).join();
    EXPECT_EQ(cudaSuccess, error);
    EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

TEST_F(Capture, BeginningAndEndingOutOfTurn) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaErrorIllegalState, cudaStreamEndCapture(s_, &graph));
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported,
              cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    begin();
    EXPECT_EQ(cudaErrorIllegalState, cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal));
    cudaStreamEndCapture(s_, &graph);
    if (graph) cudaGraphDestroy(graph);
    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamBeginCapture(s_, (cudaStreamCaptureMode)7));
}

} // namespace
