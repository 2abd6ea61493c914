/* Kernels with barriers and warp operations in the shapes that the CPU device cuts into phases
 * (include/cpu_device_phases.h), and in those that it must leave whole: each must give what the
 * device gives. phases_uncut_test runs the same with every kernel left whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/cpu_device/alone.h"

namespace {

const int kPoison = -77;

/* Numbers on the device, in front of more that must stay as they were. */
class Numbers {
  public:
    explicit Numbers(std::vector<int> h) : n_(h.size()) {
        h.resize(n_ + 64, kPoison);
        EXPECT_EQ(cudaSuccess, cudaMalloc(&p_, h.size() * sizeof(int)));
        EXPECT_EQ(cudaSuccess,
                  cudaMemcpy(p_, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice));
    }
    ~Numbers() { cudaFree(p_); }
    Numbers(const Numbers &) = delete;
    int *data() const { return p_; }
    std::vector<int> get() const {
        std::vector<int> h(n_ + 64);
        EXPECT_EQ(cudaSuccess, cudaGetLastError());
        EXPECT_EQ(cudaSuccess,
                  cudaMemcpy(h.data(), p_, h.size() * sizeof(int), cudaMemcpyDeviceToHost));
        EXPECT_EQ(64, std::count(h.begin() + (long)n_, h.end(), kPoison));
        h.resize(n_);
        return h;
    }

  private:
    int *p_ = nullptr;
    size_t n_;
};

std::vector<int> made(size_t n, unsigned seed) {
    std::vector<int> v(n);
    for (int &x : v) x = (int)((seed = seed * 1664525u + 1013904223u) >> 20) - 2048;
    return v;
}

/* Sizes around warps and blocks of 64. */
const int kSizes[] = {1, 31, 32, 33, 63, 64, 65, 200};

/* ---- threads that have nothing to do ---- */

/* Each phase is one `if` that the first threads of a row pass, by a bound of another kind. */
__global__ void first_threads(int *out, int n, unsigned u, long long l, float f) {
    __shared__ int s[128];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, x = threadIdx.x;
    const unsigned ux = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    if (x < n) s[t] += 1;
    __syncthreads();
    if (threadIdx.x < u) s[t] += 10;
    __syncthreads();
    if (ux < (unsigned)n) s[t] += 100;
    __syncthreads();
    if (x < l && t % 2 == 0) s[t] += 1000;
    __syncthreads();
    if (x < f) s[t] += 10000;
    __syncthreads();
    if (x == n - 1) s[t] += 100000;
    __syncthreads();
    if (threadIdx.x < blockDim.x / 2) s[t] += 1000000;
    __syncthreads();
    out[t] = s[t];
}

TEST(Phases, FirstThreadsOfARow) {
    const dim3 shapes[] = {dim3(1), dim3(33), dim3(128), dim3(32, 4), dim3(5, 7)};
    for (const dim3 shape : shapes)
        for (int n : {-3, 0, 1, 2, 31, 33, 128, 129, 2000000000}) {
            const unsigned threads = shape.x * shape.y;
            const long long l = n * 4000000000ll;
            const float f = (float)n - 0.5f;
            Numbers out(std::vector<int>(threads, kPoison));
            first_threads<<<1, shape>>>(out.data(), n, (unsigned)n, l, f);
            std::vector<int> expected;
            for (unsigned t = 0; t < threads; ++t) {
                const int x = (int)(t % shape.x);
                expected.push_back((x < n ? 1 : 0) + ((unsigned)x < (unsigned)n ? 110 : 0) +
                                   (x < l && t % 2 == 0 ? 1000 : 0) + ((float)x < f ? 10000 : 0) +
                                   (x == n - 1 ? 100000 : 0) +
                                   ((unsigned)x < shape.x / 2 ? 1000000 : 0));
            }
            EXPECT_EQ(expected, out.get()) << shape.x << " x " << shape.y << ", n = " << n;
        }
}

/* ---- the block's group without a name ---- */

