// SPDX-License-Identifier: Apache-2.0
// Comparison: what counts as wrong, what is counted, and what is said about it.
#include "common/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "common/philox.h"

namespace {

constexpr float INF = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr float SUBNORMAL = 1e-40f;

// Inputs of any length, none special, all different in practice.
std::vector<float> numbers(size_t n, uint64_t seed = 7) {
    std::vector<float> x(n);
    philox_normal_fill(x.data(), n, seed);
    return x;
}

CompareResult compare(const std::vector<float> &got, const std::vector<float> &want,
                      float atol = COMPARE_ATOL_FLOAT32, float rtol = COMPARE_RTOL_FLOAT32,
                      bool equal_nan = false) {
    return compare_float32(want.size(), got.data(), want.data(), atol, rtol, equal_nan);
}

bool is_right(float got, float want, float atol = 1e-6f, float rtol = 1e-6f,
              bool equal_nan = false) {
    return compare_float32(1, &got, &want, atol, rtol, equal_nan).wrong == 0;
}

std::string describe(const CompareResult &result, const LaunchGeometry *geometry = nullptr) {
    std::vector<char> text(compare_describe(&result, geometry, nullptr, 0) + 1);
    compare_describe(&result, geometry, text.data(), text.size());
    return text.data();
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

#define EXPECT_SAYS(text, part) EXPECT_TRUE(contains((text), (part))) << (text)
#define EXPECT_SILENT(text, part) EXPECT_FALSE(contains((text), (part))) << (text)

// --- One element ---

TEST(Compare, NanIsWrongUnlessExpectedAndAllowed) {
    EXPECT_FALSE(is_right(NOT_A_NUMBER, 1));
    EXPECT_FALSE(is_right(1, NOT_A_NUMBER));
    EXPECT_FALSE(is_right(NOT_A_NUMBER, NOT_A_NUMBER));
    EXPECT_TRUE(is_right(NOT_A_NUMBER, NOT_A_NUMBER, 0, 0, true));
    EXPECT_FALSE(is_right(1, NOT_A_NUMBER, 1, 1, true));
    EXPECT_FALSE(is_right(NOT_A_NUMBER, 1, 1, 1, true));
    EXPECT_FALSE(is_right(NOT_A_NUMBER, INF, INF, INF, true));
}

TEST(Compare, InfinityEqualsOnlyItself) {
    EXPECT_TRUE(is_right(INF, INF));
    EXPECT_TRUE(is_right(-INF, -INF, 0, 0));
    EXPECT_FALSE(is_right(INF, -INF));
    EXPECT_FALSE(is_right(3e38f, INF));
    EXPECT_FALSE(is_right(INF, 3e38f));
    EXPECT_FALSE(is_right(1, INF, 1e30f, 1)); // atol + rtol * inf is inf: no excuse
    EXPECT_FALSE(is_right(-1, -INF, INF, 1));
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
    EXPECT_TRUE(is_right(100.0f, 100.0f, 0, 0));
    EXPECT_FALSE(is_right(100.0f, std::nextafter(100.0f, 200.0f), 0, 0));
    EXPECT_TRUE(is_right(1e-7f, 0, 1e-6f, 0));
    EXPECT_FALSE(is_right(1e-5f, 0, 1e-6f, 1));
    EXPECT_TRUE(is_right(1000.5f, 1000, 0, 1e-3f));
    EXPECT_FALSE(is_right(1001.5f, 1000, 0, 1e-3f));
    EXPECT_TRUE(is_right(1001.5f, 1000, 0.6f, 1e-3f)); // neither part alone would do
    EXPECT_TRUE(is_right(0.0f, -0.0f, 0, 0));
    EXPECT_FALSE(is_right(3e38f, -3e38f)); // the difference overflows float, not double
}

TEST(Compare, EveryPlaceIsLookedAt) {
    for (size_t n : {1, 2, 31, 32, 33, 255, 1023, 1024, 1025, 70000, 200003}) {
        const std::vector<float> want = numbers(n);
        ASSERT_EQ(0u, compare(want, want).wrong);
        ASSERT_EQ(n, compare(want, want).exact);
        for (size_t bad : {size_t{0}, n / 2, n - 1}) {
            std::vector<float> got = want;
            got[bad] = NOT_A_NUMBER;
            const CompareResult result = compare(got, want);
            ASSERT_EQ(1u, result.wrong) << n << " " << bad;
            ASSERT_EQ(bad, result.first_wrong);
            ASSERT_EQ(bad, result.last_wrong);
            ASSERT_EQ(1u, result.unexpected_nan);
            ASSERT_EQ(n - 1, result.exact);
            ASSERT_EQ(want[bad], static_cast<float>(result.want));
            ASSERT_TRUE(std::isnan(result.got));
        }
    }
}

TEST(Compare, FastLoopAgreesWithTheRule) {
    // The vectorised loop against the rule written out, over awkward pairs.
    const float specials[] = {0.0f,         -0.0f,         1,           -1,         INF,    -INF,
                              NOT_A_NUMBER, -NOT_A_NUMBER, SUBNORMAL,   -SUBNORMAL, 1e-45f, 3.4e38f,
                              -3.4e38f,     1.0000001f,    0.99999994f, 1e-7f,      2e-6f};
    for (const bool equal_nan : {false, true}) {
        for (const float atol : {0.0f, 1e-6f, INF}) {
            std::vector<float> got, want;
            for (float g : specials) {
                for (float w : specials) {
                    got.push_back(g);
                    want.push_back(w);
                }
            }
            size_t wrong = 0, exact = 0;
            uint64_t max_ulp = 0;
            for (size_t i = 0; i < got.size(); ++i) {
                const double g = got[i], w = want[i];
                const bool right = std::isnan(g) || std::isnan(w)
                                       ? equal_nan && std::isnan(g) && std::isnan(w)
                                   : std::isinf(g) || std::isinf(w)
                                       ? g == w
                                       : std::fabs(g - w) <= double{atol} + 1e-6f * std::fabs(w);
                wrong += !right;
                exact += std::memcmp(&got[i], &want[i], sizeof(float)) == 0;
                if (std::isfinite(g) && std::isfinite(w)) {
                    max_ulp = std::max(max_ulp, ulp_distance_f32(got[i], want[i]));
                }
            }
            const CompareResult result = compare(got, want, atol, 1e-6f, equal_nan);
            EXPECT_EQ(wrong, result.wrong);
            EXPECT_EQ(exact, result.exact);
            EXPECT_EQ(max_ulp, result.max_ulp);
        }
    }
}

// The first block is always looked at one by one, as its distances are news; the
// awkward pair stands in the second one, where the vectorised loop alone decides.
TEST(Compare, FastLoopAloneNoticesEveryAwkwardPair) {
    const float specials[] = {0.0f,         -0.0f,         1,         -1,     INF,     -INF,
                              NOT_A_NUMBER, -NOT_A_NUMBER, SUBNORMAL, 1e-45f, 3.4e38f, -3.4e38f,
                              1.0000001f,   2e-6f};
    std::vector<float> got = numbers(2048), want = got;
    got[0] = 3e38f; // a distance that no later block exceeds, and right in this tolerance
    want[0] = -3e38f;
    for (const bool equal_nan : {false, true}) {
        for (float g : specials) {
            for (float w : specials) {
                got[1500] = g;
                want[1500] = w;
                const bool finite = std::isfinite(g) && std::isfinite(w);
                const bool right = finite || (std::isnan(g) || std::isnan(w)
                                                  ? equal_nan && std::isnan(g) && std::isnan(w)
                                                  : g == w);
                const CompareResult result = compare(got, want, INF, 0, equal_nan);
                ASSERT_EQ(right ? 0u : 1u, result.wrong) << g << " " << w;
                ASSERT_EQ(0u, result.max_ulp_index * result.wrong);
            }
        }
    }
    got[1500] = 1.00001f; // and in an ordinary tolerance
    want[1500] = 1;
    got[0] = want[0];
    EXPECT_EQ(1u, compare(got, want).wrong);
    EXPECT_EQ(1500u, compare(got, want).first_wrong);
}

TEST(Compare, RightResultsAreCountedByTheFastLoopAlone) {
    const size_t n = 100000;
    const std::vector<float> want = numbers(n);
    std::vector<float> got = want;
    for (size_t i = 0; i < n; i += 10) {
        got[i] = std::nextafter(got[i], 10.0f); // 1 ULP, within tolerance
    }
    got[77777] = std::nextafter(std::nextafter(std::nextafter(want[77777], 10.0f), 10.0f), 10.0f);
    const CompareResult result = compare(got, want);
    EXPECT_EQ(0u, result.wrong);
    EXPECT_EQ(n - n / 10 - 1, result.exact);
    EXPECT_EQ(3u, result.max_ulp);
    EXPECT_EQ(77777u, result.max_ulp_index);
    EXPECT_EQ(n, result.first_wrong);
}

TEST(Compare, NothingToCompare) {
    const CompareResult none = compare_float32(0, nullptr, nullptr, 0, 0, false);
    EXPECT_EQ(0u, none.wrong);
    EXPECT_EQ("no elements to compare", describe(none));
    const CompareResult null = compare_float32(5, nullptr, nullptr, 1, 1, true);
    EXPECT_EQ(5u, null.wrong) << "a null pointer must not pass for a result";
    EXPECT_SAYS(describe(null), "null pointer");
}

TEST(Compare, Float64) {
    const double want[] = {1, 2, 1e-310, 4};
    double got[] = {1, 2, 1e-310, 4};
    EXPECT_EQ(0u, compare_float64(4, got, want, 0, 0, false).wrong);
    got[1] = std::nextafter(2.0, 3.0);
    EXPECT_EQ(1u, compare_float64(4, got, want, 0, 0, false).wrong);
    EXPECT_EQ(1u, compare_float64(4, got, want, 0, 0, false).max_ulp);
    EXPECT_EQ(
        0u, compare_float64(4, got, want, COMPARE_ATOL_FLOAT64, COMPARE_RTOL_FLOAT64, false).wrong);
    got[2] = 0;
    EXPECT_EQ(1u, compare_float64(4, got, want, 0, 1e-12, false).flushed);
    got[3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(1u, compare_float64(4, got, want, 1, 1, false).unexpected_nan);
}

TEST(Compare, ExactMeansTheSameBits) {
    const float zero[] = {0.0f}, minus_zero[] = {-0.0f};
    EXPECT_EQ(1u, compare_exact(1, zero, minus_zero, DTYPE_FLOAT32).wrong);
    const float nan[] = {NOT_A_NUMBER};
    EXPECT_EQ(0u, compare_exact(1, nan, nan, DTYPE_FLOAT32).wrong);
    std::vector<int64_t> want(5000), got;
    for (size_t i = 0; i < want.size(); ++i) {
        want[i] = INT64_MAX - static_cast<int64_t>(i) * 3;
    }
    got = want;
    EXPECT_EQ(0u, compare_exact(want.size(), got.data(), want.data(), DTYPE_INT64).wrong);
    got[4321] -= 1; // invisible to a double
    const CompareResult result = compare_exact(want.size(), got.data(), want.data(), DTYPE_INT64);
    EXPECT_EQ(1u, result.wrong);
    EXPECT_EQ(4321u, result.first_wrong);
    EXPECT_SAYS(describe(result), std::to_string(want[4321]));
    for (DType dtype : {DTYPE_INT8, DTYPE_UINT8, DTYPE_INT16, DTYPE_UINT16, DTYPE_INT32,
                        DTYPE_UINT32, DTYPE_UINT64, DTYPE_FLOAT64}) {
        const std::vector<unsigned char> a(800, 3);
        std::vector<unsigned char> b = a;
        b[800 - 1] = 4;
        EXPECT_EQ(0u, compare_exact(800 / dtype_size(dtype), a.data(), a.data(), dtype).wrong);
        const CompareResult one = compare_exact(800 / dtype_size(dtype), b.data(), a.data(), dtype);
        EXPECT_EQ(1u, one.wrong) << dtype_name(dtype);
        EXPECT_EQ(800 / dtype_size(dtype) - 1, one.first_wrong);
    }
}

TEST(UlpDistance, Float32) {
    EXPECT_EQ(0u, ulp_distance_f32(1, 1));
    EXPECT_EQ(0u, ulp_distance_f32(0.0f, -0.0f));
    EXPECT_EQ(1u, ulp_distance_f32(1, std::nextafter(1.0f, 2.0f)));
    EXPECT_EQ(1u, ulp_distance_f32(std::nextafter(1.0f, 0.0f), 1));
    EXPECT_EQ(2u, ulp_distance_f32(1e-45f, -1e-45f));
    EXPECT_EQ(1u, ulp_distance_f32(0, 1e-45f));
    EXPECT_EQ(0x00800000u, ulp_distance_f32(2, 1));
    EXPECT_EQ(2u * 0x7F7FFFFFu, ulp_distance_f32(3.40282347e38f, -3.40282347e38f));
    EXPECT_EQ(0u, ulp_distance_f32(INF, INF));
    EXPECT_EQ(ULP_INCOMPARABLE, ulp_distance_f32(INF, 3.40282347e38f));
    EXPECT_EQ(ULP_INCOMPARABLE, ulp_distance_f32(INF, -INF));
    EXPECT_EQ(ULP_INCOMPARABLE, ulp_distance_f32(NOT_A_NUMBER, 1));
    EXPECT_EQ(0u, ulp_distance_f32(NOT_A_NUMBER, -NOT_A_NUMBER));
}

TEST(UlpDistance, Float64) {
    EXPECT_EQ(0u, ulp_distance_f64(0.0, -0.0));
    EXPECT_EQ(1u, ulp_distance_f64(1, std::nextafter(1.0, 2.0)));
    EXPECT_EQ(2u, ulp_distance_f64(5e-324, -5e-324));
    EXPECT_EQ(2 * UINT64_C(0x7FEFFFFFFFFFFFFF),
              ulp_distance_f64(std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::lowest()));
    EXPECT_EQ(ULP_INCOMPARABLE, ulp_distance_f64(1, std::numeric_limits<double>::infinity()));
}

// --- The diagnosis: each planted fault must be named, and no other one ---

struct Planted {
    std::vector<float> want, got;
    LaunchGeometry geometry = {};

    explicit Planted(size_t n, size_t block = 256) : want(numbers(n)), got(want) {
        geometry.block_x = block;
        geometry.grid_x = (n + block - 1) / block;
    }
    // A wrong value that differs from place to place.
    void spoil(size_t i) { got[i] = want[i] + 5.0f + 0.001f * static_cast<float>(i % 1000); }
    std::string said() const { return describe(compare(got, want), &geometry); }
};

TEST(Diagnosis, RightResults) {
    Planted p(1000);
    EXPECT_EQ("all 1,000 elements right, bit for bit", p.said());
    p.got[3] = std::nextafter(p.got[3], 10.0f);
    EXPECT_EQ("all 1,000 elements right, largest error 1 ULP", p.said());
}

TEST(Diagnosis, FirstWrongElementWithBlockAndThread) {
    Planted p(5000);
    p.got[1234] = 99;
    p.want[1234] = 1.5f;
    p.spoil(4000);
    p.spoil(4001);
    const std::string said = p.said();
    EXPECT_SAYS(said, "3 of 5,000 elements wrong");
    EXPECT_SAYS(said, "element 1,234 (block 4, thread 210): expected 1.5, found 99");
    EXPECT_SILENT(said, "every");
    EXPECT_SILENT(said, "repeat");
}

TEST(Diagnosis, GridStrideAndVectorAccesses) {
    Planted p(100000);
    p.geometry.grid_x = 10; // 10 blocks of 256 threads of 4 elements take turns
    p.geometry.vector = 4;
    const size_t i = (10 * 256 + 3 * 256 + 17) * 4 + 2; // second turn
    p.spoil(i);
    EXPECT_SAYS(p.said(), "(turn 2 of a grid-stride loop, block 3, thread 17)");
}

TEST(Diagnosis, MatrixWithTwoDimensionalBlocks) {
    Planted p(100 * 37);
    p.geometry = {};
    p.geometry.block_x = 32;
    p.geometry.block_y = 8;
    p.geometry.cols = 37;
    p.spoil(50 * 37 + 35);
    EXPECT_SAYS(p.said(), "row 50, column 35; block (1, 6), thread (3, 2)");
    p.geometry.block_x = p.geometry.block_y = 0;
    EXPECT_SAYS(p.said(), "(row 50, column 35)");
}

TEST(Diagnosis, LastPartialBlock) {
    Planted p(1000);
    for (size_t i = 768; i < 1000; ++i) p.spoil(i);
    EXPECT_SAYS(p.said(), "exactly the last, partial block is wrong (232 elements");
    EXPECT_SAYS(p.said(), "round the number of blocks up");
}

TEST(Diagnosis, LastFullBlockIsNotAPartialOne) {
    Planted p(1024);
    for (size_t i = 768; i < 1024; ++i) p.spoil(i);
    EXPECT_SILENT(p.said(), "partial");
    EXPECT_SAYS(p.said(), "everything from block 3 on");
}

TEST(Diagnosis, OnlyTheFirstBlockIsRight) {
    Planted p(1000);
    for (size_t i = 256; i < 1000; ++i) p.spoil(i);
    EXPECT_SAYS(p.said(), "only the first block is right");
}

TEST(Diagnosis, TheGridEndsTooEarly) {
    Planted p(10000);
    p.geometry.grid_x = 20;
    for (size_t i = 5120; i < 10000; ++i) p.spoil(i);
    EXPECT_SAYS(p.said(), "20 blocks of 256 threads cover 5,120 elements");
}

TEST(Diagnosis, LastElement) {
    Planted p(1000);
    p.spoil(999);
    EXPECT_SAYS(p.said(), "only the last element is wrong");
}

TEST(Diagnosis, EveryKthElement) {
    Planted p(10000);
    for (size_t i = 5; i < 10000; i += 7) p.spoil(i);
    EXPECT_SAYS(p.said(), "every 7th element from 5 to 9,994");
}

TEST(Diagnosis, SameThreadOfEachBlock) {
    Planted p(10000);
    for (size_t i = 255; i < 10000; i += 256) p.spoil(i);
    EXPECT_SAYS(p.said(), "every 256th element");
    EXPECT_SAYS(p.said(), "thread 255 of each block");
}

TEST(Diagnosis, SameLaneOfEachWarp) {
    Planted p(10000);
    for (size_t i = 31; i < 10000; i += 32) p.spoil(i);
    EXPECT_SAYS(p.said(), "lane 31 of each warp");
}

TEST(Diagnosis, ErrorsRepeatWithTheBlockSize) {
    Planted p(10000);
    for (size_t i = 0; i < 10000; ++i) {
        if (i % 256 >= 250 || i % 256 == 3) p.spoil(i);
    }
    EXPECT_SAYS(p.said(), "errors repeat with the block size: 7 of 256 places");
    EXPECT_SAYS(p.said(), "between 3 and 255");
}

TEST(Diagnosis, ScatteredErrorsRepeatNowhere) {
    Planted p(10000);
    for (size_t i : {17, 1000, 5555, 5600, 9001}) p.spoil(i);
    EXPECT_SILENT(p.said(), "repeat");
    EXPECT_SILENT(p.said(), "every");
    EXPECT_SILENT(p.said(), "block size");
}

TEST(Diagnosis, OneBlock) {
    Planted p(10000);
    for (size_t i = 5 * 256; i < 6 * 256; ++i) p.spoil(i);
    EXPECT_SAYS(p.said(), "all wrong elements are in block 5");
}

TEST(Diagnosis, WholeBlocks) {
    Planted p(10000);
    for (size_t i = 0; i < 10000; ++i) {
        const size_t block = i / 256;
        if (block == 3 || block == 10 || block == 11) p.spoil(i);
    }
    EXPECT_SAYS(p.said(), "whole blocks are wrong: 3 of 40");
}

TEST(Diagnosis, EverythingWrong) {
    Planted p(1000);
    for (size_t i = 0; i < 1000; ++i) p.spoil(i);
    EXPECT_SAYS(p.said(), "every element is wrong");
}

TEST(Diagnosis, NeverWritten) {
    Planted p(1000);
    std::memset(p.got.data(), LAB_POISON_BYTE, 1000 * sizeof(float));
    EXPECT_SAYS(p.said(), "never written: every wrong element");
    EXPECT_SILENT(p.said(), "NaN:");
    p.got = p.want;
    std::memset(p.got.data() + 768, LAB_POISON_BYTE, 232 * sizeof(float));
    EXPECT_SAYS(p.said(), "never written");
    EXPECT_SAYS(p.said(), "partial block");
}

TEST(Diagnosis, NeverWrittenIntegers) {
    std::vector<int> want(600, 5), got = want;
    std::memset(got.data() + 512, LAB_POISON_BYTE, 88 * sizeof(int));
    LaunchGeometry geometry = {};
    geometry.block_x = 256;
    const CompareResult result = compare_exact(600, got.data(), want.data(), DTYPE_INT32);
    EXPECT_SAYS(describe(result, &geometry), "never written");
    EXPECT_SAYS(describe(result, &geometry), "expected 5, found -1");
    EXPECT_SILENT(describe(result, &geometry), "ULP");
}

TEST(Diagnosis, ComputedNan) {
    Planted p(1000);
    p.got[5] = p.got[600] = std::nanf("");
    EXPECT_SAYS(p.said(), "NaN: 2 elements");
    EXPECT_SILENT(p.said(), "never written");
    EXPECT_SILENT(p.said(), "fused");
}

TEST(Diagnosis, MissingNan) {
    Planted p(1000);
    p.want[5] = NOT_A_NUMBER;
    p.got[5] = 1;
    EXPECT_SAYS(p.said(), "a number where NaN was expected");
}

TEST(Diagnosis, SameValueEverywhere) {
    Planted p(1000);
    std::fill(p.got.begin(), p.got.end(), 0.0f);
    EXPECT_SAYS(p.said(), "every wrong element holds the same value, 0");
}

TEST(Diagnosis, ShiftedByOne) {
    Planted p(1000);
    for (size_t i = 1; i < 1000; ++i) p.got[i] = p.want[i - 1];
    EXPECT_SAYS(p.said(),
                "shifted by one: each wrong element holds the value expected one place "
                "before");
}

TEST(Diagnosis, SmallDifferencesFitFusedMultiplyAdd) {
    Planted p(1000);
    for (size_t i = 0; i < 1000; i += 3) p.got[i] = std::nextafter(p.got[i], 10.0f);
    const std::string said = describe(compare(p.got, p.want, 0, 0), &p.geometry);
    EXPECT_SAYS(said, "largest difference of finite numbers: 1 ULP");
    EXPECT_SAYS(said, "fits fused multiply-add");
    EXPECT_SAYS(said, "--//bazel:fmad=false");
    // Cancellation: a large relative error of a tiny element among large ones.
    p.got = p.want;
    p.want[10] = 1e-8f;
    p.got[10] = 3e-8f;
    EXPECT_SAYS(describe(compare(p.got, p.want, 0, 1e-6f)), "fits fused multiply-add");
}

TEST(Diagnosis, LargeDifferencesDoNot) {
    Planted p(1000);
    p.got[10] = p.want[10] * 1.001f;
    EXPECT_SILENT(p.said(), "fused");
    EXPECT_SAYS(p.said(), "ULP");
}

TEST(Diagnosis, FlushedSubnormals) {
    Planted p(1000);
    p.want[10] = p.want[20] = SUBNORMAL;
    p.got[10] = p.got[20] = 0;
    const std::string said = describe(compare(p.got, p.want, 0, 1e-6f));
    EXPECT_SAYS(said, "2 elements are 0 where a subnormal number was expected");
    EXPECT_SILENT(said, "fused");
}

TEST(Diagnosis, TextIsCutNotOverrun) {
    Planted p(1000);
    for (size_t i = 256; i < 1000; ++i) p.spoil(i);
    const CompareResult result = compare(p.got, p.want);
    const std::string whole = p.said();
    for (size_t size : {size_t{1}, size_t{2}, size_t{30}, whole.size(), whole.size() + 1}) {
        std::vector<char> text(size + 1, '#');
        EXPECT_EQ(whole.size(), compare_describe(&result, &p.geometry, text.data(), size));
        EXPECT_EQ('#', text[size]);
        EXPECT_EQ(whole.substr(0, size - 1), std::string(text.data()));
    }
}

// 230,400,000 floats are compared in well under a second on 16 cores: at least 20
// million per millisecond and core would be memory's limit; half a nanosecond per
// element and core here leaves room for a busy machine.
// More elements than one thread's share of them: none is left out.
TEST(Compare, LargeArraysToTheLastElement) {
    const size_t n = 20000003;
    const std::vector<float> want = numbers(n);
    std::vector<float> got = want;
    ASSERT_EQ(0u, compare(got, want).wrong);
    for (const size_t i : {size_t{0}, n / 2, n - 1}) {
        got[i] += 1;
        const CompareResult result = compare(got, want);
        EXPECT_EQ(1u, result.wrong) << i;
        EXPECT_EQ(i, result.first_wrong);
        got[i] = want[i];
    }
}

} // namespace
