/* What only the CPU device has: its settings, its sentences, and the things it finds that a GPU
 * would let pass.
 *
 * Each piece runs in a process of its own, with settings of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cpu_device/alone.h"

__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
__global__ void endless(int *x) {
    while (true) atomicAdd(x, 1);
}
__global__ void split_warp(int *x) {
    if (threadIdx.x % 2) __syncwarp();
    else __syncthreads();
    x[threadIdx.x] = 1;
}
__global__ void wide_static(float *x) {
    { /* what can be seen together is refused when it is built */
        __shared__ float s[7000];
        s[threadIdx.x] = 1.0f;
        x[threadIdx.x] = s[threadIdx.x];
    }
    __shared__ float s[7000];
    s[threadIdx.x] = 1.0f;
    x[threadIdx.x] += s[threadIdx.x];
}
__device__ float device_variable;
__global__ void print_lines() { printf("a line of thread %d\n", threadIdx.x); }
__global__ void print_unknown(double x) { printf("%.*f %d\n", 3, x, 4); }

static float *device_floats(size_t n) {
    float *d = 0;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) _Exit(99);
    return d;
}

TEST(Apart, TheHostMayNotTouchDeviceMemory) {
    EXPECT_SAYS(1, "the host touched device memory: .* is byte 8 of the allocation of 400 bytes", {
        float *d = device_floats(100);
        d[2] = 1.0f;
    });
    EXPECT_SAYS(
        1, "the host touched .* byte 0 of an allocation of 4194304 bytes that has been freed.\n", {
            float *d = device_floats(1 << 20);
            cudaFree(d);
            d[0] = 1.0f;
        });
}

TEST(Apart, TheHostMayNotTouchDeviceVariables) {
    NOT_UNDER_ASAN("its search for leaks reads them, so they stay open");
    EXPECT_SAYS(1, "the host touched a __device__ or __constant__ variable", {
        device_floats(1);
        device_variable = 1.0f;
    });
}

static void of_the_host(float *x) { *x = 1.0f; }

/* On a GPU the function would be called, on the host, and no error be left. */
TEST(Apart, APointerToAFunctionOfTheHostIsNotLaunched) {
    EXPECT_SAYS(
        0,
        "kernel, launched at .*sentences_test.cu:.* is a pointer to a function that is no kernel", {
            float host = 0;
            void (*kernel)(float *) = of_the_host;
            kernel<<<1, 1>>>(&host);
            if (cudaGetLastError() != cudaErrorInvalidDeviceFunction || host != 0) _Exit(98);
            void (*const table[])(float *) = {fill, of_the_host};
            for (auto k : table) k<<<1, 1>>>(nullptr);
            if (cudaGetLastError() != cudaErrorInvalidDeviceFunction) _Exit(97);
        });
}

TEST(Apart, AKernelThatIsCalledIsNamed) {
    EXPECT_SAYS(0, "kernel fill was called as a function is, so it does not run", {
        void (*kernel)(float *) = fill;
        kernel(nullptr);
    });
}

TEST(Apart, AKernelMayNotTouchTheHostsMemory) {
    NOT_UNDER_ASAN("its own check of a host pointer faults first");
    EXPECT_SAYS(
        0, "of kernel fill, launched at .*sentences_test.cu:.* touched .* memory of the host", {
            float host[32];
            fill<<<1, 32>>>(host);
            if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(98);
        });
}

TEST(Launches, WhatIsRefusedIsExplained) {
    EXPECT_SAYS(
        0, "grid \\(5,0,1\\) and block \\(32,32,1\\), does not run: grid.y is 0.*n . block - 1",
        { fill<<<dim3(160 / 32, 20 / 32), dim3(32, 32)>>>(device_floats(1024)); });
    EXPECT_SAYS(0, "need opt-in beyond 49152.*MaxDynamicSharedMemorySize, 65536",
                { fill<<<1, 32, 65536>>>(device_floats(32)); });
    EXPECT_SAYS(1, "__shared__ arrays take 56000 bytes, and may take 49152", {
        wide_static<<<1, 32>>>(device_floats(32));
        _Exit(cudaGetLastError() == cudaErrorInvalidValue);
    });
    EXPECT_SAYS(0, "more than the device has", { fill<<<1, 32, 300000>>>(device_floats(32)); });
}

