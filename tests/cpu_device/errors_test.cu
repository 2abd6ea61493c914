/* Launch limits, error codes and what sticks: the same answers on the CPU device and on a GPU.
 *
 * What is asserted was measured on an H200 with toolkit 13.0. Tests whose faults stick run in
 * processes of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include "tests/cpu_device/alone.h"

__global__ void store(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
__global__ void store_at(float *x, size_t i) { x[i] = 1.0f; }
__global__ void nothing() {}
__global__ void touch_dynamic(float *out) {
    extern __shared__ float window[];
    window[threadIdx.x] = (float)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = window[blockDim.x - 1 - threadIdx.x];
}
__global__ void touch_both(float *out) {
    __shared__ float few[32];
    extern __shared__ float many[];
    few[threadIdx.x] = 2.0f;
    many[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = few[31 - threadIdx.x] + many[31 - threadIdx.x];
}
__global__ void out_of_shared(float *out, int by) {
    __shared__ float s[32];
    s[threadIdx.x] = 1.0f;
    __syncthreads();
    s[threadIdx.x + by] = 2.0f;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

static cudaError_t launch_error(dim3 grid, dim3 block, size_t shared = 0) {
    nothing<<<grid, block, shared>>>();
    return cudaGetLastError();
}

TEST(LaunchLimits, WhatDoesNotFitIsRefusedAndDoesNotStick) {
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(0), dim3(1)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1, 0), dim3(1)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1, 1, 0), dim3(1)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(0)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(1025)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(1, 1, 65)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(32, 33)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1, 65536), dim3(1)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1, 1, 65536), dim3(1)));
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(1), 49153));
    EXPECT_EQ(cudaSuccess, launch_error(dim3(1), dim3(1)));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
}

template <class T, class = void>
__global__ void set_one(T *x) {
    *x = 1;
}
template <class Kernel, class... A>
static void call(Kernel kernel, A... arguments) {
    kernel(arguments...);
}

TEST(Launch, AKernelThatIsCalledDoesNotRun) {
    int *x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocManaged(&x, sizeof *x));
    *x = 7;
    void (*pointer)(int *) = set_one<int>;
    call(nothing);
    EXPECT_EQ(cudaErrorMissingConfiguration, cudaGetLastError());
    call(set_one<int>, x);
    EXPECT_EQ(cudaErrorMissingConfiguration, cudaGetLastError());
    pointer(x);
    EXPECT_EQ(cudaErrorMissingConfiguration, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorMissingConfiguration, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(7, *x);
    pointer<<<1, 1>>>(x);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(1, *x);
    cudaFree(x);
}

TEST(LaunchLimits, WhatJustFitsRuns) {
    EXPECT_EQ(cudaSuccess, launch_error(dim3(1, 65535), dim3(1)));
    EXPECT_EQ(cudaSuccess, launch_error(dim3(1), dim3(1024)));
    EXPECT_EQ(cudaSuccess, launch_error(dim3(1), dim3(4, 4, 64)));
    EXPECT_EQ(cudaSuccess, launch_error(dim3(1), dim3(1), 49152));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
}

TEST(LaunchLimits, StaticAndDynamicSharedMemoryCountTogether) {
    float *out = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&out, 32 * sizeof(float)));
    touch_both<<<1, 32, 49152>>>(out);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    touch_both<<<1, 32, 49152 - 128>>>(out);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaFree(out));
}

TEST(LaunchLimits, OptInRaisesDynamicSharedMemoryToTheDevicesLimit) {
    int limit = 0;
    ASSERT_EQ(cudaSuccess,
              cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    float *out = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&out, 32 * sizeof(float)));
    touch_dynamic<<<1, 32, 65536>>>(out);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaFuncSetAttribute(touch_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   limit + 1));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    ASSERT_EQ(cudaSuccess, cudaFuncSetAttribute(
                               touch_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    touch_dynamic<<<1, 32, limit>>>(out);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    touch_dynamic<<<1, 32, limit + 1>>>(out);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaFree(out));
}

TEST(LastError, PeekKeepsAndGetClears) {
    EXPECT_EQ(cudaErrorInvalidValue, launch_error(dim3(1), dim3(1025)));
    nothing<<<1, 1025>>>();
    EXPECT_EQ(cudaErrorInvalidValue, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorInvalidValue, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST(LastError, NamesAndTexts) {
    EXPECT_STREQ("cudaSuccess", cudaGetErrorName(cudaSuccess));
    EXPECT_STREQ("no error", cudaGetErrorString(cudaSuccess));
    EXPECT_STREQ("cudaErrorInvalidValue", cudaGetErrorName(cudaErrorInvalidValue));
    EXPECT_STREQ("invalid argument", cudaGetErrorString(cudaErrorInvalidValue));
    EXPECT_STREQ("an illegal memory access was encountered",
                 cudaGetErrorString(cudaErrorIllegalAddress));
    EXPECT_STREQ("unrecognized error code", cudaGetErrorName((cudaError_t)12345));
}

TEST(StickyErrors, NullPointer) {
    RUN_ALONE({
        store<<<1, 32>>>((float *)0);
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaGetLastError());
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        float *p = 0;
        CHECK_ALONE(cudaErrorIllegalAddress, cudaMalloc(&p, 4));
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

TEST(StickyErrors, HostPointer) {
    NOT_UNDER_ASAN("its own check of a host pointer faults first");
    RUN_ALONE({
        float *host = (float *)malloc(128);
        store<<<1, 32>>>(host);
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

struct Matrix {
    int rows, columns;
    float *elements;
    double scale;
};

__global__ void store_in(Matrix m) { m.elements[threadIdx.x] = (float)m.scale; }
struct AddScale {
    Matrix m, kept;
    __device__ void operator()(int i) const { m.elements[i] += (float)kept.scale; }
};
template <class F>
__global__ void call(F f) {
    f(threadIdx.x);
}

/* Pointers in structures are the device's, or an error when they are used. */
TEST(StickyErrors, HostPointerInAStructure) {
    NOT_UNDER_ASAN("its own check of a host pointer faults first");
    RUN_ALONE({
        Matrix m = {4, 8, (float *)malloc(128), 2.0};
        store_in<<<1, 32>>>(m);
        CHECK_ALONE(700, cudaDeviceSynchronize());
    });
    RUN_ALONE({
        Matrix m = {4, 8, nullptr, 2.0};
        const Matrix kept = {1, 2, (float *)malloc(128),
                             3.0}; /* of no use to the device, and not used */
        CHECK_ALONE(0, cudaMalloc(&m.elements, 128));
        store_in<<<1, 32>>>(m);
        call<<<1, 32>>>(AddScale{m, kept});
        float h[32];
        CHECK_ALONE(0, cudaMemcpy(h, m.elements, sizeof h, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; ++i) CHECK_ALONE(5, h[i]);
    });
}

TEST(StickyErrors, FarBeyondSharedMemory) {
    RUN_ALONE({
        float *out = 0;
        cudaMalloc(&out, 128);
        out_of_shared<<<1, 32>>>(out, 1 << 16);
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

TEST(StickyErrors, DynamicSharedMemoryThatWasNotAskedFor) {
    RUN_ALONE({
        float *out = 0;
        cudaMalloc(&out, 128);
        touch_dynamic<<<1, 32>>>(out);
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

TEST(StickyErrors, FarBeyondAnAllocation) {
    RUN_ALONE({
        float *x = 0;
        cudaMalloc(&x, 4000);
        store_at<<<1, 1>>>(x, (size_t)1 << 33);
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}

TEST(StickyErrors, CallsThatStillWork) {
    RUN_ALONE({
        store<<<1, 32>>>((float *)0);
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        int n = 0;
        CHECK_ALONE(cudaSuccess, cudaGetDeviceCount(&n));
        CHECK_ALONE(cudaSuccess, cudaGetDevice(&n));
        CHECK_ALONE(cudaSuccess, cudaSetDevice(0));
        cudaDeviceProp prop;
        CHECK_ALONE(cudaSuccess, cudaGetDeviceProperties(&prop, 0));
        CHECK_ALONE(cudaSuccess, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
        char a[4], b[4];
        CHECK_ALONE(cudaSuccess, cudaMemcpy(a, b, 0, cudaMemcpyHostToHost));
    });
}

TEST(StickyErrors, ResetSucceedsAndThenTheDeviceIsLost) {
    RUN_ALONE({
        store<<<1, 32>>>((float *)0);
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        CHECK_ALONE(cudaSuccess, cudaDeviceReset());
        float *p = 0;
        CHECK_ALONE(cudaErrorDevicesUnavailable, cudaMalloc(&p, 4));
    });
}

TEST(StickyErrors, OnlyASynchronisingCallNotices) {
    RUN_ALONE({
        store<<<1, 32>>>((float *)0);
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        CHECK_ALONE(cudaSuccess, cudaPeekAtLastError());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaStreamSynchronize(0));
    });
}

TEST(SmallFaults, PastTheEndOfAnAllocationIsNoErrorInItself) {
#ifdef LAB_CPU_DEVICE_CHECK
    GTEST_SKIP() << "--config=check makes it one";
#endif
    float *x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&x, 1000 * sizeof(float)));
    store<<<4, 256>>>(x);
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaFree(x));
}

TEST(Reset, OldPointersAreInvalidAfterACleanReset) {
    RUN_ALONE({
        float *x = 0;
        float h = 1;
        CHECK_ALONE(cudaSuccess, cudaMalloc(&x, 4));
        CHECK_ALONE(cudaSuccess, cudaDeviceReset());
        CHECK_ALONE(cudaErrorInvalidValue, cudaMemcpy(x, &h, 4, cudaMemcpyHostToDevice));
    });
}

/* What the host calls a device variable is no address of the device's. */
__device__ float variable[32];
__global__ void nothing_with(const float *) {}

TEST(Variables, TheirHostAddressIsNoDeviceMemory) {
    NOT_UNDER_ASAN("its own check of a closed address faults first");
    float h[32] = {}, *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(variable, h, sizeof h, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(h, variable, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(d, variable, sizeof h, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(variable, 0, sizeof h));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    nothing_with<<<1, 1>>>(variable); /* passed on, and not used */
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaMemcpyToSymbol(variable, h, sizeof h));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
    RUN_ALONE({
        store<<<1, 32>>>(variable);
        CHECK_ALONE(cudaSuccess, cudaGetLastError());
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}
