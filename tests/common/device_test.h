// SPDX-License-Identifier: Apache-2.0
// A test case that needs a device, the GPU or the CPU device. Without one it is
// skipped, visibly; LAB_REQUIRE_GPU=1 turns a missing GPU into a failure.
#ifndef TESTS_COMMON_DEVICE_TEST_H
#define TESTS_COMMON_DEVICE_TEST_H

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

class DeviceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const char *wanted = std::getenv("LAB_REQUIRE_GPU");
        const bool gpu_required = wanted != nullptr && std::string(wanted) == "1";
#ifdef LAB_CPU_DEVICE
        ASSERT_FALSE(gpu_required) << "LAB_REQUIRE_GPU=1, but this was built for the CPU device";
#endif
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status == cudaSuccess && count > 0) {
            device_count = count;
            return;
        }
        (void)cudaGetLastError();
        ASSERT_FALSE(gpu_required) << "no GPU: " << cudaGetErrorString(status);
        GTEST_SKIP() << "no GPU: " << cudaGetErrorString(status);
    }

    void TearDown() override {
        if (device_count == 0) {
            return;
        }
        EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        EXPECT_EQ(cudaSuccess, cudaGetLastError()) << "an error was left behind";
    }

    int device_count = 0;
};

#endif
