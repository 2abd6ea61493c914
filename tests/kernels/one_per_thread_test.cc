// SPDX-License-Identifier: Apache-2.0
// One thread per element: right for every block size, and with the guard that
// keeps the last block inside the array.
#include "kernels/add.h"

#include "kernels/tuned/elementwise.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;
using Words = std::vector<uint32_t>;

class OnePerThread : public DeviceTest {};

TEST_F(OnePerThread, BlocksAreRoundedUp) {
    EXPECT_EQ(0u, one_per_thread_blocks(0, 256));
    EXPECT_EQ(1u, one_per_thread_blocks(1, 256));
    EXPECT_EQ(1u, one_per_thread_blocks(256, 256));
    EXPECT_EQ(2u, one_per_thread_blocks(257, 256));
    EXPECT_EQ(90000u, one_per_thread_blocks(23040000, 256));
    EXPECT_EQ((size_t{1} << 56), one_per_thread_blocks(SIZE_MAX, 256)) << "no wrap at the top";
}

TEST_F(OnePerThread, EverySizeAndBlockSize) {
    for (unsigned threads : {1u, 31u, 32u, 100u, 256u, 1024u}) {
        for (size_t n : sizes()) {
            if (n > 5000 && threads != 256) continue; // once is enough for the large one
            SCOPED_TRACE(::testing::Message() << "n = " << n << ", " << threads << " threads");
            const Floats x = normals(n, 1), y = normals(n, 2);
            Floats want(n);
            add_cpu(n, x.data(), y.data(), want.data());
            GuardedArray<float> d_x(x, 1), d_y(y, 2), d_out(n, 3);
            ASSERT_EQ(cudaSuccess, add_one_per_thread_gpu(n, d_x.data(), d_y.data(), d_out.data(),
                                                          threads, nullptr));
            EXPECT_TRUE(same_values(want, d_out.get()));
        }
    }
}

TEST_F(OnePerThread, OwnersAreBlockAndThread) {
    for (unsigned threads : {1u, 100u, 256u}) {
        for (size_t n : {1, 255, 256, 257, 1000}) {
            Words want_block(n), want_thread(n);
            for (size_t i = 0; i < n; ++i) {
                want_block[i] = static_cast<uint32_t>(i / threads);
                want_thread[i] = static_cast<uint32_t>(i % threads);
            }
            GuardedArray<uint32_t> d_block(n, 0), d_thread(n, 1);
            ASSERT_EQ(cudaSuccess, owner_one_per_thread_gpu(n, d_block.data(), d_thread.data(),
                                                            threads, nullptr));
            EXPECT_EQ(want_block, d_block.get());
            EXPECT_EQ(want_thread, d_thread.get());
        }
    }
}

TEST_F(OnePerThread, RefusesWhatItMust) {
    GuardedArray<float> d_x(Floats(100, 1.5f), 0), d_out(100, 0);
    GuardedArray<uint32_t> d_block(100, 0), d_thread(100, 0);
    float *const x = d_x.data(), *const out = d_out.data();
    EXPECT_EQ(cudaSuccess, add_one_per_thread_gpu(0, nullptr, nullptr, nullptr, 256, nullptr));
    EXPECT_EQ(cudaSuccess, owner_one_per_thread_gpu(0, nullptr, nullptr, 256, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, add_one_per_thread_gpu(100, nullptr, x, out, 256, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, add_one_per_thread_gpu(100, x, nullptr, out, 256, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, add_one_per_thread_gpu(100, x, x, nullptr, 256, nullptr));
    for (unsigned threads : {0u, 1025u, 0xFFFFFFFFu}) {
        EXPECT_EQ(cudaErrorInvalidValue, add_one_per_thread_gpu(100, x, x, out, threads, nullptr));
        EXPECT_EQ(cudaErrorInvalidValue,
                  owner_one_per_thread_gpu(100, d_block.data(), d_thread.data(), threads, nullptr));
    }
    EXPECT_EQ(cudaErrorInvalidValue,
              owner_one_per_thread_gpu(100, nullptr, d_thread.data(), 256, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue,
              owner_one_per_thread_gpu(100, d_block.data(), nullptr, 256, nullptr));
    // More blocks than a grid may have.
    EXPECT_EQ(cudaErrorInvalidValue,
              add_one_per_thread_gpu(size_t{1} << 41, x, x, out, 256, nullptr));
    for (float value : d_out.get()) EXPECT_EQ(POISON_WORD, bits_of(value));
}

} // namespace
