/* What kernels may do: barriers, warps, waiting for one another, device variables, launches by
 * pointer, integer arithmetic at its edges, traps; the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <limits.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "tests/cpu_device/alone.h"

/* Device memory of n ints, filled with -1; get() waits for the device. */
class Ints {
  public:
    explicit Ints(int n) : n_(n) {
        EXPECT_EQ(cudaSuccess, cudaMalloc(&d_, n * sizeof(int)));
        EXPECT_EQ(cudaSuccess, cudaMemset(d_, 0xFF, n * sizeof(int)));
    }
    ~Ints() { cudaFree(d_); }
    int *data() { return d_; }
    std::vector<int> get() {
        std::vector<int> h(n_, -2);
        EXPECT_EQ(cudaSuccess, cudaGetLastError());
        EXPECT_EQ(cudaSuccess, cudaMemcpy(h.data(), d_, n_ * sizeof(int), cudaMemcpyDeviceToHost));
        return h;
    }

  private:
    int *d_ = nullptr;
    int n_;
};

/* ---- barriers ---- */

__global__ void reverse_in_shared(int *x) {
    __shared__ int s[1024];
    const int t = threadIdx.x;
    s[t] = 3 * t;
    __syncthreads();
    x[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}

TEST(Barriers, EverySizeOfBlock) {
    for (int n : {1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 1023, 1024}) {
        Ints x(3 * n);
        reverse_in_shared<<<3, n>>>(x.data());
        const std::vector<int> got = x.get();
        for (int i = 0; i < 3 * n; ++i) ASSERT_EQ(3 * (n - 1 - i % n), got[i]) << n << " " << i;
    }
}

__device__ int neighbour_after_wait(int *s, int t, int n) {
    __syncthreads();
    const int v = s[(t + 1) % n];
    __syncthreads();
    return v;
}

__global__ void rotate(int *x, int rounds) {
    extern __shared__ int s[];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
    s[t] = t;
    for (int r = 0; r < rounds; ++r) {
        if (r % 2 == 0) {
            const int v = neighbour_after_wait(s, t, n);
            s[t] = v;
        } else {
            __syncthreads();
            const int v = s[(t + 1) % n];
            __syncthreads();
            s[t] = v;
        }
    }
    x[t] = s[t];
}

TEST(Barriers, InLoopsBranchesAndDeviceFunctions) {
    Ints x(20 * 13);
    rotate<<<1, dim3(20, 13), 20 * 13 * sizeof(int)>>>(x.data(), 17);
    const std::vector<int> got = x.get();
    for (int i = 0; i < 260; ++i) ASSERT_EQ((i + 17) % 260, got[i]);
}

__global__ void return_before_barrier(int *x, int n) {
    __shared__ int s;
    const int t = threadIdx.x;
    if (t == 0) s = 7;
    if (t >= n) return;
    __syncthreads();
    x[t] = s + t;
}

TEST(Barriers, ThreadsThatReturnAreNotWaitedFor) {
    Ints x(256);
    return_before_barrier<<<1, 256>>>(x.data(), 100);
    const std::vector<int> got = x.get();
    for (int i = 0; i < 100; ++i) ASSERT_EQ(7 + i, got[i]);
    for (int i = 100; i < 256; ++i) ASSERT_EQ(-1, got[i]);
}

__global__ void votes(int *x) {
    const int t = threadIdx.x;
    const int count = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t < 100), also_all = __syncthreads_and(1);
    const int any = __syncthreads_or(t == 77), none = __syncthreads_or(0);
    x[t] =
        count * 10000 + (all != 0) * 1000 + (also_all != 0) * 100 + (any != 0) * 10 + (none != 0);
}

TEST(Barriers, Votes) {
    Ints x(130);
    votes<<<1, 130>>>(x.data());
    for (int v : x.get()) ASSERT_EQ(44 * 10000 + 110, v);
}

__global__ void sum_of_block(const int *x, int *sums) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sums, s[0]);
}

