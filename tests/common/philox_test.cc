// SPDX-License-Identifier: Apache-2.0
// Philox numbers: published vectors, the same bits by every road (one by one, by
// the fast fills, in a kernel), and what statistics say.
#include "common/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "common/compare.h"
#include "tests/common/device_test.h"
#include "tests/common/philox_on_device.h"

namespace {

// Sizes and places that cut the fills' chunks of 256 numbers in every way.
const size_t SIZES[] = {0, 1, 2, 3, 4, 5, 31, 255, 256, 257, 1000, 16383, 16385, 100003};

uint32_t bits_of(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

void expect_words(Philox4x32 got, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    EXPECT_EQ(a, got.v[0]);
    EXPECT_EQ(b, got.v[1]);
    EXPECT_EQ(c, got.v[2]);
    EXPECT_EQ(d, got.v[3]);
}

// Vectors for philox4x32-10 published with the authors' Random123 (kat_vectors).
TEST(Philox, PublishedVectors) {
    expect_words(philox4x32_10({{0, 0, 0, 0}}, {{0, 0}}), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                 0x9b00dbd8);
    expect_words(philox4x32_10({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
                               {{0xffffffff, 0xffffffff}}),
                 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    expect_words(philox4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                               {{0xa4093822, 0x299f31d0}}),
                 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Philox, BlockUsesAllBitsOfSeedAndNumber) {
    const Philox4x32 got = philox_block(UINT64_C(0x299f31d0a4093822), UINT64_C(0x85a308d3243f6a88));
    const Philox4x32 want =
        philox4x32_10({{0x243f6a88, 0x85a308d3, 0, 0}}, {{0xa4093822, 0x299f31d0}});
    EXPECT_EQ(0, std::memcmp(&got, &want, sizeof got));
}

TEST(Philox, UniformsStayInTheirRange) {
    EXPECT_EQ(0.0f, philox_uniform(0));
    EXPECT_EQ(0.0f, philox_uniform(255));
    EXPECT_EQ(0x1p-24f, philox_uniform(256));
    EXPECT_EQ(1.0f - 0x1p-24f, philox_uniform(0xFFFFFFFF));
    EXPECT_EQ(0.5f, philox_uniform(0x80000000));
    EXPECT_EQ(0x1p-24f, philox_uniform_positive(0));
    EXPECT_EQ(1.0f, philox_uniform_positive(0xFFFFFFFF));
}

TEST(Philox, NormalsOfExtremeWordsAreFinite) {
    const uint32_t words[] = {0,          1,          2,          3,          0x7FFFFFFF,
                              0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x40000000,
                              0xC0000000, 0xFFFFFF80, 0xFFFFFF00};
    for (uint32_t a : words) {
        for (uint32_t b : words) {
            float x, y;
            philox_normal_pair(a, b, &x, &y);
            ASSERT_TRUE(std::isfinite(x) && std::isfinite(y)) << a << " " << b;
            ASSERT_LE(std::fabs(x), 6.56f);
            ASSERT_LE(std::fabs(y), 6.56f);
        }
    }
}

// The polynomials against libm in double: the method's own formula.
TEST(Philox, NormalsAreBoxAndMullers) {
    double worst = 0;
    for (uint64_t block = 0; block < 200000; ++block) {
        const Philox4x32 words = philox_block(99, block);
        float x, y;
        philox_normal_pair(words.v[0], words.v[1], &x, &y);
        const double u = static_cast<float>(static_cast<int32_t>(words.v[0] >> 1 | 1)) * 0x1p-31;
        const double g = static_cast<float>(static_cast<int32_t>(words.v[1])) * 0x1p-32;
        const double radius = std::sqrt(-2 * std::log(u)) * (words.v[1] & 1 ? -1 : 1);
        worst = std::max({worst, std::fabs(x - radius * std::cos(M_PI * g)),
                          std::fabs(y - radius * std::sin(M_PI * g))});
    }
    // Values reach 5: 4 ULP there are 2e-6.
    EXPECT_LT(worst, 2e-6);
}

TEST(Philox, FillsGiveTheNumbersOneByOne) {
    for (uint64_t seed : {UINT64_C(0), UINT64_C(42), UINT64_C(0xFEDCBA9876543210)}) {
        for (size_t n : SIZES) {
            std::vector<uint32_t> bits(n + 1, 0xABCDABCD);
            std::vector<float> uniform(n + 1, -7), normal(n + 1, -7);
            philox_bits_fill(bits.data(), n, seed);
            philox_uniform_fill(uniform.data(), n, seed);
            philox_normal_fill(normal.data(), n, seed);
            for (size_t i = 0; i < n; ++i) {
                const Philox4x32 words = philox_block(seed, i / 4);
                const PhiloxNormal4 normals = philox_normal_block(seed, i / 4);
                ASSERT_EQ(words.v[i % 4], bits[i]) << n << " " << i;
                ASSERT_EQ(philox_uniform(words.v[i % 4]), uniform[i]) << n << " " << i;
                ASSERT_EQ(bits_of(normals.v[i % 4]), bits_of(normal[i])) << n << " " << i;
            }
            EXPECT_EQ(0xABCDABCD, bits[n]) << "written past the end";
            EXPECT_EQ(-7, uniform[n]);
            EXPECT_EQ(-7, normal[n]);
        }
    }
}

// Pages and records quote results of these numbers: they may not change unnoticed.
TEST(Philox, NumbersNeverChange) {
    const float want[] = {-0x1.8f4b24p-4f, -0x1.f81b96p-1f, -0x1.189b58p+0f, -0x1.00daf8p+1f,
                          -0x1.4ce2dep-4f, -0x1.139adap-3f, -0x1.51ff9p-3f,  -0x1.245ae8p+0f};
    float got[8];
    philox_normal_fill(got, 8, 42);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(want[i], got[i]) << i;
}

TEST(Philox, FillFromAnyPlace) {
    const size_t n = 70000;
    std::vector<float> all(n), part(n);
    philox_normal_fill(all.data(), n, 5);
    for (size_t first : {0, 1, 3, 4, 255, 256, 257, 9999}) {
        philox_normal_fill_from(part.data(), first, n - first, 5);
        ASSERT_EQ(0, std::memcmp(part.data(), all.data() + first, (n - first) * sizeof(float)))
            << first;
    }
    // Far away, where the block's number needs 64 bits.
    const uint64_t far = (UINT64_C(1) << 40) + 2;
    philox_normal_fill_from(part.data(), far, 10, 5);
    for (uint64_t i = 0; i < 10; ++i) {
        const PhiloxNormal4 normals = philox_normal_block(5, (far + i) / 4);
        ASSERT_EQ(bits_of(normals.v[(far + i) % 4]), bits_of(part[i]));
    }
}

TEST(Philox, SeedsDiffer) {
    std::vector<float> a(1000), b(1000);
    std::set<float> first;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        philox_normal_fill(a.data(), a.size(), seed);
        first.insert(a[0]);
    }
    EXPECT_GE(first.size(), 99u);
    philox_normal_fill(a.data(), a.size(), 1);
    philox_normal_fill(b.data(), b.size(), UINT64_C(1) << 32 | 1);
    size_t same = 0;
    for (size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
    EXPECT_LE(same, 1u) << "the upper half of the seed is not used";
}

// --- Statistics. Limits are 5 standard deviations of what is tested, so that a
// right generator passes whatever its seed (the seeds are fixed besides). ---

class Statistics : public ::testing::Test {
  protected:
    static constexpr size_t N = 10000000;
    static void SetUpTestSuite() {
        normal.resize(N);
        uniform.resize(N);
        philox_normal_fill(normal.data(), N, 20240501);
        philox_uniform_fill(uniform.data(), N, 20240501);
    }
    static void TearDownTestSuite() {
        normal = {};
        uniform = {};
    }
    static double moment(const std::vector<float> &x, int power) {
        double sum = 0;
        for (float value : x) sum += std::pow(static_cast<double>(value), power);
        return sum / static_cast<double>(x.size());
    }
    static double correlation(const std::vector<float> &x, size_t lag) {
        double sum = 0;
        for (size_t i = 0; i + lag < x.size(); ++i) sum += static_cast<double>(x[i]) * x[i + lag];
        return sum / static_cast<double>(x.size() - lag);
    }
    static std::vector<float> normal, uniform;
};
std::vector<float> Statistics::normal, Statistics::uniform;

TEST_F(Statistics, MomentsOfNormals) {
    const double root_n = std::sqrt(static_cast<double>(N));
    EXPECT_NEAR(0, moment(normal, 1), 5 / root_n);
    EXPECT_NEAR(1, moment(normal, 2), 5 * std::sqrt(2) / root_n);
    EXPECT_NEAR(0, moment(normal, 3), 5 * std::sqrt(15) / root_n);
    EXPECT_NEAR(3, moment(normal, 4), 5 * std::sqrt(96) / root_n);
}

TEST_F(Statistics, MomentsOfUniforms) {
    const double root_n = std::sqrt(static_cast<double>(N));
    EXPECT_NEAR(0.5, moment(uniform, 1), 5 * std::sqrt(1 / 12.0) / root_n);
    EXPECT_NEAR(1 / 3.0, moment(uniform, 2), 5 * std::sqrt(4 / 45.0) / root_n);
}

TEST_F(Statistics, NeighboursAreNotCorrelated) {
    const double root_n = std::sqrt(static_cast<double>(N));
    for (size_t lag : {1, 2, 3, 4, 5, 8, 256}) {
        EXPECT_NEAR(0, correlation(normal, lag), 5 / root_n) << lag;
    }
}

// Kolmogorov and Smirnov: the largest distance from the normal distribution.
TEST_F(Statistics, DistributionOfNormals) {
    std::vector<float> sorted(normal.begin(), normal.begin() + 2000000);
    std::sort(sorted.begin(), sorted.end());
    const double n = static_cast<double>(sorted.size());
    double distance = 0;
    for (size_t i = 0; i < sorted.size(); ++i) {
        const double below = 0.5 * std::erfc(-static_cast<double>(sorted[i]) / std::sqrt(2));
        const double rank = static_cast<double>(i);
        distance = std::max({distance, below - rank / n, (rank + 1) / n - below});
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(n)); // probability 0.001
}

// Chi square over 256 equal bins: mean 255, deviation 22.6.
TEST_F(Statistics, DistributionOfUniforms) {
    std::vector<size_t> bins(256);
    for (float value : uniform) ++bins[static_cast<size_t>(value * 256)];
    double chi = 0;
    const double expected = static_cast<double>(N) / 256;
    for (size_t count : bins) {
        chi += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) /
               expected;
    }
    EXPECT_GT(chi, 255 - 5 * 22.6);
    EXPECT_LT(chi, 255 + 5 * 22.6);
}

TEST_F(Statistics, TailsOfNormals) {
    for (double limit : {2.0, 3.0, 4.0, 4.5}) {
        const double expected = static_cast<double>(N) * 0.5 * std::erfc(limit / std::sqrt(2));
        double above = 0, below = 0;
        for (float value : normal) {
            above += value > limit;
            below += value < -limit;
        }
        EXPECT_NEAR(expected, above, 5 * std::sqrt(expected)) << limit;
        EXPECT_NEAR(expected, below, 5 * std::sqrt(expected)) << limit;
    }
}

// Both halves of the circle, and all four quadrants, are hit equally.
TEST_F(Statistics, AnglesAreUniform) {
    std::vector<size_t> sectors(16);
    for (size_t i = 0; i + 1 < N; i += 2) {
        const double angle = std::atan2(normal[i + 1], normal[i]) + M_PI;
        ++sectors[std::min<size_t>(15, static_cast<size_t>(angle / (2 * M_PI) * 16))];
    }
    const double expected = static_cast<double>(N) / 2 / 16;
    for (size_t count : sectors) {
        EXPECT_NEAR(expected, static_cast<double>(count), 5 * std::sqrt(expected));
    }
}

// --- The same bits in a kernel ---

template <typename T>
class DeviceBuffer {
  public:
    explicit DeviceBuffer(size_t count) : count_(count) {
        EXPECT_EQ(cudaSuccess, cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)));
    }
    ~DeviceBuffer() { cudaFree(data); }
    DeviceBuffer(const DeviceBuffer &) = delete;
    void put(const std::vector<T> &x) {
        ASSERT_EQ(cudaSuccess,
                  cudaMemcpy(data, x.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> take() const {
        std::vector<T> x(count_);
        EXPECT_EQ(cudaSuccess,
                  cudaMemcpy(x.data(), data, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return x;
    }
    T *data = nullptr;

  private:
    size_t count_;
};

class PhiloxOnDevice : public DeviceTest {};

TEST_F(PhiloxOnDevice, SameBitsAsTheHost) {
    const size_t blocks = 250001;
    for (uint64_t first : {UINT64_C(0), (UINT64_C(1) << 32) - 1000}) {
        for (uint64_t seed : {UINT64_C(1), UINT64_C(0x123456789ABCDEF0)}) {
            DeviceBuffer<uint32_t> bits(4 * blocks);
            DeviceBuffer<float> uniform(4 * blocks), normal(4 * blocks);
            ASSERT_EQ(cudaSuccess,
                      philox_on_device(first, blocks, seed, bits.data, uniform.data, normal.data));
            const std::vector<uint32_t> got_bits = bits.take();
            const std::vector<float> got_uniform = uniform.take(), got_normal = normal.take();
            std::vector<uint32_t> want_bits(4 * blocks);
            std::vector<float> want_uniform(4 * blocks), want_normal(4 * blocks);
            for (size_t i = 0; i < 4 * blocks; ++i) {
                want_bits[i] = philox_block(seed, first + i / 4).v[i % 4];
                want_uniform[i] = philox_uniform(want_bits[i]);
            }
            philox_normal_fill_from(want_normal.data(), 4 * first, 4 * blocks, seed);
            EXPECT_EQ(
                0u,
                compare_exact(4 * blocks, got_bits.data(), want_bits.data(), DTYPE_UINT32).wrong);
            EXPECT_EQ(0u, compare_exact(4 * blocks, got_uniform.data(), want_uniform.data(),
                                        DTYPE_FLOAT32)
                              .wrong);
            const CompareResult result =
                compare_exact(4 * blocks, got_normal.data(), want_normal.data(), DTYPE_FLOAT32);
            EXPECT_EQ(0u, result.wrong)
                << "first at " << result.first_wrong << ", " << result.max_ulp << " ULP";
        }
    }
}

// Words that random blocks rarely give: all exponents of the radius, all angles near
// the ends and the middle of their range.
TEST_F(PhiloxOnDevice, SameBitsForExtremeWords) {
    std::vector<uint32_t> edges;
    for (int shift = 0; shift < 32; ++shift) {
        for (int64_t near : {-2, -1, 0, 1, 2}) {
            edges.push_back(static_cast<uint32_t>((INT64_C(1) << shift) + near));
            edges.push_back(static_cast<uint32_t>(-(INT64_C(1) << shift) + near));
        }
    }
    std::vector<uint32_t> a, b;
    for (uint32_t x : edges) {
        for (uint32_t y : edges) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    DeviceBuffer<uint32_t> d_a(a.size()), d_b(b.size());
    DeviceBuffer<float> d_x(a.size()), d_y(a.size());
    d_a.put(a);
    d_b.put(b);
    ASSERT_EQ(cudaSuccess,
              normal_pairs_on_device(a.size(), d_a.data, d_b.data, d_x.data, d_y.data));
    const std::vector<float> x = d_x.take(), y = d_y.take();
    for (size_t i = 0; i < a.size(); ++i) {
        float want_x, want_y;
        philox_normal_pair(a[i], b[i], &want_x, &want_y);
        ASSERT_EQ(bits_of(want_x), bits_of(x[i])) << a[i] << " " << b[i];
        ASSERT_EQ(bits_of(want_y), bits_of(y[i])) << a[i] << " " << b[i];
    }
}

} // namespace
