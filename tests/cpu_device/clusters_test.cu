/* Clusters of blocks: the same on the CPU device and on a GPU (compute capability 9.0 or more).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <vector>

#include "tests/cpu_device/alone.h"

namespace cg = cooperative_groups;

/* For older architectures kernels are compiled without their bodies; there the tests are skipped. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define HAS_CLUSTERS 0
#define IN_CLUSTERS_OF_FOUR
#else
#define HAS_CLUSTERS 1
#define IN_CLUSTERS_OF_FOUR __cluster_dims__(4, 1, 1)
#endif

/* Each block puts its number into shared memory and takes its right neighbour's. */
__device__ void pass_to_the_left(int *out) {
#if HAS_CLUSTERS
    __shared__ int s[32];
    const cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    cluster.sync();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int *theirs = cluster.map_shared_rank(s, (int)next);
    out[blockIdx.x * 32 + threadIdx.x] = theirs[31 - threadIdx.x];
    cluster.sync(); /* nobody leaves while others read */
#endif
}
__global__ void IN_CLUSTERS_OF_FOUR pass_in_four(int *out) { pass_to_the_left(out); }
__global__ void pass(int *out) { pass_to_the_left(out); }

/* The cluster's blocks count into the first one's histogram. */
template <int bins>
__global__ void histogram(const int *x, int n, int *out) {
#if HAS_CLUSTERS
    extern __shared__ int counts[];
    const cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) counts[i] = 0;
    cluster.sync();
    int *first = cluster.map_shared_rank(counts, 0);
    for (unsigned i = cluster.thread_rank(); i < (unsigned)n; i += cluster.num_threads())
        atomicAdd(&first[x[i] % bins], 1);
    cluster.sync();
    if (cluster.block_rank() == 0)
        for (int i = threadIdx.x; i < bins; i += blockDim.x) out[i] = counts[i];
#endif
}

struct Seen {
    unsigned rank, blocks, thread_rank, threads, x, y, dim_x, dim_y, shared_rank;
};
__global__ void look(Seen *seen) {
#if HAS_CLUSTERS
    __shared__ int s;
    const cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    const int *other = cluster.map_shared_rank(&s, (int)(cluster.num_blocks() - 1));
    if (threadIdx.x == 1)
        seen[blockIdx.y * gridDim.x + blockIdx.x] = {
            cluster.block_rank(),   cluster.num_blocks(),    cluster.thread_rank(),
            cluster.num_threads(),  cluster.block_index().x, cluster.block_index().y,
            cluster.dim_blocks().x, cluster.dim_blocks().y,  cluster.query_shared_rank(other)};
    cluster.sync();
#endif
}

__global__ void many_rounds(int *x) {
#if HAS_CLUSTERS
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned n = cluster.num_blocks(), first = blockIdx.x / n * n;
    for (int round = 0; round < 20; ++round) {
        if (threadIdx.x == 0 && cluster.block_rank() == round % n) ++x[blockIdx.x / n];
        cluster.sync();
        if (threadIdx.x == 0 && x[first / n] != round + 1) x[first / n] = -1000;
        cluster.sync();
    }
#endif
}

template <class... P, class... A>
static cudaError_t launch(unsigned x, unsigned y, dim3 grid, dim3 block, size_t shared,
                          void (*kernel)(P...), A... args) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

