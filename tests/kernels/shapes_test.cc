// SPDX-License-Identifier: Apache-2.0
// factor * x in every shape: right for each image and each grid, and refused where it must be.
#include "kernels/shapes.h"

#include <algorithm>
#include <array>

#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;
using Words = std::vector<uint32_t>;

const float FACTOR = -2.5f; // no power of two: a forgotten factor shows

Floats scaled(const Floats &x) {
    Floats want(x.size());
    for (size_t i = 0; i < x.size(); ++i) want[i] = FACTOR * x[i];
    return want;
}

class Shapes : public DeviceTest {};

TEST_F(Shapes, AnImagesGridIsRoundedUpInBothDirections) {
    const LaunchShape shape = shape_for_image(37, 100, 16, 16);
    EXPECT_EQ(7u, shape.grid[0]) << "columns lie along x";
    EXPECT_EQ(3u, shape.grid[1]);
    EXPECT_EQ(1u, shape.grid[2]);
    EXPECT_EQ(256u, shape_block_threads(&shape));
    EXPECT_EQ(5376u, shape_threads(&shape));
    EXPECT_EQ(1u, shape_for_image(16, 16, 16, 16).grid[0]);
    EXPECT_EQ(2u, shape_for_image(16, 17, 16, 16).grid[0]);
    EXPECT_EQ(2u, shape_for_image(17, 16, 16, 16).grid[1]);
    EXPECT_EQ(0u, shape_for_image(1, size_t{1} << 40, 16, 16).grid[0]) << "more than there are";
}

TEST_F(Shapes, EveryImageInBothOrders) {
    const unsigned blocks[][2] = {{16, 16}, {32, 1}, {1, 32}, {32, 8}, {7, 3}, {1, 1}, {32, 32}};
    for (size_t rows : {1, 2, 31, 32, 33, 37, 100}) {
        for (size_t cols : {1, 3, 31, 32, 33, 129}) {
            for (const unsigned(&block)[2] : blocks) {
                SCOPED_TRACE(::testing::Message() << rows << " x " << cols << ", block " << block[0]
                                                  << " x " << block[1]);
                const Floats x = normals(rows * cols, rows + cols);
                for (bool swapped : {false, true}) {
                    GuardedArray<float> d_x(x, 1), d_out(x.size(), 2);
                    ASSERT_EQ(cudaSuccess, (swapped ? scale_image_swapped_gpu : scale_image_gpu)(
                                               rows, cols, d_x.data(), FACTOR, d_out.data(),
                                               block[0], block[1], nullptr));
                    EXPECT_TRUE(same_values(scaled(x), d_out.get()));
                }
            }
        }
    }
}

TEST_F(Shapes, PixelsBelongToTheThreadsOfTheFormula) {
    for (const auto &block : {std::array<unsigned, 2>{16, 16}, {8, 4}, {32, 1}}) {
        const size_t rows = 37, cols = 100;
        const unsigned across = shape_for_image(rows, cols, block[0], block[1]).grid[0];
        Words want_block(rows * cols), want_thread(rows * cols);
        for (size_t i = 0; i < rows * cols; ++i) {
            const size_t row = i / cols, col = i % cols;
            want_block[i] = static_cast<uint32_t>(row / block[1] * across + col / block[0]);
            want_thread[i] = static_cast<uint32_t>(row % block[1] * block[0] + col % block[0]);
        }
        GuardedArray<uint32_t> d_block(rows * cols, 0), d_thread(rows * cols, 1);
        ASSERT_EQ(cudaSuccess, sign_image_gpu(rows, cols, d_block.data(), d_thread.data(), block[0],
                                              block[1], nullptr));
        EXPECT_EQ(want_block, d_block.get());
        EXPECT_EQ(want_thread, d_thread.get());
    }
}

TEST_F(Shapes, AGridStrideLoopIsRightInAnyGrid) {
    for (size_t n : sizes()) {
        for (unsigned blocks : {1u, 2u, 3u, 1000u}) {
            for (unsigned threads : {1u, 31u, 32u, 256u, 1000u, 1024u}) {
                if (n > 10000 && (threads != 256 || blocks != 3)) continue;
                SCOPED_TRACE(::testing::Message()
                             << "n = " << n << ", " << blocks << " x " << threads);
                const Floats x = normals(n, n);
                GuardedArray<float> d_x(x, 1), d_out(n, 3);
                ASSERT_EQ(cudaSuccess, scale_stride_gpu(n, d_x.data(), FACTOR, d_out.data(), blocks,
                                                        threads, nullptr));
                EXPECT_TRUE(same_values(scaled(x), d_out.get()));
            }
        }
    }
}

TEST_F(Shapes, ThreeDimensionsCountXFirst) {
    const LaunchShape shapes[] = {{{2, 3, 4}, {8, 4, 2}},
                                  {{1, 1, 1}, {8, 8, 16}},
                                  {{1, 1, 7}, {1, 1, 64}},
                                  {{5, 1, 1}, {3, 5, 7}}};
    for (const LaunchShape &shape : shapes) {
        for (size_t n : {1, 31, 1000, 4097}) {
            const Floats x = normals(n, 7);
            GuardedArray<float> d_x(x, 0), d_out(n, 1);
            ASSERT_EQ(cudaSuccess,
                      scale_shaped_gpu(n, d_x.data(), FACTOR, d_out.data(), shape, 0, nullptr));
            EXPECT_TRUE(same_values(scaled(x), d_out.get())) << n;
        }
    }
}

