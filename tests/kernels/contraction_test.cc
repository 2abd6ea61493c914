// SPDX-License-Identifier: Apache-2.0
// The floating-point policy: the host and the CPU device never fuse a
// multiplication with an addition; nvcc does, unless built with --fmad=false.
// Without fusing all three agree to the bit. With it the default comparison
// accepts the difference, and says what it is.
#include "bazel/build_info.h"
#include "common/compare.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"
#include "tests/kernels/weighted_sum.h"

namespace {

#if defined(LAB_CPU_DEVICE) || !BUILD_FMAD
constexpr bool kFused = false;
#else
constexpr bool kFused = true;
#endif

constexpr size_t N = 1000000;

class Contraction : public DeviceTest {};

std::string describe(const CompareResult &result) {
    char text[2048];
    compare_describe(&result, nullptr, text, sizeof text);
    return text;
}

TEST_F(Contraction, WeightedSumOfThree) {
    const std::vector<float> r = normals(N, 1), g = normals(N, 2), b = normals(N, 3);
    std::vector<float> want(N);
    grey_cpu(N, r.data(), g.data(), b.data(), want.data());
    GuardedArray<float> d_r(r, 0), d_g(g, 0), d_b(b, 0), d_out(N, 0);
    ASSERT_EQ(cudaSuccess, grey_gpu(N, d_r.data(), d_g.data(), d_b.data(), d_out.data()));
    const std::vector<float> got = d_out.get();

    const CompareResult exact = compare_exact(N, got.data(), want.data(), DTYPE_FLOAT32);
    const CompareResult near = compare_float32(N, got.data(), want.data(), COMPARE_ATOL_FLOAT32,
                                               COMPARE_RTOL_FLOAT32, false);
    EXPECT_EQ(0u, near.wrong) << describe(near);
    if (kFused) {
        // Else this would not test what it says.
        EXPECT_GT(exact.wrong, N / 100) << "nothing was fused";
        EXPECT_NE(std::string::npos, describe(exact).find("fmad=false")) << describe(exact);
    } else {
        EXPECT_EQ(0u, exact.wrong) << describe(exact);
    }
}

// 1e-9 is what a course would ask of doubles; the chain keeps to much less.
TEST_F(Contraction, ChainInDouble) {
    std::vector<double> x(N), y(N), want(N);
    const std::vector<float> a = normals(N, 4), b = normals(N, 5);
    for (size_t i = 0; i < N; ++i) {
        x[i] = a[i] / 3.0;
        y[i] = b[i] / 7.0;
    }
    chain_cpu(N, x.data(), y.data(), want.data());
    GuardedArray<double> d_x(x, 0), d_y(y, 0), d_out(N, 0);
    ASSERT_EQ(cudaSuccess, chain_gpu(N, d_x.data(), d_y.data(), d_out.data()));
    const std::vector<double> got = d_out.get();
    const CompareResult near = compare_float64(N, got.data(), want.data(), 1e-13, 1e-13, false);
    EXPECT_EQ(0u, near.wrong) << describe(near);
    const CompareResult exact = compare_exact(N, got.data(), want.data(), DTYPE_FLOAT64);
    if (kFused) {
        EXPECT_GT(exact.wrong, N / 100) << "nothing was fused";
    } else {
        EXPECT_EQ(0u, exact.wrong) << describe(exact);
    }
}

} // namespace