__global__ void turned_by_group(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    cooperative_groups::this_thread_block().sync();
    x[threadIdx.x] = s[63 - threadIdx.x];
    cooperative_groups::sync(cooperative_groups::this_thread_block());
    s[threadIdx.x] = x[(threadIdx.x + 1) % 64];
    cooperative_groups::this_thread_block().sync();
    x[threadIdx.x] += s[threadIdx.x];
}

TEST(Phases, GroupWithoutAName) {
    const std::vector<int> given = made(64, 3);
    Numbers x(given);
    turned_by_group<<<1, 64>>>(x.data());
    std::vector<int> expected;
    for (int t = 0; t < 64; ++t)
        expected.push_back(given[(size_t)(63 - t)] + given[(size_t)(63 - (t + 1) % 64)]);
    EXPECT_EQ(expected, x.get());
}

/* ---- threads that leave early ---- */

__global__ void neighbours_of_the_living(int *x, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = 1000;
    __syncthreads();
    if (i >= n) return;
    s[t] = x[i];
    __syncthreads();
    const int sum = s[t] + s[(t + 1) % 64];
    __syncthreads();
    x[i] = sum;
}

TEST(Phases, ThreadsThatReturnDoNotComeBack) {
    for (int n : kSizes) {
        const std::vector<int> h = made((size_t)n, 1);
        Numbers x(h);
        neighbours_of_the_living<<<(n + 63) / 64, 64>>>(x.data(), n);
        const std::vector<int> got = x.get();
        for (int i = 0; i < n; ++i) {
            const int next = i % 64 == 63 ? i - 63 : i + 1;
            ASSERT_EQ(h[(size_t)i] + (next < n ? h[(size_t)next] : 1000), got[(size_t)i])
                << n << " " << i;
        }
    }
}

__global__ void leaves_before_dividing(int *x, int n) {
    if (n == 0) return;
    const int part = 60 / n;
    __syncthreads();
    x[threadIdx.x] = part + 60 % n;
}

TEST(Phases, WhatFollowsAReturnIsNotDoneBeforeIt) {
    Numbers x(std::vector<int>(40, 5));
    leaves_before_dividing<<<1, 40>>>(x.data(), 0);
    EXPECT_EQ(std::vector<int>(40, 5), x.get());
    leaves_before_dividing<<<1, 40>>>(x.data(), 7);
    EXPECT_EQ(std::vector<int>(40, 12), x.get());
}

__global__ void leaves_from_inside(int *x, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        if (k == t) {
            if (t % 2) return;
            break;
        }
        s[t] += k;
    }
    __syncthreads();
    x[t] = s[t] + s[(t + 63) % 64];
}

TEST(Phases, AReturnInALoopEndsTheThreadAlone) {
    Numbers x(std::vector<int>(64, 5));
    leaves_from_inside<<<1, 64>>>(x.data(), 40);
    const std::vector<int> got = x.get();
    const auto sum = [](int t) { return t < 40 ? t * (t - 1) / 2 : 780; };
    for (int t = 0; t < 64; ++t)
        ASSERT_EQ(t < 40 && t % 2 ? 5 : sum(t) + sum((t + 63) % 64), got[(size_t)t]) << t;
}

/* ---- what threads keep ---- */

struct Pair {
    int low, high;
    __device__ Pair(int a, int b) : low(a < b ? a : b), high(a < b ? b : a) {}
    __device__ int spread() const { return high - low; }
};

__global__ void keeps_things(int *x, float4 scale) {
    __shared__ int s[96];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int own[5], turned[3] = {t, t + 1, t + 2};
    float4 f = make_float4(0, 1, 2, 3);
    Pair pair(x[i], t);
    int *place = &own[t % 5];
    const int first = x[i];
    for (int k = 0; k < 5; ++k) own[k] = first + k;
    s[t] = first;
    __syncthreads();
    f.x += scale.x * (float)s[(t + 1) % 96];
    *place += 100;
    turned[t % 3] += s[(t + 2) % 96];
    __syncthreads();
    f.y += f.x;
    int sum = turned[0] + turned[1] + turned[2] + pair.spread();
    for (int k = 0; k < 5; ++k) sum += own[k];
    s[t] = sum;
    __syncthreads();
    x[i] = s[t] + (int)f.y + first;
}

