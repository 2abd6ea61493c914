/* What --config=check finds in the arithmetic, the indices and the addresses of kernels: each
 * fault with its line, and right kernels without a word.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "tests/cpu_device/alone.h"

__global__ void shift(int *x, int by) { x[threadIdx.x] = 1 << by; }
__global__ void shift_wide(long long *x, int by) { x[0] = x[1] >> by; }
__global__ void to_int(int *x, float v) { x[0] = (int)(v * 2); }
__global__ void load_at(const char *bytes, int at, int *x) { x[0] = *(const int *)(bytes + at); }
__global__ void store_at(char *bytes, int at) { *(double *)(bytes + at) = 1.5; }
__global__ void all_right(float *x, int *y, int by) {
    y[threadIdx.x] = (int)x[threadIdx.x] + (1 << by) + (int)(by * 0.5);
    reinterpret_cast<float4 *>(x)[threadIdx.x] = make_float4(1, 2, 3, 4);
}

__global__ void index_shared(float *x, int i) {
    __shared__ float s[256];
    s[threadIdx.x] = 1;
    __syncthreads();
    x[0] = s[i];
}
__global__ void index_local(int *x, long long i) {
    int few[8];
    for (int k = 0; k < 8; ++k) few[k] = x[k];
    few[i] = 2;
    for (int k = 0; k < 8; ++k) x[k] = few[k];
}
__global__ void index_tile(float *x, int row, unsigned column) {
    __shared__ float tile[4][5];
    tile[row % 4][column % 5] = 1;
    x[0] = tile[row][column];
}
__constant__ float weights[3] = {1, 2, 3};
__device__ short grid[2][3][4];
__global__ void index_constant(float *x, int i) { x[0] = weights[i]; }
__global__ void index_device(float *x, int i, int j) { x[0] = grid[1][i][j]; }
struct Rows {
    float values[2][6];
};
__global__ void index_member(Rows r, float *x, int i) { x[0] = r.values[1][i]; }
__global__ void index_rightly(float *x) {
    __shared__ float s[32], tile[32][33];
    extern __shared__ float any[];
    const float *end = &s[32];
    for (int k = 0; k < 33; ++k) tile[threadIdx.x][k] = (float)k;
    s[threadIdx.x] = any[threadIdx.x + 40] = weights[threadIdx.x % 3];
    __syncthreads();
    float sum = tile[31][32];
    for (const float *p = s; p != end; ++p) sum += *p;
    x[threadIdx.x] = sum + (&tile[0][0])[33 * 31 + 2] + any[45];
}

#ifdef LAB_UBSAN
#define SKIP_WITH_UBSAN GTEST_SKIP() << "the sanitizer's own runtime gets the reports"
#else
#define SKIP_WITH_UBSAN
#endif

/* The statements, in a process of their own, end with that status and say that. */
#define EXPECT_FINDS(status, pattern, ...)                                           \
    do {                                                                             \
        const auto piece = [] {                                                      \
            void *d = 0;                                                             \
            cudaMalloc(&d, 4096);                                                    \
            cudaMemset(d, 0, 4096);                                                  \
            __VA_ARGS__;                                                             \
        };                                                                           \
        GTEST_FLAG_SET(death_test_style, "threadsafe");                              \
        EXPECT_EXIT((piece(), exit(0)), ::testing::ExitedWithCode(status), pattern); \
    } while (0)

TEST(Checks, ShiftsByTooMuch) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1,
                 "checks_test.cu:10: thread .0,0,0. of block .0,0,0. of kernel shift, launched at "
                 ".*shifted a number of 32 bits by 32: a GPU shifts all of it out, this computer "
                 "shifts by 0\n$",
                 {
                     shift<<<1, 32>>>((int *)d, 32);
                     cudaDeviceSynchronize();
                 });
    EXPECT_FINDS(1, "checks_test.cu:11: .*a number of 64 bits by -3", {
        shift_wide<<<1, 1>>>((long long *)d, -3);
        cudaDeviceSynchronize();
    });
}

