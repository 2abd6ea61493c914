// SPDX-License-Identifier: Apache-2.0
// What students read when something fails.
#include "common/check.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/common/bad_launch.h"
#include "tests/common/device_test.h"

namespace {

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

#define EXPECT_SAYS(text, part) EXPECT_TRUE(contains((text), (part))) << (text)

std::string describe(cudaError_t status, const char *call = "cudaMalloc(&d, n)") {
    char text[2048];
    cuda_error_describe(text, sizeof text, "lesson.c", 12, call, status);
    return text;
}

struct Explained {
    int faults;
    std::string text;
};

Explained explain(dim3 grid, dim3 block, size_t shared_bytes = 0) {
    char text[2048];
    const int faults = launch_explain(grid, block, shared_bytes, text, sizeof text);
    return {faults, text};
}

TEST(Advice, CommonErrorsHaveSome) {
    for (int code : {1,   2,   9,   13,  21,  35,  46,  98,  100, 101, 209,
                     222, 400, 700, 701, 702, 710, 715, 716, 719, 720, 999}) {
        const std::string advice = cuda_error_advice(static_cast<cudaError_t>(code));
        EXPECT_GT(advice.size(), 20u) << code;
        EXPECT_LT(advice.size(), 500u) << code;
        EXPECT_TRUE(advice.back() == '.' || advice.back() == '?') << code;
    }
    EXPECT_SAYS(std::string(cuda_error_advice(cudaErrorIllegalAddress)), "if (i < n)");
    EXPECT_SAYS(std::string(cuda_error_advice(cudaErrorNoKernelImageForDevice)), "--archs=");
    EXPECT_SAYS(std::string(cuda_error_advice(cudaErrorInsufficientDriver)), "--config=cpu");
    EXPECT_STREQ("", cuda_error_advice(cudaSuccess));
    EXPECT_STREQ("", cuda_error_advice(static_cast<cudaError_t>(123456)));
}

TEST(Describe, NamesPlaceCallErrorAndWhatToDo) {
    const std::string text = describe(cudaErrorMemoryAllocation);
    EXPECT_SAYS(text, "lesson.c:12: CUDA error 2, cudaErrorMemoryAllocation: out of memory");
    EXPECT_SAYS(text, "in: cudaMalloc(&d, n)");
    EXPECT_SAYS(text, "what to do: The device has too little free memory");
}

TEST(Describe, TheLibrarysOwnReasonComesBeforeGeneralAdvice) {
    EXPECT_EQ(cudaErrorInvalidValue,
              lab_fail(cudaErrorInvalidValue, "shapes differ: %d and %d", 3, 4));
    EXPECT_STREQ("shapes differ: 3 and 4", lab_last_message());
    EXPECT_SAYS(describe(cudaErrorInvalidValue, "get(&x, &a)"), "why: shapes differ: 3 and 4");
    // A message that an earlier call left says nothing about a call of the runtime's.
    EXPECT_FALSE(contains(describe(cudaErrorInvalidValue, "cudaFree(d)"), "shapes differ"));
    std::thread([] {
        EXPECT_STREQ("", lab_last_message()) << "messages belong to a thread";
    }).join();
    lab_clear_message();
    EXPECT_STREQ("", lab_last_message());
    lab_fail(cudaErrorUnknown, "%s", std::string(10000, 'x').c_str());
    EXPECT_LT(std::string(lab_last_message()).size(), 1000u);
    lab_clear_message();
}

// The case of the 160 x 20 domain in blocks of 32 x 32, divided without rounding up.
TEST(LaunchExplain, ZeroBlocks) {
    const Explained e = explain(dim3(160 / 32, 20 / 32), dim3(32, 32));
    EXPECT_EQ(1, e.faults);
    EXPECT_SAYS(e.text, "grid (5, 0, 1) blocks, block (32, 32, 1) threads");
    EXPECT_SAYS(e.text, "grid.y is 0");
    EXPECT_SAYS(e.text, "round up, (n + block - 1) / block");
}

TEST(LaunchExplain, EachLimitIsNamed) {
    EXPECT_EQ(0, explain(dim3(1), dim3(1024)).faults);
    EXPECT_EQ(0, explain(dim3(2147483647u, 65535, 65535), dim3(1, 1, 64)).faults);
    EXPECT_SAYS(explain(dim3(1), dim3(1025)).text,
                "block.x is 1,025: this device allows at most 1,024");
    EXPECT_SAYS(explain(dim3(1), dim3(32, 33)).text, "has 1,056 threads: at most 1,024");
    EXPECT_SAYS(explain(dim3(1), dim3(1, 1, 65)).text, "block.z is 65");
    EXPECT_SAYS(explain(dim3(1, 65536), dim3(1)).text,
                "grid.y is 65,536: this device allows at most 65,535");
    EXPECT_SAYS(explain(dim3(1, 1, 65536), dim3(1)).text, "grid.z is 65,536");
    EXPECT_SAYS(explain(dim3(1), dim3(0)).text, "block.x is 0");
    EXPECT_EQ(2, explain(dim3(0), dim3(0)).faults);
    EXPECT_GE(explain(dim3(4294967295u), dim3(4294967295u, 4294967295u, 4294967295u)).faults, 4);
}

TEST(LaunchExplain, SharedMemory) {
    EXPECT_EQ(0, explain(dim3(1), dim3(1), 49152).faults);
    EXPECT_SAYS(explain(dim3(1), dim3(1), 49153).text,
                "cudaFuncAttributeMaxDynamicSharedMemorySize");
    EXPECT_SAYS(explain(dim3(1), dim3(1), 10 << 20).text, "more than a block can have");
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

// --- The macros exit with 1, and print to stderr ---

TEST(CheckMacroDeathTest, PrintsAndExitsWithOne) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(CUDA_CHECK(cudaErrorInvalidValue), ::testing::ExitedWithCode(1),
                "check_test.cc:[0-9]+: CUDA error 1, cudaErrorInvalidValue");
    CUDA_CHECK(cudaSuccess);
}

class LaunchCheck : public DeviceTest {};

TEST_F(LaunchCheck, GoodLaunchesPass) {
    launch_nothing(dim3(2), dim3(64), 0);
    CUDA_CHECK_LAUNCH(dim3(2), dim3(64), 0);
}

void bad_launch(dim3 grid, dim3 block) {
    launch_nothing(grid, block, 0);
    CUDA_CHECK_LAUNCH(grid, block, 0);
}

TEST_F(LaunchCheck, ALaunchThatDidNotHappenIsExplained) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(bad_launch(dim3(5, 0), dim3(32, 32)), ::testing::ExitedWithCode(1), "grid.y is 0");
    EXPECT_EXIT(bad_launch(dim3(1), dim3(2048)), ::testing::ExitedWithCode(1), "block.x is 2,048");
}

