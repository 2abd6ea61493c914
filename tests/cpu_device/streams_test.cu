/* Streams and events: what is ordered before what, the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

__global__ void append(int *list, int value) {
    if (threadIdx.x == 0) {
        const int n = list[0]++;
        list[1 + n] = value;
    }
}

__global__ void work(float *x, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; ++r) v = v * 0.999f + 1.0f;
    x[i] = v;
}

static void append_on_host(void *list) {
    int *l = (int *)list;
    l[1 + l[0]] = 100 + l[0];
    l[0]++;
}

TEST(Streams, OneStreamKeepsItsOrder) {
    int *list = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&list, 101 * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemset(list, 0, 101 * sizeof(int)));
    cudaStream_t s;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&s));
    for (int i = 0; i < 100; ++i) append<<<1, 32, 0, s>>>(list, i);
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s));
    int h[101];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list, sizeof h, cudaMemcpyDeviceToHost));
    ASSERT_EQ(100, h[0]);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(i, h[1 + i]);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s));
    EXPECT_EQ(cudaSuccess, cudaFree(list));
}

TEST(Streams, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
    int *list = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&list, 10 * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemset(list, 0, 10 * sizeof(int)));
    cudaStream_t a, b;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&a));
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&b));
    append<<<1, 32, 0, a>>>(list, 1);
    append<<<1, 32>>>(list, 2);
    append<<<1, 32, 0, b>>>(list, 3);
    append<<<1, 32>>>(list, 4);
    int h[10];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(4, h[0]);
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(i, h[i]);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(a));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(b));
    EXPECT_EQ(cudaSuccess, cudaFree(list));
}

TEST(Streams, AnEventOrdersOneStreamAfterAnother) {
    int *list = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&list, 10 * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemset(list, 0, 10 * sizeof(int)));
    cudaStream_t a, b;
    cudaEvent_t e;
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    append<<<1, 32, 0, a>>>(list, 1);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e, a));
    ASSERT_EQ(cudaSuccess, cudaStreamWaitEvent(b, e, 0));
    append<<<1, 32, 0, b>>>(list, 2);
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(b));
    int h[10];
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, list, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(2, h[0]);
    EXPECT_EQ(1, h[1]);
    EXPECT_EQ(2, h[2]);
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(e));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(a));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(b));
    EXPECT_EQ(cudaSuccess, cudaFree(list));
}

TEST(Streams, HostFunctionsRunInTheirTurn) {
    static int list[10];
    list[0] = 0;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaSuccess, cudaLaunchHostFunc(0, append_on_host, list));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(3, list[0]);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(100 + i, list[1 + i]);
}

TEST(Streams, AsynchronousCopiesFromPinnedMemoryHappenLater) {
    const size_t n = 1 << 16;
    float *pinned = nullptr, *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocHost(&pinned, n * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, n * sizeof(float)));
    for (size_t i = 0; i < n; ++i) pinned[i] = (float)i;
    cudaStream_t s;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&s));
    ASSERT_EQ(cudaSuccess,
              cudaMemcpyAsync(d, pinned, n * sizeof(float), cudaMemcpyHostToDevice, s));
    work<<<(n + 255) / 256, 256, 0, s>>>(d, (int)n, 1);
    ASSERT_EQ(cudaSuccess,
              cudaMemcpyAsync(pinned, d, n * sizeof(float), cudaMemcpyDeviceToHost, s));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_FLOAT_EQ(1.0f, pinned[0]);
    EXPECT_FLOAT_EQ(1000.0f * 0.999f + 1.0f, pinned[1000]);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s));
    EXPECT_EQ(cudaSuccess, cudaFreeHost(pinned));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(Streams, PollingComesToAnEndAndNotReadyIsNoLastError) {
    const int n = 1 << 20;
    float *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, n * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMemset(d, 0, n * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    cudaEvent_t e;
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&e));
    work<<<(n + 255) / 256, 256>>>(d, n, 200);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e));
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(0));
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    cudaError_t status;
    while ((status = cudaEventQuery(e)) == cudaErrorNotReady) continue;
    EXPECT_EQ(cudaSuccess, status);
    EXPECT_EQ(cudaSuccess, cudaEventDestroy(e));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(Events, TimesGrow) {
    const int n = 1 << 18;
    float *d = nullptr, once = 0, many = 0, none = 0;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, n * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMemset(d, 0, n * sizeof(float)));
    cudaEvent_t e[4];
    for (cudaEvent_t &x : e) ASSERT_EQ(cudaSuccess, cudaEventCreate(&x));
    work<<<n / 256, 256>>>(d, n, 10);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e[0]));
    work<<<n / 256, 256>>>(d, n, 10);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e[1]));
    for (int i = 0; i < 50; ++i) work<<<n / 256, 256>>>(d, n, 10);
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e[2]));
    ASSERT_EQ(cudaSuccess, cudaEventRecord(e[3]));
    ASSERT_EQ(cudaSuccess, cudaEventSynchronize(e[3]));
    ASSERT_EQ(cudaSuccess, cudaEventElapsedTime(&once, e[0], e[1]));
    ASSERT_EQ(cudaSuccess, cudaEventElapsedTime(&many, e[1], e[2]));
    ASSERT_EQ(cudaSuccess, cudaEventElapsedTime(&none, e[2], e[3]));
    EXPECT_GT(once, 0.0f);
    EXPECT_GT(many, once); /* 50 launches against 1 */
    EXPECT_GE(none, 0.0f);
    for (cudaEvent_t x : e) EXPECT_EQ(cudaSuccess, cudaEventDestroy(x));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(Events, WhatCannotBeTimed) {
    cudaEvent_t recorded, fresh, untimed;
    float ms = 0;
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&recorded));
    ASSERT_EQ(cudaSuccess, cudaEventCreate(&fresh));
    ASSERT_EQ(cudaSuccess, cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    ASSERT_EQ(cudaSuccess, cudaEventRecord(recorded));
    ASSERT_EQ(cudaSuccess, cudaEventRecord(untimed));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, fresh));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, untimed));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaGetLastError());
    /* An event that was never recorded is done. */
    EXPECT_EQ(cudaSuccess, cudaEventQuery(fresh));
    EXPECT_EQ(cudaSuccess, cudaEventSynchronize(fresh));
    for (cudaEvent_t e : {recorded, fresh, untimed}) EXPECT_EQ(cudaSuccess, cudaEventDestroy(e));
}