TEST(Checks, FloatsThatDoNotFit) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1, "checks_test.cu:12: .*of kernel to_int.* made 'int' of the 'float' 2e.20", {
        to_int<<<1, 1>>>((int *)d, 1e20f);
        cudaDeviceSynchronize();
    });
    EXPECT_FINDS(1, "made 'int' of the 'float' -?nan", {
        to_int<<<1, 1>>>((int *)d, NAN);
        cudaDeviceSynchronize();
    });
}

TEST(Checks, AccessesThatAreNotAligned) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1,
                 "checks_test.cu:13: .* loaded a 'const int' at 0x[0-9a-f]+2, which is no "
                 "multiple of 4",
                 {
                     load_at<<<1, 1>>>((const char *)d, 2, (int *)d);
                     if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(98);
                 });
    EXPECT_FINDS(1,
                 "checks_test.cu:14: .* stored a 'double' at 0x[0-9a-f]+4, which is no "
                 "multiple of 8",
                 {
                     store_at<<<1, 1>>>((char *)d, 4);
                     if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(98);
                     if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(97);
                 });
}

TEST(Checks, IndicesOutsideOfSharedAndLocalArrays) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1,
                 "checks_test.cu:24: thread .0,0,0. of block .0,0,0. of kernel index_shared, "
                 "launched at .*:[0-9]+ used index 256 of an array of 256 elements, "
                 "'float .256.': its indices are 0 to 255\n",
                 {
                     index_shared<<<1, 64>>>((float *)d, 256);
                     cudaDeviceSynchronize();
                 });
    EXPECT_FINDS(1, "checks_test.cu:29: .*index_local.* used index -1 of an array of 8 elements", {
        index_local<<<1, 1>>>((int *)d, -1);
        cudaDeviceSynchronize();
    });
}

TEST(Checks, IndicesOutsideOfArraysOfSeveralDimensions) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1, "checks_test.cu:35: .* used index 5 of an array of 5 elements, 'float .5.'", {
        index_tile<<<1, 1>>>((float *)d, 1, 5);
        cudaDeviceSynchronize();
    });
    EXPECT_FINDS(1, "checks_test.cu:35: .* used index 4 of an array of 4 elements, 'float .4..5.'",
                 {
                     index_tile<<<1, 1>>>((float *)d, 4, 0);
                     cudaDeviceSynchronize();
                 });
    EXPECT_FINDS(
        1, "checks_test.cu:40: .* used index 3 of an array of 3 elements, 'short int .3..4.'", {
            index_device<<<1, 1>>>((float *)d, 3, 0);
            cudaDeviceSynchronize();
        });
}

TEST(Checks, IndicesOutsideOfVariablesAndMembers) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(1, "checks_test.cu:39: .* used index 3 of an array of 3 elements", {
        index_constant<<<1, 1>>>((float *)d, 3);
        cudaDeviceSynchronize();
    });
    EXPECT_FINDS(1, "checks_test.cu:44: .* used index 6 of an array of 6 elements", {
        index_member<<<1, 1>>>(Rows{}, (float *)d, 6);
        cudaDeviceSynchronize();
    });
}

TEST(Checks, WhatLiesPastTheEndOfAnAllocation) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(
        1,
        "checks_test.cu:13: thread .0,0,0. of .* of kernel load_at, .* touched 0x[0-9a-f]+, "
        "which is 1 bytes past the end of the allocation of 4000 bytes from .*checks_test.cu",
        {
            cudaMalloc(&d, 4000);
            load_at<<<1, 1>>>((const char *)d, 3996, (int *)d);
            if (cudaDeviceSynchronize() != cudaSuccess) _Exit(98);
            load_at<<<1, 1>>>((const char *)d, 4000, (int *)d);
            if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(97);
        });
    EXPECT_FINDS(1, "which is 1 bytes past the end of the allocation of 5000000 bytes", {
        void *before;
        cudaMalloc(&before, 3000);
        cudaMalloc(&d, 5000000);
        load_at<<<1, 1>>>((const char *)d, 4999996, (int *)d);
        if (cudaDeviceSynchronize() != cudaSuccess) _Exit(98);
        load_at<<<1, 1>>>((const char *)d, 5000000, (int *)d);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(97);
    });
    EXPECT_FINDS(1, "which is 1 bytes past the end of the managed memory of 64 bytes", {
        cudaMallocManaged(&d, 64);
        load_at<<<1, 1>>>((const char *)d, 64, (int *)d);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(98);
    });
    /* An odd size ends within 16 bytes of where its pages end: there only writes are seen. */
    EXPECT_FINDS(
        1, "kernel store_at, .* wrote 8 bytes or more past the end of the allocation of 40 bytes", {
            cudaMalloc(&d, 40);
            store_at<<<1, 1>>>((char *)d, 40);
            if (cudaDeviceSynchronize() != cudaSuccess) _Exit(98);
        });
}

