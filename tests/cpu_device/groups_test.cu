/* Cooperative groups, cuda::barrier and copies into shared memory: the same on the CPU device and
 * on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

namespace cg = cooperative_groups;

const int kThreads = 128;

/* Runs a kernel of one block over an array of results. */
template <class Kernel>
static void run(Kernel kernel, int (&out)[kThreads]) {
    int *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof out));
    for (int i = 0; i < kThreads; ++i) out[i] = 3 * i + 1;
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d, out, sizeof out, cudaMemcpyHostToDevice));
    kernel<<<1, kThreads>>>(d);
    ASSERT_EQ(cudaSuccess, cudaGetLastError());
    ASSERT_EQ(cudaSuccess, cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    ASSERT_EQ(cudaSuccess, cudaFree(d));
}

__global__ void scan_of_tiles(int *x) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int i = threadIdx.x, v = x[i];
    x[i] = cg::inclusive_scan(tile, v) * 100 + cg::exclusive_scan(tile, v) +
           10000000 * (int)tile.meta_group_rank() + cg::reduce(tile, v, cg::greater<int>());
}

/* Whether compute-sanitizer runs the test with that tool (benchmarks/pack/run_all.sh). */
bool is_under(const char *tool) {
    const char *given = getenv("LAB_SANITIZER");
    return given && strcmp(given, tool) == 0;
}

TEST(Groups, ReductionsAndScansOfTiles) {
    int out[kThreads];
    run(scan_of_tiles, out);
    for (int i = 0; i < kThreads; ++i) {
        const int first = i / 16 * 16;
        int sum = 0;
        for (int k = first; k <= i; ++k) sum += 3 * k + 1;
        EXPECT_EQ(sum * 100 + sum - (3 * i + 1) + 10000000 * (i / 16) + 3 * (first + 15) + 1,
                  out[i])
            << "thread " << i;
    }
}

__global__ void one_for_all(int *x) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int base = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(&x[0], 1000); });
    cg::this_thread_block().sync();
    if (threadIdx.x > 0) x[threadIdx.x] = base % 1000;
}

/* Of 12, 16, 24 and 32 bytes: each word says whose it is, and which. */
struct Words3 {
    int w[3];
};
struct Words8 {
    int w[8];
};

template <class T>
__device__ T words_of(int thread) {
    int words[sizeof(T) / sizeof(int)];
    for (int i = 0; i < (int)(sizeof(T) / sizeof(int)); ++i) words[i] = thread * 16 + i;
    T value;
    memcpy(&value, words, sizeof value);
    return value;
}
template <class T>
__device__ bool is_of(T value, int thread) {
    const T want = words_of<T>(thread);
    const char *a = (const char *)&value, *b = (const char *)&want;
    for (int i = 0; i < (int)sizeof value; ++i)
        if (a[i] != b[i]) return false;
    return true;
}
template <class T, class Group>
__device__ int right_shuffles(const Group &group, int first, int size) {
    const int me = threadIdx.x, rank = me - first;
    const T mine = words_of<T>(me);
    int right = 0;
    right += is_of(group.shfl(mine, 3), first + 3);
    right += is_of(group.shfl_up(mine, 2), rank >= 2 ? me - 2 : me);
    right += is_of(group.shfl_down(mine, 1), rank + 1 < size ? me + 1 : me);
    return right;
}
__global__ void shuffles_of_large_values(int *x) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int first = threadIdx.x / 16 * 16, first_of_warp = threadIdx.x / 32 * 32;
    int right = right_shuffles<uint4>(tile, first, 16) + right_shuffles<double3>(tile, first, 16) +
                right_shuffles<Words3>(tile, first, 16) + right_shuffles<Words8>(tile, first, 16);
    right += is_of(tile.shfl_xor(words_of<Words8>(threadIdx.x), 5), threadIdx.x ^ 5);
    const auto all = cg::coalesced_threads();
    right += right_shuffles<uint4>(all, first_of_warp, 32);
    x[threadIdx.x] = right;
}

TEST(Groups, ShufflesOfLargeValues) {
    int out[kThreads];
    run(shuffles_of_large_values, out);
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(4 * 3 + 1 + 3, out[i]) << "thread " << i;
}

TEST(Groups, OneThreadIsInvokedForAll) {
    int out[kThreads];
    run(one_for_all, out);
    EXPECT_EQ(4001, out[0]);
    for (int i = 1; i < kThreads; ++i) EXPECT_EQ(1, out[i]);
}