TEST(Barriers, ManyBlocksWithManyBarriers) {
    const int n = 512 * 256;
    std::vector<int> h(n);
    long long want = 0;
    for (int i = 0; i < n; ++i) want += h[i] = i * 7919 % 101;
    Ints x(n), sums(1);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(x.data(), h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    ASSERT_EQ(cudaSuccess, cudaMemset(sums.data(), 0, sizeof(int)));
    sum_of_block<<<512, 256>>>(x.data(), sums.data());
    EXPECT_EQ(want, sums.get()[0]);
}

__global__ void scan_of_blocks(int n, const float *x, float *out, float *totals) {
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int now = 0;
    s[now][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        s[1 - now][t] = t >= offset ? s[now][t] + s[now][t - offset] : s[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = s[now][t];
    if (t == 255) totals[blockIdx.x] = s[now][t];
}

/* The CPU device interrupts threads that have run for a while, wherever they are: hundreds of
 * times here, some just as a thread starts or comes from a barrier. Small integers: exact. */
TEST(Barriers, ThreadsThatAreInterruptedAnywhere) {
    const int blocks = 10000, n = blocks * 256;
    std::vector<float> h(n), want(n), got(n);
    for (int i = 0; i < n; ++i) {
        h[i] = (float)(i % 7 + 1);
        want[i] = h[i] + (i % 256 ? want[i - 1] : 0);
    }
    float *x, *out, *totals;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&x, n * sizeof *x));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&out, n * sizeof *out));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&totals, blocks * sizeof *totals));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(x, h.data(), n * sizeof *x, cudaMemcpyHostToDevice));
    for (int launch = 0; launch < 4; ++launch) scan_of_blocks<<<blocks, 256>>>(n, x, out, totals);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    EXPECT_TRUE(want == got);
    for (float *p : {x, out, totals}) EXPECT_EQ(cudaSuccess, cudaFree(p));
}

/* ---- warps ---- */

