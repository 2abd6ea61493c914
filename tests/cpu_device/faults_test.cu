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
  const unsigned others = ~(1u << threadIdx.x);
  x[0] = __shfl_sync(others, x[0], 0);
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
  EXPECT_SAYS(0, "faults_test.cu:42: thread .[01],0,0. .* is lane [01], and its mask 0xfffffff[de] lacks", {
    shuffle_without_itself<<<1, 32>>>((int *)device_floats(1));
    expect_error(cudaErrorIllegalInstruction);
  });
}

__global__ void never_together(int *x) {
  if (threadIdx.x % 2)
    __syncwarp();
  else
    __syncthreads();
  x[threadIdx.x] = 1;
}

TEST(Lines, OfThreadsThatWaitForever) {
  NOT_UNDER_ASAN("it is told of switches between stacks, which do not show where they go on");
  EXPECT_SAYS(0, "kernel never_together.* cannot go on: .*32 of 64 threads wait at __syncthreads.. "
                 "\\(the first is thread .0,0,0. at tests/cpu_device/faults_test.cu:114\\), "
                 "32 of 64 threads wait at a warp operation "
                 "\\(the first is thread .1,0,0. at tests/cpu_device/faults_test.cu:112\\)", {
    never_together<<<1, 64>>>((int *)device_floats(64));
    expect_error(cudaErrorLaunchTimeout);
  });
}

/* ---- memory ---- */

/* --config=check lets the kernel fault instead: checks_test.cu. */
#ifdef LAB_CPU_DEVICE_CHECK
#define NOT_WITH_CHECKS GTEST_SKIP() << "with --config=check the kernel faults"
#else
#define NOT_WITH_CHECKS (void)0
#endif

__global__ void store_up_to(float *x, int last) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= last) x[i] = 1.0f;
}
__global__ void add_one(float *x) { x[threadIdx.x] += 1.0f; }
__global__ void add_one_to_double(double *x) { x[threadIdx.x] += 1.0; }
__device__ float variable[4];

static void write_two_too_many(int n) {
  float *d = device_floats(n), *other = device_floats(n);
  store_up_to<<<1, 1>>>(other, 0);
  store_up_to<<<n / 256 + 1, 256>>>(d, n + 1);
  expect_error(cudaSuccess);
}

TEST(Overruns, AreToldOnceForEachLaunch) {
  NOT_WITH_CHECKS;
  EXPECT_SAYS(0, "^CPU device: kernel store_up_to, launched at tests/cpu_device/faults_test.cu:[0-9]+, "
                 "wrote 4 bytes past the end of the allocation of 4000 bytes from "
                 "tests/cpu_device/faults_test.cu:[0-9]+: is each index less than the number of "
                 "elements.\n$", {
    float *d = 0;
    cudaMalloc(&d, 4000);
    for (int i = 0; i < 3; ++i) store_up_to<<<4, 256>>>(d, 1000);
    expect_error(cudaSuccess);
  });
  /* 512 bytes and 1 MB fill what they are given, whole pages and all. */
  EXPECT_SAYS(0, "wrote 8 bytes past the end of the allocation of 512 bytes",
              { write_two_too_many(128); });
  EXPECT_SAYS(0, "wrote 8 bytes past the end of the allocation of 1048576 bytes",
              { write_two_too_many(1 << 18); });
}

/* What is read there is NaN, and NaN + 1 is NaN, but not with the same bits. */
TEST(Overruns, OfSumsAreSeenToo) {
  NOT_WITH_CHECKS;
  EXPECT_SAYS(0, "wrote 12 bytes past the end of the allocation of 64 bytes", {
    add_one<<<1, 19>>>(device_floats(16));
    expect_error(cudaSuccess);
  });
  EXPECT_SAYS(0, "wrote 8 bytes past the end of the allocation of 64 bytes", {
    add_one_to_double<<<1, 9>>>((double *)device_floats(16));
    expect_error(cudaSuccess);
  });
}

