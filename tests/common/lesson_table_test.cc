// SPDX-License-Identifier: Apache-2.0
// A lesson's table: what a row says, records, and holds back. Host memory, and the timer.
#include "common/lesson_table.h"
#include "common/recorded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/common/device_test.h"

// More memory than there is gets no report of the address sanitizer, but the null that is tested.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

#define EXPECT_SAYS(text, part) EXPECT_TRUE(contains((text), (part))) << (text)

// A lesson on a GPU whose memory copies 4,000 GB/s, with its table begun.
class Table : public testing::Test {
  protected:
    Lesson lesson = {};
    TimerStats time = {};
    const std::vector<float> want = {1, 2, 3, 4};
    std::string out;

    void SetUp() override {
        lesson.name = "99_test";
        lesson.copy_gbps = 4000;
        lesson.peak_gbps = 4900;
        lesson.l2_bytes = 50 << 20;
        lesson.table = "step";
        lesson.record = record_new("99_test");
        time.repeats = 10;
        time.median_ms = 1;
    }
    void TearDown() override { record_free(lesson.record); }

    bool row(double bytes, const std::vector<float> &got,
             const LaunchGeometry *geometry = nullptr) {
        const CompareResult compared =
            compare_float32(want.size(), got.data(), want.data(), 0, 1e-6f, false);
        testing::internal::CaptureStdout();
        const bool right = lesson_row(&lesson, "one", bytes, &time, &compared, geometry);
        out = testing::internal::GetCapturedStdout();
        return right;
    }
    std::string recorded() {
        char *text = record_print(lesson.record);
        const std::string copy = text;
        std::free(text);
        return copy;
    }
};

TEST_F(Table, ARowSaysBytesTimeRateShareAndError) {
    EXPECT_TRUE(row(3.2e9, want));
    EXPECT_EQ("   one                  0 (exact)       3.2 GB   1.00 ms  3,200 GB/s   80.0 %\n",
              out);
    EXPECT_TRUE(row(3.2e9, {1, 2, 3, 4.0000005f}));
    EXPECT_SAYS(out, " 1 ULP ");
    time.doubtful = true;
    row(3.2e9, want);
    EXPECT_SAYS(out, "~1 ms");
}

TEST_F(Table, RowsAreRecordedUnderTheTablesName) {
    row(3.2e9, want);
    row(3.2e9, {1, 2, 3, 5});
    const std::string text = recorded();
    for (const char *part :
         {"\"steps\"", "\"step\":\t\"one\"", "\"bytes_moved\":\t3200000000", "\"gbps\":\t3200",
          "\"max_ulp\":\t0", "\"wrong\":\t0", "\"wrong\":\t1", "\"median_ms\":\t1"}) {
        EXPECT_SAYS(text, part);
    }
}

TEST_F(Table, AWrongRowSaysWhichThread) {
    const LaunchGeometry blocks_of_two = {2, 1, 2, 1, 1, 0};
    EXPECT_FALSE(row(3.2e9, {1, 2, 3, 5}, &blocks_of_two));
    EXPECT_SAYS(out, " WRONG ");
    EXPECT_SAYS(out, "one: 1 of 4 elements wrong");
    EXPECT_SAYS(out, "element 3 (block 1, thread 1)");
    EXPECT_FALSE(row(3.2e9, {NAN, 2, 3, 4})) << "NaN is wrong";
    EXPECT_SAYS(out, " WRONG ");
}

TEST_F(Table, ARateThatCannotBeIsNeitherShownNorRecorded) {
    EXPECT_TRUE(row(8e9, want));
    EXPECT_FALSE(contains(out, "8,000 GB/s")) << out;
    EXPECT_SAYS(out, "(?)");
    EXPECT_SAYS(out, "\n      not a memory rate");
    EXPECT_SAYS(recorded(), "\"gbps\":\tnull");
}

TEST_F(Table, ALessonMayJudgeItself) {
    testing::internal::CaptureStdout();
    EXPECT_TRUE(lesson_row_judged(&lesson, "sum", 3.2e9, &time, true, "2e-8"));
    EXPECT_FALSE(lesson_row_judged(&lesson, "sum", 3.2e9, &time, false, "2e-8"));
    out = testing::internal::GetCapturedStdout();
    EXPECT_SAYS(out, " 2e-8 ");
    EXPECT_SAYS(out, " WRONG ");
    EXPECT_SAYS(recorded(), "\"right\":\ttrue");
    EXPECT_SAYS(recorded(), "\"right\":\tfalse");
}

// In their place stands what a GPU took, where that row is in the recorded run.
TEST_F(Table, TheCpuDevicesTimesAreRecordedAndNotShown) {
    lesson.on_cpu_device = true;
    EXPECT_TRUE(row(8e9, want));
    EXPECT_EQ("   one                  0 (exact)            -         -           -        -\n",
              out);
    EXPECT_SAYS(recorded(), "\"median_ms\":\t1");
    EXPECT_STREQ("-", lesson_timed(&lesson, "1 ms"));
    lesson.on_cpu_device = false;
    EXPECT_STREQ("1 ms", lesson_timed(&lesson, "1 ms"));
}