TEST(Phases, ArraysPointersAndClassesAreKept) {
    const std::vector<int> h = made(192, 2);
    Numbers x(h);
    keeps_things<<<2, 96>>>(x.data(), make_float4(2, 0, 0, 0));
    const std::vector<int> got = x.get();
    for (int i = 0; i < 192; ++i) {
        const int t = i % 96, b = i - t, a = h[(size_t)i];
        const int sum = 3 * t + 3 + h[(size_t)(b + (t + 2) % 96)] + abs(a - t) + 5 * a + 10 + 100;
        ASSERT_EQ(sum + 1 + 2 * h[(size_t)(b + (t + 1) % 96)] + a, got[(size_t)i]) << i;
    }
}

/* Parameters: moved on for all alike, moved on by each thread, a structure. */
struct View {
    int *data;
    int width;
};

__global__ void moves_parameters(View v, const int *all, const int *each, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    all += blockIdx.x * 32;
    each += t;
    for (int k = 0; k < v.width; k += 2) {
        s[t] = all[t] + *each;
        __syncthreads();
        v.data[blockIdx.x * 32 + t] += s[(t + n) % 32] + k;
        all += 32;
        each += 32;
        n += 1;
        __syncthreads();
    }
}

TEST(Phases, ParametersMayBeChanged) {
    const std::vector<int> a = made(32 * 8, 3), e = made(32 * 8, 4);
    Numbers all(a), each(e), out(std::vector<int>(64, 0));
    moves_parameters<<<2, 32>>>(View{out.data(), 6}, all.data(), each.data(), 5);
    const std::vector<int> got = out.get();
    for (int b = 0; b < 2; ++b)
        for (int t = 0; t < 32; ++t) {
            int want = 0;
            for (int k = 0; k < 3; ++k) {
                const int u = (t + 5 + k) % 32;
                want += a[(size_t)(b * 32 + 32 * k + u)] + e[(size_t)(u + 32 * k)] + 2 * k;
            }
            ASSERT_EQ(want, got[(size_t)(b * 32 + t)]) << b << " " << t;
        }
}

/* ---- loops and ifs that all threads take alike ---- */

__global__ void all_kinds_of_loops(int *x, int rounds, bool twice) {
    __shared__ int s[2][64];
    int t = threadIdx.x, now = 0, calm = 3;
    s[0][t] = x[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2, now ^= 1) {
        s[now ^ 1][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        __syncthreads();
    }
    int left = rounds;
    while (left > 0) {
        if (left == 2) break;
        s[now ^ 1][t] = s[now][(t + left) % 64];
        __syncthreads();
        now = 1 - now;
        --left;
        __syncthreads();
    }
    do {
        for (int k = 0; k < 2; ++k) {
            const int other = s[now][63 - t];
            __syncthreads();
            s[now][t] = other + k * calm;
            __syncthreads();
        }
        calm -= 1;
    } while (calm > 1);
    if (twice) {
        s[now][t] *= 2;
        __syncthreads();
    } else s[now][t] -= 1;
    if (!twice) __syncthreads();
    x[t] = s[now][(t + 9) % 64];
}

TEST(Phases, LoopsOfAllKinds) {
    for (int twice = 0; twice < 2; ++twice) {
        const std::vector<int> h = made(64, 5);
        Numbers x(h);
        all_kinds_of_loops<<<1, 64>>>(x.data(), 5, twice != 0);
        std::vector<int> s(64), r(64);
        std::partial_sum(h.begin(), h.end(), s.begin());
        for (int left = 5; left != 2; --left, s = r)
            for (int t = 0; t < 64; ++t) r[(size_t)t] = s[(size_t)((t + left) % 64)];
        for (int calm = 3; calm > 1; --calm)
            for (int k = 0; k < 2; ++k, s = r)
                for (int t = 0; t < 64; ++t) r[(size_t)t] = s[(size_t)(63 - t)] + k * calm;
        for (int &v : s) v = twice ? 2 * v : v - 1;
        for (int t = 0; t < 64; ++t) r[(size_t)t] = s[(size_t)((t + 9) % 64)];
        EXPECT_EQ(r, x.get()) << twice;
    }
}

/* A variable that is the same for all until threads change it each for itself. */
__global__ void no_longer_alike(int *x) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    int k = blockDim.x / 2, steps = 0;
    s[t] = x[t];
    __syncthreads();
    if (t % 3 == 0) k += t;
    steps = k;
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        if (t == d) ++steps;
        __syncthreads();
    }
    x[t] = s[0] + 1000 * steps;
}