TEST(Checks, WhatLiesOutsideAllAllocations) {
    EXPECT_FINDS(1, "touched a null pointer", {
        store_at<<<1, 1>>>(nullptr, 0);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(98);
    });
    EXPECT_FINDS(1, "touched 0x4141414141414140", {
        store_at<<<1, 1>>>((char *)0x4141414141414140, 0);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(98);
    });
}

TEST(Checks, LaunchesThatDoNotRun) {
    EXPECT_FINDS(1, "does not run: block.x is 2000", {
        store_at<<<1, 2000>>>((char *)d, 0);
        if (cudaGetLastError() != cudaErrorInvalidValue) _Exit(98);
    });
}

TEST(Checks, WhatHasBeenFreed) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(
        1, "kernel load_at, .* which is byte 8 of an allocation of 4096 bytes that has been freed",
        {
            void *other;
            cudaFree(d);
            cudaMalloc(&other, 4096);
            load_at<<<1, 1>>>((const char *)d, 8, (int *)other);
            if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _Exit(98);
        });
}

TEST(Checks, AllocationsAreAlignedAsTheyMayHaveToBe) {
    SKIP_WITH_UBSAN;
    for (size_t size : {256, 512, 96, 4000, 1000, 3, 1 << 20, (1 << 20) + 100, 3 << 20, 5000000}) {
        void *x = nullptr, *y = nullptr;
        ASSERT_EQ(cudaSuccess, cudaMalloc(&x, size));
        ASSERT_EQ(cudaSuccess, cudaMallocHost(&y, size));
        const size_t want = size % 256 == 0 ? 256 : size % 32 == 0 ? 32 : 16; /* at least */
        EXPECT_EQ(0u, (uintptr_t)x % want) << size;
        EXPECT_EQ(0u, (uintptr_t)y % want) << size;
        EXPECT_EQ(cudaSuccess, cudaMemset(x, 1, size));
        EXPECT_EQ(cudaSuccess, cudaMemcpy(y, x, size, cudaMemcpyDeviceToHost));
        EXPECT_EQ(1, ((char *)y)[size - 1]);
        EXPECT_EQ(cudaSuccess, cudaFree(x));
        EXPECT_EQ(cudaSuccess, cudaFreeHost(y));
    }
    for (int i = 0; i < 3000; ++i) { /* freed addresses rest for a while, and come back */
        void *x = nullptr;
        ASSERT_EQ(cudaSuccess, cudaMalloc(&x, 5000)) << i;
        ASSERT_EQ(cudaSuccess, cudaFree(x));
    }
}

TEST(Checks, RightKernelsAreSilent) {
    SKIP_WITH_UBSAN;
    EXPECT_FINDS(0, "^$", {
        index_rightly<<<1, 32, 128 * sizeof(float)>>>((float *)d + 700);
        all_right<<<1, 32>>>((float *)d, (int *)d + 512, 31);
        load_at<<<1, 1>>>((const char *)d, 8, (int *)d);
        if (cudaDeviceSynchronize() != cudaSuccess) _Exit(98);
        volatile int host_shift = 33;
        if ((1 << host_shift) == 5) _Exit(97); /* the host's own affair */
    });
}