TEST(Waiting, WhatNeverEndsIsEnded) {
    EXPECT_SAYS(0, "of kernel endless.* has not ended after 1 s", {
        setenv("LAB_CPU_DEVICE_TIME_LIMIT", "1", 1);
        endless<<<1, 32>>>((int *)device_floats(1));
        if (cudaDeviceSynchronize() != cudaErrorLaunchTimeout) _Exit(98);
    });
    EXPECT_SAYS(0,
                "kernel split_warp.* cannot go on: .*32 of 64 threads wait at __syncthreads.*"
                "32 of 64 threads wait at a warp operation",
                {
                    split_warp<<<1, 64>>>((int *)device_floats(64));
                    if (cudaDeviceSynchronize() != cudaErrorLaunchTimeout) _Exit(98);
                });
}

TEST(Waiting, WhatNobodyWaitedForIsLostAndSaidSo) {
    const auto piece = [] { fill<<<1, 32>>>(device_floats(32)); };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT((piece(), exit(0)), ::testing::ExitedWithCode(0),
                "the program ended before 1 queued kernel launch ran, the first of fill at");
}

TEST(Waiting, ABufferThatIsFreedTooEarlyIsNamed) {
    EXPECT_SAYS(0, "source of an asynchronous copy, 4096 bytes at .* was freed before the copy ran",
                {
                    void *pinned = 0;
                    float *d = device_floats(1024);
                    cudaStream_t s;
                    cudaStreamCreate(&s);
                    cudaMallocHost(&pinned, 4096);
                    cudaMemcpyAsync(d, pinned, 4096, cudaMemcpyHostToDevice, s);
                    cudaFreeHost(pinned);
                    if (cudaStreamSynchronize(s) != cudaErrorIllegalAddress) _Exit(98);
                });
}

TEST(Waiting, ABlockingCopyDoesNotWaitForANonBlockingStream) {
    cudaStream_t s;
    float *d = nullptr, h = 0;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, 128));
    ASSERT_EQ(cudaSuccess, cudaMemset(d, 0, 128));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    fill<<<1, 32, 0, s>>>(d);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(0.0f, h) << "stale, as a GPU may give";
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(s));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(1.0f, h);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(Printf, WhatNobodyWaitedForIsLostAndSaidSo) {
    const auto piece = [] {
        setenv("LAB_CPU_DEVICE_BACKGROUND_MS", "1", 1);
        print_lines<<<1, 7>>>();
        while (cudaStreamQuery(0) == cudaErrorNotReady) continue;
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT((piece(), exit(0)), ::testing::ExitedWithCode(0),
                "the program ended before the text of 7 device printf calls was printed");
}

TEST(Printf, AFullBufferLosesItsOldestText) {
    EXPECT_SAYS(0,
                "^CPU device: device printf's buffer of 2048 bytes overflowed: the text of the "
                "first [0-9]+ calls is lost; cudaDeviceSetLimit",
                {
                    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2048);
                    testing::internal::CaptureStdout();
                    print_lines<<<1, 1000>>>();
                    cudaDeviceSynchronize();
                    const std::string text = testing::internal::GetCapturedStdout();
                    if (text.size() > 2048 || text.find("thread 999\n") == std::string::npos)
                        _Exit(98);
                });
}

TEST(Printf, WhatTheDeviceDoesNotKnowIsPrintedAsItStands) {
    EXPECT_SAYS(0, "device printf prints %.\\*f as it stands: it knows flags", {
        testing::internal::CaptureStdout();
        print_unknown<<<1, 1>>>(0.5);
        cudaDeviceSynchronize();
        if (testing::internal::GetCapturedStdout() != "%.*f 4\n") _Exit(98);
    });
}

