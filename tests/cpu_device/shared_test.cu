/* Shared variables that are declared outside of functions, or in device functions: each block has
 * its own, whatever it waits for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cg = cooperative_groups;

__shared__ int tile[32];
__shared__ int row[4][8], last;
extern __shared__ int dynamic[];
namespace outer {
namespace inner {
__shared__ volatile int tile[32];
}
__device__ int read_inner(int i) { return inner::tile[i]; }
} // namespace outer
namespace {
__shared__ double sums[32];
}
struct Point {
    int x, y;
};
static __shared__ Point points[32];

namespace {

class Buffer {
  public:
    Buffer(size_t size, size_t dynamic = 0) : host(size), dynamic_(dynamic) {
        cudaMalloc(&device_, size * sizeof(int));
        cudaMemset(device_, 0xEE, size * sizeof(int));
    }
    ~Buffer() { cudaFree(device_); }
    /* Runs the kernel cooperatively on blocks of 32 threads. */
    template <class Kernel>
    void run(Kernel kernel) {
        void *arguments[] = {&device_};
        ASSERT_EQ(cudaLaunchCooperativeKernel((const void *)kernel,
                                              dim3((unsigned)host.size() / 32), dim3(32), arguments,
                                              dynamic_, 0),
                  cudaSuccess);
        ASSERT_EQ(cudaMemcpy(host.data(), device_, host.size() * sizeof(int),
                             cudaMemcpyDeviceToHost),
                  cudaSuccess);
    }
    template <class Expected>
    void expect(Expected expected) const {
        for (size_t i = 0; i < host.size(); ++i)
            ASSERT_EQ(host[i], expected((int)i / 32, (int)i % 32))
                << "block " << i / 32 << ", thread " << i % 32;
    }
    int *device() const { return device_; }
    std::vector<int> host;

  private:
    int *device_ = nullptr;
    size_t dynamic_;
};

} // namespace

__global__ void keeps_tile(int *out) {
    tile[threadIdx.x] = blockIdx.x;
    cg::this_grid().sync();
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
}

TEST(SharedAtFileScope, LivesAcrossAGridBarrier) {
    Buffer out(8 * 32);
    out.run(keeps_tile);
    out.expect([](int block, int) { return block; });
}

/* Members of other types, several in one declaration, an anonymous namespace, `static`. */
__global__ void keeps_all(int *out) {
    const int t = threadIdx.x;
    row[t / 8][t % 8] = blockIdx.x * 2;
    sums[t] = blockIdx.x + 0.5;
    points[t] = Point{(int)blockIdx.x, t};
    outer::inner::tile[t] = blockIdx.x * 3;
    if (t == 0) last = blockIdx.x * 5;
    cg::this_grid().sync();
    out[blockIdx.x * 32 + t] = row[t / 8][t % 8] + (int)(2 * sums[t]) + points[t].x * 100 +
                               points[t].y + outer::read_inner(t) * 1000 + ::last * 10000;
}

TEST(SharedAtFileScope, AnyDeclarationInAnyNamespace) {
    Buffer out(6 * 32);
    out.run(keeps_all);
    out.expect([](int b, int t) { return 2 * b + 2 * b + 1 + 100 * b + t + 3000 * b + 50000 * b; });
}

__device__ void fill_tile(int value) { tile[threadIdx.x] = value; }
__device__ int *address_of_tile() { return tile; }
template <class T>
__device__ T sum_of_tile() {
    T sum = 0;
    for (int i = 0; i < (int)(sizeof(tile) / sizeof(tile[0])); ++i) sum += tile[i];
    return sum;
}
struct Adder {
    int by;
    __device__ void operator()() const { tile[threadIdx.x] += by; }
};

/* Through functions, pointers, templates, methods and lambdas. */
__global__ void through_functions(int *out) {
    fill_tile(blockIdx.x);
    Adder{7}();
    auto add = [=](int value) { tile[threadIdx.x] += value; };
    add(100);
    [] { tile[threadIdx.x] += 1; }();
    cg::this_grid().sync();
    out[blockIdx.x * 32 + threadIdx.x] =
        address_of_tile()[threadIdx.x] * 1000 + sum_of_tile<int>() / 32;
}

TEST(SharedAtFileScope, ThroughFunctions) {
    Buffer out(8 * 32);
    out.run(through_functions);
    out.expect([](int b, int) { return (b + 108) * 1001; });
}