TEST_F(Shapes, WhatCannotBeLaunchedRunsNothing) {
    GuardedArray<float> d_x(Floats(100, 1.5f), 0), d_out(100, 0);
    const LaunchShape bad[] = {{{1, 1, 1}, {32, 32, 2}}, {{1, 1, 1}, {1, 1, 65}},
                               {{0, 1, 1}, {32, 1, 1}},  {{1, 65536, 1}, {32, 1, 1}},
                               {{1, 1, 1}, {0, 1, 1}},   {{1, 1, 1}, {1025, 1, 1}}};
    for (const LaunchShape &shape : bad) {
        EXPECT_NE(cudaSuccess,
                  scale_shaped_gpu(100, d_x.data(), FACTOR, d_out.data(), shape, 0, nullptr));
    }
    EXPECT_NE(cudaSuccess, scale_shaped_gpu(100, d_x.data(), FACTOR, d_out.data(),
                                            {{1, 1, 1}, {32, 1, 1}}, 300 << 10, nullptr));
    EXPECT_NE(cudaSuccess,
              scale_stride_gpu(100, d_x.data(), FACTOR, d_out.data(), 1, 2048, nullptr));
    EXPECT_NE(cudaSuccess,
              scale_image_gpu(10, 10, d_x.data(), FACTOR, d_out.data(), 64, 32, nullptr));
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize()) << "none of it stays behind";
}

TEST_F(Shapes, RefusesWhatItMust) {
    GuardedArray<float> d_x(Floats(100, 1.5f), 0), d_out(100, 0);
    float *const x = d_x.data(), *const out = d_out.data();
    EXPECT_EQ(cudaSuccess, scale_image_gpu(0, 10, nullptr, FACTOR, nullptr, 16, 16, nullptr));
    EXPECT_EQ(cudaSuccess,
              scale_image_swapped_gpu(10, 0, nullptr, FACTOR, nullptr, 16, 16, nullptr));
    EXPECT_EQ(cudaSuccess, scale_stride_gpu(0, nullptr, FACTOR, nullptr, 1, 32, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue,
              scale_image_gpu(10, 10, nullptr, FACTOR, out, 16, 16, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, scale_image_gpu(10, 10, x, FACTOR, nullptr, 16, 16, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, scale_image_gpu(10, 10, x, FACTOR, out, 0, 16, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue,
              scale_image_swapped_gpu(10, 10, x, FACTOR, out, 16, 0, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, sign_image_gpu(10, 10, nullptr, nullptr, 16, 16, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, scale_stride_gpu(100, x, FACTOR, nullptr, 1, 32, nullptr));
    // More blocks in y than a grid may have.
    EXPECT_EQ(cudaErrorInvalidValue,
              scale_image_gpu(65536u * 16u, 1, x, FACTOR, out, 16, 16, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, index_of_gpu(1, 1, 1, nullptr, nullptr));
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
}

TEST_F(Shapes, NanAndInfinityPassThrough) {
    const Floats x = specials();
    GuardedArray<float> d_x(x, 0), d_out(x.size(), 0);
    ASSERT_EQ(cudaSuccess,
              scale_stride_gpu(x.size(), d_x.data(), FACTOR, d_out.data(), 2, 32, nullptr));
    const Floats got = d_out.get(), want = scaled(x);
    for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(got[i])) << i;
        else EXPECT_EQ(bits_of(want[i]), bits_of(got[i])) << i;
    }
}

TEST_F(Shapes, IndicesBeyond32BitsAreRightIn64) {
    GuardedArray<uint64_t> d_indices(2, 0);
    ASSERT_EQ(cudaSuccess, index_of_gpu(16777216, 256, 5, d_indices.data(), nullptr));
    EXPECT_EQ((std::vector<uint64_t>{4294967301u, 5u}), d_indices.get());
    ASSERT_EQ(cudaSuccess, index_of_gpu(2147483646, 1024, 1023, d_indices.data(), nullptr));
    EXPECT_EQ((std::vector<uint64_t>{2199023254527u, 4294966271u}), d_indices.get());
}

TEST_F(Shapes, AnSmHoldsAsManyBlocksAsItsThreadsAndBlocksAllow) {
    int threads = 0, blocks = 0;
    ASSERT_EQ(cudaSuccess,
              cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    ASSERT_EQ(cudaSuccess,
              cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    EXPECT_EQ(threads / 1024, scale_stride_blocks_per_sm(1024));
    EXPECT_EQ(threads / 256, scale_stride_blocks_per_sm(256));
    EXPECT_EQ(std::min(blocks, threads / 32), scale_stride_blocks_per_sm(32));
    EXPECT_EQ(0, scale_stride_blocks_per_sm(2048));
}

} // namespace