__global__ void reversed_by_copy(int *x) {
    __shared__ int s[kThreads];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof(int) * kThreads);
    cg::wait(block);
    x[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

TEST(Groups, AGroupCopiesTogether) {
    int out[kThreads];
    run(reversed_by_copy, out);
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(3 * (kThreads - 1 - i) + 1, out[i]);
}

__global__ void reversed_by_primitives(int *x) {
    __shared__ int s[kThreads];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

TEST(Groups, PipelinePrimitivesCopy) {
    int out[kThreads];
    run(reversed_by_primitives, out);
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(3 * (kThreads - 1 - i) + 1, out[i]);
}

__global__ void rounds_with_a_barrier(int *x) {
#ifdef __CUDACC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[2][kThreads];
    const int i = threadIdx.x;
    if (i == 0) init(&bar, kThreads);
    __syncthreads();
    s[0][i] = x[i];
    for (int round = 0; round < 5; ++round) {
        auto token = bar.arrive();
        bar.wait(static_cast<decltype(token) &&>(token));
        s[(round + 1) % 2][i] = s[round % 2][(i + 1) % kThreads];
    }
    bar.arrive_and_wait();
    x[i] = s[1][i];
}

TEST(Groups, ABarrierSeparatesRounds) {
    int out[kThreads];
    run(rounds_with_a_barrier, out);
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(3 * ((i + 5) % kThreads) + 1, out[i]);
}

__global__ void some_drop_out(int *x) {
#ifdef __CUDACC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&bar, kThreads);
        sum = 0;
    }
    __syncthreads();
    if (threadIdx.x % 2) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    atomicAdd(&sum, 1);
    bar.arrive_and_wait();
    x[threadIdx.x] = sum;
}

TEST(Groups, ThreadsThatDropOutAreNotWaitedFor) {
    int out[kThreads];
    run(some_drop_out, out);
    for (int i = 0; i < kThreads; i += 2) EXPECT_EQ(kThreads / 2, out[i]);
}

__global__ void split_barrier(int *x) {
    __shared__ int s[kThreads];
    auto block = cg::this_thread_block();
    s[block.thread_rank()] = x[block.thread_rank()];
    auto token = block.barrier_arrive();
    const int other = (block.thread_rank() + 7) % kThreads;
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    x[block.thread_rank()] = s[other];
}

TEST(Groups, TheBlocksBarrierInTwoHalves) {
    int out[kThreads];
    run(split_barrier, out);
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(3 * ((i + 7) % kThreads) + 1, out[i]);
}

__global__ void stages_of_a_pipeline(int *x) {
    const int kStages = 2, kPart = kThreads / 4;
    __shared__ int s[kStages][kPart];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int part = 0, fetched = 0; part < 4; ++part) {
        for (; fetched < 4 && fetched < part + kStages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetched % kStages], x + fetched * kPart, sizeof s[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = 0; i < kPart; ++i) sum += s[part % kStages][i];
        pipe.consumer_release();
    }
    block.sync();
    x[threadIdx.x] = sum + (int)threadIdx.x;
}

TEST(Groups, StagesOfAPipeline) {
    if (is_under("synccheck")) GTEST_SKIP() << "it wants a wait in the toolkit's own last stage";
    int out[kThreads], sum = 0;
    run(stages_of_a_pipeline, out);
    for (int i = 0; i < kThreads; ++i) sum += 3 * i + 1;
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(sum + i, out[i]);
}

/* Tiles of several warps, which meet on their own: the second one a round more often. */
__global__ void wide_tiles(int *x) {
    __shared__ cg::block_tile_memory<kThreads> memory;
    const auto block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<64>(block);
    __shared__ int sums[kThreads];
    const int v = x[threadIdx.x];
    int sum = 0;
    for (unsigned round = 0; round < 3 + tile.meta_group_rank(); ++round) {
        sums[threadIdx.x] = v + (int)round;
        tile.sync();
        sum += sums[tile.meta_group_rank() * 64 + 63 - tile.thread_rank()];
        tile.sync();
    }
    const int total = cg::reduce(tile, v, cg::plus<int>());
    x[threadIdx.x] = 1000 * sum + total + (tile.any(v == 1) ? 7 : 0) + tile.shfl(v, 5);
}

TEST(Groups, TilesOfSeveralWarps) {
    if (is_under("racecheck")) GTEST_SKIP() << "it does not know how the toolkit's wide tiles wait";
    int out[kThreads];
    run(wide_tiles, out);
    for (int i = 0; i < kThreads; ++i) {
        const int tile = i / 64, first = 64 * tile, rounds = 3 + tile,
                  opposite = first + 63 - i % 64;
        int total = 0;
        for (int k = first; k < first + 64; ++k) total += 3 * k + 1;
        const int sum = rounds * (3 * opposite + 1) + rounds * (rounds - 1) / 2;
        EXPECT_EQ(1000 * sum + total + (tile == 0 ? 7 : 0) + 3 * (first + 5) + 1, out[i]) << i;
    }
}

