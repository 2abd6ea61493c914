// SPDX-License-Identifier: Apache-2.0
// The tests' own instruments: a stray write, a missing write and a wrong bit
// must be seen, or the other tests here prove nothing.
#include "tests/kernels/guarded_array.h"

#include <gtest/gtest-spi.h>

#include "kernels/tuned/elementwise.h"
#include "tests/kernels/inputs.h"

namespace {

class Guards : public DeviceTest {};

TEST_F(Guards, SeeOneElementTooMany) {
    EXPECT_NONFATAL_FAILURE(
        {
            GuardedArray<float> array(1000, 0);
            (void)fill_gpu(1001, 1.0f, array.data(), nullptr);
            (void)array.get();
        },
        "guard zone overwritten at element 1000 of an array of 1000");
}

TEST_F(Guards, SeeOneElementTooEarly) {
    EXPECT_NONFATAL_FAILURE(
        {
            GuardedArray<float> array(1000, 1);
            (void)fill_gpu(10, 1.0f, array.data() - 1, nullptr);
            (void)array.get();
        },
        "guard zone overwritten at element -1 of an array of 1000");
}

TEST_F(Guards, AreQuietWhenNothingStrays) {
    GuardedArray<float> array(1000, 3);
    ASSERT_EQ(cudaSuccess, fill_gpu(1000, 1.0f, array.data(), nullptr));
    EXPECT_TRUE(same_values(std::vector<float>(1000, 1.0f), array.get()));
}

TEST_F(Guards, ElementsNeverWrittenAreSeen) {
    GuardedArray<float> array(1000, 0);
    ASSERT_EQ(cudaSuccess, fill_gpu(999, NAN, array.data(), nullptr));
    const std::vector<float> got = array.get();
    EXPECT_FALSE(same_values(std::vector<float>(1000, NAN), got)) << "poison is no NaN like others";
    EXPECT_FALSE(within_ulp(std::vector<float>(1000, NAN), got, 10));
}

TEST(Instruments, TellNumbersApart) {
    EXPECT_TRUE(same_values({0.0f, NAN, INFINITY}, {0.0f, -NAN, INFINITY}));
    EXPECT_FALSE(same_values({0.0f}, {-0.0f}));
    EXPECT_FALSE(same_values({1.0f}, {std::nextafterf(1.0f, 2.0f)}));
    EXPECT_FALSE(same_values({1.0f}, {NAN}));
    EXPECT_FALSE(same_values({NAN}, {1.0f}));
    EXPECT_FALSE(same_values({1.0f}, {}));
    EXPECT_TRUE(within_ulp({1.0f}, {std::nextafterf(1.0f, 2.0f)}, 1));
    EXPECT_FALSE(within_ulp({1.0f}, {1.0f + 2 * FLT_EPSILON}, 1));
    EXPECT_FALSE(within_ulp({1.0f}, {NAN}, 1000000));
    EXPECT_FALSE(within_ulp({NAN}, {1.0f}, 1000000));
    EXPECT_EQ(0u, steps_between(0.0f, -0.0f));
    EXPECT_EQ(2u, steps_between(FLT_TRUE_MIN, -FLT_TRUE_MIN));
    EXPECT_EQ(1u, steps_between(FLT_MAX, INFINITY));
    EXPECT_EQ(1u, steps_between(1.0f, std::nextafterf(1.0f, 0.0f)));
}

} // namespace
