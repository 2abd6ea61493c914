/* Which lanes are together where nobody names them: __activemask() and coalesced_threads() in
 * branches, loops and functions. One warp of 32 and one of 8; x[t] is the lane.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace {

namespace cg = cooperative_groups;

enum { kThreads = 40 };

__device__ __noinline__ unsigned outside() { return __activemask(); }
__device__ unsigned inside() { return __activemask(); }
__device__ unsigned through(int) { return inside(); }

struct Counter {
    unsigned *n;
    /* One atomic operation for all lanes that are here. */
    __device__ unsigned next() {
        const cg::coalesced_group g = cg::coalesced_threads();
        unsigned first = 0;
        if (g.thread_rank() == 0) first = atomicAdd(n, g.size());
        return g.shfl(first, 0) + g.thread_rank();
    }
};

#define KERNEL(name, ...)                               \
    __global__ void name(unsigned *out, const int *x) { \
        const int t = (int)threadIdx.x;                 \
        unsigned m = 0;                                 \
        __VA_ARGS__                                     \
        out[t] = m;                                     \
    }

KERNEL(together, m = __activemask();)
KERNEL(two_arms, if (x[t] < 5) m = __activemask(); else m = __activemask();)
KERNEL(three_arms, if (x[t] < 5) m = __activemask(); else if (x[t] < 9) m = __activemask();
       else m = __activemask();)
KERNEL(
    arms_in_arms, if (x[t] < 16) {
        if (x[t] & 1) m = __activemask();
        else m = __activemask();
    })
KERNEL(
    cases, switch (x[t] % 3) {
case 0: m = __activemask(); break;
case 1: m = __activemask(); break;
default: m = __activemask();
    })
KERNEL(arms_call_outside, if (x[t] < 5) m = outside(); else m = outside();)
KERNEL(arms_call_inside, if (x[t] < 5) m = inside(); else m = inside();)
KERNEL(arms_call_through, if (x[t] < 5) m = through(1); else m = through(2);)
KERNEL(after_arms, if (x[t] < 5) out[t] = inside(); else out[t] = inside(); m = __activemask();)
KERNEL(
    skipped, for (int i = 0; i < 4; ++i) {
        if (x[t] % 4 == i) continue;
        m += (unsigned)__popc(__activemask());
    })
KERNEL(
    arms_in_a_loop, for (int i = 0; i < 4; ++i) {
        if ((x[t] + i) % 4 == 0) m += (unsigned)__popc(__activemask()) * 100;
        else m += (unsigned)__popc(__activemask());
    })
KERNEL(groups, if (x[t] < 5) m = cg::coalesced_threads().size();
       else m = cg::coalesced_threads().size();)

__global__ void two_counters(unsigned *out, const int *x) {
    Counter odd = {out + kThreads}, even = {out + kThreads + 1};
    const int t = (int)threadIdx.x;
    if (x[t] & 1) out[t] = odd.next();
    else out[t] = even.next();
}

/* What threads wrote, and two numbers behind. */
template <class Kernel>
std::vector<unsigned> run(Kernel kernel) {
    unsigned *out;
    int *x, lanes[kThreads];
    for (int t = 0; t < kThreads; ++t) lanes[t] = t % 32;
    std::vector<unsigned> host(kThreads + 2);
    EXPECT_EQ(cudaMalloc((void **)&out, host.size() * sizeof(unsigned)), cudaSuccess);
    EXPECT_EQ(cudaMemset(out, 0, host.size() * sizeof(unsigned)), cudaSuccess);
    EXPECT_EQ(cudaMalloc((void **)&x, sizeof lanes), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(x, lanes, sizeof lanes, cudaMemcpyHostToDevice), cudaSuccess);
    kernel<<<1, kThreads>>>(out, x);
    EXPECT_EQ(cudaMemcpy(host.data(), out, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaFree(out), cudaSuccess);
    EXPECT_EQ(cudaFree(x), cudaSuccess);
    return host;
}

/* Each thread has the mask of those of its warp that are in the same one of its arms. */
template <class Kernel>
void expect_arms(Kernel kernel, const char *name, const std::function<int(int)> &arm,
                 int without = -1) {
    const std::vector<unsigned> got = run(kernel);
    for (int t = 0; t < kThreads; ++t) {
        unsigned want = 0;
        for (int other = t / 32 * 32; other < kThreads && other < t / 32 * 32 + 32; ++other)
            if (arm(other % 32) == arm(t % 32)) want |= 1u << other % 32;
        ASSERT_EQ(got[(size_t)t], arm(t % 32) == without ? 0 : want) << name << " at " << t;
    }
}
#define EXPECT_ARMS(kernel, ...) expect_arms(kernel, #kernel, __VA_ARGS__)

TEST(Active, LanesOfABranch) {
    const auto first_five = [](int lane) { return lane < 5; };
    EXPECT_ARMS(together, [](int) { return 0; });
    EXPECT_ARMS(two_arms, first_five);
    EXPECT_ARMS(three_arms, [](int lane) { return lane < 5 ? 0 : lane < 9 ? 1 : 2; });
    EXPECT_ARMS(
        arms_in_arms, [](int lane) { return lane < 16 ? lane & 1 : 2; }, 2);
    EXPECT_ARMS(cases, [](int lane) { return lane % 3; });
    EXPECT_ARMS(after_arms, [](int) { return 0; });
}

TEST(Active, LanesOfACall) {
    const auto first_five = [](int lane) { return lane < 5; };
    EXPECT_ARMS(arms_call_outside, first_five);
    EXPECT_ARMS(arms_call_inside, first_five);
    EXPECT_ARMS(arms_call_through, first_five);
}

TEST(Active, RoundsOfALoop) {
    const std::vector<unsigned> skips = run(skipped), arms = run(arms_in_a_loop);
    for (size_t t = 0; t < kThreads; ++t) {
        const unsigned warp = t < 32 ? 32 : 8;
        EXPECT_EQ(skips[t], 3 * (warp * 3 / 4)) << t;
        EXPECT_EQ(arms[t], warp / 4 * 100 + 3 * (warp * 3 / 4)) << t;
    }
}

TEST(Active, GroupsOfABranch) {
    const std::vector<unsigned> got = run(groups);
    for (size_t t = 0; t < kThreads; ++t)
        EXPECT_EQ(got[t], t % 32 < 5 ? 5u : t < 32 ? 27u : 3u) << t;
}

/* Two calls of one method, each with a counter of its own: the numbers 0, 1, 2 … of each. */
TEST(Active, CallsWithDifferentObjects) {
    const std::vector<unsigned> got = run(two_counters);
    EXPECT_EQ(got[kThreads], 20u);
    EXPECT_EQ(got[kThreads + 1], 20u);
    for (unsigned odd = 0; odd < 2; ++odd) {
        std::vector<int> seen(20);
        for (size_t t = odd; t < kThreads; t += 2)
            if (got[t] < 20) ++seen[got[t]];
        EXPECT_EQ(seen, std::vector<int>(20, 1));
    }
}

} // namespace
