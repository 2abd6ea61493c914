/* Failed assertions in kernels: each thread's is told, once, and the other threads go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/cpu_device/alone.h"

namespace {

__global__ void odd_ones_fail(int *x) {
    assert(threadIdx.x % 2 == 0);
    assert(threadIdx.x != 5);
    x[threadIdx.x] = 1;
}
__global__ void fail_and_fault(int *x) {
    assert(x != nullptr);
    *x = 1;
}
__device__ void check(int i) { assert(i != 3 && "three"); }
__global__ void fail_before_a_barrier(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    check(s[threadIdx.x] % 32);
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
}
/* Threads of it wait on stacks of their own. */
__global__ void fail_among_waiting(int *x) {
    if (threadIdx.x < 40) assert(threadIdx.x % 16 != 7);
    const unsigned together = __activemask();
    __syncthreads();
    x[threadIdx.x] = (int)together;
}

void run(void (*kernel)(int *), dim3 grid, dim3 block, bool null = false) {
    int *x = nullptr;
    if (!null && cudaMalloc(&x, 4096) != cudaSuccess) _Exit(99);
    kernel<<<grid, block>>>(x);
    if (cudaDeviceSynchronize() != cudaErrorAssert || cudaDeviceSynchronize() != cudaErrorAssert)
        _Exit(98);
    fprintf(stderr, "that was all");
}

/* Between the two only what the pattern says. */
#define LINE(block, thread) \
    "[^\n]*: block: ." block ",0,0., thread: ." thread ",0,0. Assertion [^\n]* failed.\n"

TEST(Assertions, OfEachThread) {
    EXPECT_SAYS(0, "^" LINE("0", "1") LINE("0", "3") LINE("0", "5") LINE("0", "7") "that was all",
                { run(odd_ones_fail, 1, 8); });
    EXPECT_SAYS(0, "^" LINE("0", "1") LINE("1", "1") "that was all", { run(odd_ones_fail, 2, 3); });
}

TEST(Assertions, EndTheirThread) {
    EXPECT_SAYS(0, "^" LINE("0", "0") LINE("0", "1") LINE("0", "2") "that was all",
                { run(fail_and_fault, 1, 3, true); });
}

TEST(Assertions, BeforeABarrier) {
    EXPECT_SAYS(0, "^" LINE("0", "3") LINE("0", "35") "that was all",
                { run(fail_before_a_barrier, 1, 64); });
}

TEST(Assertions, AmongThreadsThatWait) {
    EXPECT_SAYS(0, "^" LINE("0", "7") LINE("0", "23") LINE("0", "39") "that was all",
                { run(fail_among_waiting, 1, 64); });
}

/* Not a line for each of millions. */
TEST(Assertions, AreNotToldWithoutEnd) {
    EXPECT_SAYS(0, "that was all", { run(fail_and_fault, 30000, 256, true); });
}

} // namespace
