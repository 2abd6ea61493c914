/* Kernels of unusual forms, which must give what they say whether they are cut or not: pointers and
 * references to locals that live across barriers, functions named like CUDA's own, templates of
 * structures. Each was wrong on the CPU device once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace {

enum { kThreads = 64 };

/* Runs one block of the kernel on kThreads numbers, poisoned first; the numbers. */
template <class T, class Launch>
std::vector<T> run(Launch launch) {
    T *d = nullptr;
    std::vector<T> out(kThreads);
    EXPECT_EQ(cudaSuccess, cudaMalloc(&d, sizeof(T) * kThreads));
    EXPECT_EQ(cudaSuccess, cudaMemset(d, 0xA5, sizeof(T) * kThreads));
    launch(d);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaMemcpy(out.data(), d, sizeof(T) * kThreads, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
    return out;
}

template <class T>
void expect_each(const std::vector<T> &got, const std::function<T(int)> &want) {
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(want(i), got[(size_t)i]) << "thread " << i;
}

/* ---- functions named like CUDA's own ---- */

__device__ void make_tile(float *s) {
    s[threadIdx.x] = (float)threadIdx.x;
    __syncthreads();
}
__device__ int curand_step(int v) { return v + __shfl_xor_sync(0xFFFFFFFFu, v, 1); }
__device__ int __hmix(int *s, int v) {
    s[threadIdx.x] = v;
    __syncthreads();
    const int other = s[kThreads - 1 - threadIdx.x];
    __syncthreads();
    return other;
}

__global__ void reversed_by_make_tile(float *x) {
    __shared__ float s[kThreads];
    make_tile(s);
    x[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}
__global__ void neighbours_added(int *x) { x[threadIdx.x] = curand_step((int)threadIdx.x); }
__global__ void mixed(int *x) {
    __shared__ int s[kThreads];
    x[threadIdx.x] = __hmix(s, (int)threadIdx.x * 3) + __hmix(s, (int)threadIdx.x);
}

TEST(Unusual, FunctionsNamedLikeCudasOwn) {
    expect_each<float>(run<float>([](float *x) { reversed_by_make_tile<<<1, kThreads>>>(x); }),
                       [](int i) { return (float)(kThreads - 1 - i); });
    expect_each<int>(run<int>([](int *x) { neighbours_added<<<1, kThreads>>>(x); }),
                     [](int i) { return i + (i ^ 1); });
    expect_each<int>(run<int>([](int *x) { mixed<<<1, kThreads>>>(x); }),
                     [](int i) { return (kThreads - 1 - i) * 4; });
}

/* ---- addresses of locals ---- */

struct Frag {
    float x[4];
};
typedef float Row[4];
struct Self {
    int value, *mine;
};

__global__ void to_a_member_array(float *out) {
    Frag f;
    float *p = f.x;
    p[0] = (float)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = p[0];
}
__global__ void to_an_aliased_array(float *out) {
    Row f;
    float *p = f;
    p[0] = (float)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = p[0];
}
__global__ void by_a_reference(float *out) {
    Frag f;
    float &r = f.x[1];
    r = (float)threadIdx.x;
    __syncthreads();
    f.x[1] += 1;
    out[threadIdx.x] = r;
}
__global__ void by_a_lambda(int *out) {
    int own = (int)threadIdx.x;
    auto twice = [&]() { return 2 * own; };
    __syncthreads();
    own += 1;
    out[threadIdx.x] = twice();
}
__global__ void to_itself(int *out) {
    Self s = {(int)threadIdx.x, nullptr};
    s.mine = &s.value;
    __syncthreads();
    *s.mine += 5;
    out[threadIdx.x] = s.value;
}
__device__ void add_to(int &sum, int v) {
    __syncwarp();
    sum += v;
}
__global__ void into_a_function(int *out) {
    int sum = (int)threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        add_to(sum, i);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
/* Several pointers over several phases, one of them to shared memory. */
__global__ void into_both_memories(int *out) {
    __shared__ int s[kThreads];
    int own[2] = {(int)threadIdx.x, 7}, *p = own, *q = s + threadIdx.x;
    *q = *p;
    __syncthreads();
    p = threadIdx.x % 2 ? own + 1 : s + (kThreads - 1 - threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = *p;
}

TEST(Unusual, AddressesOfLocalsLiveAcrossBarriers) {
    const auto itself = [](int i) { return (float)i; };
    expect_each<float>(run<float>([](float *x) { to_a_member_array<<<1, kThreads>>>(x); }), itself);
    expect_each<float>(run<float>([](float *x) { to_an_aliased_array<<<1, kThreads>>>(x); }),
                       itself);
    expect_each<float>(run<float>([](float *x) { by_a_reference<<<1, kThreads>>>(x); }),
                       [](int i) { return (float)i + 1; });
    expect_each<int>(run<int>([](int *x) { by_a_lambda<<<1, kThreads>>>(x); }),
                     [](int i) { return 2 * (i + 1); });
    expect_each<int>(run<int>([](int *x) { to_itself<<<1, kThreads>>>(x); }),
                     [](int i) { return i + 5; });
    expect_each<int>(run<int>([](int *x) { into_a_function<<<1, kThreads>>>(x); }),
                     [](int i) { return i + 3; });
    expect_each<int>(run<int>([](int *x) { into_both_memories<<<1, kThreads>>>(x); }),
                     [](int i) { return i % 2 ? 7 : kThreads - 1 - i; });
}

/* ---- declarations ---- */

__global__ void restricted(float *__restrict__ out) {
    const float total = (float)threadIdx.x;
    if (threadIdx.x >= 32) out += 32;
    __syncthreads();
    out[threadIdx.x % 32] = total;
}
__global__ void comparisons_between_commas(int *out, int n) {
    const int i = (int)threadIdx.x;
    bool in = i<n, edge = i>(n - 2);
    __syncthreads();
    out[i] = in * 2 + edge;
}
__global__ void hidden(int *out) {
    const int t = (int)threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
        int t = 10 * i;
        __syncthreads();
        sum += t;
    }
    if (int t2 = t / 2; t2 > 3) sum += t2;
    __syncthreads();
    out[t] = sum + t;
}
#define EXCHANGED(s, v) (s[threadIdx.x] = (v), __syncthreads(), s[threadIdx.x ^ 1])
__global__ void through_a_macro(int *out) {
    __shared__ int s[kThreads];
    const int v = EXCHANGED(s, (int)threadIdx.x * 2);
    out[threadIdx.x] = v;
}

TEST(Unusual, Declarations) {
    expect_each<float>(run<float>([](float *x) { restricted<<<1, kThreads>>>(x); }),
                       [](int i) { return (float)i; });
    expect_each<int>(run<int>([](int *x) { comparisons_between_commas<<<1, kThreads>>>(x, 40); }),
                     [](int i) { return (i < 40) * 2 + (i > 38); });
    expect_each<int>(run<int>([](int *x) { hidden<<<1, kThreads>>>(x); }),
                     [](int i) { return 10 + i + (i / 2 > 3 ? i / 2 : 0); });
    expect_each<int>(run<int>([](int *x) { through_a_macro<<<1, kThreads>>>(x); }),
                     [](int i) { return 2 * (i ^ 1); });
}

/* ---- templates ---- */

/* A copy points at itself, wherever it lies. */
struct Anchored {
    int value, *mine;
    __host__ __device__ Anchored(int v = 0) : value(v), mine(&value) {}
    __host__ __device__ Anchored(const Anchored &from) : value(*from.mine), mine(&value) {}
    __host__ __device__ Anchored &operator=(const Anchored &from) {
        value = *from.mine;
        return *this;
    }
    __host__ __device__ Anchored operator+(const Anchored &other) const {
        return Anchored(*mine + *other.mine);
    }
    __host__ __device__ explicit operator int() const { return *mine; }
};

template <class T>
__global__ void reversed_sums(int *out) {
    __shared__ int s[kThreads];
    T own((int)threadIdx.x), more = own + T(100);
    s[threadIdx.x] = (int)own;
    __syncthreads();
    own = own + T(s[kThreads - 1 - threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = (int)(own + more);
}

TEST(Unusual, TemplatesOfNumbersAndOfStructures) {
    const auto want = [](int i) { return kThreads - 1 + 100 + i; };
    expect_each<int>(run<int>([](int *x) { reversed_sums<int><<<1, kThreads>>>(x); }), want);
    expect_each<int>(run<int>([](int *x) { reversed_sums<long long><<<1, kThreads>>>(x); }), want);
    expect_each<int>(run<int>([](int *x) { reversed_sums<Anchored><<<1, kThreads>>>(x); }), want);
}

} // namespace