class Clusters : public testing::Test {
  protected:
    void SetUp() override {
        int has = 0;
        ASSERT_EQ(cudaSuccess, cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
        if (!has) GTEST_SKIP() << "this device has no clusters";
        ASSERT_EQ(cudaSuccess, cudaMalloc(&d_, kBytes));
        ASSERT_EQ(cudaSuccess, cudaMemset(d_, 0, kBytes));
    }
    void TearDown() override {
        cudaFree(d_);
        cudaGetLastError();
    }
    template <class T>
    std::vector<T> result(size_t n) {
        std::vector<T> h(n);
        EXPECT_EQ(cudaSuccess, cudaMemcpy(h.data(), d_, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
    void expect_passed(unsigned size, unsigned blocks) {
        const auto h = result<int>(blocks * 32);
        for (unsigned b = 0; b < blocks; ++b)
            for (int t = 0; t < 32; ++t) {
                const unsigned next = b / size * size + (b % size + 1) % size;
                ASSERT_EQ((int)(100 * next) + 31 - t, h[b * 32 + t])
                    << "block " << b << ", thread " << t;
            }
    }
    enum { kBytes = 1 << 16 };
    int *d_ = nullptr;
};

TEST_F(Clusters, OfAKernelThatSaysSo) {
    pass_in_four<<<12, 32>>>(d_);
    ASSERT_EQ(cudaSuccess, cudaGetLastError());
    expect_passed(4, 12);
}

TEST_F(Clusters, OfALaunchThatAsksForThem) {
    for (unsigned size : {1, 2, 8}) {
        ASSERT_EQ(cudaSuccess, launch(size, 1, dim3(24), dim3(32), 0, pass, d_)) << size;
        expect_passed(size, 24);
    }
}

TEST_F(Clusters, AreOfOneBlockWhereNobodyAsks) {
    pass<<<5, 32>>>(d_);
    ASSERT_EQ(cudaSuccess, cudaGetLastError());
    expect_passed(1, 5);
}

TEST_F(Clusters, ShareDynamicMemory) {
    enum { kBins = 10, kN = 5000 };
    std::vector<int> x(kN), want(kBins);
    for (int i = 0; i < kN; ++i) ++want[(x[i] = i * 7919 % 1237) % kBins];
    int *d_x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_x, kN * sizeof(int)));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d_x, x.data(), kN * sizeof(int), cudaMemcpyHostToDevice));
    ASSERT_EQ(cudaSuccess, launch(8, 1, dim3(8), dim3(128), kBins * sizeof(int), histogram<kBins>,
                                  (const int *)d_x, (int)kN, d_));
    EXPECT_EQ(want, result<int>(kBins));
    EXPECT_EQ(cudaSuccess, cudaFree(d_x));
}

TEST_F(Clusters, OfTwoDimensions) {
    const unsigned width = 6, height = 4;
    ASSERT_EQ(cudaSuccess, launch(3, 2, dim3(width, height), dim3(64), 0, look, (Seen *)d_));
    const auto seen = result<Seen>(width * height);
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            const Seen &s = seen[y * width + x];
            EXPECT_EQ(y % 2 * 3 + x % 3, s.rank) << x << ", " << y;
            EXPECT_EQ(6u, s.blocks);
            EXPECT_EQ(s.rank * 64 + 1, s.thread_rank);
            EXPECT_EQ(6u * 64, s.threads);
            EXPECT_EQ(x % 3, s.x);
            EXPECT_EQ(y % 2, s.y);
            EXPECT_EQ(3u, s.dim_x);
            EXPECT_EQ(2u, s.dim_y);
            EXPECT_EQ(5u, s.shared_rank);
        }
}

TEST_F(Clusters, MeetAgainAndAgain) {
    ASSERT_EQ(cudaSuccess, launch(4, 1, dim3(400), dim3(64), 0, many_rounds, d_));
    for (int n : result<int>(100)) EXPECT_EQ(20, n);
}

TEST_F(Clusters, ThatDoNotFitAreRefused) {
    EXPECT_NE(cudaSuccess, launch(4, 1, dim3(10), dim3(32), 0, pass, d_))
        << "10 is no multiple of 4";
    cudaGetLastError();
    EXPECT_NE(cudaSuccess, launch(16, 1, dim3(16), dim3(32), 0, pass, d_)) << "more than 8";
    cudaGetLastError();
    pass_in_four<<<6, 32>>>(d_);
    EXPECT_NE(cudaSuccess, cudaGetLastError());
    pass_in_four<<<8, 32>>>(d_);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    expect_passed(4, 8);
}

TEST_F(Clusters, OfSixteenByOptIn) {
    ASSERT_EQ(cudaSuccess,
              cudaFuncSetAttribute(pass, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    ASSERT_EQ(cudaSuccess, launch(16, 1, dim3(32), dim3(32), 0, pass, d_));
    expect_passed(16, 32);
    EXPECT_EQ(cudaSuccess,
              cudaFuncSetAttribute(pass, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}