__global__ void warp_sums(const int *x, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

TEST(Warps, ShuffleReduction) {
    for (int block : {32, 64, 192, 256, 1024}) {
        const int n = 3 * block - 5;
        std::vector<int> h(n);
        int want = 0;
        for (int i = 0; i < n; ++i) want += h[i] = i * i % 97;
        Ints x(n), sum(1);
        ASSERT_EQ(cudaSuccess,
                  cudaMemcpy(x.data(), h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        ASSERT_EQ(cudaSuccess, cudaMemset(sum.data(), 0, sizeof(int)));
        warp_sums<<<3, block>>>(x.data(), sum.data(), n);
        EXPECT_EQ(want, sum.get()[0]) << block;
    }
}

__global__ void shuffles(int *x) {
    const int t = threadIdx.x;
    const unsigned all = 0xffffffffu;
    int *out = x + t * 10;
    out[0] = __shfl_sync(all, t, 5);
    out[1] = __shfl_sync(all, t, 3, 8);
    out[2] = __shfl_up_sync(all, t, 3);
    out[3] = __shfl_up_sync(all, t, 3, 8);
    out[4] = __shfl_down_sync(all, t, 16);
    out[5] = __shfl_down_sync(all, t, 3, 8);
    out[6] = __shfl_xor_sync(all, t, 5);
    out[7] = __shfl_xor_sync(all, t, 12, 8);
    const double d = __shfl_sync(all, 1.5 * t, 31 - t % 32);
    out[8] = (int)(2 * d);
    const long long l = __shfl_sync(all, ((long long)t << 40) + t, (t + 1) % 32);
    out[9] = (int)(l >> 40);
}

TEST(Warps, ShufflesOfAllKindsAndWidths) {
    Ints x(64 * 10);
    shuffles<<<1, 64>>>(x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 64; ++t) {
        const int lane = t % 32, warp = t - lane, in8 = lane % 8, seg8 = lane - in8;
        const int *g = &got[t * 10];
        ASSERT_EQ(warp + 5, g[0]) << t;
        ASSERT_EQ(warp + seg8 + 3, g[1]) << t;
        ASSERT_EQ(warp + (lane >= 3 ? lane - 3 : lane), g[2]) << t;
        ASSERT_EQ(warp + (in8 >= 3 ? lane - 3 : lane), g[3]) << t;
        ASSERT_EQ(warp + (lane + 16 < 32 ? lane + 16 : lane), g[4]) << t;
        ASSERT_EQ(warp + (in8 + 3 < 8 ? lane + 3 : lane), g[5]) << t;
        ASSERT_EQ(warp + (lane ^ 5), g[6]) << t;
        ASSERT_EQ(warp + ((lane ^ 12) <= seg8 + 7 ? lane ^ 12 : lane), g[7]) << t;
        ASSERT_EQ(3 * (warp + 31 - lane), g[8]) << t;
        ASSERT_EQ(warp + (lane + 1) % 32, g[9]) << t;
    }
}

__global__ void warp_votes(int *x) {
    const int t = threadIdx.x;
    const unsigned all = 0xffffffffu;
    int *out = x + t * 8;
    out[0] = (int)__ballot_sync(all, t % 3 == 0);
    out[1] = __any_sync(all, t == 40) * 2 + __all_sync(all, t < 50);
    out[2] = (int)__match_any_sync(all, t / 4);
    int same = -1;
    out[3] = (int)__match_all_sync(all, t / 32, &same) * 2 + same;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* older GPUs lack them */
    out[4] = __reduce_add_sync(all, t);
    out[5] = __reduce_min_sync(all, 10 - t);
    out[6] = (int)__reduce_max_sync(all, (unsigned)t);
#endif
    if (t % 2) out[7] = (int)__ballot_sync(0xaaaaaaaau, t % 4 == 1);
    else out[7] = (int)__ballot_sync(0x55555555u, t % 4 == 0);
    __syncwarp();
}

TEST(Warps, VotesMatchesAndReductions) {
    int major = 0;
    ASSERT_EQ(cudaSuccess, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    Ints x(64 * 8);
    warp_votes<<<1, 64>>>(x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 64; ++t) {
        const int lane = t % 32, warp = t - lane;
        unsigned ballot = 0;
        for (int i = 0; i < 32; ++i) ballot |= (unsigned)((warp + i) % 3 == 0) << i;
        const int *g = &got[t * 8];
        ASSERT_EQ((int)ballot, g[0]) << t;
        ASSERT_EQ(warp == 0 ? 1 : 2, g[1]) << t;
        ASSERT_EQ((int)(0xFu << lane / 4 * 4), g[2]) << t;
        ASSERT_EQ(-1 * 2 + 1, g[3]) << t;
        if (major >= 8) {
            ASSERT_EQ(warp * 32 + 496, g[4]) << t;
            ASSERT_EQ(10 - warp - 31, g[5]) << t;
            ASSERT_EQ(warp + 31, g[6]) << t;
        }
        ASSERT_EQ((int)(t % 2 ? 0x22222222u : 0x11111111u), g[7]) << t;
    }
}

__global__ void lanes_that_leave(int *x) {
    const int t = threadIdx.x;
    if (t % 32 >= 20) return;
    int v = t;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0x000fffffu, v, d);
    x[t] = v;
}

TEST(Warps, LanesThatHaveEndedAreNotWaitedFor) {
    Ints x(64);
    lanes_that_leave<<<1, 64>>>(x.data());
    const std::vector<int> got = x.get();
    EXPECT_EQ(-1, got[20]);
    EXPECT_NE(-1, got[0]);
}

__global__ void active(unsigned *x) {
    const int t = threadIdx.x;
    if (t % 2) x[t] = __activemask();
    else x[t] = ~__activemask();
}

TEST(Warps, ActiveMaskIsOfTheLanesInTheBranch) {
    Ints x(48);
    active<<<1, 48>>>((unsigned *)x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 48; ++t)
        ASSERT_EQ(t < 32 ? 0xaaaaaaaau : t % 2 ? 0x0000aaaau : ~0x00005555u, (unsigned)got[t]) << t;
}

/* ---- threads and blocks that wait for others in ways of their own ---- */

__global__ void count_under_lock(int *lock, int *count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

TEST(Waiting, LocksTakenLaneByLane) {
    Ints x(2);
    ASSERT_EQ(cudaSuccess, cudaMemset(x.data(), 0, 2 * sizeof(int)));
    count_under_lock<<<8, 64>>>(x.data(), x.data() + 1);
    EXPECT_EQ(8 * 64, x.get()[1]);
}

__global__ void first_waits_for_last(volatile int *flag, int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (*flag == 0) continue;
        *out = 42;
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) *flag = 1;
}

TEST(Waiting, ABlockForALaterOne) {
    for (int blocks : {1, 2, 8}) {
        Ints x(2);
        ASSERT_EQ(cudaSuccess, cudaMemset(x.data(), 0, 2 * sizeof(int)));
        first_waits_for_last<<<blocks, 64>>>(x.data(), x.data() + 1);
        EXPECT_EQ(42, x.get()[1]) << blocks;
    }
}

__global__ void last_block_adds_up(const int *x, int *partial, unsigned *ticket, int *sum) {
    __shared__ bool last;
    const int t = threadIdx.x;
    if (t == 0) {
        int s = 0;
        for (int i = 0; i < 64; ++i) s += x[blockIdx.x * 64 + i];
        ((volatile int *)partial)[blockIdx.x] = s;
        __threadfence();
        last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int s = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) s += ((volatile int *)partial)[i];
        *sum = s;
        *ticket = 0;
    }
}

TEST(Waiting, TheLastBlockFinishes) {
    const int blocks = 50;
    std::vector<int> h(blocks * 64);
    int want = 0;
    for (size_t i = 0; i < h.size(); ++i) want += h[i] = (int)(i * 31 % 19);
    Ints x(blocks * 64), partial(blocks), ticket(1), sum(1);
    ASSERT_EQ(cudaSuccess,
              cudaMemcpy(x.data(), h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice));
    ASSERT_EQ(cudaSuccess, cudaMemset(ticket.data(), 0, sizeof(int)));
    last_block_adds_up<<<blocks, 64>>>(x.data(), partial.data(), (unsigned *)ticket.data(),
                                       sum.data());
    EXPECT_EQ(want, sum.get()[0]);
}

__global__ void all_blocks_meet(int *x, int *seen) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int round = 0; round < 5; ++round) {
        x[i] = round * 1000 + i;
        grid.sync();
        if (x[(i + blockDim.x) % n] != round * 1000 + (i + (int)blockDim.x) % n) atomicAdd(seen, 1);
        grid.sync();
    }
}

