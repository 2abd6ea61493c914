// SPDX-License-Identifier: Apache-2.0
// Random numbers made on the device: the same bits as the host's, whatever the
// size and alignment, and the distribution that they claim.
#include "kernels/tuned/random.h"

#include <functional>

#include "common/philox.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;

struct Generator {
    const char *name;
    std::function<cudaError_t(size_t, uint64_t, float *, cudaStream_t)> gpu;
    std::function<void(size_t, uint64_t, float *)> cpu;
    std::function<void(float *, size_t, uint64_t)> fill;
};

const std::vector<Generator> &generators() {
    static const std::vector<Generator> all = {
        {"normal", philox_normal_gpu, philox_normal_cpu, philox_normal_fill},
        {"uniform", philox_uniform_gpu, philox_uniform_cpu, philox_uniform_fill},
    };
    return all;
}

class Random : public DeviceTest {};

Floats on_device(const Generator &generator, size_t n, uint64_t seed, size_t offset) {
    GuardedArray<float> d_out(n, offset);
    EXPECT_EQ(cudaSuccess, generator.gpu(n, seed, d_out.data(), nullptr));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    return d_out.get();
}

TEST_F(Random, SameBitsAsTheHost) {
    for (const Generator &generator : generators()) {
        for (uint64_t seed : seeds()) {
            for (size_t n : sizes()) {
                SCOPED_TRACE(::testing::Message()
                             << generator.name << ", n = " << n << ", seed " << seed);
                Floats reference(n), fast(n);
                generator.cpu(n, seed, reference.data());
                generator.fill(fast.data(), n, seed);
                EXPECT_TRUE(same_values(reference, fast));
                EXPECT_TRUE(same_values(reference, on_device(generator, n, seed, 0)));
            }
        }
    }
}

TEST_F(Random, AlignmentChangesNothing) {
    for (const Generator &generator : generators()) {
        for (size_t n : {1, 2, 3, 4, 5, 1000, 1001, 1002, 1003}) {
            Floats want(n);
            generator.cpu(n, 7, want.data());
            for (size_t offset = 0; offset < 4; ++offset)
                EXPECT_TRUE(same_values(want, on_device(generator, n, 7, offset)))
                    << generator.name << ", n = " << n << ", offset " << offset;
        }
    }
}

TEST_F(Random, PrefixesAgreeAndSeedsDiffer) {
    for (const Generator &generator : generators()) {
        const Floats all = on_device(generator, 10007, 1, 0);
        const Floats some = on_device(generator, 4321, 1, 0);
        EXPECT_TRUE(same_values(Floats(all.begin(), all.begin() + 4321), some));
        const Floats other = on_device(generator, 10007, 2, 0);
        const Floats high = on_device(generator, 10007, 1 | uint64_t{1} << 32, 0);
        size_t same = 0, same_high = 0;
        for (size_t i = 0; i < all.size(); ++i) {
            same += all[i] == other[i];
            same_high += all[i] == high[i];
        }
        EXPECT_LT(same, 10u) << generator.name;
        EXPECT_LT(same_high, 10u) << generator.name << ": upper half of the seed unused";
    }
}

// Moments of 4 million numbers. The limits are 5 standard errors of each
// moment: sd / sqrt(n) for the mean, sqrt(2 / n) for the variance of normals,
// sqrt(15 / n) and sqrt(96 / n) for the 3rd and 4th moment. The seed is fixed,
// so that this passes always or never.
TEST_F(Random, NormalsAreNormal) {
    const size_t n = 4000000;
    const Floats x = on_device(generators()[0], n, 42, 0);
    double moment[5] = {0};
    size_t within_one = 0;
    for (float value : x) {
        double power = 1;
        for (int k = 1; k <= 4; ++k) moment[k] += power *= value;
        within_one += std::fabs(value) < 1.0f;
    }
    const double root = std::sqrt((double)n);
    EXPECT_NEAR(0.0, moment[1] / n, 5 * 1.0 / root);
    EXPECT_NEAR(1.0, moment[2] / n, 5 * std::sqrt(2.0) / root);
    EXPECT_NEAR(0.0, moment[3] / n, 5 * std::sqrt(15.0) / root);
    EXPECT_NEAR(3.0, moment[4] / n, 5 * std::sqrt(96.0) / root);
    EXPECT_NEAR(0.682689, (double)within_one / n, 5 * std::sqrt(0.682689 * 0.317311) / root);
    // Neighbours come from one pair of Box and Muller, one Philox block, or the
    // next: none may tell anything about the other.
    for (size_t lag : {1, 2, 3, 4}) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; ++i) sum += (double)x[i] * x[i + lag];
        EXPECT_NEAR(0.0, sum / n, 5 / root) << "lag " << lag;
    }
}

TEST_F(Random, UniformsAreUniform) {
    const size_t n = 4000000;
    const Floats x = on_device(generators()[1], n, 42, 0);
    double sum = 0, squares = 0;
    for (float value : x) {
        ASSERT_TRUE(value >= 0.0f && value < 1.0f);
        sum += value;
        squares += (double)value * value;
    }
    const double root = std::sqrt((double)n);
    EXPECT_NEAR(0.5, sum / n, 5 * std::sqrt(1.0 / 12) / root);
    EXPECT_NEAR(1.0 / 3, squares / n, 5 * std::sqrt(4.0 / 45) / root);
}

// On the stream given: what follows there sees the numbers, with no other wait.
TEST_F(Random, FollowsItsStream) {
    cudaStream_t stream;
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const size_t n = 1000003;
    for (const Generator &generator : generators()) {
        Floats want(n), got(n);
        generator.fill(want.data(), n, 5);
        GuardedArray<float> d_out(n, 0);
        ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
        for (uint64_t seed = 1; seed <= 5; ++seed)
            ASSERT_EQ(cudaSuccess, generator.gpu(n, seed, d_out.data(), stream));
        ASSERT_EQ(cudaSuccess, cudaMemcpyAsync(got.data(), d_out.data(), n * sizeof(float),
                                               cudaMemcpyDeviceToHost, stream));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        EXPECT_TRUE(same_values(want, got)) << generator.name;
    }
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

TEST_F(Random, RefusesWhatItMust) {
    GuardedArray<float> d_out(100, 0);
    float *const shifted = reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(d_out.data()) + 1);
    for (const Generator &generator : generators()) {
        EXPECT_EQ(cudaSuccess, generator.gpu(0, 1, nullptr, nullptr));
        EXPECT_EQ(cudaErrorInvalidValue, generator.gpu(100, 1, nullptr, nullptr));
        EXPECT_EQ(cudaErrorInvalidValue, generator.gpu(50, 1, shifted, nullptr));
    }
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
}

} // namespace
