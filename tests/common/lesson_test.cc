// SPDX-License-Identifier: Apache-2.0
// The frame of the lessons: first line, exit statuses, memory, wording, record.
#include "common/lesson.h"
#include "common/lesson_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/common/device_test.h"

namespace {

const int two_devices = setenv("LAB_CPU_DEVICE_COUNT", "2", 0);

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

#define EXPECT_SAYS(text, part) EXPECT_TRUE(contains((text), (part))) << (text)

std::string code_check(const char *archs, int major, int minor, int driver = 13000,
                       const char *toolkit = "13.0") {
    char text[512];
    device_code_check(archs, toolkit, major, minor, driver, text, sizeof text);
    return text;
}

TEST(CodeCheck, MachineCodeRunsOnItsOwnMajorVersion) {
    EXPECT_EQ("", code_check("sm_90", 9, 0));
    EXPECT_EQ("", code_check("sm_80", 8, 6));
    EXPECT_EQ("", code_check("sm_75 sm_80 sm_90", 9, 0));
    EXPECT_EQ("", code_check("sm_90a", 9, 0));
    EXPECT_EQ("", code_check("sm_120", 12, 1));
    EXPECT_EQ("", code_check("", 9, 0)) << "unknown: say nothing";
    const std::string said = code_check("sm_80", 9, 0);
    EXPECT_SAYS(said, "code for sm_80");
    EXPECT_SAYS(said, "compute capability 9.0");
    EXPECT_SAYS(said, "--archs=sm_90");
    EXPECT_NE("", code_check("sm_86", 8, 0)) << "a later minor version does not run";
    EXPECT_NE("", code_check("sm_90a", 9, 1)) << "architecture-specific code runs nowhere else";
    EXPECT_NE("", code_check("sm_90", 12, 0));
}

TEST(CodeCheck, PtxRunsOnNewerDevicesIfTheDriverUnderstandsIt) {
    EXPECT_EQ("", code_check("sm_75 compute_75", 9, 0));
    EXPECT_EQ("", code_check("compute_75", 12, 0, 13010));
    EXPECT_NE("", code_check("compute_90", 8, 0));
    const std::string said = code_check("compute_75", 9, 0, 12040);
    EXPECT_SAYS(said, "only PTX, made by toolkit 13.0");
    EXPECT_SAYS(said, "driver understands CUDA up to 12.4");
    EXPECT_SAYS(said, "--archs=sm_90");
    EXPECT_EQ("", code_check("sm_90 compute_90", 9, 0, 12040)) << "machine code needs no compiler";
}

const LessonSpec SPEC = [] {
    LessonSpec spec = {};
    spec.program = "99_test";
    spec.about = "a lesson";
    spec.rows = 10;
    spec.cols = 20;
    return spec;
}();

enum { BEGUN = -1 }; // no exit status

class LessonTest : public DeviceTest {
  protected:
    int begin(std::vector<std::string> arguments, const LessonSpec &spec = SPEC) {
        arguments.insert(arguments.begin(), "program");
        std::vector<char *> argv;
        for (std::string &argument : arguments) argv.push_back(&argument[0]);
        argv.push_back(nullptr);
        kept = arguments; // options point into them
        argv.clear();
        for (std::string &argument : kept) argv.push_back(&argument[0]);
        argv.push_back(nullptr);
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const bool begun = lesson_begin(&lesson, static_cast<int>(kept.size()), argv.data(), &spec);
        std::fflush(stdout);
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return begun ? BEGUN : lesson.status;
    }
    int end(bool right) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int status = lesson_end(&lesson, right);
        std::fflush(stdout);
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return status;
    }
    Lesson lesson;
    std::vector<std::string> kept;
    std::string out, err;
};

