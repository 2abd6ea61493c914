/* What --config=check finds in the arithmetic of kernels: each fault with its line, and right
 * kernels without a word.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "tests/cpu_device/alone.h"

__global__ void shift(int *x, int by) { x[threadIdx.x] = 1 << by; }
__global__ void shift_wide(long long *x, int by) { x[0] = x[1] >> by; }
__global__ void to_int(int *x, float v) { x[0] = (int)(v * 2); }
__global__ void load_at(const char *bytes, int at, int *x) { x[0] = *(const int *)(bytes + at); }
__global__ void store_at(char *bytes, int at) { *(double *)(bytes + at) = 1.5; }
__global__ void all_right(float *x, int *y, int by) {
  y[threadIdx.x] = (int)x[threadIdx.x] + (1 << by) + (int)(by * 0.5);
  reinterpret_cast<float4 *>(x)[threadIdx.x] = make_float4(1, 2, 3, 4);
}

#ifdef LAB_UBSAN
#define SKIP_WITH_UBSAN GTEST_SKIP() << "the sanitizer's own runtime gets the reports"
#else
#define SKIP_WITH_UBSAN
#endif

/* The statements, in a process of their own, end with that status and say that. */
#define EXPECT_FINDS(status, pattern, ...)                                            \
  do {                                                                                \
    const auto piece = [] {                                                           \
      void *d = 0;                                                                    \
      cudaMalloc(&d, 4096);                                                           \
      cudaMemset(d, 0, 4096);                                                         \
      __VA_ARGS__;                                                                    \
    };                                                                                \
    GTEST_FLAG_SET(death_test_style, "threadsafe");                                   \
    EXPECT_EXIT((piece(), exit(0)), ::testing::ExitedWithCode(status), pattern);      \
  } while (0)

TEST(Checks, ShiftsByTooMuch) {
  SKIP_WITH_UBSAN;
  EXPECT_FINDS(1, "checks_test.cu:10: thread .0,0,0. of block .0,0,0. of kernel shift, launched at "
                  ".*shifted a number of 32 bits by 32: a GPU shifts all of it out, this computer "
                  "shifts by 0\n$", {
    shift<<<1, 32>>>((int *)d, 32);
    cudaDeviceSynchronize();
  });
  EXPECT_FINDS(1, "checks_test.cu:11: .*a number of 64 bits by -3", {
    shift_wide<<<1, 1>>>((long long *)d, -3);
    cudaDeviceSynchronize();
  });
}

TEST(Checks, FloatsThatDoNotFit) {
  SKIP_WITH_UBSAN;
  EXPECT_FINDS(1, "checks_test.cu:12: .*of kernel to_int.* made 'int' of the 'float' 2e.20", {
    to_int<<<1, 1>>>((int *)d, 1e20f);
    cudaDeviceSynchronize();
  });
  EXPECT_FINDS(1, "made 'int' of the 'float' -?nan", {
    to_int<<<1, 1>>>((int *)d, NAN);
    cudaDeviceSynchronize();
  });
}

TEST(Checks, AccessesThatAreNotAligned) {
  SKIP_WITH_UBSAN;
  EXPECT_FINDS(1, "checks_test.cu:13: .* loaded a 'const int' at 0x[0-9a-f]+2, which is no "
                  "multiple of 4", {
    load_at<<<1, 1>>>((const char *)d, 2, (int *)d);
    if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(98);
  });
  EXPECT_FINDS(1, "checks_test.cu:14: .* stored a 'double' at 0x[0-9a-f]+4, which is no "
                  "multiple of 8", {
    store_at<<<1, 1>>>((char *)d, 4);
    if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(98);
    if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) _Exit(97);
  });
}

TEST(Checks, RightKernelsAreSilent) {
  SKIP_WITH_UBSAN;
  EXPECT_FINDS(0, "^$", {
    all_right<<<1, 32>>>((float *)d, (int *)d + 512, 31);
    load_at<<<1, 1>>>((const char *)d, 8, (int *)d);
    if (cudaDeviceSynchronize() != cudaSuccess) _Exit(98);
    volatile int host_shift = 33;
    if ((1 << host_shift) == 5) _Exit(97); /* the host's own affair */
  });
}
