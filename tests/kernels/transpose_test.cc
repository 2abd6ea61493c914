// SPDX-License-Identifier: Apache-2.0
// All transposes: every shape, both directions, nothing written beside them.
#include "kernels/transpose.h"

#include "kernels/tuned/transpose.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;
using Transpose = cudaError_t (*)(size_t, size_t, const float *, float *, cudaStream_t);

struct Named {
    const char *name;
    Transpose transpose;
};

const Named ALL[] = {{"naive", transpose_naive_gpu},
                     {"tile", transpose_tile_gpu},
                     {"padded", transpose_padded_gpu},
                     {"swizzled", transpose_swizzled_gpu},
                     {"tuned", transpose_gpu}};

Floats transposed(size_t rows, size_t cols, const Floats &x) {
    Floats want(x.size());
    for (size_t i = 0; i < x.size(); ++i) want[i % cols * rows + i / cols] = x[i];
    return want;
}

class TransposeTest : public DeviceTest, public testing::WithParamInterface<Named> {
  protected:
    // Each side at its own distance from an aligned address.
    void check(size_t rows, size_t cols, size_t from, size_t to) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << cols << ", " << from << ", " << to);
        const Floats x = normals(rows * cols, rows * 31 + cols);
        GuardedArray<float> d_x(x, from), d_out(x.size(), to);
        ASSERT_EQ(cudaSuccess, GetParam().transpose(rows, cols, d_x.data(), d_out.data(), nullptr));
        EXPECT_TRUE(same_values(transposed(rows, cols, x), d_out.get()));
    }
};

TEST_P(TransposeTest, EveryShape) {
    for (size_t rows : {1, 2, 31, 32, 33, 63, 64, 65, 128, 255, 257}) {
        for (size_t cols : {1, 3, 4, 31, 32, 33, 63, 64, 65, 100, 129}) check(rows, cols, 0, 0);
    }
}

TEST_P(TransposeTest, UnalignedSides) {
    for (size_t from : {0, 1, 2, 3}) {
        for (size_t to : {0, 1, 3}) {
            check(68, 132, from, to);
            check(33, 65, from, to);
        }
    }
}

TEST_P(TransposeTest, NoSquareAndManyTiles) {
    check(1009, 1013, 0, 0);
    check(1, 100003, 0, 0);
    check(100003, 1, 0, 0);
    check(4096, 12, 0, 0);
}

TEST_F(DeviceTest, TheTunedOneHasNoLimitOfRows) {
    const size_t rows = TRANSPOSE_MOST_ROWS + 1;
    const Floats x = normals(rows, 3);
    GuardedArray<float> d_x(x, 0), d_out(rows, 0);
    EXPECT_EQ(cudaErrorInvalidValue,
              transpose_padded_gpu(rows, 1, d_x.data(), d_out.data(), nullptr));
    ASSERT_EQ(cudaSuccess, transpose_gpu(rows, 1, d_x.data(), d_out.data(), nullptr));
    EXPECT_TRUE(same_values(x, d_out.get()));
}

TEST_P(TransposeTest, BitsPassThrough) {
    Floats x = specials();
    const size_t rows = 2, cols = x.size() / 2;
    GuardedArray<float> d_x(x, 0), d_out(x.size(), 0);
    ASSERT_EQ(cudaSuccess, GetParam().transpose(rows, cols, d_x.data(), d_out.data(), nullptr));
    const Floats got = d_out.get(), want = transposed(rows, cols, x);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits_of(want[i]), bits_of(got[i])) << i;
}

TEST_P(TransposeTest, RefusesWhatItMust) {
    GuardedArray<float> d_x(Floats(64, 1.5f), 0), d_out(64, 0);
    EXPECT_EQ(cudaSuccess, GetParam().transpose(0, 5, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, GetParam().transpose(5, 0, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, GetParam().transpose(8, 8, nullptr, d_out.data(), nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, GetParam().transpose(8, 8, d_x.data(), nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, GetParam().transpose(size_t{1} << 38, size_t{1} << 12,
                                                          d_x.data(), d_out.data(), nullptr));
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
}

INSTANTIATE_TEST_SUITE_P(All, TransposeTest, testing::ValuesIn(ALL),
                         [](const testing::TestParamInfo<Named> &info) { return info.param.name; });

TEST(TransposeCpu, IsTheReference) {
    const Floats x = {1, 2, 3, 4, 5, 6};
    Floats out(6);
    transpose_cpu(2, 3, x.data(), out.data());
    EXPECT_EQ((Floats{1, 4, 2, 5, 3, 6}), out);
}

} // namespace