TEST(Waiting, CooperativeBlocksMeetAtTheGridsBarrier) {
    int blocks = 0, cooperative = 0, multiprocessors = 0;
    ASSERT_EQ(cudaSuccess, cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    if (!cooperative) GTEST_SKIP() << "no cooperative launches";
    ASSERT_EQ(cudaSuccess,
              cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    ASSERT_EQ(cudaSuccess,
              cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_blocks_meet, 64, 0));
    blocks = std::min(blocks * multiprocessors, 40);
    Ints x(blocks * 64), wrong(1);
    ASSERT_EQ(cudaSuccess, cudaMemset(wrong.data(), 0, sizeof(int)));
    int *d_x = x.data(), *d_wrong = wrong.data();
    void *arguments[] = {&d_x, &d_wrong};
    ASSERT_EQ(cudaSuccess, cudaLaunchCooperativeKernel((void *)all_blocks_meet, dim3(blocks),
                                                       dim3(64), arguments, 0, 0));
    EXPECT_EQ(0, wrong.get()[0]);
    EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge,
              cudaLaunchCooperativeKernel((void *)all_blocks_meet, dim3(1 << 20), dim3(64),
                                          arguments, 0, 0));
    EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge, cudaGetLastError());
}

/* ---- device variables ---- */