TEST_F(LessonTest, FirstLineAndLastLine) {
    ASSERT_EQ(BEGUN, begin({})) << err;
    EXPECT_EQ(0u, out.find("99_test on ")) << out;
    EXPECT_EQ("", err);
    if (lesson.on_cpu_device) {
        EXPECT_SAYS(out, "on the CPU device: your kernels run on this computer's ");
        EXPECT_SAYS(out, "core");
    } else {
        EXPECT_SAYS(out, "on device 0: ");
        EXPECT_SAYS(out, lesson.device_name);
        EXPECT_SAYS(out, " SMs, ");
    }
    EXPECT_GT(lesson.free_bytes, 0u);
    EXPECT_LE(lesson.free_bytes, lesson.total_bytes);
    EXPECT_EQ(200u, lesson.options.n);
    EXPECT_EQ(LESSON_RIGHT, end(true));
    EXPECT_EQ("OK\n", out);
    EXPECT_EQ(LESSON_WRONG, end(false));
    EXPECT_EQ(0u, out.find("WRONG")) << out;
}

TEST_F(LessonTest, HelpAndBadOptions) {
    EXPECT_EQ(LESSON_RIGHT, begin({"--help"}));
    EXPECT_SAYS(out, "--rows");
    EXPECT_EQ(LESSON_BAD_OPTION, begin({"--rows", "0"}));
    EXPECT_EQ("", out);
    EXPECT_SAYS(err, "--rows \"0\"");
    EXPECT_EQ(LESSON_BAD_OPTION, begin({"--device", "17"}));
    EXPECT_SAYS(err, "--device 17: no such device; there ");
    EXPECT_SAYS(err, lesson.on_cpu_device ? "CPU device" : "NVIDIA");
    EXPECT_EQ(LESSON_BAD_OPTION, begin({"--device", "GPU-nonsense"}));
    EXPECT_SAYS(err, "neither the number nor the UUID");
}

TEST_F(LessonTest, DeviceByNumberAndByUuid) {
    if (device_count < 2) GTEST_SKIP() << "needs two devices";
    ASSERT_EQ(BEGUN, begin({"--device", "1"})) << err;
    EXPECT_EQ(1, lesson.device);
    int current = -1;
    EXPECT_EQ(cudaSuccess, cudaGetDevice(&current));
    EXPECT_EQ(1, current);
    cudaDeviceProp properties;
    ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&properties, 1));
    char uuid[64] = "GPU-", message[1024];
    size_t length = 4;
    for (int i = 0; i < 16; ++i) {
        length += std::snprintf(uuid + length, sizeof uuid - length,
                                i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                                static_cast<unsigned char>(properties.uuid.bytes[i]));
    }
    int device = -1;
    EXPECT_TRUE(device_find(uuid, &device, message, sizeof message)) << message;
    EXPECT_EQ(1, device);
    EXPECT_TRUE(device_find(uuid + 4, &device, message, sizeof message)) << message;
    EXPECT_FALSE(device_find("GPU-", &device, message, sizeof message));
    EXPECT_EQ(cudaSuccess, cudaSetDevice(0));
}

TEST_F(LessonTest, MoreMemoryThanThereIs) {
    ASSERT_EQ(BEGUN, begin({"--rows", "1000000000000", "--cols", "1000000"})) << err;
    testing::internal::CaptureStderr();
    EXPECT_FALSE(lesson_check_memory(&lesson, lesson.options.n, 12, 8));
    EXPECT_EQ(LESSON_BAD_OPTION, lesson.status);
    err = testing::internal::GetCapturedStderr();
    EXPECT_SAYS(err, "--rows 1000000000000 --cols 1000000");
    EXPECT_SAYS(err, "12.0 EB");
    EXPECT_SAYS(err, "free: at most ");
    EXPECT_EQ(1, std::count(err.begin(), err.end(), '\n'));
    testing::internal::CaptureStderr();
    EXPECT_FALSE(lesson_check_memory(&lesson, SIZE_MAX, 0, 1)) << "host memory";
    EXPECT_SAYS(testing::internal::GetCapturedStderr(), "host memory");
    testing::internal::CaptureStderr();
    EXPECT_TRUE(lesson_check_memory(&lesson, 1000, 12, 8));
    EXPECT_TRUE(lesson_check_memory(&lesson, 0, 12, 8));
    EXPECT_EQ("", testing::internal::GetCapturedStderr());
}