TEST(Overruns, OfMemoryOfBothSidesAreWhoseTheyAre) {
  NOT_WITH_CHECKS;
  EXPECT_SAYS(0, "^CPU device: kernel store_up_to, .* wrote 4 bytes past the end of the managed memory of 4096 "
                 "bytes from .*\n$", {
    float *m = 0;
    cudaMallocManaged(&m, 4096);
    add_one<<<1, 4>>>(m);
    store_up_to<<<5, 256>>>(m, 1024);
    expect_error(cudaSuccess);
  });
  EXPECT_SAYS(0, "^CPU device: the host wrote 12 bytes past the end of the pinned memory of 64 bytes from .*\n$", {
    float *p = 0;
    cudaMallocHost(&p, 64);
    for (int i = 0; i < 19; ++i) p[i] = 1;
    add_one<<<1, 4>>>(p);
    expect_error(cudaSuccess);
  });
}

TEST(Overruns, OfWhatHasItsOwnPagesEndTheKernel) {
  EXPECT_SAYS(0, "of kernel add_one,.* touched 0x[0-9a-f]+, which is 1 bytes past the end of the allocation "
                 "of 2097152 bytes from tests/cpu_device/faults_test.cu:", {
    float *d = device_floats(1 << 19);
    add_one<<<1, 1>>>(d + (1 << 19));
    expect_error(cudaErrorIllegalAddress);
  });
}

TEST(Frees, OfDeviceMemoryByTheHost) {
  NOT_UNDER_ASAN("its own free() finds the fault");
  EXPECT_SAYS(1, "faults_test.cu:[0-9]+: free.. or delete was given 0x[0-9a-f]+, which is byte 0 of the "
                 "allocation of 400 bytes from .*: use cudaFree", { free(device_floats(100)); });
  EXPECT_SAYS(1, "free.. or delete was given .* byte 0 of the allocation", {
    device_floats(4);
    delete[] device_floats(100);
  });
}

TEST(Frees, OfMemoryOfBothSidesByTheHost) {
  NOT_UNDER_ASAN("its own free() finds the fault");
  NOT_WITH_CHECKS; /* and the C library says that it is no pointer of its own */
  EXPECT_SAYS(1, "free.. or delete was given .* which is byte 0 of the managed memory .*: use cudaFree", {
    float *m = 0;
    cudaMallocManaged(&m, 64);
    free(m);
  });
  EXPECT_SAYS(1, "free.. or delete was given .* the pinned memory .*: use cudaFreeHost", {
    float *m = 0;
    cudaMallocHost(&m, 64);
    free(m);
  });
}

TEST(Frees, ThatAreRefusedAreExplained) {
  EXPECT_SAYS(0, "cudaFree was given .* which is memory of the host: free", {
    float h;
    if (cudaFree(&h) != cudaErrorInvalidValue) _Exit(98);
  });
  EXPECT_SAYS(0, "cudaFree was given .* byte 0 of an allocation of 400 bytes that has been freed: free each", {
    float *d = device_floats(100);
    if (cudaFree(d) != cudaSuccess || cudaFree(d) != cudaErrorInvalidValue) _Exit(98);
  });
  EXPECT_SAYS(0, "cudaFree was given .* byte 16 of the allocation of 400 bytes from .* began with", {
    if (cudaFree(device_floats(100) + 4) != cudaErrorInvalidValue) _Exit(98);
  });
  EXPECT_SAYS(0, "cudaFree was given .* byte 0 of the pinned memory .* use cudaFreeHost", {
    float *p = 0;
    cudaMallocHost(&p, 64);
    if (cudaFree(p) != cudaErrorInvalidValue) _Exit(98);
  });
  EXPECT_SAYS(0, "cudaFreeHost was given .* byte 0 of the allocation .* use cudaFree\n", {
    if (cudaFreeHost(device_floats(100)) != cudaErrorInvalidValue) _Exit(98);
  });
}