TEST(Phases, AVariableThatThreadsChangeIsEachThreads) {
    const std::vector<int> h = made(64, 6);
    Numbers x(h);
    no_longer_alike<<<1, 64>>>(x.data());
    const int sum = std::accumulate(h.begin(), h.end(), 0);
    const std::vector<int> got = x.get();
    for (int t = 0; t < 64; ++t) {
        const bool power = t > 0 && t <= 32 && (t & (t - 1)) == 0;
        ASSERT_EQ(sum + 1000 * (32 + (t % 3 == 0 ? t : 0) + power), got[(size_t)t]) << t;
    }
}

__global__ void block_of_three_dimensions(int *x) {
    extern __shared__ int dynamic[];
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int n = blockDim.x * blockDim.y * blockDim.z;
    const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    dynamic[t] = x[b * n + t];
    __syncthreads();
    const int turned = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
    x[b * n + t] = dynamic[turned] * 10 + (int)threadIdx.y;
}

TEST(Phases, BlocksOfThreeDimensions) {
    const int n = 3 * 5 * 7;
    const std::vector<int> h = made((size_t)n * 8, 7);
    Numbers x(h);
    block_of_three_dimensions<<<dim3(2, 2, 2), dim3(3, 5, 7), n * sizeof(int)>>>(x.data());
    const std::vector<int> got = x.get();
    for (int b = 0; b < 8; ++b)
        for (int t = 0; t < n; ++t) {
            const int tx = t % 3, ty = t / 3 % 5, tz = t / 15, turned = (tx * 5 + ty) * 7 + tz;
            ASSERT_EQ(h[(size_t)(b * n + turned)] * 10 + ty, got[(size_t)(b * n + t)])
                << b << " " << t;
        }
}

/* ---- device functions ---- */

__device__ void rotate(int *s, int by) {
    const int t = threadIdx.x, v = s[(t + by) % blockDim.x];
    __syncthreads();
    s[t] = v;
    __syncthreads();
}

template <class T>
__device__ T block_sum(T value, T *s) {
    const unsigned t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    T sum = s[0];
    __syncthreads();
    return sum;
}

__device__ int rotated_sum(int *s, int value, int by) {
    s[threadIdx.x] = value;
    __syncthreads();
    rotate(s, by);
    value = s[threadIdx.x] * (int)threadIdx.x;
    __syncthreads();
    return block_sum(value, s);
}

__global__ void calls(int *x, long long *wide) {
    __shared__ int s[64];
    __shared__ long long l[64];
    const int t = threadIdx.x;
    int a = rotated_sum(s, x[t], t % 2 ? 3 : 3), b = 0;
    if (blockIdx.x == 0) b = rotated_sum(s, x[t] + 1, 5);
    a += block_sum<int>(t, s);
    const long long big = block_sum((long long)x[t] << 33, l);
    rotate(s, 1);
    x[t] = a + b;
    wide[t] = big;
}

TEST(Phases, DeviceFunctionsWithBarriers) {
    const std::vector<int> h = made(64, 8);
    Numbers x(h);
    long long *wide, big[64], want_big = 0;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&wide, sizeof big));
    calls<<<1, 64>>>(x.data(), wide);
    int want = 63 * 32;
    for (int t = 0; t < 64; ++t) {
        want += h[(size_t)((t + 3) % 64)] * t + (h[(size_t)((t + 5) % 64)] + 1) * t;
        want_big += (long long)h[(size_t)t] * (1LL << 33);
    }
    EXPECT_EQ(std::vector<int>(64, want), x.get());
    ASSERT_EQ(cudaSuccess, cudaMemcpy(big, wide, sizeof big, cudaMemcpyDeviceToHost));
    for (long long b : big) ASSERT_EQ(want_big, b);
    cudaFree(wide);
}

/* ---- warp operations ---- */

const unsigned kAll = 0xffffffffu;

