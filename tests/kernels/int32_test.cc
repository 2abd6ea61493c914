// SPDX-License-Identifier: Apache-2.0
// Integer powers and true division of int32 arrays: exact, and of the type that
// the header's rules say.
#include "kernels/tuned/int32.h"

#include <climits>
#include <cmath>

#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Ints = std::vector<int32_t>;

class Int32 : public DeviceTest {};

Ints integers(size_t n, uint64_t seed) {
    std::vector<uint32_t> bits(n);
    philox_bits_fill(bits.data(), n, seed);
    return Ints(bits.begin(), bits.end());
}

Ints power_on_device(const Ints &x, int exponent) {
    GuardedArray<int32_t> d_x(x, 0), d_out(x.size(), 0);
    EXPECT_EQ(cudaSuccess, pow_int32_gpu(x.size(), d_x.data(), exponent, d_out.data(), nullptr));
    EXPECT_EQ(x, d_x.get());
    return d_out.get();
}

TEST_F(Int32, SmallPowersAreExact) {
    Ints x;
    for (int value = -20; value <= 20; ++value) x.push_back(value);
    for (int exponent = 0; exponent <= 7; ++exponent) {
        Ints want;
        for (int value : x) {
            int64_t power = 1; // 20^7 = 1,280,000,000 fits in 31 bits
            for (int e = 0; e < exponent; ++e) power *= value;
            want.push_back(static_cast<int32_t>(power));
        }
        EXPECT_EQ(want, power_on_device(x, exponent)) << "exponent " << exponent;
    }
    EXPECT_EQ(Ints{25}, power_on_device({-5}, 2));
    EXPECT_EQ(Ints{1}, power_on_device({0}, 0));
}

TEST_F(Int32, LargePowersWrap) {
    for (size_t n : sizes()) {
        const Ints x = integers(n, 1);
        for (int exponent : {2, 3, 31}) {
            Ints want(n);
            pow_int32_cpu(n, x.data(), exponent, want.data());
            ASSERT_EQ(want, power_on_device(x, exponent)) << "n = " << n << ", " << exponent;
        }
    }
    EXPECT_EQ((Ints{0, INT_MIN, INT_MIN, 1, -1, 1}),
              (Ints{power_on_device({2}, 32)[0], power_on_device({2}, 31)[0],
                    power_on_device({INT_MIN}, 1)[0], power_on_device({-1}, INT_MAX - 1)[0],
                    power_on_device({-1}, INT_MAX)[0], power_on_device({1}, INT_MAX)[0]}));
}

TEST_F(Int32, DivisionIsNotCutShort) {
    for (size_t n : sizes()) {
        Ints x = integers(n, 2), y = integers(n, 3);
        if (n > 4) {
            x[0] = 1, y[0] = 2;        // 0.5, not 0
            x[1] = 7, y[1] = 0;        // infinity
            x[2] = -7, y[2] = 0;       // -infinity
            x[3] = 0, y[3] = 0;        // NaN
            x[4] = INT_MIN, y[4] = -1; // 2147483648, which no int32 is
        }
        GuardedArray<int32_t> d_x(x, 1), d_y(y, 2);
        GuardedArray<double> d_out(n, 1);
        ASSERT_EQ(cudaSuccess, divide_int32_gpu(n, d_x.data(), d_y.data(), d_out.data(), nullptr));
        const std::vector<double> got = d_out.get();
        std::vector<double> want(n);
        divide_int32_cpu(n, x.data(), y.data(), want.data());
        for (size_t i = 0; i < n; ++i) {
            if (std::isnan(want[i])) {
                ASSERT_TRUE(std::isnan(got[i])) << i;
            } else {
                ASSERT_EQ(want[i], got[i]) << x[i] << " / " << y[i];
            }
        }
        if (n > 4) {
            EXPECT_EQ(0.5, got[0]);
            EXPECT_EQ(INFINITY, got[1]);
            EXPECT_EQ(-INFINITY, got[2]);
            EXPECT_EQ(2147483648.0, got[4]);
        }
    }
}

TEST_F(Int32, RefusesWhatItMust) {
    GuardedArray<int32_t> d_x(Ints(100, 2), 0);
    GuardedArray<double> d_out(100, 0);
    EXPECT_EQ(cudaSuccess, pow_int32_gpu(0, nullptr, 2, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, divide_int32_gpu(0, nullptr, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, pow_int32_gpu(100, d_x.data(), -1, d_x.data(), nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, pow_int32_gpu(100, nullptr, 2, d_x.data(), nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, pow_int32_gpu(100, d_x.data(), 2, nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue,
              divide_int32_gpu(100, d_x.data(), nullptr, d_out.data(), nullptr));
    // A double needs 8 bytes of alignment.
    double *const shifted =
        reinterpret_cast<double *>(reinterpret_cast<uintptr_t>(d_out.data()) + 4);
    EXPECT_EQ(cudaErrorInvalidValue,
              divide_int32_gpu(50, d_x.data(), d_x.data(), shifted, nullptr));
    EXPECT_EQ(Ints(100, 2), d_x.get());
}

TEST_F(Int32, PowerInPlace) {
    GuardedArray<int32_t> d_x(Ints{1, -2, 3, -4, 5}, 3);
    ASSERT_EQ(cudaSuccess, pow_int32_gpu(5, d_x.data(), 3, d_x.data(), nullptr));
    EXPECT_EQ((Ints{1, -8, 27, -64, 125}), d_x.get());
}

} // namespace
