/* Atomic operations: what they leave and what they return, for each type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <vector>

#include "tests/cpu_device/alone.h"

enum { THREADS = 1000 };

struct Cells {
    int add, sub, least, most, bits_and, bits_or, bits_xor, block, system;
    unsigned inc, dec, u_most;
    long long ll_least, ll_most;
    unsigned long long ull_add, ull_and, ull_or, ull_xor, ull_most;
    float f_add, f_exchanged;
    double d_add;
    unsigned short cas16;
    unsigned cas_sum;
};

__global__ void change_all(Cells *c, unsigned *inc_before) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= THREADS) return;
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, i);
    atomicMin(&c->least, 500 - i);
    atomicMax(&c->most, i - 500);
    atomicAnd(&c->bits_and, ~(1 << (i % 8)));
    atomicOr(&c->bits_or, 1 << (i % 31));
    atomicXor(&c->bits_xor, i);
    atomicAdd_block(&c->block, 1);
    atomicAdd_system(&c->system, 1);
    inc_before[i] = atomicInc(&c->inc, 6u);
    atomicDec(&c->dec, 6u);
    atomicMax(&c->u_most, 0x80000000u + (unsigned)i);
    atomicMin(&c->ll_least, -(long long)i << 40);
    atomicMax(&c->ll_most, (long long)i << 40);
    atomicAdd(&c->ull_add, (unsigned long long)i << 32);
    atomicAnd(&c->ull_and, ~(1ull << (32 + i % 8)));
    atomicOr(&c->ull_or, 1ull << (i % 64));
    atomicXor(&c->ull_xor, (unsigned long long)i << 40);
    atomicMax(&c->ull_most, 0x8000000000000000ull + (unsigned)i);
    atomicAdd(&c->f_add, 0.5f);
    atomicExch(&c->f_exchanged, 2.5f);
    atomicAdd(&c->d_add, 0.25);
    atomicCAS(&c->cas16, (unsigned short)i, (unsigned short)i);
    unsigned seen = c->cas_sum, before;
    do {
        before = seen;
        seen = atomicCAS(&c->cas_sum, before, before + 3u);
    } while (seen != before);
}

TEST(Atomics, EachTypeAndOperation) {
    Cells c = {}, *d;
    unsigned *d_before;
    c.bits_and = c.bits_and - 1;
    c.ull_and = ~0ull;
    c.least = 1 << 30;
    c.cas16 = 0xFFFF;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof c));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_before, THREADS * sizeof(unsigned)));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d, &c, sizeof c, cudaMemcpyHostToDevice));
    /* One block: atomicAdd_block is atomic in it. */
    change_all<<<1, 1024>>>(d, d_before);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(&c, d, sizeof c, cudaMemcpyDeviceToHost));
    std::vector<unsigned> before(THREADS);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(before.data(), d_before, THREADS * sizeof(unsigned),
                                      cudaMemcpyDeviceToHost));
    int x = 0;
    for (int i = 0; i < THREADS; ++i) x ^= i;
    EXPECT_EQ(499500, c.add);
    EXPECT_EQ(-499500, c.sub);
    EXPECT_EQ(-499, c.least);
    EXPECT_EQ(499, c.most);
    EXPECT_EQ(~0xFF, c.bits_and);
    EXPECT_EQ(0x7FFFFFFF, c.bits_or);
    EXPECT_EQ(x, c.bits_xor);
    EXPECT_EQ(THREADS, c.block);
    EXPECT_EQ(THREADS, c.system);
    EXPECT_EQ(THREADS % 7u, c.inc); /* 0 to 6 and again */
    EXPECT_EQ((7u - THREADS % 7u) % 7u, c.dec);
    EXPECT_EQ(0x80000000u + THREADS - 1, c.u_most);
    EXPECT_EQ(-((long long)(THREADS - 1) << 40), c.ll_least);
    EXPECT_EQ((long long)(THREADS - 1) << 40, c.ll_most);
    EXPECT_EQ(499500ull << 32, c.ull_add);
    EXPECT_EQ(~(0xFFull << 32), c.ull_and);
    EXPECT_EQ(~0ull, c.ull_or);
    EXPECT_EQ((unsigned long long)x << 40, c.ull_xor);
    EXPECT_EQ(0x8000000000000000ull + THREADS - 1, c.ull_most);
    EXPECT_EQ(THREADS * 0.5f, c.f_add); /* exact: halves below 2^23 */
    EXPECT_EQ(2.5f, c.f_exchanged);
    EXPECT_EQ(THREADS * 0.25, c.d_add);
    EXPECT_EQ(0xFFFF, c.cas16);
    EXPECT_EQ(3u * THREADS, c.cas_sum);
    unsigned counts[7] = {};
    for (unsigned value : before) {
        ASSERT_LE(value, 6u);
        ++counts[value];
    }
    for (int i = 0; i < 7; ++i) EXPECT_EQ(THREADS / 7u + (i < THREADS % 7), counts[i]) << i;
    cudaFree(d);
    cudaFree(d_before);
}
