/* Small things that kernels use: vector types and their layout, dim3, cache hints, clocks, what
 * an address is, hints to the compiler; the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <string.h>

#include "tests/cpu_device/alone.h"

/* toolkit 13 marks the types without _16a or _32a as old. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define LAYOUT(type, size, alignment) \
    static_assert(sizeof(type) == size && alignof(type) == alignment, #type)
#define LAYOUTS(name, size, align2, align4) \
    LAYOUT(name##1, size, size);            \
    LAYOUT(name##2, 2 * size, align2);      \
    LAYOUT(name##3, 3 * size, size);        \
    LAYOUT(name##4, 4 * size, align4)
LAYOUTS(char, 1, 2, 4);
LAYOUTS(uchar, 1, 2, 4);
LAYOUTS(short, 2, 4, 8);
LAYOUTS(ushort, 2, 4, 8);
LAYOUTS(int, 4, 8, 16);
LAYOUTS(uint, 4, 8, 16);
LAYOUTS(float, 4, 8, 16);
LAYOUTS(long, 8, 16, 16);
LAYOUTS(ulong, 8, 16, 16);
LAYOUTS(longlong, 8, 16, 16);
LAYOUTS(ulonglong, 8, 16, 16);
LAYOUTS(double, 8, 16, 16);
LAYOUT(double4_16a, 32, 16);
LAYOUT(double4_32a, 32, 32);
LAYOUT(longlong4_16a, 32, 16);
LAYOUT(ulonglong4_32a, 32, 32);
LAYOUT(long4_32a, 32, 32);
LAYOUT(dim3, 12, 4);
static_assert(offsetof(float4, w) == 12 && offsetof(double3, z) == 16, "in order");

enum { ANSWERS = 24 };

__constant__ int constant_value = 17;
__device__ int global_value = 5;

__global__ void answers(long long *out, const int *x, double2 *pairs) {
    __shared__ int shared_value;
    int local_value = (int)threadIdx.x + 3, i = 0;
    shared_value = 9;
    out[i++] = __ldg(x) + __ldg(&x[1]);
    out[i++] = __ldca(x + 2) + __ldcg(x + 3) + __ldcs(x + 4) + __ldlu(x + 5) + __ldcv(x + 6);
    const float4 four = __ldg((const float4 *)x); /* bits of small integers: 0, 1, 2, 3 */
    out[i++] = __float_as_int(four.w);
    __stcg(pairs, make_double2(1.5, 2.5));
    __stcs(pairs + 1, make_double2(3.5, 4.5));
    __stwb(pairs + 2, make_double2(5.5, 6.5));
    __stwt(pairs + 3, make_double2(7.5, 8.5));
    out[i++] = (long long)(pairs[0].x + pairs[1].y + pairs[2].x + pairs[3].y); /* 20 */
    __builtin_assume(threadIdx.x < 1024);
    const long long before = clock64();
    const clock_t early = clock();
    __nanosleep(100);
    out[i++] = clock64() >= before;
    out[i++] = clock() - early >= 0;
    out[i++] = __isGlobal(x) != 0;
    out[i++] = __isGlobal(&global_value) != 0;
    out[i++] = __isShared(&shared_value) != 0;
    out[i++] = __isLocal(&local_value) != 0;
    out[i++] = __isShared(x) != 0;
    out[i++] = __isGlobal(&shared_value) != 0;
    out[i++] = constant_value + shared_value + local_value;
    const dim3 d(5), e(make_uint3(1, 2, 3));
    out[i++] = d.x * 100 + d.y * 10 + d.z;
    out[i++] = e.x * 100 + e.y * 10 + e.z;
    out[i++] = (long long)gridDim.x * 1000 + blockDim.x * 100 + blockIdx.x * 10 + threadIdx.x;
    out[i++] = warpSize;
    out[i++] = min(3, 4u) + max(2.5f, 1.0f) + min(7ll, 9ll) + max(-1, -2);
    out[i++] = __float_as_uint(1.0f) == 0x3F800000u && __uint_as_float(0x40000000u) == 2.0f;
    out[i++] = __double_as_longlong(1.0) >> 52;
    out[i++] = __hiloint2double(0x40080000, 0) == 3.0 && __double2hiint(3.0) == 0x40080000;
    const char4 c = make_char4(-1, 2, -3, 4);
    out[i++] = c.x + c.y + c.z + c.w;
    const uint4 u = make_uint4(1, 2, 3, 4000000000u);
    out[i++] = (long long)u.x + u.w;
    const double4_32a wide = make_double4_32a(1, 2, 3, 4);
    out[i++] = (long long)(wide.x + wide.w) + (((size_t)&wide & 31) == 0);
}

TEST(Intrinsics, Answer) {
    const long long want[ANSWERS] = {
        1,    20, 3, 20,           1, 1, 1, 1, 1, 1, 0, 0, 29, 511, 123, 1100, 32, 11, 1,
        1023, 1,  2, 4000000001LL, 6};
    const int small[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    long long *d_out, got[ANSWERS];
    int *d_x;
    double2 *d_pairs;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, sizeof got));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_x, sizeof small));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_pairs, 4 * sizeof(double2)));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d_x, small, sizeof small, cudaMemcpyHostToDevice));
    answers<<<1, 1>>>(d_out, d_x, d_pairs);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ANSWERS; ++i) EXPECT_EQ(want[i], got[i]) << "answer " << i;
    cudaFree(d_out);
    cudaFree(d_x);
    cudaFree(d_pairs);
}

TEST(Intrinsics, Dim3OnTheHost) {
    dim3 grid = 7;
    EXPECT_EQ(7u, grid.x);
    EXPECT_EQ(1u, grid.y * grid.z);
    grid = dim3(2, 3);
    EXPECT_EQ(6u, grid.x * grid.y * grid.z);
    const uint3 u = grid;
    EXPECT_EQ(3u, u.y);
    const int3 i = make_int3(-1, 2, 3);
    EXPECT_EQ(4, i.x + i.y + i.z);
}