TEST_F(LessonTest, RecordHoldsDeviceChecksAndResult) {
    const char *base = std::getenv("TEST_TMPDIR");
    const std::string path = std::string(base != nullptr ? base : "/tmp") + "/lesson.json";
    ASSERT_EQ(BEGUN, begin({"--json", path, "--seed", "7"})) << err;
    const float want[] = {1, 2, 3}, got[] = {1, 5, 3};
    const CompareResult right = compare_float32(3, want, want, 0, 0, false);
    const CompareResult wrong = compare_float32(3, got, want, 0, 0, false);
    testing::internal::CaptureStdout();
    EXPECT_TRUE(lesson_report(&lesson, "x + y", &right, nullptr));
    EXPECT_FALSE(lesson_report(&lesson, "x * y", &wrong, nullptr));
    out = testing::internal::GetCapturedStdout();
    EXPECT_SAYS(out, "   x + y: all 3 elements right, bit for bit\n");
    EXPECT_SAYS(out, "   x * y: 1 of 3 elements wrong");
    EXPECT_SAYS(out, "\n     first: element 1: expected 2, found 5");
    EXPECT_NE(0, access(path.c_str(), F_OK)) << "no file before the end";
    EXPECT_EQ(LESSON_WRONG, end(false));
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    for (const char *part :
         {"\"program\":\t\"99_test\"", "\"seed\":\t7", "\"checks\"", "\"what\":\t\"x * y\"",
          "\"first_wrong\":\t1", "\"right\":\tfalse", "\"device\"", "\"kind\""}) {
        EXPECT_SAYS(text.str(), part);
    }
    std::remove(path.c_str());
}

TEST_F(LessonTest, OptionsFirstDeviceAfterwards) {
    std::string name = "program", option = "--json", value = "/dev/null";
    char *argv[] = {&name[0], &option[0], &value[0], nullptr};
    ASSERT_TRUE(lesson_options(&lesson, 3, argv, &SPEC));
    Record *record = lesson.record;
    ASSERT_NE(nullptr, record);
    testing::internal::CaptureStdout();
    EXPECT_TRUE(lesson_start(&lesson));
    EXPECT_SAYS(testing::internal::GetCapturedStdout(), "99_test on ");
    EXPECT_EQ(record, lesson.record) << "one record for the whole lesson";
    EXPECT_EQ(LESSON_RIGHT, end(true));
}

TEST_F(LessonTest, TwoLessonsOfOneProgramShareNothing) {
    std::string name = "program", option = "--json", value = "/dev/null";
    char *argv[] = {&name[0], &option[0], &value[0], nullptr};
    Lesson other;
    ASSERT_TRUE(lesson_options(&other, 3, argv, &SPEC));
    ASSERT_EQ(BEGUN, begin({"--json", "/dev/null"})) << err;
    EXPECT_NE(other.record, lesson.record);
    EXPECT_EQ(LESSON_RIGHT, end(true));
    record_free(other.record);
}

TEST_F(LessonTest, ASizeThatDoesNotFitIsRefusedAtTheBeginning) {
    LessonSpec spec = SPEC;
    spec.device_bytes_each = 12;
    spec.host_bytes_each = 8;
    EXPECT_EQ(BEGUN, begin({}, spec)) << err;
    EXPECT_EQ(LESSON_RIGHT, end(true));
    EXPECT_EQ(LESSON_BAD_OPTION,
              begin({"--rows", "1000000000000", "--cols", "1000000", "--json", "/dev/null"}, spec));
    EXPECT_SAYS(err, "--rows 1000000000000 --cols 1000000");
    EXPECT_SAYS(err, "free: at most ");
    EXPECT_EQ(1, std::count(err.begin(), err.end(), '\n'));
    EXPECT_EQ(nullptr, lesson.record) << "given back";
    spec.device_bytes_least = SIZE_MAX;
    EXPECT_EQ(LESSON_BAD_OPTION, begin({}, spec));
    EXPECT_SAYS(err, "not enough device memory: this lesson needs");
}