template <class T>
__device__ T warp_sum(T v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(kAll, v, d);
    return v;
}

__inline__ __device__ int warp_scan(int v) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int before = __shfl_up_sync(kAll, v, d);
        if ((int)(threadIdx.x & 31) >= d) v += before;
    }
    return v;
}

__global__ void scan_of_a_block(int *x, double *sum) {
    __shared__ int sums[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * blockDim.x + t;
    const int own = x[i];
    int v = warp_scan(own);
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        const int total = lane < (int)(blockDim.x + 31) / 32 ? sums[lane] : 0;
        sums[lane] = warp_scan(total);
    } else {
        v += 0;
    }
    __syncthreads();
    if (warp > 0) v += sums[warp - 1];
    x[i] = v;
    const double whole = warp_sum((double)own + 0.5);
    if (lane == 0) sum[i / 32] = whole;
}

TEST(Phases, WarpOperationsInFunctionsAndBranches) {
    for (int block : {32, 64, 256, 1024}) {
        const std::vector<int> h = made((size_t)block * 3, 9);
        Numbers x(h);
        double *sums;
        ASSERT_EQ(cudaSuccess, cudaMalloc(&sums, (size_t)block * 3 / 32 * sizeof(double)));
        scan_of_a_block<<<3, block>>>(x.data(), sums);
        std::vector<int> want(h.size());
        for (int b = 0; b < 3; ++b)
            std::partial_sum(h.begin() + b * block, h.begin() + (b + 1) * block,
                             want.begin() + b * block);
        EXPECT_EQ(want, x.get()) << block;
        std::vector<double> got(h.size() / 32);
        ASSERT_EQ(cudaSuccess, cudaMemcpy(got.data(), sums, got.size() * sizeof(double),
                                          cudaMemcpyDeviceToHost));
        for (size_t w = 0; w < got.size(); ++w)
            ASSERT_EQ(std::accumulate(h.begin() + (long)w * 32, h.begin() + (long)w * 32 + 32,
                                      16.0),
                      got[w])
                << w;
        cudaFree(sums);
    }
}

__global__ void shuffles(int *x) {
    const int t = threadIdx.x, lane = t % 32;
    int *out = x + t * 10;
    const long long wide = ((long long)t << 40) + lane;
    int v = t * t;
    const unsigned odd = __ballot_sync(kAll, lane % 2 == 1);
    out[0] = (int)odd;
    out[1] = __shfl_sync(kAll, v, (lane + 5) % 32) + __shfl_xor_sync(kAll, v, 7);
    out[2] = (int)(__shfl_down_sync(kAll, wide, 3) >> 40);
    v += __shfl_up_sync(kAll, v, 2, 8);
    out[3] = v;
    out[4] = __any_sync(kAll, lane == 40) * 2 + __all_sync(kAll, lane < 32);
    if (t < 32) {
        out[5] = __shfl_sync(kAll, t, 31);
        __syncwarp();
        v = __shfl_down_sync(kAll, v, 1);
    } else {
        out[5] = -1;
    }
    out[6] = v;
    const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    out[7] = __shfl_xor_sync(half, t, 1);
    out[8] = (int)__ballot_sync(half, lane % 3 == 0);
    __syncwarp(half);
    out[9] = max(t, __shfl_xor_sync(half, t, 3, 4));
}

TEST(Phases, ShufflesAndVotes) {
    Numbers x(std::vector<int>(64 * 10, 0));
    shuffles<<<1, 64>>>(x.data());
    const std::vector<int> got = x.get();
    const auto v3 = [](int t) { return t % 8 >= 2 ? t * t + (t - 2) * (t - 2) : 2 * t * t; };
    for (int t = 0; t < 64; ++t) {
        const int lane = t % 32, warp = t - lane, *g = &got[(size_t)t * 10];
        const auto square = [&](int l) { return (warp + l) * (warp + l); };
        ASSERT_EQ((int)0xaaaaaaaau, g[0]);
        ASSERT_EQ(square((lane + 5) % 32) + square(lane ^ 7), g[1]) << t;
        ASSERT_EQ(lane + 3 < 32 ? t + 3 : t, g[2]) << t;
        ASSERT_EQ(v3(t), g[3]) << t;
        ASSERT_EQ(1, g[4]);
        ASSERT_EQ(t < 32 ? 31 : -1, g[5]);
        ASSERT_EQ(t < 32 ? v3(lane < 31 ? t + 1 : t) : v3(t), g[6]) << t;
        ASSERT_EQ(t ^ 1, g[7]);
        ASSERT_EQ((int)(0x49249249u & (lane < 16 ? 0x0000ffffu : 0xffff0000u)), g[8]) << t;
        ASSERT_EQ(std::max(t, t ^ 3), g[9]);
    }
}