__device__ int counter = 5;
__constant__ float coefficients[16];
__device__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__managed__ int managed_counter = 7;
namespace inner {
__device__ double scale;
static __device__ unsigned long long many[100];
/* ---- template arguments with a shift in them ---- */

template <int N>
__device__ int plus(int a) {
    return a + N;
}
template <int N, int M>
__global__ void shifted(int *x) {
    x[threadIdx.x] = plus<1 << 4>(N) + plus<(1 << 3)>(M);
}

TEST(Templates, ShiftsAmongTheArguments) {
    Ints x(4);
    shifted<1 << 20, 2><<<1, 2 << 1>>>(x.data());
    EXPECT_EQ(std::vector<int>(4, (1 << 20) + 2 + 24), x.get());
}

} // namespace inner

__global__ void use_variables(float *out) {
    const int t = threadIdx.x;
    if (t == 0) {
        counter += 1;
        managed_counter += 1;
        inner::scale = 2.5;
        inner::many[99] = 1ull << 40;
    }
    out[t] = coefficients[t % 16] + table[t % 4];
}

__global__ void set_int(int *x, int v) { x[threadIdx.x] = v; }

TEST(Variables, AreCopiedByName) {
    float c[16];
    for (int i = 0; i < 16; ++i) c[i] = 10.0f * i;
    ASSERT_EQ(cudaSuccess, cudaMemcpyToSymbol(coefficients, c, sizeof c));
    Ints out(32);
    use_variables<<<1, 32>>>((float *)out.data());
    const std::vector<int> got = out.get();
    for (int t = 0; t < 32; ++t) {
        float v;
        memcpy(&v, &got[t], sizeof v);
        ASSERT_EQ(10.0f * (t % 16) + t % 4 + 1, v);
    }
    int n = 0;
    double scale = 0;
    unsigned long long last = 0;
    EXPECT_EQ(cudaSuccess, cudaMemcpyFromSymbol(&n, counter, sizeof n));
    EXPECT_EQ(6, n);
    EXPECT_EQ(8, managed_counter);
    EXPECT_EQ(cudaSuccess, cudaMemcpyFromSymbol(&scale, inner::scale, sizeof scale));
    EXPECT_EQ(2.5, scale);
    EXPECT_EQ(cudaSuccess, cudaMemcpyFromSymbol(&last, inner::many, sizeof last, 99 * sizeof last));
    EXPECT_EQ(1ull << 40, last);
}

TEST(Variables, AddressesAndSizes) {
    int *address = nullptr, n = 0;
    size_t size = 0;
    ASSERT_EQ(cudaSuccess, cudaGetSymbolAddress((void **)&address, counter));
    set_int<<<1, 1>>>(address, 99);
    ASSERT_EQ(cudaSuccess, cudaMemcpyFromSymbol(&n, counter, sizeof n));
    EXPECT_EQ(99, n);
    n = 5;
    ASSERT_EQ(cudaSuccess, cudaMemcpy(address, &n, sizeof n, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaSuccess, cudaGetSymbolSize(&size, coefficients));
    EXPECT_EQ(64u, size);
}

TEST(Variables, WhatIsRefused) {
    int host = 0, values[2] = {};
    EXPECT_EQ(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, values, sizeof host));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpyToSymbol(counter, values, sizeof values));
    EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
              cudaMemcpyToSymbol(counter, values, sizeof(int), 0, cudaMemcpyDeviceToHost));
    cudaGetLastError();
}

TEST(Variables, ResetMakesThemNew) {
    RUN_ALONE({
        int n = 41;
        CHECK_ALONE(cudaSuccess, cudaMemcpyToSymbol(counter, &n, sizeof n));
        CHECK_ALONE(cudaSuccess, cudaDeviceReset());
        CHECK_ALONE(cudaSuccess, cudaMemcpyFromSymbol(&n, counter, sizeof n));
        CHECK_ALONE(5, n);
    });
}

/* ---- launches ---- */

template <class T>
__global__ void add_shared(T *x, T v, int n) {
    __shared__ T s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = v;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += s[i % 8];
}

typedef void (*SetKernel)(int *, int);