/* All blocks but the last wait for it. */
__global__ void wait_for_the_last(volatile int *flag, int *out) {
    if (blockIdx.x == gridDim.x - 1) {
        *flag = 7;
        return;
    }
    while (*flag != 7) __nanosleep(20);
    out[blockIdx.x] = 7;
}

TEST(Groups, ManyBlocksMayWaitForALaterOne) {
    const int blocks = 12;
    int *d = nullptr, out[blocks];
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, (1 + blocks) * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemset(d, 0, (1 + blocks) * sizeof(int)));
    wait_for_the_last<<<blocks, 1>>>(d, d + 1);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(out, d + 1, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i + 1 < blocks; ++i) EXPECT_EQ(7, out[i]) << i;
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

/* ---- latches and semaphores ---- */

using Latch = cuda::latch<cuda::thread_scope_block>;

/* Half of the threads only count down; the others see what all have written. */
__global__ void meet_at_a_latch(int *x) {
    __shared__ alignas(Latch) unsigned char bytes[sizeof(Latch)];
    __shared__ int s[kThreads];
    Latch *latch = reinterpret_cast<Latch *>(bytes);
    const int i = threadIdx.x;
    if (i == 0) new (latch) Latch(kThreads);
    __syncthreads();
    s[i] = x[i];
    if (i % 2) {
        latch->count_down();
        return;
    }
    latch->arrive_and_wait();
    x[i] = s[kThreads - 1 - i];
    if (!latch->try_wait()) x[i] = -1;
}

TEST(Groups, ALatchOpensWhenAllHaveCome) {
    if (is_under("racecheck"))
        GTEST_SKIP() << "racecheck does not know latches, and reports a race";
    int out[kThreads];
    run(meet_at_a_latch, out);
    for (int i = 0; i < kThreads; i += 2) EXPECT_EQ(3 * (kThreads - 1 - i) + 1, out[i]) << i;
}

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;

struct Visits {
    int inside, most, sum, refused;
};

__global__ void make_semaphore(Semaphore *s, int count) { new (s) Semaphore(count); }
__global__ void visit(Semaphore *s, Visits *v) {
    s->acquire();
    atomicMax(&v->most, atomicAdd(&v->inside, 1) + 1);
    __nanosleep(100);
    atomicAdd(&v->sum, 1);
    atomicSub(&v->inside, 1);
    s->release();
}
__global__ void visit_alone(Semaphore *s, Visits *v) {
    s->acquire();
    volatile int *sum = &v->sum;
    *sum = *sum + 1; /* by one at a time: no atomic operation */
    __threadfence();
    s->release();
}
__global__ void try_to_visit(Semaphore *s, Visits *v) {
    for (int i = 0; i < 5; ++i) s->try_acquire() ? ++v->sum : ++v->refused;
}

class Semaphores : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(cudaSuccess, cudaMalloc((void **)&semaphore_, sizeof(Semaphore)));
        ASSERT_EQ(cudaSuccess, cudaMalloc((void **)&visits_, sizeof(Visits)));
        ASSERT_EQ(cudaSuccess, cudaMemset(visits_, 0, sizeof(Visits)));
    }
    void TearDown() override {
        EXPECT_EQ(cudaSuccess, cudaFree(visits_));
        EXPECT_EQ(cudaSuccess, cudaFree(semaphore_));
    }
    Visits after() {
        Visits v = {};
        EXPECT_EQ(cudaSuccess, cudaMemcpy(&v, visits_, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }
    Semaphore *semaphore_ = nullptr;
    Visits *visits_ = nullptr;
};

TEST_F(Semaphores, LetSoManyInAndNoMore) {
    make_semaphore<<<1, 1>>>(semaphore_, 3);
    visit<<<20, 64>>>(semaphore_, visits_);
    const Visits v = after();
    EXPECT_EQ(20 * 64, v.sum);
    EXPECT_EQ(0, v.inside);
    EXPECT_GE(3, v.most);
    EXPECT_LE(1, v.most);
}

TEST_F(Semaphores, OfOneKeepOthersOut) {
    make_semaphore<<<1, 1>>>(semaphore_, 1);
    visit_alone<<<20, 64>>>(semaphore_, visits_);
    EXPECT_EQ(20 * 64, after().sum);
}

TEST_F(Semaphores, CanBeTried) {
    make_semaphore<<<1, 1>>>(semaphore_, 3);
    try_to_visit<<<1, 1>>>(semaphore_, visits_);
    EXPECT_EQ(3, after().sum);
    EXPECT_EQ(2, after().refused);
    EXPECT_LE(4, Semaphore::max());
}