/* What a lane brings is computed once. */
__global__ void brings_once(int *x) {
    __shared__ int s[32];
    static constexpr int kStep = 3;
    const int t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    int k = t;
    x[t] = __shfl_xor_sync(kAll, atomicAdd(&s[t], kStep) + (k += 100), 1);
    __syncwarp();
    x[t] += s[t] + k;
}

TEST(Phases, WhatALaneBringsIsComputedOnce) {
    Numbers x(std::vector<int>(32, 0));
    brings_once<<<1, 32>>>(x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 32; ++t) ASSERT_EQ((t ^ 1) + 100 + 3 + t + 100, got[(size_t)t]);
}

/* Lanes of which others have ended give 0: only some of the warp's threads are left. */
__global__ void lanes_that_have_ended(int *x, int n) {
    const int t = threadIdx.x;
    if (t >= n) return;
    const int other = __shfl_xor_sync(kAll, t + 100, 16);
    x[t] = other;
}

TEST(Phases, LanesThatHaveEnded) {
    Numbers x(std::vector<int>(32, -1));
    lanes_that_have_ended<<<1, 32>>>(x.data(), 20);
    const std::vector<int> got = x.get();
    for (int t = 0; t < 32; ++t)
        ASSERT_EQ(t >= 20 ? -1 : (t ^ 16) < 20 ? (t ^ 16) + 100 : 0, got[(size_t)t]) << t;
}

/* ---- what only looks the same for all, or as if it could be computed anew ---- */

struct Stepper {
    int at;
    __device__ void step() { at += (int)threadIdx.x; }
};

struct First {
    int value;
    __device__ explicit First(const int *p) : value(*p) {}
};

__device__ int next_of(int v) { return __shfl_sync(kAll, v, 2) + 1; }

__global__ void each_for_itself(int *x, Stepper s) {
    const int t = threadIdx.x;
    First first(x);
    int v = x[t], alike = 3, unset;
    int &alias = alike;
    alias += t;
    s.step();
    __syncthreads();
    if (t == 0) x[0] = -9;
    {
        int &other = v;
        other += 5;
    }
    __syncthreads();
    unset = v;
    __syncthreads();
    x[t] = unset * 1000 + first.value * 100 + s.at + alike + next_of(t);
}

TEST(Phases, EachThreadForItself) {
    std::vector<int> h(32);
    std::iota(h.begin(), h.end(), 2);
    Numbers x(h);
    each_for_itself<<<1, 32>>>(x.data(), Stepper{7});
    const std::vector<int> got = x.get();
    for (int t = 0; t < 32; ++t)
        ASSERT_EQ((t + 2 + 5) * 1000 + 2 * 100 + (7 + t) + (3 + t) + 3, got[(size_t)t]) << t;
}

__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(kAll, v, d);
    return __shfl_sync(kAll, v, 0);
}

__global__ void two_in_a_statement(int *x) {
    const int t = threadIdx.x;
    int v = t, w;
    int both = __shfl_xor_sync(kAll, v, 1) + sum_of_warp(v);
    v += __shfl_xor_sync(kAll, v, 1), w = __shfl_xor_sync(kAll, v, 2);
    int twice = v * 2, other = __shfl_sync(kAll, twice, 5);
    x[t] = both * 10000 + w * 100 + other;
}

TEST(Phases, TwoInAStatement) {
    Numbers x(std::vector<int>(32, 0));
    two_in_a_statement<<<1, 32>>>(x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 32; ++t)
        ASSERT_EQ(((t ^ 1) + 496) * 10000 + ((t ^ 2) + (t ^ 3)) * 100 + 18, got[(size_t)t]) << t;
}

