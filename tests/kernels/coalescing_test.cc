// SPDX-License-Identifier: Apache-2.0
// Copies in each pattern, and points as structures and as arrays: every element, and nothing else.
#include "kernels/coalescing.h"

#include <algorithm>

#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;

const Point MOVE = {1.25f, -2.0f, 1e-3f};

class Coalescing : public DeviceTest {};

// The points' numbers as structures, and the same as three arrays.
std::vector<Point> points_of(const Floats &x) {
    std::vector<Point> points(x.size() / 3);
    for (size_t i = 0; i < points.size(); ++i) points[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    return points;
}

TEST(StridedElement, TakesEachElementOnce) {
    for (size_t stride : {1, 2, 3, 8, 32}) {
        for (size_t columns : {1, 2, 7, 32}) {
            const size_t n = stride * columns;
            std::vector<size_t> taken(n);
            for (size_t i = 0; i < n; ++i) taken[strided_element(n, stride, i)]++;
            EXPECT_EQ(std::vector<size_t>(n, 1), taken);
            EXPECT_EQ(0u, strided_element(n, stride, 0));
            const size_t next = columns > 1 ? stride : 1; // lanes are stride apart
            if (n > 1) {
                EXPECT_EQ(next, strided_element(n, stride, 1));
            }
        }
    }
}

TEST_F(Coalescing, StridesOfEverySize) {
    for (size_t stride : {1, 2, 3, 8, 31, 32, 33}) {
        for (size_t columns : {1, 2, 31, 32, 33, 1000}) {
            const size_t n = stride * columns;
            const Floats x = normals(n, n);
            Floats want(n);
            for (size_t i = 0; i < n; ++i) want[i] = x[strided_element(n, stride, i)];
            GuardedArray<float> d_x(x, 1), d_out(n, 2);
            ASSERT_EQ(cudaSuccess, copy_strided_gpu(n, stride, d_x.data(), d_out.data(), nullptr));
            EXPECT_TRUE(same_values(want, d_out.get())) << stride << " " << columns;
        }
    }
}

TEST_F(Coalescing, OffsetsOfEverySize) {
    for (size_t n : sizes()) {
        for (size_t offset : {0, 1, 7, 8, 31, 32}) {
            if (n > 10000 && offset != 1) continue;
            const Floats x = normals(n + offset, n);
            GuardedArray<float> d_x(x, 1), d_out(n, 3);
            ASSERT_EQ(cudaSuccess, copy_offset_gpu(n, offset, d_x.data(), d_out.data(), nullptr));
            EXPECT_TRUE(
                same_values(Floats(x.begin() + static_cast<long>(offset), x.end()), d_out.get()))
                << n << " " << offset;
        }
    }
}

TEST_F(Coalescing, QuadsOfEverySize) {
    for (size_t quads : {1, 31, 32, 33, 255, 256, 257, 25001}) {
        const Floats x = normals(4 * quads, quads);
        GuardedArray<float> d_x(x, 0), d_out(4 * quads, 0);
        ASSERT_EQ(cudaSuccess, copy_float4_gpu(4 * quads, d_x.data(), d_out.data(), nullptr));
        EXPECT_TRUE(same_values(x, d_out.get())) << quads;
    }
}

TEST_F(Coalescing, PointsMoveAlikeInBothOrders) {
    for (size_t n : {1, 31, 32, 33, 255, 256, 257, 1000, 33331}) {
        const Floats x = normals(3 * n, n);
        const std::vector<Point> points = points_of(x);
        Floats arrays(3 * n), want_arrays(3 * n), want_x(n);
        for (size_t i = 0; i < n; ++i) {
            arrays[i] = points[i].x, arrays[n + i] = points[i].y, arrays[2 * n + i] = points[i].z;
            want_arrays[i] = points[i].x + MOVE.x;
            want_arrays[n + i] = points[i].y + MOVE.y;
            want_arrays[2 * n + i] = points[i].z + MOVE.z;
            want_x[i] = points[i].x;
        }
        GuardedArray<Point> d_points(points, 0), d_moved(n, 0);
        ASSERT_EQ(cudaSuccess, move_structs_gpu(n, d_points.data(), MOVE, d_moved.data(), nullptr));
        const std::vector<Point> moved = d_moved.get();
        for (size_t i = 0; i < n; ++i) {
            ASSERT_EQ(want_arrays[i], moved[i].x) << i << " of " << n;
            ASSERT_EQ(want_arrays[n + i], moved[i].y) << i << " of " << n;
            ASSERT_EQ(want_arrays[2 * n + i], moved[i].z) << i << " of " << n;
        }
        GuardedArray<float> d_arrays(arrays, 0), d_out(3 * n, 1), d_x(n, 1);
        ASSERT_EQ(cudaSuccess, move_arrays_gpu(n, d_arrays.data(), MOVE, d_out.data(), nullptr));
        EXPECT_TRUE(same_values(want_arrays, d_out.get())) << n;
        ASSERT_EQ(cudaSuccess, take_x_gpu(n, d_points.data(), d_x.data(), nullptr));
        EXPECT_TRUE(same_values(want_x, d_x.get())) << n;
        // In place.
        ASSERT_EQ(cudaSuccess, move_arrays_gpu(n, d_arrays.data(), MOVE, d_arrays.data(), nullptr));
        EXPECT_TRUE(same_values(want_arrays, d_arrays.get())) << n;
    }
}

TEST_F(Coalescing, BitsOfNanAndInfinityAreCopied) {
    const Floats x = specials();
    GuardedArray<float> d_x(x, 1), d_out(x.size(), 1);
    ASSERT_EQ(cudaSuccess, copy_strided_gpu(x.size(), 2, d_x.data(), d_out.data(), nullptr));
    const Floats got = d_out.get();
    for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(bits_of(x[strided_element(x.size(), 2, i)]), bits_of(got[i])) << i;
}

TEST_F(Coalescing, RefusesWhatItMust) {
    GuardedArray<float> d_x(Floats(96, 1.5f), 0), d_out(96, 0);
    float *const x = d_x.data(), *const out = d_out.data();
    EXPECT_EQ(cudaSuccess, copy_strided_gpu(0, 2, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, copy_offset_gpu(0, 1, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, copy_float4_gpu(0, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, move_structs_gpu(0, nullptr, MOVE, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, move_arrays_gpu(0, nullptr, MOVE, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, take_x_gpu(0, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_strided_gpu(96, 0, x, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_strided_gpu(95, 2, x, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_strided_gpu(96, 2, nullptr, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_offset_gpu(95, 1, x, nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_float4_gpu(95, x, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_float4_gpu(92, x + 1, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_float4_gpu(92, x, out + 3, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, move_arrays_gpu(32, nullptr, MOVE, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, take_x_gpu(32, nullptr, out, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, copy_offset_gpu(size_t{1} << 41, 0, x, out, nullptr));
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
}

} // namespace
