// SPDX-License-Identifier: Apache-2.0
// Watchdogs: what they say, what they end, and that a stopped one does nothing.
#include "common/watchdog.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "common/check.h"
#include "tests/common/device_test.h"

namespace {

void tell(void *text) { fprintf(stderr, "released %s\n", static_cast<const char *>(text)); }

TEST(WatchdogDeathTest, EndsAProcessThatWaitsForEver) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            char text[] = "the flag";
            watchdog_start(0.05, "the copy of x", tell, text);
            for (;;) pause();
        },
        testing::ExitedWithCode(1),
        "gave up after 50.0 ms: the copy of x has not ended\\.\n.*lazy loading.*\n*released the flag");
}

TEST(WatchdogDeathTest, NeedsNoReleaseAndNoTime) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            watchdog_start(-1, std::string(5000, 'x').c_str(), nullptr, nullptr);
            for (;;) pause();
        },
        testing::ExitedWithCode(1), "xxx has not ended");
}

TEST(Watchdog, StoppedInTimeItDoesNothing) {
    std::atomic<bool> released{false};
    const auto note = [](void *flag) { *static_cast<std::atomic<bool> *>(flag) = true; };
    for (int i = 0; i < 100; ++i) {
        Watchdog *watchdog = watchdog_start(1e300, "nothing", note, &released);
        ASSERT_NE(nullptr, watchdog);
        watchdog_stop(watchdog);
    }
    EXPECT_FALSE(released);
    watchdog_stop(nullptr);
}

class StreamWait : public DeviceTest {};

TEST_F(StreamWait, EndsWithItsStream) {
    cudaStream_t stream;
    void *d = nullptr;
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, 1 << 20));
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(d, 1, 1 << 20, stream));
    EXPECT_EQ(cudaSuccess, watchdog_stream_wait(stream, 30, "the memset"));
    EXPECT_EQ(cudaSuccess, watchdog_stream_wait(stream, 0, "nothing"));
    EXPECT_EQ(cudaSuccess, cudaFree(d));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

TEST_F(StreamWait, NamesWhatHasNotEnded) {
    cudaStream_t stream;
    std::atomic<bool> go{false};
    const auto hold = [](void *flag) {
        while (!*static_cast<std::atomic<bool> *>(flag)) usleep(1000);
    };
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_EQ(cudaSuccess, cudaLaunchHostFunc(stream, hold, &go));
    EXPECT_EQ(cudaErrorNotReady, watchdog_stream_wait(stream, 0.02, "the function of the host"));
    const std::string why = lab_last_message();
    EXPECT_NE(std::string::npos, why.find("the function of the host has not ended after 20.0 ms"))
        << why;
    EXPECT_NE(std::string::npos, why.find("CUDA_MODULE_LOADING=EAGER")) << why;
    go = true;
    EXPECT_EQ(cudaSuccess, watchdog_stream_wait(stream, 30, "the function of the host"));
    EXPECT_STREQ("", lab_last_message());
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

TEST_F(StreamWait, KernelsThatAreNoneAreNotLoaded) {
    const void *kernels[] = {nullptr};
    EXPECT_NE(cudaSuccess, load_kernels(kernels, 1));
    (void)cudaGetLastError();
    EXPECT_EQ(cudaSuccess, load_kernels(nullptr, 0));
}

} // namespace