// A lesson begun on a device with so much free memory, without options.
class DefaultSize : public testing::Test {
  protected:
    LessonSpec spec = {};
    Lesson lesson = {};
    bool fit(size_t free_bytes, size_t device_bytes_each, size_t host_bytes_each) {
        spec.device_bytes_each = device_bytes_each;
        spec.host_bytes_each = host_bytes_each;
        lesson.name = "99_test";
        lesson.spec = &spec;
        lesson.free_bytes = lesson.total_bytes = free_bytes;
        if (spec.cols > 0) {
            lesson.options.rows = spec.rows;
            lesson.options.cols = spec.cols;
        }
        lesson.options.n = spec.cols > 0 ? spec.rows * spec.cols : spec.n;
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const bool fits = lesson_fit_memory(&lesson);
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return fits;
    }
    void matrix(size_t rows, size_t cols) { spec.rows = rows, spec.cols = cols; }
    std::string out, err;
};

TEST_F(DefaultSize, StaysWhereItFits) {
    matrix(12000, 1920);
    EXPECT_TRUE(fit(size_t{1} << 40, 16, 1));
    EXPECT_EQ("", out + err);
    EXPECT_EQ(1920u, lesson.options.cols);
}

TEST_F(DefaultSize, IsATenthWhereItDoesNot) {
    // 12000 * 19200 * 16 bytes are 3.7 GB; a GPU with 2 GB free takes 1920 columns.
    matrix(12000, 19200);
    EXPECT_TRUE(fit(2000000000, 16, 1));
    EXPECT_EQ(1920u, lesson.options.cols);
    EXPECT_EQ(size_t{12000} * 1920, lesson.options.n);
    EXPECT_EQ(
        "   (The default size, 12,000 x 19,200, does not fit into this memory: 1,920 columns "
        "instead.)\n",
        out);
    spec = {};
    spec.n = 230400000;
    EXPECT_TRUE(fit(2000000000, 16, 1));
    EXPECT_EQ(23040000u, lesson.options.n);
    EXPECT_SAYS(out,
                "The default size, 230,400,000, does not fit into this memory: 23,040,000 "
                "elements instead.");
}

TEST_F(DefaultSize, IsCutForTheHostToo) {
    matrix(12000, 1920);
    fit(size_t{1} << 60, 1, size_t{1} << 24); // 16 MiB an element: no host has that
    EXPECT_LT(lesson.options.cols, 1920u);
    EXPECT_GT(lesson.options.cols, 0u);
}

TEST_F(DefaultSize, WhatTheStudentGaveIsRefusedNotChanged) {
    matrix(12000, 19200);
    lesson.options.sizes_given = true;
    EXPECT_FALSE(fit(1000, 16, 16));
    EXPECT_EQ(19200u, lesson.options.cols);
    EXPECT_EQ("", out);
    EXPECT_SAYS(err, "99_test: --rows 12000 --cols 19200: 230,400,000 elements need 3.7 GB");
}

TEST_F(LessonTest, AFileThatCannotBeWrittenAtTheEnd) {
    ASSERT_EQ(BEGUN, begin({"--json", "/dev/full"})) << err;
    EXPECT_EQ(LESSON_WRONG, end(true));
    EXPECT_SAYS(err, "--json: cannot write \"/dev/full\"");
    EXPECT_FALSE(contains(out, "OK"));
}

TEST_F(LessonTest, TimerOptionsSayWhatTheStudentSaid) {
    ASSERT_EQ(BEGUN, begin({}));
    EXPECT_EQ(0, lesson_timer(&lesson)->warmup) << "not given: the timer's default";
    EXPECT_EQ(0, lesson_timer(&lesson)->repeat);
    ASSERT_EQ(BEGUN, begin({"--warmup", "0", "--repeat", "5"}));
    EXPECT_EQ(-1, lesson_timer(&lesson)->warmup) << "0 means none";
    EXPECT_EQ(5, lesson_timer(&lesson)->repeat);
    ASSERT_EQ(BEGUN, begin({"--warmup", "7"}));
    EXPECT_EQ(7, lesson_timer(&lesson)->warmup);
    EXPECT_EQ(lesson.on_cpu_device ? 40 : 0, lesson_timer(&lesson)->budget_ms);
    EXPECT_EQ(nullptr, lesson_timer(&lesson)->stream);
}

