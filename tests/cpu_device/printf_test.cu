/* Device printf: formats, what it returns, when its text appears; the same on the CPU device and
 * on a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>

#include "tests/cpu_device/alone.h"

/* What the statements print on standard output. */
#define PRINTED(...)                                   \
    [&] {                                              \
        testing::internal::CaptureStdout();            \
        __VA_ARGS__;                                   \
        fflush(stdout);                                \
        return testing::internal::GetCapturedStdout(); \
    }()

__global__ void print_numbers(int i, double x) {
    printf("%d|%5d|%-5d|%05d|%+d|% d|%i\n", i, i, i, i, i, i, -i);
    printf("%u|%x|%X|%#x|%o|%c|%s|%%|%10s|%-4s|\n", 7u, 255, 255, 255, 8, 'q', "text", "right",
           "l");
    printf("%f|%.3f|%10.2f|%e|%g|%G\n", x, x, x, x, x, x * 1e20);
    printf("%ld|%lu|%lld|%llu|%llx\n", -5L, 5UL, -(1LL << 40), 1ULL << 63, 0xABCDEF012345ULL);
    printf("%hd|%*d|%-*d|\n", (short)-3, 6, i, 6, i);
}

TEST(Printf, Formats) {
    const std::string text = PRINTED({
        print_numbers<<<1, 1>>>(42, 3.14159265);
        EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    });
    EXPECT_EQ(
        "42|   42|42   |00042|+42| 42|-42\n"
        "7|ff|FF|0xff|10|q|text|%|     right|l   |\n"
        "3.141593|3.142|      3.14|3.141593e+00|3.14159|3.14159E+20\n"
        "-5|5|-1099511627776|9223372036854775808|abcdef012345\n"
        "-3|    42|42    |\n",
        text);
}

__global__ void print_and_return(int *out) {
    out[0] = printf("none\n");
    out[1] = printf("%d\n", 1);
    out[2] = printf("%d %f %s\n", 1, 2.0, "three");
    const char *no_format = nullptr;
    out[3] = printf(no_format);
}

TEST(Printf, ReturnsTheNumberOfArguments) {
    int *d, h[4] = {};
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof h));
    const std::string text = PRINTED({
        print_and_return<<<1, 1>>>(d);
        EXPECT_EQ(cudaSuccess, cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    });
    EXPECT_EQ("none\n1\n1 2.000000 three\n", text);
    EXPECT_EQ(0, h[0]);
    EXPECT_EQ(1, h[1]);
    EXPECT_EQ(3, h[2]);
    EXPECT_EQ(-1, h[3]);
    EXPECT_EQ(cudaSuccess, cudaFree(d));
}

__host__ __device__ void print_where(const char *where) { printf("on the %s\n", where); }
__global__ void print_here() { print_where("device"); }

TEST(Printf, OfTheHostAndTheDeviceInOneFunction) {
    EXPECT_EQ("on the host\n", PRINTED(print_where("host")));
    const std::string text = PRINTED({
        print_here<<<1, 1>>>();
        EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(0));
    });
    EXPECT_EQ("on the device\n", text);
}

__global__ void print_lines() { printf("line %d\n", blockIdx.x * blockDim.x + threadIdx.x); }

TEST(Printf, EveryThreadPrintsItsLine) {
    const std::string text = PRINTED({
        print_lines<<<10, 100>>>();
        EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    });
    EXPECT_EQ(1000, std::count(text.begin(), text.end(), '\n'));
    for (int i = 0; i < 1000; ++i)
        EXPECT_NE(std::string::npos, ("\n" + text).find("\nline " + std::to_string(i) + "\n")) << i;
}

__global__ void print_nothing() {}

/* Only waiting makes text appear: the next launch does not. */
TEST(Printf, ALaunchPrintsNothingOfEarlierKernels) {
    if (getenv("LAB_SANITIZER"))
        GTEST_SKIP() << "compute-sanitizer waits for each kernel, which prints its text";
    print_nothing<<<1, 1>>>(); /* loaded by now, so that it does not wait for the other */
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    const std::string launched = PRINTED({
        print_here<<<1, 1>>>();
        cudaError_t e;
        while ((e = cudaStreamQuery(0)) == cudaErrorNotReady) continue;
        EXPECT_EQ(cudaSuccess, e);
        print_nothing<<<1, 1>>>();
    });
    const std::string waited = PRINTED({ EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize()); });
    EXPECT_EQ("", launched);
    EXPECT_EQ("on the device\n", waited);
}

TEST(Printf, TheBufferHasASize) {
    size_t size = 0;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
    EXPECT_LE(1u << 20, size);
}