TEST(Memory, FreshMemoryIsNoZeros) {
    float *d = nullptr, h = 0;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, 128));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&h, d + 3, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_TRUE(h != h);
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(Settings, SeveralDevicesHaveMemoriesOfTheirOwn) {
    NOT_UNDER_ASAN("its own check of a closed address faults first");
    EXPECT_SAYS(0, "", {
        setenv("LAB_CPU_DEVICE_COUNT", "2", 1);
        int n = 0, can = 0;
        cudaGetDeviceCount(&n);
        if (n != 2) _Exit(90);
        cudaSetDevice(1);
        float *d = device_floats(32);
        cudaSetDevice(0);
        if (cudaDeviceEnablePeerAccess(0, 0) != cudaErrorPeerAccessUnsupported) _Exit(91);
        cudaDeviceCanAccessPeer(&can, 0, 1);
        if (!can || cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) _Exit(92);
        fill<<<1, 32>>>(d);
        if (cudaDeviceSynchronize() != cudaSuccess) _Exit(93);
        cudaDeviceDisablePeerAccess(1);
        fill<<<1, 32>>>(d);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(94);
        cudaSetDevice(1);
        if (cudaDeviceSynchronize() != cudaSuccess) _Exit(95);
    });
}

TEST(Settings, TheKthCallFails) {
    EXPECT_SAYS(0, "", {
        setenv("LAB_CPU_DEVICE_FAIL", "malloc:3", 1);
        void *p[4];
        for (int i = 0; i < 4; ++i)
            if (cudaMalloc(&p[i], 64) != (i == 2 ? cudaErrorMemoryAllocation : cudaSuccess))
                _Exit(90 + i);
    });
}

TEST(Settings, MemoryAndRepeats) {
    EXPECT_SAYS(0, "has run 2 times, the limit that LAB_CPU_DEVICE_REPEAT_LIMIT sets", {
        setenv("LAB_CPU_DEVICE_MEMORY", "64M", 1);
        setenv("LAB_CPU_DEVICE_REPEAT_LIMIT", "2", 1);
        void *p = 0;
        if (cudaMalloc(&p, 65 << 20) != cudaErrorMemoryAllocation) _Exit(90);
        if (cudaMalloc(&p, 60 << 20) != cudaSuccess) _Exit(91);
        for (int i = 0; i < 4; ++i) fill<<<1, 32>>>((float *)p);
    });
}

TEST(Settings, NonsenseIsRefused) {
    EXPECT_SAYS(2, "LAB_CPU_DEVICE_THREADS=none: must be a number of 1 to 1024", {
        setenv("LAB_CPU_DEVICE_THREADS", "none", 1);
        device_floats(1);
    });
    EXPECT_SAYS(2, "LAB_CPU_DEVICE_SEED=-1: must be a number of 0 to 18446744073709551615", {
        setenv("LAB_CPU_DEVICE_SEED", "-1", 1);
        device_floats(1);
    });
    EXPECT_SAYS(2, "LAB_CPU_DEVICE_REPEAT_LIMIT=1e3: must be .* of 0 to 18446744073709551615", {
        setenv("LAB_CPU_DEVICE_REPEAT_LIMIT", "1e3", 1);
        device_floats(1);
    });
    EXPECT_SAYS(2,
                "LAB_CPU_DEVICE_THREAD: there is no such setting. These there are: "
                "LAB_CPU_DEVICE_COUNT,.* LAB_CPU_DEVICE_THREADS,.* LAB_CPU_DEVICE_FAIL\n$",
                {
                    setenv("LAB_CPU_DEVICE_THREAD", "2", 1);
                    device_floats(1);
                });
    EXPECT_SAYS(2, "LAB_CPU_DEVICE_FAIL=free:1: must be malloc:K, copy:K or launch:K", {
        setenv("LAB_CPU_DEVICE_FAIL", "free:1", 1);
        device_floats(1);
    });
}