// An allocation fails, the program has an answer to that, and launches: all is well.
void launch_after_a_failed_allocation() {
    void *d = nullptr;
    if (cudaMalloc(&d, (size_t)1 << 60) == cudaSuccess) exit(3);
    launch_nothing(dim3(2), dim3(64), 0);
    CUDA_CHECK_LAUNCH(dim3(2), dim3(64), 0);
    exit(0);
}

TEST_F(LaunchCheck, AnErrorThatNoLaunchGivesIsNotTheLaunchs) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(launch_after_a_failed_allocation(), ::testing::ExitedWithCode(0),
                "error 2, cudaErrorMemoryAllocation, was left by a call before this launch");
}

void bad_launch_after_a_failed_allocation() {
    void *d = nullptr;
    if (cudaMalloc(&d, (size_t)1 << 60) == cudaSuccess) exit(3);
    bad_launch(dim3(1), dim3(2048));
}

TEST_F(LaunchCheck, ALaunchThatDidNotHappenIsNotExcusedByIt) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(bad_launch_after_a_failed_allocation(), ::testing::ExitedWithCode(1),
                "block.x is 2,048");
}

TEST(CheckMacro, EvaluatesItsArgumentOnce) {
    int calls = 0;
    const auto succeed = [&calls] {
        ++calls;
        return cudaSuccess;
    };
    CUDA_CHECK(succeed());
    EXPECT_EQ(1, calls);
    if (calls == 1) CUDA_CHECK(succeed()); // a macro that is one statement
    else FAIL();
    EXPECT_EQ(2, calls);
}

} // namespace
