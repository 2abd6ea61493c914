/* What the CPU device says of a fault: which thread of which kernel did what, and in which line.
 *
 * Each piece runs in a process of its own. Lines are this file's: keep the kernels where they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "tests/cpu_device/alone.h"

__device__ float twice(const float *x, int i) {
  return 2 * x[i];
}
__global__ void add_twice(float *y, const float *x) {
  y[threadIdx.x] +=
      twice(x, threadIdx.x);
}
__global__ void count_behind_barrier(int *n) {
  __syncthreads();
  if (threadIdx.x == 7)
    atomicAdd(n, 1);
}
struct Large { char bytes[4096]; };
__global__ void copy_large(Large *to, const Large *from) {
  *to = *from;
}
__global__ void stop(unsigned which) {
  if (threadIdx.x == which)
    __trap();
}
__device__ __noinline__ void stop_deep(unsigned which) {
  if (threadIdx.x == which)
    __builtin_trap();
}
__global__ void stop_in_function(unsigned which) { stop_deep(which); }
__global__ void wait_for_five(volatile int *x) {
  while (*x != 5)
    continue;
}
__global__ void shuffle_without_itself(int *x) {
  if (threadIdx.x == 3)
    x[0] = __shfl_sync(7, x[0], 0);
}

static float *device_floats(size_t n) {
  float *d = 0;
  if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) _Exit(99);
  return d;
}

/* Ends the process unless the kernels before have failed with that error. */
static void expect_error(cudaError_t want) {
  if (cudaDeviceSynchronize() != want) _Exit(98);
}

TEST(Lines, OfABadAccess) {
  EXPECT_SAYS(0, "^CPU device: tests/cpu_device/faults_test.cu:12: thread .0,0,0. of block .0,0,0. "
                 "of kernel add_twice, launched at tests/cpu_device/faults_test.cu:[0-9]+ touched a "
                 "null pointer\n$", {
    add_twice<<<1, 32>>>(device_floats(32), nullptr);
    expect_error(cudaErrorIllegalAddress);
  });
  EXPECT_SAYS(0, "faults_test.cu:15: .* of kernel add_twice,", {
    add_twice<<<1, 32>>>(nullptr, device_floats(32));
    expect_error(cudaErrorIllegalAddress);
  });
}

/* What faults is code of the kit's and of the C library's: the line is the caller's. */
TEST(Lines, OfABadAccessInAFunctionThatIsNotTheProgramsOwn) {
  EXPECT_SAYS(0, "faults_test.cu:21: thread .7,0,0. of .* of kernel count_behind_barrier,", {
    count_behind_barrier<<<1, 32>>>(nullptr);
    expect_error(cudaErrorIllegalAddress);
  });
  EXPECT_SAYS(0, "faults_test.cu:25: .* of kernel copy_large,", {
    copy_large<<<1, 1>>>((Large *)device_floats(1024), nullptr);
    expect_error(cudaErrorIllegalAddress);
  });
}

TEST(Lines, OfATrap) {
  EXPECT_SAYS(0, "faults_test.cu:29: thread .3,0,0. .* stopped at __trap", {
    stop<<<1, 32>>>(3);
    expect_error(cudaErrorLaunchFailure);
  });
  EXPECT_SAYS(0, "faults_test.cu:33: thread .5,0,0. .* of kernel stop_in_function.* stopped at "
                 "__builtin_trap", {
    stop_in_function<<<1, 32>>>(5);
    expect_error(cudaErrorLaunchFailure);
  });
}

TEST(Lines, OfALoopThatDoesNotEnd) {
  EXPECT_SAYS(0, "faults_test.cu:3[78]: .* of kernel wait_for_five.* has not ended after 1 s", {
    setenv("LAB_CPU_DEVICE_TIME_LIMIT", "1", 1);
    int *x = (int *)device_floats(1);
    cudaMemset(x, 0, 4);
    wait_for_five<<<1, 32>>>(x);
    expect_error(cudaErrorLaunchTimeout);
  });
}

TEST(Lines, OfAMaskWithoutTheCaller) {
  EXPECT_SAYS(0, "faults_test.cu:42: thread .3,0,0. .* is lane 3, and its mask 0x00000007 lacks", {
    shuffle_without_itself<<<1, 32>>>((int *)device_floats(1));
    expect_error(cudaErrorIllegalInstruction);
  });
}
