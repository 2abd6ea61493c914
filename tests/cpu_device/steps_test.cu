/* Warps that move in step: what was written for GPUs before Volta, where the threads of a warp
 * exchanged values through volatile shared memory with no barrier in between, or let the first
 * lane write what the others read. A GPU of today may give other sums, so this runs on the CPU
 * device alone; that the build warns is tested in refusals_test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

/* One block's answer of n ints. */
template <class Kernel>
std::vector<int> run(Kernel kernel, int threads, int n) {
    int *out;
    EXPECT_EQ(cudaMalloc((void **)&out, (size_t)n * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemset(out, 0x55, (size_t)n * sizeof(int)), cudaSuccess);
    kernel<<<1, threads>>>(out);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<int> host(n);
    EXPECT_EQ(cudaMemcpy(host.data(), out, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaFree(out), cudaSuccess);
    return host;
}

__device__ void last_warp(volatile int *v, unsigned t) {
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
}

__global__ void sum_by_function(int *out) {
    __shared__ int s[256];
    const unsigned t = threadIdx.x;
    s[t] = (int)t + 1;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
    if (t == 0) out[0] = s[0];
}

__global__ void sum_in_kernel(int *out) {
    extern __shared__ int unused[];
    volatile __shared__ int s[64];
    const unsigned t = threadIdx.x;
    int mine = (int)t + 1;
    s[t] = mine;
    if (t < 16) s[t + 32] = 0; /* by lanes that skip what others do */
    __syncthreads();
    if (t < 16) {
        s[t] = mine = mine + s[t + 16];
        s[t] = mine = mine + s[t + 8];
        s[t] = mine = mine + s[t + 4];
        s[t] = mine = mine + s[t + 2];
        s[t] = mine = mine + s[t + 1];
    }
    if (t == 0) out[0] = s[0];
}

/* Each lane takes part in fewer steps than the next. */
__global__ void scan_warps(int *out) {
    __shared__ int s[128];
    volatile int *v = s;
    const int t = (int)threadIdx.x, lane = t % 32;
    v[t] = t % 7 + 1;
    if (lane >= 1) v[t] = v[t - 1] + v[t];
    if (lane >= 2) v[t] = v[t - 2] + v[t];
    if (lane >= 4) v[t] = v[t - 4] + v[t];
    if (lane >= 8) v[t] = v[t - 8] + v[t];
    if (lane >= 16) v[t] = v[t - 16] + v[t];
    out[t] = v[t];
}

__global__ void scan_in_loop(int *out) {
    __shared__ volatile int v[64];
    const int t = (int)threadIdx.x, lane = t % 32;
    v[t] = 1;
    for (int d = 1; d < 32; d *= 2)
        if (lane >= d) v[t] += v[t - d];
    out[t] = v[t];
}

/* Lanes whose values come late: they are waited for. */
__global__ void late_lanes(int *out) {
    __shared__ volatile int v[33];
    const int t = (int)threadIdx.x;
    if (t == 0) v[32] = 0;
    v[t] = t;
    long long begin = clock64();
    if (t % 8 == 3)
        while (clock64() - begin < 30 * 1000 * 1000) continue;
    v[t] = v[t + 1];
    out[t] = v[t];
}

/* A flag in shared memory, and a spinning reader in the writer's own warp. */
__global__ void flag_in_warp(int *out) {
    volatile __shared__ int flag[2];
    if (threadIdx.x == 0) flag[0] = 0;
    __syncthreads();
    if (threadIdx.x == 1) {
        while (flag[0] == 0) continue;
        out[0] = flag[0];
    }
    if (threadIdx.x == 7) flag[0] = 42;
}

__global__ void in_global_memory(int *out) {
    volatile int *v = out;
    v[threadIdx.x] = 1;
    v[threadIdx.x] += (int)threadIdx.x;
}

/* ---- the same in global memory, through volatile pointers of all kinds: ones to their sum ---- */

typedef volatile int Volatile;
struct Holder {
    volatile int *p;
};

#define TAIL(v)                    \
    if (threadIdx.x < 32) {        \
        const int t = threadIdx.x; \
        v[t] += v[t + 32];         \
        v[t] += v[t + 16];         \
        v[t] += v[t + 8];          \
        v[t] += v[t + 4];          \
        v[t] += v[t + 2];          \
        v[t] += v[t + 1];          \
    }

__global__ void of_parameter(volatile int *x){TAIL(x)} __global__ void of_pointer(int *x) {
    volatile int *v = x;
    TAIL(v)
}
__global__ void of_alias(int *x) {
    Volatile *v = x;
    TAIL(v)
}
__global__ void of_auto(int *x) {
    auto v = (volatile int *)x;
    TAIL(v)
}
__global__ void of_member(int *x) {
    Holder h;
    h.p = x;
    TAIL(h.p)
}
__global__ void of_cast(int *x){TAIL(((volatile int *)x))} __global__
    void of_named_cast(int *x){TAIL(reinterpret_cast<volatile int *>(x))} __global__
    void of_row(int *x) {
    volatile int(*v)[64] = (volatile int(*)[64])x;
    TAIL(v[0])
}
__global__ void of_lambda(int *x) {
    auto tail = [](volatile int *v) { TAIL(v) };
    tail(x);
}
__global__ void of_one_element(int *x) {
    volatile int *v = x + threadIdx.x;
    if (threadIdx.x < 32)
        for (int k = 32; k > 0; k /= 2) *v += *(v + k);
}
__global__ void of_local_copy(int *x) {
    volatile int *v = x;
    const int t = threadIdx.x;
    if (t < 32)
        for (int k = 32; k > 0; k /= 2) {
            const int other = v[t + k];
            v[t] = v[t] + other;
        }
}

/* Most lanes skip each write; the greatest of 64 gets to the front. */
__global__ void greatest(int *x) {
    volatile int *v = x;
    const int t = threadIdx.x;
    if (t < 32)
        for (int k = 32; k > 0; k /= 2)
            if (v[t + k] > v[t]) v[t] = v[t + k];
}

__global__ void numbers_keep_their_types(int *x) {
    volatile int *v = x;
    const int t = threadIdx.x;
    v[t] = v[(t + 1) % 64] * 0 + 5;
    v[t] *= 0.5f;
    v[t] <<= 3;
    v[t] %= 9;
    v[t] -= 0.75;
}

/* One lane after another has the lock: nobody waits for the others of its warp. */
__global__ void under_a_lock(int *out) {
    __shared__ int lock;
    __shared__ volatile int sum[2];
    if (threadIdx.x == 0) lock = sum[0] = sum[1] = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            sum[threadIdx.x % 2] += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x < 2) out[threadIdx.x] = sum[threadIdx.x];
}

/* Lane 0 keeps a stack for its warp: it pushes after a vote in which all took part, and the
 * others read with no __syncwarp in between. out[t]: how often thread t read what was pushed. */
__global__ void stack_of_first_lane(int *out) {
    __shared__ int top[8];
    const unsigned t = threadIdx.x, warp = t / 32;
    if (t % 32 == 0) top[warp] = -1;
    int right = 0;
    for (int i = 0; i < 100; ++i) {
        if (__any_sync(0xffffffff, t % 32 == (unsigned)i % 32) && t % 32 == 0) top[warp] = i;
        right += top[warp] == i;
    }
    out[t] = right;
}

TEST(InStep, TheLastWarpOfASum) {
    EXPECT_EQ(run(sum_by_function, 256, 1)[0], 256 * 257 / 2);
    EXPECT_EQ(run(sum_by_function, 64, 1)[0], 64 * 65 / 2);
}

TEST(InStep, WithTheValueKeptInARegister) { EXPECT_EQ(run(sum_in_kernel, 32, 1)[0], 32 * 33 / 2); }

TEST(InStep, LanesThatSkipAStep) {
    const std::vector<int> got = run(scan_warps, 128, 128);
    int sum = 0;
    for (int t = 0; t < 128; ++t) {
        sum = t % 32 == 0 ? t % 7 + 1 : sum + t % 7 + 1;
        ASSERT_EQ(got[t], sum) << "at " << t;
    }
}

TEST(InStep, InALoop) {
    const std::vector<int> got = run(scan_in_loop, 64, 64);
    for (int t = 0; t < 64; ++t) ASSERT_EQ(got[t], t % 32 + 1) << "at " << t;
}

TEST(InStep, LanesGoOnInOrderAfterAWarpOperation) {
    EXPECT_EQ(run(stack_of_first_lane, 256, 256), std::vector<int>(256, 100));
}

TEST(InStep, LateLanes) {
    const std::vector<int> got = run(late_lanes, 32, 32);
    for (int t = 0; t < 31; ++t) ASSERT_EQ(got[t], t + 1) << "at " << t;
}

TEST(InStep, AReaderThatSpinsIsNotWaitedForForEver) { EXPECT_EQ(run(flag_in_warp, 32, 1)[0], 42); }

/* x[0] after the kernel, of x[i] = value(i). */
template <class Kernel, class Value>
int first_after(Kernel kernel, Value value) {
    int *x, host[64];
    for (int i = 0; i < 64; ++i) host[i] = value(i);
    EXPECT_EQ(cudaMalloc((void **)&x, sizeof host), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    kernel<<<1, 64>>>(x);
    EXPECT_EQ(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaFree(x), cudaSuccess);
    return host[0];
}

TEST(InStep, InGlobalMemory) {
    const auto one = [](int) { return 1; };
    EXPECT_EQ(first_after(of_parameter, one), 64);
    EXPECT_EQ(first_after(of_pointer, one), 64);
    EXPECT_EQ(first_after(of_alias, one), 64);
    EXPECT_EQ(first_after(of_auto, one), 64);
    EXPECT_EQ(first_after(of_member, one), 64);
    EXPECT_EQ(first_after(of_cast, one), 64);
    EXPECT_EQ(first_after(of_named_cast, one), 64);
    EXPECT_EQ(first_after(of_row, one), 64);
    EXPECT_EQ(first_after(of_lambda, one), 64);
    EXPECT_EQ(first_after(of_one_element, one), 64);
    EXPECT_EQ(first_after(of_local_copy, one), 64);
}

TEST(InStep, LanesThatSkipAWriteSeeIt) {
    for (int at : {0, 1, 5, 31, 32, 47, 63})
        EXPECT_EQ(first_after(greatest, [at](int i) { return i == at ? 77 : i % 7; }), 77) << at;
}

TEST(InStep, OperatorsConvertAsTheirTypesDo) {
    EXPECT_EQ(first_after(numbers_keep_their_types, [](int i) { return i; }),
              6); /* 5 2 16 7 6.25 */
}

TEST(InStep, UnderALockNobodyIsWaitedFor) {
    EXPECT_EQ(run(under_a_lock, 256, 2), std::vector<int>(2, 128));
}

TEST(InStep, GlobalMemoryIsWrittenAtOnce) {
    const std::vector<int> got = run(in_global_memory, 40, 40);
    for (int t = 0; t < 40; ++t) ASSERT_EQ(got[t], 1 + t);
}

} // namespace
