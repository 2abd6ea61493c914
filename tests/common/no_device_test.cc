// SPDX-License-Identifier: Apache-2.0
// No device at all: a plain sentence, and an exit status that is not that of a
// wrong answer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/check.h"
#include "common/device_array.h"
#include "common/lesson.h"

namespace {

// Before CUDA looks: none is visible, on a GPU or on the CPU device.
const int hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) | setenv("LAB_CPU_DEVICE_COUNT", "0", 1);

TEST(NoDevice, PreflightSaysThatItIsHidden) {
    char text[1024];
    ASSERT_GT(device_preflight(text, sizeof text), 0u);
    const std::string said = text;
    EXPECT_NE(std::string::npos, said.find("no device to run on")) << said;
#ifdef LAB_CPU_DEVICE
    EXPECT_NE(std::string::npos, said.find("LAB_CPU_DEVICE_COUNT=0")) << said;
    EXPECT_EQ(std::string::npos, said.find("CUDA_VISIBLE_DEVICES")) << said;
#else
    EXPECT_TRUE(said.find("hidden by CUDA_VISIBLE_DEVICES=\"\"") != std::string::npos ||
                said.find("no NVIDIA driver was found") != std::string::npos)
        << said;
#endif
    EXPECT_EQ(cudaErrorNoDevice, cudaGetLastError()); // as every call now
}

TEST(NoDevice, LessonEndsWithItsOwnStatus) {
    static const LessonSpec spec = [] {
        LessonSpec made = {};
        made.program = "99_test";
        made.about = "";
        return made;
    }();
    char name[] = "program", json[] = "--json=/dev/null";
    char *argv[] = {name, json, nullptr};
    Lesson lesson;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_FALSE(lesson_begin(&lesson, 2, argv, &spec));
    EXPECT_EQ(LESSON_NO_DEVICE, lesson.status);
    EXPECT_EQ("", testing::internal::GetCapturedStdout());
    EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find("99_test: no device"));
}

TEST(NoDevice, ArraysAreRefusedNotCrashed) {
    float x[4] = {1, 2, 3, 4};
    const size_t shape[] = {4};
    HostArray host = host_array_c(x, DTYPE_FLOAT32, 1, shape);
    DeviceArray a;
    EXPECT_NE(cudaSuccess, to_gpu(&a, &host));
    EXPECT_NE(cudaSuccess, get(&host, &a));
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
    EXPECT_EQ(0u, device_array_live_count());
    (void)cudaGetLastError();
}

TEST(NoDevice, LaunchesAreStillExplained) {
    char text[512];
    EXPECT_EQ(1, launch_explain(dim3(1, 0), dim3(1), 0, text, sizeof text)) << text;
    EXPECT_EQ(cudaErrorNoDevice, cudaGetLastError()); // as every call now
}

} // namespace
