/* Allocations, copies and fills: what is accepted and what each refusal answers, the same on
 * the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <string.h>

#include <vector>

__global__ void add_one(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}

/* No test leaves an error behind for the next. */
class Memory : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(cudaSuccess, cudaMalloc(&d_, 1000));
        ASSERT_EQ(cudaSuccess, cudaMemset(d_, 0, 1000));
    }
    void TearDown() override {
        cudaGetLastError();
        EXPECT_EQ(cudaSuccess, cudaFree(d_));
    }
    char *d_ = nullptr;
    char host_[2000] = {};
};

TEST(Allocation, NothingIsANullPointer) {
    void *p = &p;
    EXPECT_EQ(cudaSuccess, cudaMalloc(&p, 0));
    EXPECT_EQ(nullptr, p);
    p = &p;
    EXPECT_EQ(cudaSuccess, cudaMallocHost(&p, 0));
    EXPECT_EQ(nullptr, p);
    p = &p;
    EXPECT_EQ(cudaSuccess, cudaMallocManaged(&p, 0));
    EXPECT_EQ(nullptr, p);
    EXPECT_EQ(cudaSuccess, cudaFree(nullptr));
    EXPECT_EQ(cudaSuccess, cudaFreeHost(nullptr));
}

TEST(Allocation, TooMuchIsOutOfMemoryAndANullPointer) {
    void *p = &p;
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 60));
    EXPECT_EQ(nullptr, p);
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
    size_t free_bytes = 0, total_bytes = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_bytes, &total_bytes));
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, total_bytes + 1));
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
}

TEST(Allocation, IsAlignedAndCountedAndGivenBack) {
#ifdef LAB_CPU_DEVICE_CHECK
    const size_t alignment = 16; /* --config=check puts ends, not beginnings, where pages do */
#else
    const size_t alignment = 256;
#endif
    size_t before = 0, total = 0, after = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&before, &total));
    std::vector<void *> all;
    for (size_t size : {1, 3, 256, 1000, 4096, 1 << 20, (1 << 20) + 1, 3 << 20}) {
        void *p = nullptr;
        ASSERT_EQ(cudaSuccess, cudaMalloc(&p, size));
        EXPECT_EQ(0u, (uintptr_t)p % alignment);
        all.push_back(p);
    }
    for (void *p : all) EXPECT_EQ(cudaSuccess, cudaFree(p));
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&after, &total));
#ifdef LAB_CPU_DEVICE
    EXPECT_EQ(before, after);
#else
    EXPECT_GT(after, 0u); /* other programs use a GPU's memory too */
#endif
}

TEST(Allocation, WhatWasNeverOrAlreadyGivenIsInvalid) {
    int local = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&local));
    void *p = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&p, 100));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree((char *)p + 4));
    EXPECT_EQ(cudaSuccess, cudaFree(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 4));
    cudaGetLastError();
}

TEST_F(Memory, SizesAreCheckedToTheByte) {
    EXPECT_EQ(cudaSuccess, cudaMemcpy(d_, host_, 1000, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(d_, host_, 1001, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(d_ + 1, host_, 1000, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host_, d_, 1001, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaSuccess, cudaMemset(d_, 0, 1000));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(d_, 0, 1001));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(host_, 0, 10));
}

TEST_F(Memory, FreedPointersAreInvalid) {
    void *p = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&p, 100));
    ASSERT_EQ(cudaSuccess, cudaFree(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(p, host_, 100, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(p, 0, 100));
}

TEST_F(Memory, DirectionsAreCheckedWhereTheHostIsSure) {
    char other[64] = {};
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host_, d_, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(d_, host_, 64, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(d_, host_, 64, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host_, d_, 64, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(cudaSuccess, cudaMemcpy(host_, other, 64, cudaMemcpyHostToHost));
    EXPECT_EQ(cudaSuccess, cudaMemcpy(d_, host_, 64, cudaMemcpyDefault));
    EXPECT_EQ(cudaSuccess, cudaMemcpy(host_, d_, 64, cudaMemcpyDefault));
    EXPECT_EQ(cudaSuccess, cudaMemcpy(host_, d_, 64, cudaMemcpyHostToHost));
    EXPECT_EQ(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d_, host_, 64, (cudaMemcpyKind)7));
}

TEST_F(Memory, PinnedAndManagedMemoryGoWithEveryDirection) {
    void *pinned = nullptr, *managed = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocHost(&pinned, 64));
    ASSERT_EQ(cudaSuccess, cudaMallocManaged(&managed, 64));
    for (void *p : {pinned, managed})
        for (cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                    cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
            EXPECT_EQ(cudaSuccess, cudaMemcpy(p, d_, 64, kind)) << kind;
            EXPECT_EQ(cudaSuccess, cudaMemcpy(d_, p, 64, kind)) << kind;
        }
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaFreeHost(pinned));
    EXPECT_EQ(cudaSuccess, cudaFree(managed));
}