TEST(LessonRates, OnlyBelievableOnesAreShown) {
    Lesson gpu = {};
    gpu.copy_gbps = 4000;
    gpu.peak_gbps = 4900;
    gpu.l2_bytes = 50 << 20;
    EXPECT_STREQ("4,000 GB/s", lesson_rate(&gpu, 4e9, 1, 4000000000));
    EXPECT_STREQ("100.0 %", lesson_share(&gpu, 4e9, 1, 4000000000));
    EXPECT_STREQ("", lesson_rate_note(&gpu, 4e9, 1, 4000000000, 4));
    EXPECT_STREQ("(cache)", lesson_rate(&gpu, 8e9, 1, 20 << 20));
    EXPECT_STREQ("(cache)", lesson_share(&gpu, 8e9, 1, 20 << 20));
    EXPECT_SAYS(std::string(lesson_rate_note(&gpu, 8e9, 1, 20 << 20, 4)), "L2 cache");
    EXPECT_STREQ("(launch)", lesson_rate(&gpu, 4e9, 0.01, 4000000000));
    EXPECT_STREQ("(?)", lesson_rate(&gpu, 8e9, 1, 4000000000));
    EXPECT_STREQ("(no time)", lesson_rate(&gpu, 8e9, 0, 4000000000));
    EXPECT_STREQ("(short)", lesson_rate(&gpu, 12e3, 0.002, 12000));
    EXPECT_STREQ("(short)", lesson_share(&gpu, 12e3, 0.002, 12000));
    EXPECT_SAYS(std::string(lesson_rate_note(&gpu, 12e3, 0.002, 12000, 4)), "time of a launch");
    gpu.copy_gbps = 0;
    gpu.peak_gbps = 0;
    EXPECT_STREQ("-", lesson_share(&gpu, 4e9, 1, 4000000000));
    // The CPU device's memory has caches of its own; a launch is still no run.
    Lesson cpu = {};
    cpu.on_cpu_device = true;
    cpu.copy_gbps = 10;
    EXPECT_STREQ("20.0 GB/s", lesson_rate(&cpu, 2e7, 1, 1000));
    EXPECT_STREQ("(launch)", lesson_rate(&cpu, 2e9, 1, 1000));
}

TEST(LessonText, Times) {
    TimerStats stats = {};
    EXPECT_STREQ("not measured", text_time(&stats));
    stats.repeats = 10;
    stats.median_ms = 1.2345;
    EXPECT_STREQ("1.23 ms", text_time(&stats));
    stats.doubtful = true;
    EXPECT_STREQ("~1.2 ms", text_time(&stats));
}

TEST(LessonText, Matrix) {
    std::vector<float> x(100);
    for (int i = 0; i < 100; ++i) x[i] = static_cast<float>(i) - 0.5f;
    testing::internal::CaptureStdout();
    print_matrix(x.data(), 2, 2, "  ");
    EXPECT_EQ("  [[ -0.50000000   0.50000000]\n   [  1.50000000   2.50000000]]\n",
              testing::internal::GetCapturedStdout());
    testing::internal::CaptureStdout();
    print_matrix(x.data(), 10, 10, "");
    const std::string large = testing::internal::GetCapturedStdout();
    EXPECT_EQ(8, std::count(large.begin(), large.end(), '\n'));
    EXPECT_SAYS(large, "...");
}

class Preflight : public DeviceTest {};

TEST_F(Preflight, SilentWithADevice) {
    char text[1024] = "old";
    EXPECT_EQ(0u, device_preflight(text, sizeof text));
    EXPECT_STREQ("", text);
}

} // namespace
