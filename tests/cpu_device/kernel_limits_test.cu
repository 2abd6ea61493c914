/* What a kernel's own limits change: __launch_bounds__ in launches, attributes and occupancy; the
 * most dynamic shared memory, and what is left beside static arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/cpu_device/alone.h"

namespace {

constexpr int kThreads = 50;

__global__ void unlimited(int *x) {
    if (x) *x = 1;
}
__global__ void __launch_bounds__(128) limited(int *x) {
    if (x) *x = 1;
}
__launch_bounds__(256, 4) __global__ void with_blocks(int *x) {
    if (x) *x = 1;
}
__global__ __launch_bounds__(2 * kThreads) void of_expression(int *x) {
    if (x) *x = 1;
}
template <int n, class T>
__global__ void __launch_bounds__((n > 4 ? n * 8 : 32), 1) of_template(T *x) {
    if (x) *x = n;
}
template <class T>
__global__ void of_free_template(T *x) {
    if (x) *x = 1;
}
__global__ void __launch_bounds__(64) declared_before(int *x);
__global__ void declared_before(int *x) {
    if (x) *x = 1;
}
__global__ void overloaded(int *x) {
    if (x) *x = 1;
}
__global__ void __launch_bounds__(32) overloaded(int *x, int y) {
    if (x) *x = y;
}
/* A barrier in it: the kernel may be cut there. */
__global__ void __launch_bounds__(96) with_barrier(int *x) {
    __shared__ int s[96];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (x) x[threadIdx.x] = s[95 - threadIdx.x];
}

__global__ void with_static(int *x) {
    __shared__ int s[4];
    if (threadIdx.x < 4)
        s[threadIdx.x] = (int)clock(); /* a constant would take the array's place */
    __syncthreads();
    if (x) *x = s[threadIdx.x % 4 ^ 1];
}
__global__ void with_both(int *x) {
    __shared__ int s[4];
    extern __shared__ int d[];
    if (threadIdx.x < 4) s[threadIdx.x] = (int)clock();
    if (x) d[threadIdx.x] = 1;
    __syncthreads();
    if (x) *x = s[threadIdx.x % 4 ^ 1] + d[threadIdx.x];
}

void of_the_host(int *) {}

int max_threads(void (*kernel)(int *)) {
    cudaFuncAttributes attributes = {};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
    return attributes.maxThreadsPerBlock;
}

/* The kernel takes blocks of `most` threads and no more, and says so. */
void expect_most(void (*kernel)(int *), int most) {
    EXPECT_EQ(max_threads(kernel), most);
    kernel<<<1, most>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    if (most < 1024) kernel<<<2, most + 1>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), most < 1024 ? cudaErrorInvalidValue : cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    int blocks = -1, grid = 0, size = 0;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, most, 0), cudaSuccess);
    EXPECT_GT(blocks, 0);
    EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &size, kernel, 0, 0), cudaSuccess);
    EXPECT_LE(size, most);
    EXPECT_GT(size, 0);
}

TEST(KernelLimits, LaunchBounds) {
    expect_most(unlimited, 1024);
    expect_most(limited, 128);
    expect_most(with_blocks, 256);
    expect_most(of_expression, 100);
    expect_most(of_template<16, int>, 128);
    expect_most(of_template<4, int>, 32);
    expect_most(of_free_template<int>, 1024);
    expect_most(declared_before, 64);
    expect_most(with_barrier, 96);
    expect_most((void (*)(int *))overloaded, 1024);
}

TEST(KernelLimits, LaunchBoundsInLaunchesOfAllKinds) {
    limited<<<1, dim3(16, 9)>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    limited<<<1, dim3(16, 8)>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    void (*const of_two)(int *, int) = overloaded;
    of_two<<<1, 33>>>(nullptr, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    overloaded<<<1, 33>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    int *x = nullptr;
    void *arguments[] = {&x};
    EXPECT_EQ(cudaLaunchKernel((const void *)limited, dim3(1), dim3(129), arguments, 0, 0),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaLaunchKernel((const void *)of_template<16, int>, dim3(1), dim3(129), arguments, 0,
                               0),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaLaunchKernel((const void *)of_template<16, int>, dim3(1), dim3(128), arguments, 0,
                               0),
              cudaSuccess);
    cudaGetLastError();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

/* The calls that ask about a size and a shape. */
TEST(KernelLimits, Occupancy) {
    int blocks = -1, grid = -1, size = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, limited, 256, 0), cudaSuccess);
    EXPECT_EQ(blocks, 8); /* though a launch of it would fail */
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_blocks, 128,
                                                            48 * 1024 + 4),
              cudaSuccess);
    EXPECT_EQ(blocks, 0);
    EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &size, with_blocks, 100000, 0),
              cudaSuccess);
    EXPECT_EQ(grid, 0);
    EXPECT_EQ(size, 0);
    size_t available = 0;
    EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&available, (const void *)with_static, 2,
                                                        128),
              cudaSuccess);
    EXPECT_EQ(available, 48 * 1024 - 16u);
}

int most_dynamic(void (*kernel)(int *)) {
    cudaFuncAttributes attributes = {};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
    return attributes.maxDynamicSharedSizeBytes;
}

TEST(KernelLimits, DynamicSharedMemoryBesideStatic) {
    cudaFuncAttributes attributes = {};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, with_static), cudaSuccess);
    EXPECT_EQ(attributes.sharedSizeBytes, 16u);
    EXPECT_EQ(most_dynamic(unlimited), 48 * 1024);
    EXPECT_EQ(most_dynamic(with_both), 48 * 1024 - 16);
    with_both<<<1, 32, 48 * 1024 - 16>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    with_both<<<1, 32, 48 * 1024>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(KernelLimits, DynamicSharedMemoryByOptIn) {
    const cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const int most = 227 * 1024;
    EXPECT_EQ(cudaFuncSetAttribute(unlimited, size, most), cudaSuccess);
    EXPECT_EQ(most_dynamic(unlimited), most);
    EXPECT_EQ(cudaFuncSetAttribute(unlimited, size, most + 4), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(with_both, size, most), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(with_both, size, most - 16), cudaSuccess);
    EXPECT_EQ(most_dynamic(with_both), most - 16);
    with_both<<<1, 32, 227 * 1024 - 16>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaFuncSetAttribute(with_both, size, 60000), cudaSuccess);
    with_both<<<1, 32, 60004>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    with_both<<<1, 32, 60000>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaFuncSetAttribute(with_both, size, 1000), cudaSuccess);
    EXPECT_EQ(most_dynamic(with_both), 1000);
    with_both<<<1, 32, 1004>>>(nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(KernelLimits, WhatIsNoKernel) {
    EXPECT_EQ(cudaFuncSetAttribute((const void *)of_the_host,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, 1000),
              cudaErrorInvalidResourceHandle);
    cudaFuncAttributes attributes = {};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, (const void *)of_the_host),
              cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    EXPECT_EQ(cudaFuncSetAttribute(of_free_template<float>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, 1000),
              cudaSuccess);
}

} // namespace
