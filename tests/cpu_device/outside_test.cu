/* Warp operations by lanes that their own mask leaves out. The programming guide forbids them. An
 * H200 lets all lanes take part that are together, whatever the mask, and gives 715 where lanes
 * name different masks that lack them: measured with toolkit 13.0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/cpu_device/alone.h"

namespace {

/* Each once as it is, and once with __activemask(), which keeps the CPU device from cutting it. */
#define KERNELS(name, ...)                                    \
    __global__ void name(unsigned *out, unsigned m) {         \
        const unsigned t = threadIdx.x;                       \
        __VA_ARGS__                                           \
    }                                                         \
    __global__ void name##_whole(unsigned *out, unsigned m) { \
        const unsigned t = threadIdx.x;                       \
        if (__activemask() == 0) return;                      \
        __VA_ARGS__                                           \
    }

KERNELS(vote, out[t] = __ballot_sync(m, t & 1);)
KERNELS(vote_twice, unsigned a = __ballot_sync(m, t & 1); unsigned b = __ballot_sync(m, t & 2);
        out[t] = a ^ b;)
KERNELS(any, out[t] = (unsigned)__any_sync(m, t == 9);)
KERNELS(all, out[t] = (unsigned)__all_sync(m, t != 9);)
KERNELS(shuffle, out[t] = __shfl_sync(m, t + 100, (int)t ^ 1);)
KERNELS(shuffle_down, out[t] = __shfl_down_sync(m, t + 100, 1);)
KERNELS(some_vote, if (t < 8) out[t] = __ballot_sync(m, t & 1);)
KERNELS(others_vote, if (t >= 4) out[t] = __ballot_sync(m, t & 1);)
KERNELS(wait, __syncwarp(m); out[t] = 77;)
KERNELS(
    vote_in_loop, unsigned sum = 0;
    for (int i = 0; i < 3; ++i) { sum += __ballot_sync(m, t == (unsigned)i * 5); } out[t] = sum;)
KERNELS(sum, out[t] = __reduce_add_sync(m, t + 1);)

/* What 32 threads wrote; 5 where they did not. */
std::vector<unsigned> run(void (*kernel)(unsigned *, unsigned), unsigned mask) {
    std::vector<unsigned> host(32, 5);
    unsigned *out;
    EXPECT_EQ(cudaMalloc((void **)&out, 128), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(out, host.data(), 128, cudaMemcpyHostToDevice), cudaSuccess);
    kernel<<<1, 32>>>(out, mask);
    EXPECT_EQ(cudaMemcpy(host.data(), out, 128, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaFree(out), cudaSuccess);
    return host;
}

std::vector<unsigned> each(const std::function<unsigned(unsigned)> &value) {
    std::vector<unsigned> values;
    for (unsigned t = 0; t < 32; ++t) values.push_back(value(t));
    return values;
}
std::vector<unsigned> all_get(unsigned value) { return std::vector<unsigned>(32, value); }

#define EXPECT_BOTH(kernel, mask, want)             \
    do {                                            \
        EXPECT_EQ(run(kernel, mask), want);         \
        EXPECT_EQ(run(kernel##_whole, mask), want); \
    } while (0)

TEST(OutsideOfItsMask, AllThatAreTogetherTakePart) {
    for (unsigned mask : {0xFu, 0u, 0x80000000u, 0x0FFFFFFFu}) {
        EXPECT_BOTH(vote, mask, all_get(0xAAAAAAAA));
        EXPECT_BOTH(vote_twice, mask, all_get(0xAAAAAAAA ^ 0xCCCCCCCC));
        EXPECT_BOTH(any, mask, all_get(1));
        EXPECT_BOTH(all, mask, all_get(0));
        EXPECT_BOTH(wait, mask, all_get(77));
        EXPECT_BOTH(sum, mask, all_get(32 * 33 / 2));
        EXPECT_BOTH(vote_in_loop, mask, all_get(1 + (1 << 5) + (1 << 10)));
        EXPECT_BOTH(shuffle, mask, each([](unsigned t) { return (t ^ 1) + 100; }));
        EXPECT_BOTH(shuffle_down, mask,
                    each([](unsigned t) { return (t < 31 ? t + 1 : t) + 100; }));
    }
}

TEST(OutsideOfItsMask, AllThatAreThere) {
    EXPECT_BOTH(some_vote, 0xF, each([](unsigned t) { return t < 8 ? 0xAAu : 5u; }));
    EXPECT_BOTH(others_vote, 0xF, each([](unsigned t) { return t < 4 ? 5u : 0xAAAAAAA0u; }));
}

/* As ever. */
TEST(OutsideOfItsMask, NobodyIs) {
    EXPECT_BOTH(vote, 0xFFFFFFFF, all_get(0xAAAAAAAA));
    EXPECT_BOTH(some_vote, 0xFF, each([](unsigned t) { return t < 8 ? 0xAAu : 5u; }));
}

__global__ void each_its_own(unsigned *out) {
    out[threadIdx.x] = __ballot_sync(~(1u << threadIdx.x), 1);
}

TEST(OutsideOfItsMask, DifferentMasksAreAnError) {
    RUN_ALONE({
        unsigned *out = nullptr;
        cudaMalloc((void **)&out, 128);
        each_its_own<<<1, 32>>>(out);
        CHECK_ALONE(cudaErrorIllegalInstruction, cudaDeviceSynchronize());
    });
}

} // namespace
