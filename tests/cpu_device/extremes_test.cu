/* The greater and the less of two numbers: signed zeros and NaN, in both orders.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

/* As doubles, which keep the sign of a zero. */
struct Extremes {
    double max[5], min[5];
};

__global__ void find(double a, double b, Extremes *e) {
    const float x = (float)a, y = (float)b;
    *e = {{fmaxf(x, y), fmax(x, y), max(x, y), fmax(a, b), max(a, b)},
          {fminf(x, y), std::fmin(x, y), min(x, y), ::fmin(a, b), min(a, b)}};
}

__global__ void find_halves(float a, float b, float *e) {
    const __half x = __float2half(a), y = __float2half(b);
    e[0] = __half2float(__hmax(x, y));
    e[1] = __half2float(__hmin(x, y));
    e[2] = __low2float(__hmax2(__half2half2(x), __half2half2(y)));
    e[3] = __high2float(__hmin2(__half2half2(x), __half2half2(y)));
}

/* A template of the program's own, and integers. */
template <class T>
__device__ T clamp(T x, T low, T high) {
    return fmax(low, fmin(x, high));
}
__global__ void clamp_all(float *x) {
    x[0] = clamp(x[0], 0.0f, 1.0f);
    x[1] = (float)clamp((double)x[1], 0.0, 1.0);
    x[2] = (float)fmax(2.0, 3.0);
}

bool same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

void expect(double a, double b, double most, double least) {
    Extremes *d, e;
    float *d_halves, halves[4];
    ASSERT_EQ(cudaMalloc((void **)&d, sizeof e), cudaSuccess);
    ASSERT_EQ(cudaMalloc((void **)&d_halves, sizeof halves), cudaSuccess);
    find<<<1, 1>>>(a, b, d);
    find_halves<<<1, 1>>>((float)a, (float)b, d_halves);
    ASSERT_EQ(cudaMemcpy(&e, d, sizeof e, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(halves, d_halves, sizeof halves, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 5; ++i) {
        EXPECT_PRED2(same, e.max[i], most) << i << " of " << a << ", " << b;
        EXPECT_PRED2(same, e.min[i], least) << i << " of " << a << ", " << b;
    }
    for (int i = 0; i < 4; ++i)
        EXPECT_PRED2(same, halves[i], i % 2 ? least : most)
            << "half " << i << " of " << a << ", " << b;
    EXPECT_EQ(cudaFree(d), cudaSuccess);
    EXPECT_EQ(cudaFree(d_halves), cudaSuccess);
}

TEST(Extremes, SignedZeros) {
    expect(0.0, -0.0, 0.0, -0.0);
    expect(-0.0, 0.0, 0.0, -0.0);
    expect(-0.0, -0.0, -0.0, -0.0);
    expect(0.0, 0.0, 0.0, 0.0);
    expect(-0.0, -1.0, -0.0, -1.0);
    expect(1.0, -0.0, 1.0, -0.0);
}

TEST(Extremes, ANumberWinsOverNaN) {
    expect(NAN, -0.0, -0.0, -0.0);
    expect(2.0, NAN, 2.0, 2.0);
    expect(-NAN, -INFINITY, -INFINITY, -INFINITY);
    expect(NAN, NAN, NAN, NAN);
}

TEST(Extremes, Numbers) {
    expect(1.5, -2.0, 1.5, -2.0);
    expect(-2.0, 1.5, 1.5, -2.0);
    expect(INFINITY, -INFINITY, INFINITY, -INFINITY);
    expect(3.0, 3.0, 3.0, 3.0);
}

TEST(Extremes, OfTemplatesAndIntegers) {
    float x[] = {-3.0f, 7.0f, 0.0f}, *d;
    ASSERT_EQ(cudaMalloc((void **)&d, sizeof x), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice), cudaSuccess);
    clamp_all<<<1, 1>>>(d);
    ASSERT_EQ(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(std::vector<float>(x, x + 3), (std::vector<float>{0.0f, 1.0f, 3.0f}));
    EXPECT_EQ(cudaFree(d), cudaSuccess);
}

} // namespace
