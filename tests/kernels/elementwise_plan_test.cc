// SPDX-License-Identifier: Apache-2.0
// How elements are dealt out to blocks and threads: the arithmetic of the plan
// up to sizes that no memory holds, the device's own behaviour against what
// elementwise_owner says, and arrays of more than 2^32 elements.
#include <algorithm>

#include "common/compare.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/tuned/random.h"
#include "tests/kernels/far_block.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

// An address `offset` floats past a 16-byte boundary. Nothing is read there.
const void *address(size_t offset) {
    return reinterpret_cast<const void *>(uintptr_t{1} << 32 | offset * sizeof(float));
}

size_t chunk_elements(const ElementwisePlan &plan) {
    return size_t{plan.threads} * plan.per_thread * plan.width;
}

TEST(ElementwisePlan, CoversEveryElementOnce) {
    std::vector<size_t> counts = {1, 2, 3, 4, 5, 6, 7, 8, 1000, 1000003, 230400000};
    for (int power : {31, 32, 33, 40, 60})
        for (size_t more : {0, 1, 2, 3, 777}) counts.push_back((size_t{1} << power) + more);
    counts.push_back(SIZE_MAX / sizeof(float));
    for (size_t n : counts) {
        for (size_t offset = 0; offset < 4; ++offset) {
            const ElementwisePlan plan =
                elementwise_plan(n, address(offset), address(offset), address(offset));
            EXPECT_EQ(4u, plan.width);
            EXPECT_LE(plan.head, 3u);
            EXPECT_LE(plan.tail, 3u);
            EXPECT_EQ(n, plan.head + plan.groups * plan.width + plan.tail);
            if (plan.groups > 0) {
                EXPECT_EQ(0u, (offset + plan.head) % 4) << "not at a boundary";
            }
            EXPECT_GE(plan.blocks, 1u);
            EXPECT_LE(plan.blocks, 2147483647u);
            EXPECT_GE(plan.threads, plan.head + plan.tail) << "too few threads for the ends";
        }
    }
}

TEST(ElementwisePlan, WideOnlyWhereAllAgree) {
    EXPECT_EQ(4u, elementwise_plan(100, nullptr, nullptr, address(1)).width);
    EXPECT_EQ(4u, elementwise_plan(100, address(1), nullptr, address(1)).width);
    EXPECT_EQ(1u, elementwise_plan(100, address(0), nullptr, address(1)).width);
    EXPECT_EQ(1u, elementwise_plan(100, address(2), address(1), address(2)).width);
    EXPECT_EQ(1u, elementwise_plan(100, address(1), address(1), address(2)).width);
    const ElementwisePlan plan = elementwise_plan(101, address(1), address(0), address(0));
    EXPECT_EQ(0u, plan.head);
    EXPECT_EQ(101u, plan.groups);
    EXPECT_EQ(0u, plan.tail);
}

// A grid is no larger than needed: at least one chunk for each block.
TEST(ElementwisePlan, NoIdleBlocks) {
    for (size_t n : {1, 3, 4, 2047, 2049, 4096, 4097, 1000003}) {
        const ElementwisePlan plan = elementwise_plan(n, nullptr, nullptr, address(0));
        const size_t chunks =
            (plan.groups * plan.width + chunk_elements(plan) - 1) / chunk_elements(plan);
        EXPECT_EQ(std::max<size_t>(chunks, 1), plan.blocks) << n;
    }
}

class OneBlock : public DeviceTest {};

// Lets single threads run and looks at what they wrote; also with a grid of two
// blocks only, which come round more than once.
TEST_F(OneBlock, OwnersAreAsSaid) {
    for (size_t offsets : {0, 5, 10, 4}) { // x % 4, out / 4: alike thrice, then different
        const size_t n = 13003;
        const std::vector<float> x = normals(n, 1), y = normals(n, 2);
        GuardedArray<float> d_x(x, offsets % 4), d_y(y, offsets % 4);
        GuardedArray<float> probe(n, offsets / 4);
        ElementwisePlan plan = elementwise_plan(n, d_x.data(), d_y.data(), probe.data());
        ASSERT_GT(plan.blocks, 2u);
        for (unsigned blocks : {plan.blocks, 2u}) {
            plan.blocks = blocks;
            for (size_t block = 0; block < plan.blocks; ++block) {
                for (int thread : {0, 1, 5, 31, 32, 255}) {
                    SCOPED_TRACE(::testing::Message() << "block " << block << ", thread " << thread
                                                      << ", offsets " << offsets);
                    GuardedArray<float> d_out(n, offsets / 4);
                    ASSERT_EQ(cudaSuccess, add_one_block_gpu(plan, block, thread, 0, d_x.data(),
                                                             d_y.data(), d_out.data()));
                    std::vector<float> want(n, float_of(POISON_WORD));
                    for (size_t i = 0; i < n; ++i) {
                        size_t owner_block;
                        unsigned owner_thread;
                        elementwise_owner(&plan, i, &owner_block, &owner_thread);
                        if (owner_block == block && owner_thread == (unsigned)thread)
                            want[i] = x[i] + y[i];
                    }
                    const std::vector<float> out = d_out.get();
                    for (size_t i = 0; i < n; ++i)
                        ASSERT_EQ(bits_of(want[i]), bits_of(out[i])) << "element " << i;
                }
            }
        }
    }
}