/* Loops around barriers that nobody is left in. */
__global__ void all_leave(int *x, unsigned n) {
    __shared__ int rounds;
    const int t = threadIdx.x;
    if (n == 0) return;
    for (unsigned k = 0; k < n - 1; ++k) {
        x[t] += 1;
        __syncthreads();
    }
    if (t == 0) rounds = 0;
    while (true) {
        __syncthreads();
        if (t == 0) ++rounds;
        __syncthreads();
        x[t] += 10;
        if (rounds > 3) return;
    }
}

TEST(Phases, LoopsEndWhenAllThreadsHaveLeft) {
    Numbers x(std::vector<int>(40, 5));
    all_leave<<<1, 40>>>(x.data(), 0);
    EXPECT_EQ(std::vector<int>(40, 5), x.get());
    all_leave<<<1, 40>>>(x.data(), 3);
    EXPECT_EQ(std::vector<int>(40, 47), x.get());
}

__global__ void in_parentheses(int *x, int n) {
    const int t = threadIdx.x;
    int a = n, b = 3;
    __syncthreads();
    (a) = t;
    (t & 1 ? a : n) += 10;
    (b)++;
    __syncthreads();
    x[t] = a * 10000 + n * 100 + b;
}

/* Lanes wait for those of the other branch. */
__global__ void both_branches(int *x) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 16) {
        __syncwarp();
        x[t] = s[31 - t];
    } else {
        s[t] = t;
        __syncwarp();
    }
}

TEST(Phases, ChangesInParenthesesAndBothBranches) {
    Numbers x(std::vector<int>(32, -1));
    in_parentheses<<<1, 32>>>(x.data(), 7);
    std::vector<int> got = x.get();
    for (int t = 0; t < 32; ++t)
        ASSERT_EQ((t % 2 ? t + 10 : t) * 10000 + (t % 2 ? 7 : 17) * 100 + 4, got[(size_t)t]) << t;
    Numbers y(std::vector<int>(32, -1));
    both_branches<<<1, 32>>>(y.data());
    got = y.get();
    for (int t = 0; t < 32; ++t) ASSERT_EQ(t < 16 ? 31 - t : -1, got[(size_t)t]) << t;
}

/* ---- however they are launched ---- */

TEST(Phases, LaunchedByAddress) {
    const int n = 200;
    const std::vector<int> h = made((size_t)n, 1);
    Numbers x(h), y(h), z(h);
    int *px = x.data(), *py = y.data(), count = n;
    void *arguments[] = {&px, &count};
    ASSERT_EQ(cudaSuccess, cudaLaunchKernel((const void *)neighbours_of_the_living, dim3(4),
                                            dim3(64), arguments, 0, nullptr));
    void (*kernel)(int *, int) = neighbours_of_the_living;
    kernel<<<4, 64>>>(py, n);
    neighbours_of_the_living<<<4, 64>>>(z.data(), n);
    EXPECT_EQ(z.get(), x.get());
    EXPECT_EQ(z.get(), y.get());
}

/* ---- what is left whole ---- */

__global__ void barrier_for_some(int *x) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 32) {
        s[t] += 100;
        __syncwarp();
        x[t] = s[31 - t];
    } else {
        x[t] = -t;
    }
}

__device__ int try_lock(int *lock) { return atomicCAS(lock, 0, 1) == 0; }

__global__ void counts_under_a_lock(int *x, int *lock) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (try_lock(lock)) {
            x[0] += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&x[1], mine + 1);
}

TEST(Phases, BranchesOfWarpsAndLocks) {
    Numbers x(std::vector<int>(64, 0)), y(std::vector<int>(2, 0)), lock(std::vector<int>(1, 0));
    barrier_for_some<<<1, 64>>>(x.data());
    const std::vector<int> got = x.get();
    for (int t = 0; t < 64; ++t) ASSERT_EQ(t < 32 ? 131 - t : -t, got[(size_t)t]) << t;
    counts_under_a_lock<<<4, 64>>>(y.data(), lock.data());
    EXPECT_EQ((std::vector<int>{256, 4}), y.get());
}

} // namespace