TEST_F(Table, TheCpuDeviceShowsTheRowThatAGpuTook) {
    lesson.on_cpu_device = true;
    lesson.name = "03_elementwise";
    lesson.table = "operation";
    const CompareResult compared =
        compare_float32(want.size(), want.data(), want.data(), 0, 0, false);
    testing::internal::CaptureStdout();
    lesson_row(&lesson, "x + y, wide", 12, &time, &compared, nullptr);
    lesson_recorded_note(&lesson);
    out = testing::internal::GetCapturedStdout();
    TimerStats on_gpu = {};
    ASSERT_TRUE(recorded_timer("03_elementwise", "/operations/4/time", &on_gpu));
    EXPECT_SAYS(out, std::string(text_time(&on_gpu)) + " ");
    EXPECT_SAYS(out, "2.8 GB");
    EXPECT_FALSE(contains(out, "1.00 ms")) << out;
    EXPECT_SAYS(out, "n = 230,551,211 there");
    lesson.on_cpu_device = false;
    testing::internal::CaptureStdout();
    lesson_recorded_note(&lesson);
    EXPECT_EQ("", testing::internal::GetCapturedStdout()) << "a GPU speaks for itself";
}

TEST(Recorded, SaysWhatRanOnWhat) {
    EXPECT_SAYS(std::string(recorded_source()), "NVIDIA ");
    EXPECT_SAYS(std::string(recorded_source()), ", driver ");
    EXPECT_SAYS(std::string(recorded_source()), ", commit ");
    EXPECT_EQ(std::string::npos, std::string(recorded_source()).find('?')) << recorded_source();
    EXPECT_FALSE(contains(recorded_device(), "NVIDIA")) << recorded_device();
}

TEST(Recorded, WhatIsNotThereIsNotANumber) {
    TimerStats stats = {};
    EXPECT_EQ(230551211, recorded_number("03_elementwise", "/n"));
    EXPECT_EQ(230551211u, recorded_count("03_elementwise", "/n"));
    EXPECT_EQ(0u, recorded_count("03_elementwise", "/nothing"));
    EXPECT_EQ(5u, recorded_rows("03_elementwise", "/operations"));
    EXPECT_STREQ("x + y, textbook", recorded_text("03_elementwise", "/operations/0/operation"));
    for (const char *path :
         {"/nothing", "/operations", "/operations/99/time", "/operations/0/operation/x"})
        EXPECT_TRUE(std::isnan(recorded_number("03_elementwise", path))) << path;
    EXPECT_TRUE(std::isnan(recorded_number("99_none", "/n")));
    EXPECT_EQ(0u, recorded_rows("03_elementwise", "/n"));
    EXPECT_EQ(nullptr, recorded_text("03_elementwise", "/n"));
    stats.median_ms = 7;
    EXPECT_FALSE(recorded_timer("03_elementwise", "/operations/0", &stats));
    EXPECT_EQ(0, stats.median_ms);
    EXPECT_TRUE(recorded_timer("03_elementwise", "/operations/0/time", &stats));
    EXPECT_GT(stats.median_ms, 0);
    EXPECT_GT(stats.repeats, 2u);
}

TEST_F(Table, HostMemoryIsThereOrTheProgramEnds) {
    for (size_t bytes : {0, 1, 1000003}) {
        void *memory = lesson_host_memory(&lesson, bytes);
        ASSERT_NE(nullptr, memory);
        std::memset(memory, 1, bytes);
        std::free(memory);
    }
    // compute-sanitizer ends a program that goes on after a death test has forked.
    if (std::getenv("LAB_SANITIZER") != nullptr)
        GTEST_SKIP() << "a death test under compute-sanitizer";
    EXPECT_EXIT(lesson_host_memory(&lesson, size_t{1} << 62), testing::ExitedWithCode(LESSON_WRONG),
                "99_test: no host memory for an array of 4.6 EB");
}

class TableOnADevice : public DeviceTest {};

TEST_F(TableOnADevice, BeginsWithTheRateOfACopy) {
    Lesson lesson = {};
#ifdef LAB_CPU_DEVICE
    lesson.on_cpu_device = true;
#endif
    testing::internal::CaptureStdout();
    lesson_table(&lesson, "3. Five steps", "step", 4096);
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_GT(lesson.copy_gbps, 0);
    EXPECT_STREQ("step", lesson.table);
    EXPECT_EQ(0u, out.find("3. Five steps")) << out;
    EXPECT_SAYS(out, "\n   step  ");
#ifndef LAB_CPU_DEVICE
    EXPECT_SAYS(out, "3. Five steps: ");
#else
    EXPECT_SAYS(out, "H200, recorded");
#endif
    EXPECT_SAYS(out, " rate  of copy\n");
}

} // namespace