// The last block of arrays beyond 2^31, 2^32 and 2^33 elements. Only what that
// block touches is in memory: its elements are what the small arrays hold. An
// index cut to 32 bits would land gigabytes away from them.
TEST_F(OneBlock, IndicesBeyond32Bits) {
    for (size_t n : {(size_t{1} << 31) + 5, (size_t{1} << 32) + 4711, (size_t{1} << 33) + 3001}) {
        for (size_t offset : {0, 1}) {
            for (size_t out_offset : {offset, offset + 1}) { // 16-byte, then 4-byte accesses
                SCOPED_TRACE(::testing::Message()
                             << "n = " << n << ", offsets " << offset << ", " << out_offset);
                const ElementwisePlan plan =
                    elementwise_plan(n, address(offset), address(offset), address(out_offset));
                const size_t begin = plan.head + (plan.blocks - size_t{1}) * chunk_elements(plan);
                ASSERT_LT(begin, n);
                const size_t end = plan.head + plan.groups * plan.width;
                const size_t part = end - begin;
                const std::vector<float> x = normals(part, 3), y = normals(part, 4);
                GuardedArray<float> d_x(x, (offset + begin) % 4), d_y(y, (offset + begin) % 4);
                GuardedArray<float> d_out(part, (out_offset + begin) % 4);
                ASSERT_EQ(cudaSuccess,
                          add_one_block_gpu(plan, plan.blocks - size_t{1}, EVERY_THREAD, begin,
                                            d_x.data(), d_y.data(), d_out.data()));
                ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
                std::vector<float> want(part);
                add_cpu(part, x.data(), y.data(), want.data());
                EXPECT_TRUE(same_values(want, d_out.get()));
            }
        }
    }
}

// A grid that is smaller than the array needs: the blocks come round again, for
// every number of accesses a thread that the loop can be built with.
TEST_F(OneBlock, StridesOverTheGrid) {
    const size_t n = 100003;
    for (size_t out_offset : {0, 1}) {
        for (unsigned per_thread : {1u, 2u, 4u, 8u}) {
            const std::vector<float> x = normals(n, 5), y = normals(n, 6);
            GuardedArray<float> d_x(x, 0), d_y(y, 0), d_out(n, out_offset);
            ElementwisePlan plan = elementwise_plan(n, d_x.data(), d_y.data(), d_out.data());
            if (plan.width == 4) plan.per_thread = per_thread;
            plan.blocks = 3;
            for (size_t block = 0; block < 3; ++block)
                ASSERT_EQ(cudaSuccess, add_one_block_gpu(plan, block, EVERY_THREAD, 0, d_x.data(),
                                                         d_y.data(), d_out.data()));
            std::vector<float> want(n);
            add_cpu(n, x.data(), y.data(), want.data());
            EXPECT_TRUE(same_values(want, d_out.get())) << per_thread << " accesses a thread";
        }
    }
}

// The real thing, where there is memory for it: more than 2^31 normal numbers,
// squared in place, each checked on the host. On a GPU it runs if 9 GB are
// free; on the CPU device, where it takes minutes, only with LAB_LARGE_TESTS=1.
TEST_F(OneBlock, MoreThan2To31Elements) {
    const size_t n = (size_t{1} << 31) + 1003;
    size_t free_bytes = 0, total_bytes = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_bytes, &total_bytes));
#ifdef LAB_CPU_DEVICE
    const char *large = std::getenv("LAB_LARGE_TESTS");
    if (large == nullptr || std::strcmp(large, "1") != 0)
        GTEST_SKIP() << "8.6 GB on the CPU device: only with LAB_LARGE_TESTS=1";
#endif
    if (free_bytes < n * sizeof(float) + (size_t{64} << 20))
        GTEST_SKIP() << "needs 8.6 GB of device memory, " << free_bytes / 1000000 << " MB are free";

    float *d_x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(reinterpret_cast<void **>(&d_x), n * sizeof(float)));
    const uint64_t seed = 99;
    EXPECT_EQ(cudaSuccess, philox_normal_gpu(n, seed, d_x, nullptr));
    EXPECT_EQ(cudaSuccess, square_gpu(n, d_x, d_x, nullptr));
    const size_t slice = size_t{1} << 25;
    std::vector<float> want(slice), got(slice);
    for (size_t begin = 0; begin < n && !HasFailure(); begin += slice) {
        const size_t count = std::min(slice, n - begin);
        philox_normal_fill_from(want.data(), begin, count, seed);
        square_fast_cpu(count, want.data(), want.data());
        EXPECT_EQ(cudaSuccess, cudaMemcpy(got.data(), d_x + begin, count * sizeof(float),
                                          cudaMemcpyDeviceToHost));
        const CompareResult result = compare_exact(count, got.data(), want.data(), DTYPE_FLOAT32);
        EXPECT_EQ(0u, result.wrong) << "first at element " << begin + result.first_wrong;
    }
    EXPECT_EQ(cudaSuccess, cudaFree(d_x));
}

} // namespace