TEST(Variables, TheirHostAddressIsExplained) {
  NOT_UNDER_ASAN("its own check of a closed address faults first");
  EXPECT_SAYS(0, "of kernel add_one,.* which the host calls a __device__ .* cudaGetSymbolAddress", {
    add_one<<<1, 4>>>(variable);
    expect_error(cudaErrorIllegalAddress);
  });
  EXPECT_SAYS(0, "cudaMemcpy was given .*, the host's address of a __device__ .* cudaMemcpyToSymbol", {
    float h[4] = {};
    if (cudaMemcpy(variable, h, sizeof h, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) _Exit(98);
  });
}

/* ---- stacks ---- */

/* Arrays that stay arrays: `step` is odd, and the compiler does not know it. */
template <int bytes>
__global__ void fill_and_add(unsigned *sum, unsigned step) {
  volatile unsigned char local[bytes];
  for (unsigned i = 0; i < bytes; ++i) local[i * step % bytes] = (unsigned char)(i + threadIdx.x);
  __syncthreads();
  unsigned n = 0;
  for (unsigned i = 0; i < bytes; ++i) n += local[i];
  sum[threadIdx.x] = n;
}

TEST(Stacks, HoldWhatAThreadOfAGpuMayHave) {
  enum { kBytes = 500 * 1024, kThreads = 40 };
  unsigned *d = nullptr, h[kThreads];
  ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
  fill_and_add<kBytes><<<1, kThreads>>>(d, 7);
  ASSERT_EQ(cudaSuccess, cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < kThreads; ++t) {
    unsigned want = 0;
    for (unsigned i = 0; i < kBytes; ++i) want += (unsigned char)(i + t);
    EXPECT_EQ(want, h[t]) << t;
  }
  EXPECT_EQ(cudaSuccess, cudaFree(d));
}

/* Whatever the size: no thread reaches over the guard into another's stack. */
TEST(Stacks, ThatAreTooLittleEndTheKernel) {
  EXPECT_SAYS(0, "of kernel fill_and_add<1048576>,.* which is beyond its stack of 576 KB", {
    fill_and_add<1048576><<<1, 40>>>((unsigned *)device_floats(40), 7);
    expect_error(cudaErrorIllegalAddress);
  });
}

/* ---- far outside ---- */

__global__ void store_far(char *x, long long offset) {
  if (threadIdx.x == 0) *(float *)(x + offset) = 1;
}
__global__ void store_vector(float4 *x, long long offset) { x[offset] = make_float4(1, 2, 3, 4); }
__global__ void double_index(float *x, int i) { x[i * 2] = 1; }

/* No memory can have these addresses: the processor tells nothing of them. */
TEST(BadAccesses, FarOutside) {
  EXPECT_SAYS(0, "touched 0x4141414141414140, which is no device memory", {
    store_far<<<1, 32>>>((char *)0x4141414141414140, 0);
    expect_error(cudaErrorIllegalAddress);
  });
  EXPECT_SAYS(0, "touched 0x8000000000000010, which is no device memory", {
    store_vector<<<1, 1>>>((float4 *)0x8000000000000000, 1);
    expect_error(cudaErrorIllegalAddress);
  });
}

TEST(BadAccesses, OfAnIndexThatWrapped) {
  EXPECT_SAYS(0, "which is 8 GB before the allocation of 4000 bytes from .*: did a 32-bit index wrap", {
    double_index<<<1, 1>>>(device_floats(1000), 1 << 30);
    expect_error(cudaErrorIllegalAddress);
  });
  EXPECT_SAYS(0, "which is 4 GB past the end of the allocation of 4000 bytes from .*: did a 32-bit index", {
    double_index<<<1, 1>>>(device_floats(1000), 1 << 29);
    expect_error(cudaErrorIllegalAddress);
  });
}
