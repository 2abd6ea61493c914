// SPDX-License-Identifier: Apache-2.0
// A kernel launched for the first time while another one waits for the host: loaded lazily it
// hangs, and the watchdog ends the program and names lazy loading; loaded before, it does not.
// The CPU device loads nothing lazily: there it never hangs.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/common/device_test.h"

namespace {

struct Ended {
    int status; // exit status; -1: ended by a signal
    std::string text;
};

// `environment`: "NAME=VALUE", or "-u NAME" to leave it out.
Ended run(const std::string &environment, const std::string &arguments) {
    const std::string command =
        "env " + environment + " timeout 60 tests/common/lazy_loading " + arguments + " 2>&1";
    Ended result = {-1, ""};
    FILE *output = popen(command.c_str(), "r");
    if (output == nullptr) return result;
    for (int c; (c = fgetc(output)) != EOF;) result.text += static_cast<char>(c);
    const int status = pclose(output);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    return result;
}

class LazyLoading : public DeviceTest {};

TEST_F(LazyLoading, TheWatchdogEndsItAndSaysWhy) {
#ifdef LAB_CPU_DEVICE
    GTEST_SKIP() << "the CPU device loads no kernel lazily";
#endif
    const Ended result = run("CUDA_MODULE_LOADING=LAZY", "--limit 2");
    EXPECT_EQ(1, result.status) << result.text;
    for (const char *part : {"gave up after 2 s", "kernel other", "lazy loading",
                             "cudaFuncGetAttributes", "CUDA_MODULE_LOADING=EAGER"}) {
        EXPECT_NE(std::string::npos, result.text.find(part)) << part << " in: " << result.text;
    }
    EXPECT_EQ(std::string::npos, result.text.find("OK")) << result.text;
}

TEST_F(LazyLoading, KernelsThatAreLoadedBeforeDoNotHang) {
    const Ended result = run("CUDA_MODULE_LOADING=LAZY", "--load-first");
    EXPECT_EQ(0, result.status) << result.text;
    EXPECT_EQ("OK\n", result.text);
}

#ifdef LAB_CPU_DEVICE
TEST_F(LazyLoading, TheCpuDeviceRunsBothKernels) {
    const Ended result = run("CUDA_MODULE_LOADING=LAZY", "--limit 10");
    EXPECT_EQ(0, result.status) << result.text;
    EXPECT_EQ("OK\n", result.text);
}
#endif

TEST_F(LazyLoading, NorDoThoseThatAreLoadedEagerly) {
    const Ended result = run("CUDA_MODULE_LOADING=EAGER", "");
    EXPECT_EQ(0, result.status) << result.text;
    EXPECT_EQ("OK\n", result.text);
}

} // namespace
