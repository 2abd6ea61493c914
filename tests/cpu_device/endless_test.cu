/* Which kernels LAB_CPU_DEVICE_TIME_LIMIT ends: those of which no block ends while the host waits,
 * however long others take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <unistd.h>

#include "tests/cpu_device/alone.h"

/* A millisecond of work, or two. */
__device__ unsigned work(unsigned x) {
    for (int i = 0; i < 1000000; ++i) x = x * 1664525u + 1013904223u;
    return x;
}
__global__ void never_waits(unsigned *x) { x[threadIdx.x] = work(blockIdx.x + threadIdx.x); }
__global__ void is_cut(unsigned *x) {
    __shared__ unsigned s[4];
    s[threadIdx.x] = work(blockIdx.x + threadIdx.x);
    __syncthreads();
    x[threadIdx.x] = s[3 - threadIdx.x];
}
__global__ void may_wait(volatile unsigned *x) { x[threadIdx.x] = work(blockIdx.x + threadIdx.x); }
__global__ void sets_a_flag_late(unsigned *x, volatile int *flag) {
    x[threadIdx.x] = work(blockIdx.x + threadIdx.x);
    if (blockIdx.x == gridDim.x - 1) *flag = 1;
}
__global__ void waits(volatile int *flag) {
    while (*flag == 0) {}
}
/* All blocks but the last end. */
__global__ void last_is_endless(volatile int *flag) {
    if (blockIdx.x == gridDim.x - 1)
        while (*flag == 0) {}
}

template <class T>
static T *on_device(size_t n) {
    T *d = nullptr;
    if (cudaMalloc(&d, n * sizeof(T)) != cudaSuccess ||
        cudaMemset(d, 0, n * sizeof(T)) != cudaSuccess)
        _Exit(99);
    return d;
}
static void limit_to_a_second() { setenv("LAB_CPU_DEVICE_TIME_LIMIT", "1", 1); }

TEST(TimeLimit, LeavesKernelsWhoseBlocksEnd) {
    RUN_ALONE({
        limit_to_a_second();
        never_waits<<<400, 4>>>(on_device<unsigned>(4));
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
    });
    RUN_ALONE({
        limit_to_a_second();
        is_cut<<<400, 4>>>(on_device<unsigned>(4));
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
    });
    RUN_ALONE({
        limit_to_a_second();
        may_wait<<<400, 4>>>(on_device<unsigned>(4));
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
    });
}

TEST(TimeLimit, LeavesAKernelThatWaitsForOneThatGetsOn) {
    RUN_ALONE({
        limit_to_a_second();
        cudaStream_t a, b;
        CHECK_ALONE(cudaSuccess, cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
        CHECK_ALONE(cudaSuccess, cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
        int *flag = on_device<int>(1);
        unsigned *x = on_device<unsigned>(4);
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
        waits<<<1, 1, 0, a>>>(flag);
        sets_a_flag_late<<<400, 4, 0, b>>>(x, flag);
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
    });
}

TEST(TimeLimit, LeavesAKernelThatTheHostDoesNotWaitFor) {
    RUN_ALONE({
        limit_to_a_second();
        int *flag;
        CHECK_ALONE(cudaSuccess, cudaMallocHost(&flag, sizeof(int)));
        *flag = 0;
        waits<<<1, 1>>>(flag);
        CHECK_ALONE(cudaErrorNotReady, cudaStreamQuery(0));
        sleep(2);
        CHECK_ALONE(cudaErrorNotReady, cudaStreamQuery(0));
        *(volatile int *)flag = 1;
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
    });
}

TEST(TimeLimit, EndsWhatNothingCanLetGoOn) {
    EXPECT_SAYS(
        0,
        "kernel last_is_endless.* has not ended after 1 s in which .*2 of its 3 blocks have ended.*endless loop",
        {
            limit_to_a_second();
            last_is_endless<<<3, 32>>>(on_device<int>(1));
            if (cudaDeviceSynchronize() != cudaErrorLaunchTimeout) _Exit(98);
        });
}

/* Asking time and again is waiting. */
TEST(TimeLimit, EndsWhatTheHostAsksForAgainAndAgain) {
    EXPECT_SAYS(0, "kernel waits.* has not ended after 1 s", {
        limit_to_a_second();
        waits<<<1, 1>>>(on_device<int>(1));
        cudaError_t e;
        while ((e = cudaStreamQuery(0)) == cudaErrorNotReady) usleep(1000);
        if (e != cudaErrorLaunchTimeout) _Exit(98);
    });
}
