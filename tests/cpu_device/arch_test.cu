/* __CUDA_ARCH__: code that is one thing for the device and another for the host, in the ways
 * that programs write it; the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include "tests/cpu_device/alone.h"

/* Of old devices: atomicAdd for double was theirs to write. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double *address, double value) { return -1; }
#endif
#if __CUDA_ARCH__ < 600
__device__ double add_in_old_ways(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return -2;
}
#else
__device__ double add_in_old_ways(double *address, double value) {
    return atomicAdd(address, value);
}
#endif

#if __CUDA_ARCH__ >= 800
#define BLOCKS_AT_ONCE 2
#else
#define BLOCKS_AT_ONCE 1
#endif
__global__ void __launch_bounds__(256, BLOCKS_AT_ONCE) bounded(int *out) { *out = BLOCKS_AT_ONCE; }

TEST(Arch, LaunchBoundsMayDiffer) {
    int *d, h = 0;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
    bounded<<<1, 1>>>(d);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT_EQ(2, h);
    cudaFree(d);
}

__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
    return 2;
#else
    return 1;
#endif
}

#ifdef __CUDA_ARCH__
__host__ __device__ inline int whole_side(int x) { return 20 + x; }
#else
__host__ __device__ inline int whole_side(int x) { return 10 + x; }
#endif

template <class T>
struct Number {
    T value;
    __host__ __device__ explicit Number(T v) : value(v) {
#if defined(__CUDA_ARCH__)
        value += 100;
#endif
    }
    __host__ __device__ int kind() const {
#if !defined(__CUDA_ARCH__)
        return 1;
#elif __CUDA_ARCH__ >= 700
        return 7;
#else
        return 3;
#endif
    }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
__device__ int only_for_the_device(int x) { return 5 * x; }
#endif

__global__ void ask(int *out, double *sum) {
    out[0] = side();
    out[1] = whole_side(3);
    const Number<int> n(5);
    out[2] = n.value;
    out[3] = n.kind();
#if __CUDA_ARCH__ >= 700
    out[4] = only_for_the_device(8);
    out[5] = __CUDA_ARCH__ / 100 >= 7;
#endif
    out[6] = (int)add_in_old_ways(sum, 1.5);
    out[7] = __LINE__;
}
static const int line_after_kernel = __LINE__;

TEST(Arch, EachSideHasItsOwnCode) {
    int *d, h[8] = {};
    double *d_sum, sum = 7;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_sum, sizeof sum));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d_sum, &sum, sizeof sum, cudaMemcpyHostToDevice));
    ask<<<1, 1>>>(d, d_sum);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    const int want[8] = {2, 23, 105, 7, 40, 1, 7, line_after_kernel - 2};
    for (int i = 0; i < 8; ++i) EXPECT_EQ(want[i], h[i]) << i;
    EXPECT_EQ(8.5, sum);
    EXPECT_EQ(1, side());
    EXPECT_EQ(13, whole_side(3));
    EXPECT_EQ(5, Number<int>(5).value);
    EXPECT_EQ(1, Number<int>(5).kind());
    cudaFree(d);
    cudaFree(d_sum);
}
