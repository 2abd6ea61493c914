// SPDX-License-Identifier: Apache-2.0
// How much faster: when a ratio may be shown, with how many digits, and the warning.
#include "common/speed_up.h"

#include <gtest/gtest.h>

#include <string>

namespace {

class SpeedUp : public testing::Test {
  protected:
    Lesson lesson_ = {};
    TimerStats slow_ = {}, fast_ = {};
    void SetUp() override {
        lesson_.optimised = true;
        slow_.median_ms = 123;
        fast_.median_ms = 10;
    }
    std::string text() { return speed_up_text(&lesson_, &slow_, &fast_); }
};

TEST_F(SpeedUp, IsGivenForGoodTimesOnAGpu) { EXPECT_EQ(text(), "12.3 x"); }

TEST_F(SpeedUp, TwoFitIntoOneLine) {
    const char *first = speed_up_text(&lesson_, &slow_, &fast_);
    slow_.median_ms = 55;
    const char *second = speed_up_text(&lesson_, &slow_, &fast_);
    EXPECT_STREQ(first, "12.3 x");
    EXPECT_STREQ(second, "5.5 x");
}

TEST_F(SpeedUp, HasTwoDigitsWhereATimeIsDoubtful) {
    slow_.doubtful = true;
    EXPECT_EQ(text(), "about 12 x");
    slow_.doubtful = false;
    fast_.doubtful = true;
    slow_.median_ms = 4700;
    EXPECT_EQ(text(), "about 470 x");
    slow_.median_ms = 33;
    EXPECT_EQ(text(), "about 3.3 x");
    slow_.median_ms = 3.3;
    EXPECT_EQ(text(), "about 0.33 x");
}

TEST_F(SpeedUp, IsNotGivenOnTheCpuDevice) {
    lesson_.on_cpu_device = true;
    EXPECT_EQ(text(), "-");
}

TEST_F(SpeedUp, IsNotGivenForADebugBuild) {
    lesson_.optimised = false;
    EXPECT_EQ(text(), "-");
}

TEST_F(SpeedUp, IsNotGivenForATimeOfZero) {
    fast_.median_ms = 0;
    EXPECT_EQ(text(), "-");
}

TEST(DoubtsTest, CountsAndNamesTheWorst) {
    Doubts doubts = {};
    TimerStats good = {}, spread = {}, moved = {};
    good.median_ms = spread.median_ms = moved.median_ms = 1;
    spread.spread = 0.3;
    spread.doubtful = true;
    moved.spread = 0.01;
    moved.doubtful = true;
    moved.clock_before_mhz = 345;
    moved.clock_after_mhz = 1980;
    doubts_note(&doubts, "a", &good);
    EXPECT_EQ(doubts.doubtful, 0u);
    doubts_note(&doubts, "b", &moved);
    EXPECT_NE(std::string(doubts.worst).find("345 to 1980 MHz"), std::string::npos);
    doubts_note(&doubts, "c", &spread);
    EXPECT_EQ(doubts.figures, 3u);
    EXPECT_EQ(doubts.first_clock_mhz, 345);
    EXPECT_EQ(doubts.last_clock_mhz, 1980);
    EXPECT_EQ(doubts.doubtful, 2u);
    EXPECT_STREQ(doubts.worst, "c: spread 30 %");
    Lesson lesson = {};
    testing::internal::CaptureStdout();
    doubts_print(&doubts, &lesson);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_NE(text.find("Warning: 2 of 3"), std::string::npos) << text;
    lesson.on_cpu_device = true; // whose times are not shown
    testing::internal::CaptureStdout();
    doubts_print(&doubts, &lesson);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(DoubtsTest, SaysNothingWithoutDoubt) {
    Doubts doubts = {};
    Lesson lesson = {};
    testing::internal::CaptureStdout();
    doubts_print(&doubts, &lesson);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

} // namespace