TEST(Launches, ByPointer) {
    Ints x(100);
    int *d = x.data(), v = 17, n = 100;
    void *arguments[] = {&d, &v};
    const void *pointer = (const void *)set_int;
    ASSERT_EQ(cudaSuccess, cudaLaunchKernel(pointer, dim3(1), dim3(100), arguments, 0, 0));
    EXPECT_EQ(17, x.get()[99]);
    void *more[] = {&d, &v, &n};
    ASSERT_EQ(cudaSuccess,
              cudaLaunchKernel((void *)add_shared<int>, dim3(1), dim3(64), more, 0, 0));
    EXPECT_EQ(34, x.get()[99]);
    SetKernel kernels[2] = {set_int, set_int};
    kernels[1]<<<1, 100>>>(d, 3);
    EXPECT_EQ(3, x.get()[0]);
}

TEST(Launches, APointerThatIsNoKernelIsRefused) {
    static int not_a_kernel;
    void *arguments[] = {nullptr};
    EXPECT_EQ(cudaErrorInvalidResourceHandle,
              cudaLaunchKernel((const void *)&not_a_kernel, dim3(1), dim3(1), arguments, 0, 0));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

TEST(Launches, SharedSizeOfAKernel) {
    cudaFuncAttributes a;
    ASSERT_EQ(cudaSuccess, cudaFuncGetAttributes(&a, reverse_in_shared));
    EXPECT_EQ(4096u, a.sharedSizeBytes);
}

/* ---- arithmetic ---- */

__global__ void divide(int *out, int a, int zero, int lowest, int minus_one) {
    /* A dividend of 64 bits that fits 32 is divided as one of 32. */
    out[0] = a / zero;
    out[1] = a % zero;
    out[2] = (int)((unsigned)a / (unsigned)zero);
    out[3] = lowest / minus_one;
    out[4] = lowest % minus_one;
    const long long b = (long long)a / (long long)zero;
    out[5] = (int)b;
    out[6] = (int)(b >> 32);
}

TEST(Arithmetic, DivisionByZeroIsNoFault) {
    Ints out(7);
    divide<<<1, 1>>>(out.data(), 7, 0, INT_MIN, -1);
    const std::vector<int> got = out.get();
    EXPECT_EQ(-1, got[0]);
    EXPECT_EQ(7, got[1]);
    EXPECT_EQ(-1, got[2]);
    EXPECT_EQ(INT_MIN, got[3]);
    EXPECT_EQ(0, got[4]);
    EXPECT_EQ(-1, got[5]);
    EXPECT_EQ(0, got[6]);
}

__global__ void overflow(int *out, int big) {
    out[0] = big + 1;
    out[1] = big * 2;
}

TEST(Arithmetic, SignedOverflowWraps) {
    Ints out(2);
    overflow<<<1, 1>>>(out.data(), INT_MAX);
    const std::vector<int> got = out.get();
    EXPECT_EQ(INT_MIN, got[0]);
    EXPECT_EQ(-2, got[1]);
}

/* ---- kernels that stop ---- */

__global__ void assert_below(int n) { assert((int)threadIdx.x < n); }
__global__ void trap_at(int n) {
    if ((int)threadIdx.x == n) __trap();
}
__global__ void use_pointer(const int *p, int *out) { out[threadIdx.x] = p[threadIdx.x]; }
__constant__ int constant_ints[32];

TEST(Stops, Assert) {
    RUN_ALONE({
        assert_below<<<1, 32>>>(20);
        CHECK_ALONE(cudaErrorAssert, cudaDeviceSynchronize());
        CHECK_ALONE(cudaErrorAssert, cudaDeviceSynchronize());
    });
}

TEST(Stops, Trap) {
    RUN_ALONE({
        trap_at<<<1, 32>>>(20);
        CHECK_ALONE(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    });
}

TEST(Stops, TheHostsNameOfAVariableMeansNothingToTheDevice) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the address sanitizer's own look at that address looks like an unaligned one";
#endif
    RUN_ALONE({
        int *out = 0;
        cudaMalloc(&out, 128);
        const void *host_name = (const void *)&counter;
        use_pointer<<<1, 1>>>((const int *)host_name, out);
        CHECK_ALONE(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    });
}