TEST_F(Memory, NothingToCopyIsAlwaysRight) {
    EXPECT_EQ(cudaSuccess, cudaMemcpy(d_, host_, 0, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaSuccess, cudaMemset(d_, 1, 0));
}

TEST_F(Memory, PointerAttributes) {
    cudaPointerAttributes a;
    ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&a, d_ + 10));
    EXPECT_EQ(cudaMemoryTypeDevice, a.type);
    EXPECT_EQ(0, a.device);
    EXPECT_EQ(d_ + 10, a.devicePointer);
    EXPECT_EQ(nullptr, a.hostPointer);
    ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&a, host_));
    EXPECT_EQ(cudaMemoryTypeUnregistered, a.type);
    void *pinned = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocHost(&pinned, 64));
    ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&a, pinned));
    EXPECT_EQ(cudaMemoryTypeHost, a.type);
    EXPECT_EQ(cudaSuccess, cudaFreeHost(pinned));
}

TEST(Managed, BothSidesSeeTheSameMemory) {
    float *x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocManaged(&x, 300 * sizeof(float)));
    for (int i = 0; i < 300; ++i) x[i] = (float)i;
    add_one<<<2, 256>>>(x, 300);
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    for (int i = 0; i < 300; ++i) ASSERT_EQ((float)i + 1.0f, x[i]);
    EXPECT_EQ(cudaSuccess, cudaFree(x));
}

TEST(Mapped, KernelsUsePinnedMemory) {
    float *x = nullptr, *d_x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaHostAlloc(&x, 300 * sizeof(float), cudaHostAllocMapped));
    ASSERT_EQ(cudaSuccess, cudaHostGetDevicePointer(&d_x, x, 0));
    for (int i = 0; i < 300; ++i) x[i] = (float)i;
    add_one<<<2, 256>>>(d_x, 300);
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    for (int i = 0; i < 300; ++i) ASSERT_EQ((float)i + 1.0f, x[i]);
    EXPECT_EQ(cudaSuccess, cudaFreeHost(x));
}

TEST(Registered, HostMemoryCanBeMadePinned) {
    std::vector<float> x(1 << 16, 1.0f);
    const size_t size = x.size() * sizeof(float);
    ASSERT_EQ(cudaSuccess, cudaHostRegister(x.data(), size, cudaHostRegisterDefault));
    EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered,
              cudaHostRegister(x.data(), size, cudaHostRegisterDefault));
    EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered, cudaGetLastError());
    float *d_x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaHostGetDevicePointer(&d_x, x.data(), 0));
    add_one<<<256, 256>>>(d_x, 1 << 16);
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(2.0f, x[1000]);
    EXPECT_EQ(cudaSuccess, cudaHostUnregister(x.data()));
    EXPECT_EQ(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(x.data()));
    cudaGetLastError();
}

TEST(Copy2D, RowsWithGaps) {
    char *d = nullptr;
    size_t pitch = 0;
    ASSERT_EQ(cudaSuccess, cudaMallocPitch(&d, &pitch, 100, 7));
    EXPECT_GE(pitch, 100u);
    char in[7][120], out[7][110];
    memset(out, 0, sizeof out);
    for (int r = 0; r < 7; ++r)
        for (int c = 0; c < 120; ++c) in[r][c] = (char)(r * 31 + c);
    ASSERT_EQ(cudaSuccess, cudaMemcpy2D(d, pitch, in, 120, 100, 7, cudaMemcpyHostToDevice));
    ASSERT_EQ(cudaSuccess, cudaMemcpy2D(out, 110, d, pitch, 100, 7, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 7; ++r) {
        EXPECT_EQ(0, memcmp(in[r], out[r], 100)) << r;
        for (int c = 100; c < 110; ++c) EXPECT_EQ(0, out[r][c]);
    }
    EXPECT_EQ(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(d, pitch, in, 50, 100, 7, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidPitchValue, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

TEST(DeviceQuery, AnswersAndRefusals) {
    int n = 0, value = 0;
    ASSERT_EQ(cudaSuccess, cudaGetDeviceCount(&n));
    ASSERT_GE(n, 1);
    cudaDeviceProp p;
    ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&p, 0));
    EXPECT_NE('\0', p.name[0]);
    EXPECT_EQ(32, p.warpSize);
    EXPECT_EQ(1024, p.maxThreadsPerBlock);
    EXPECT_EQ(64, p.maxThreadsDim[2]);
    EXPECT_EQ(65535, p.maxGridSize[1]);
    EXPECT_EQ(49152u, p.sharedMemPerBlock);
    EXPECT_EQ(65536u, p.totalConstMem);
    EXPECT_GT(p.totalGlobalMem, 0u);
    EXPECT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, n));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(n));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(-1));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, n));
    EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    cudaGetLastError();
}
