/* Memory pools: what they count, and when; the same on the CPU device and on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <stdint.h>

__global__ void fill(int *x, int value) { x[threadIdx.x] = value; }

const uint64_t kPart = 4 << 20; /* whole pages of the device's */

class Pools : public testing::Test {
  protected:
    void SetUp() override {
        cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeDevice;
        props.location.id = 0;
        ASSERT_EQ(cudaSuccess, cudaMemPoolCreate(&pool_, &props));
        ASSERT_EQ(cudaSuccess, cudaStreamCreate(&s_));
    }
    void TearDown() override {
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(s_));
        EXPECT_EQ(cudaSuccess, cudaMemPoolDestroy(pool_));
        cudaGetLastError();
    }
    uint64_t number(cudaMemPoolAttr attribute) {
        uint64_t n = ~0ull;
        EXPECT_EQ(cudaSuccess, cudaMemPoolGetAttribute(pool_, attribute, &n));
        return n;
    }
    int *take(uint64_t bytes) {
        int *x = nullptr;
        EXPECT_EQ(cudaSuccess, cudaMallocFromPoolAsync((void **)&x, bytes, pool_, s_));
        return x;
    }
    void give_back(int *x) { EXPECT_EQ(cudaSuccess, cudaFreeAsync(x, s_)); }
    void wait() { EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(s_)); }

    cudaMemPool_t pool_;
    cudaStream_t s_;
};

TEST_F(Pools, CountWhatIsTakenAndGivenBack) {
    EXPECT_EQ(0u, number(cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQ(0u, number(cudaMemPoolAttrUsedMemHigh));
    EXPECT_EQ(0u, number(cudaMemPoolAttrReservedMemCurrent));
    int *a = take(kPart), *b = take(2 * kPart);
    EXPECT_EQ(3 * kPart, number(cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQ(3 * kPart, number(cudaMemPoolAttrUsedMemHigh));
    EXPECT_LE(3 * kPart, number(cudaMemPoolAttrReservedMemCurrent));
    give_back(b);
    wait();
    EXPECT_EQ(kPart, number(cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQ(3 * kPart, number(cudaMemPoolAttrUsedMemHigh));
    give_back(a);
    wait();
    EXPECT_EQ(0u, number(cudaMemPoolAttrUsedMemCurrent));
    EXPECT_EQ(0u, number(cudaMemPoolAttrReservedMemCurrent)) << "a synchronise gives all back";
    EXPECT_LE(3 * kPart, number(cudaMemPoolAttrReservedMemHigh));
}

TEST_F(Pools, HighMarksCanBeResetAndNotSet) {
    int *a = take(2 * kPart);
    give_back(a);
    wait();
    uint64_t n = kPart;
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &n));
    EXPECT_EQ(2 * kPart, number(cudaMemPoolAttrUsedMemHigh));
    n = 0;
    EXPECT_EQ(cudaSuccess, cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &n));
    EXPECT_EQ(0u, number(cudaMemPoolAttrUsedMemHigh));
    a = take(kPart);
    EXPECT_EQ(kPart, number(cudaMemPoolAttrUsedMemHigh));
    give_back(a);
    wait();
}

TEST_F(Pools, AThresholdKeepsMemoryUntilATrim) {
    EXPECT_EQ(0u, number(cudaMemPoolAttrReleaseThreshold));
    uint64_t all = UINT64_MAX;
    ASSERT_EQ(cudaSuccess, cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all));
    EXPECT_EQ(all, number(cudaMemPoolAttrReleaseThreshold));
    give_back(take(3 * kPart));
    wait();
    EXPECT_EQ(0u, number(cudaMemPoolAttrUsedMemCurrent));
    EXPECT_LE(3 * kPart, number(cudaMemPoolAttrReservedMemCurrent));
    EXPECT_EQ(cudaSuccess, cudaMemPoolTrimTo(pool_, 0));
    EXPECT_EQ(0u, number(cudaMemPoolAttrReservedMemCurrent));
}

TEST_F(Pools, MemoryOfAPoolIsDeviceMemory) {
    int *x = take(64 * sizeof(int)), h[64] = {};
    fill<<<1, 64, 0, s_>>>(x, 7);
    EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s_));
    give_back(x);
    wait();
    for (int v : h) EXPECT_EQ(7, v);
    int follow = -1;
    EXPECT_EQ(cudaSuccess,
              cudaMemPoolGetAttribute(pool_, cudaMemPoolReuseFollowEventDependencies, &follow));
    EXPECT_EQ(1, follow);
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, nullptr));
}

TEST(PoolsOfDevices, TheDefaultPoolIsTheCurrentOneUntilAnotherIsSet) {
    cudaMemPool_t standard, current, own;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    ASSERT_EQ(cudaSuccess, cudaDeviceGetDefaultMemPool(&standard, 0));
    ASSERT_EQ(cudaSuccess, cudaDeviceGetMemPool(&current, 0));
    EXPECT_EQ(standard, current);
    ASSERT_EQ(cudaSuccess, cudaMemPoolCreate(&own, &props));
    ASSERT_EQ(cudaSuccess, cudaDeviceSetMemPool(0, own));
    int *x = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMallocAsync(&x, kPart, 0));
    uint64_t n = 0;
    EXPECT_EQ(cudaSuccess, cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &n));
    EXPECT_EQ(kPart, n);
    EXPECT_EQ(cudaSuccess, cudaFreeAsync(x, 0));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(0));
    EXPECT_EQ(cudaSuccess, cudaDeviceSetMemPool(0, standard));
    EXPECT_EQ(cudaSuccess, cudaMemPoolDestroy(own));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
}
