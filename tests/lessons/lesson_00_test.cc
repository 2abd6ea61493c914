// SPDX-License-Identifier: Apache-2.0
// Lesson 00 as a program: right, and not silent where something fails.
#include <string>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

const char kLesson[] = "00_first_program";

TEST(FirstProgram, EveryElementIsRight) {
    NEEDS_DEVICE();
    const LessonRun run = run_lesson(kLesson, {});
    EXPECT_EQ(0, run.status) << run.all();
    EXPECT_EQ("3907 blocks of 256 threads, 1000003 elements: 0 are wrong\n", run.out);
    EXPECT_EQ("", run.err);
}

// The page's second prediction: a grid that is rounded down leaves out the last 67 elements.
TEST(FirstProgram, WrongElementsAreCountedAndEndItWith1) {
    NEEDS_DEVICE();
    const LessonRun run = run_program("./tests/lessons/00_first_program_rounded_down", {});
    EXPECT_EQ(1, run.status) << run.all();
    EXPECT_EQ("3906 blocks of 256 threads, 1000003 elements: 67 are wrong\n", run.out);
    EXPECT_EQ("", run.err);
}

TEST(FirstProgram, TakesNoOptions) {
    const LessonRun run = run_lesson(kLesson, {"--help"});
    EXPECT_EQ(2, run.status);
    EXPECT_EQ("", run.out);
    EXPECT_NE(std::string::npos, run.err.find("takes no options")) << run.err;
}

TEST(FirstProgram, WithoutADeviceItNamesTheCallThatFailed) {
    const LessonRun run =
        run_lesson(kLesson, {}, {{"CUDA_VISIBLE_DEVICES", ""}, {"LAB_CPU_DEVICE_COUNT", "0"}});
    EXPECT_EQ(1, run.status);
    EXPECT_EQ("", run.out);
    EXPECT_NE(std::string::npos,
              run.err.find("cudaMalloc((void **)&d_x, bytes): no CUDA-capable device is detected"))
        << run.err;
}

// Each call's error ends the program: of whatever kind, it is not taken for a result.
TEST(FirstProgram, NoErrorIsIgnored) {
    if (!kCpuDevice) GTEST_SKIP() << "only the CPU device fails on demand";
    for (const char *failure : {"malloc:1", "malloc:2", "copy:1", "copy:2", "launch:1"}) {
        const LessonRun run = run_lesson(kLesson, {}, {{"LAB_CPU_DEVICE_FAIL", failure}});
        EXPECT_EQ(1, run.status) << failure << run.all();
        EXPECT_EQ("", run.out) << failure;
        EXPECT_NE(std::string::npos, run.err.find("line ")) << failure << ": " << run.err;
    }
}

} // namespace