/* Other variables of the same name. */
__device__ int local_of_that_name(int x) {
    int tile = x;
    return tile + 1;
}
__device__ int parameter_of_that_name(int tile) { return tile + 1; }
template <int tile>
__device__ int template_parameter_of_that_name() {
    return tile;
}
struct HasMember {
    int tile;
    __device__ int get() const { return tile; }
};
__global__ void other_variables(int *out) {
    tile[threadIdx.x] = blockIdx.x;
    cg::this_grid().sync();
    int sum = local_of_that_name(1) + parameter_of_that_name(2) +
              template_parameter_of_that_name<3>() + HasMember{4}.get();
    for (int tile = 0; tile < 2; ++tile) sum += tile;
    {
        const int last = 50;
        sum += last;
    }
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x] * 1000 + sum;
}

TEST(SharedAtFileScope, OtherVariablesOfTheSameName) {
    Buffer out(4 * 32);
    out.run(other_variables);
    out.expect([](int b, int) { return b * 1000 + 2 + 3 + 3 + 4 + 1 + 50; });
}

/* Lambdas speak of a function's own shared arrays, too. */
__global__ void lambdas_in_functions(int *out) {
    __shared__ int own[32];
    auto put = [=](int value) { own[threadIdx.x] = value; };
    auto put_dynamic = [=](int value) { dynamic[threadIdx.x] = value; };
    put(blockIdx.x);
    put_dynamic(blockIdx.x * 2);
    cg::this_grid().sync();
    out[blockIdx.x * 32 + threadIdx.x] = own[threadIdx.x] + dynamic[threadIdx.x] * 100;
}

TEST(SharedInFunctions, LambdasSpeakOfIt) {
    Buffer out(4 * 32, 32 * sizeof(int));
    out.run(lambdas_in_functions);
    out.expect([](int b, int) { return b * 201; });
}

/* Blocks spin until a later one has come: those of one worker take turns. */
__global__ void spins(int *out, int *arrived) {
    tile[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < (int)gridDim.x) continue;
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
}

TEST(SharedAtFileScope, LivesWhileBlocksSpin) {
    Buffer out(8 * 32), arrived(1);
    cudaMemset(arrived.device(), 0, sizeof(int));
    spins<<<8, 32>>>(out.device(), arrived.device());
    ASSERT_EQ(cudaMemcpy(out.host.data(), out.device(), out.host.size() * sizeof(int),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    out.expect([](int block, int) { return block; });
}

/* Blocks that wait for one another run at once on every device only in a cluster, on one of compute
 * capability 9. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* A device function's array, and one at file scope: some blocks meet them in another order. */
__device__ int *array_of_function() {
    __shared__ int values[32];
    return values;
}
__global__ void __cluster_dims__(4, 1, 1) maps(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank();
    if (rank % 2) {
        array_of_function()[t] = blockIdx.x + 100;
        tile[t] = blockIdx.x;
    } else {
        tile[t] = blockIdx.x;
        array_of_function()[t] = blockIdx.x + 100;
    }
    cluster.sync();
    const unsigned other = (rank + 1) % cluster.num_blocks();
    out[blockIdx.x * 32 + t] = cluster.map_shared_rank(tile, other)[t] * 1000 +
                               cluster.map_shared_rank(array_of_function(), other)[t];
    cluster.sync();
}

/* Written by another block before its own has met it. */
__global__ void __cluster_dims__(2, 1, 1) writes_first(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0) cluster.map_shared_rank(tile, 1)[t] = 7 + t;
    cluster.sync();
    out[blockIdx.x * 32 + t] = cluster.block_rank() == 1 ? tile[t] : 0;
}
#else
__global__ void maps(int *) {}
__global__ void writes_first(int *) {}
#endif

static bool has_clusters() {
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    return major >= 9;
}

TEST(SharedAtFileScope, IsSeenByTheCluster) {
    if (!has_clusters()) GTEST_SKIP() << "no clusters before compute capability 9";
    Buffer out(8 * 32);
    maps<<<8, 32>>>(out.device());
    ASSERT_EQ(cudaMemcpy(out.host.data(), out.device(), out.host.size() * sizeof(int),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    out.expect([](int b, int) {
        const int other = b / 4 * 4 + (b + 1) % 4;
        return other * 1000 + other + 100;
    });
}

TEST(SharedAtFileScope, IsWrittenByTheCluster) {
    if (!has_clusters()) GTEST_SKIP() << "no clusters before compute capability 9";
    Buffer out(4 * 32);
    writes_first<<<4, 32>>>(out.device());
    ASSERT_EQ(cudaMemcpy(out.host.data(), out.device(), out.host.size() * sizeof(int),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    out.expect([](int b, int t) { return b % 2 ? 7 + t : 0; });
}
