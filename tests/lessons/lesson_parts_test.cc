// SPDX-License-Identifier: Apache-2.0
// Small parts that lessons share: the default size that fits, and broken lines.
#include <sstream>
#include <string>

#include "common/paragraph.h"
#include "gtest/gtest.h"
#include "common/default_size.h"

namespace {

Lesson lesson_with(size_t rows, size_t cols, size_t free_bytes) {
    Lesson lesson = {};
    lesson.options.rows = rows;
    lesson.options.cols = cols;
    lesson.options.n = rows * cols;
    lesson.free_bytes = free_bytes;
    return lesson;
}

std::string paragraph(int indent, const std::string &text) {
    testing::internal::CaptureStdout();
    print_paragraph(indent, text.c_str());
    return testing::internal::GetCapturedStdout();
}

} // namespace

TEST(DefaultSize, StaysWhereItFits) {
    Lesson lesson = lesson_with(12000, 1920, size_t{1} << 40);
    testing::internal::CaptureStdout();
    default_size_to_fit(&lesson, 16, 1);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(lesson.options.cols, 1920u);
}

TEST(DefaultSize, IsATenthWhereItDoesNot) {
    // 12000 * 19200 * 16 bytes are 3.7 GB; a GPU with 2 GB free takes 1920 columns.
    Lesson lesson = lesson_with(12000, 19200, 2000000000);
    testing::internal::CaptureStdout();
    default_size_to_fit(&lesson, 16, 1);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(lesson.options.cols, 1920u);
    EXPECT_EQ(lesson.options.n, size_t{12000} * 1920);
    EXPECT_NE(text.find("12,000 x 19,200"), std::string::npos) << text;
    EXPECT_NE(text.find("1,920 columns"), std::string::npos) << text;
}

TEST(DefaultSize, IsCutForTheHostToo) {
    Lesson lesson = lesson_with(12000, 1920, size_t{1} << 60);
    testing::internal::CaptureStdout();
    default_size_to_fit(&lesson, 1, size_t{1} << 24); // 16 MiB an element: no host has that
    testing::internal::GetCapturedStdout();
    EXPECT_LT(lesson.options.cols, 1920u);
    EXPECT_GT(lesson.options.cols, 0u);
}

TEST(DefaultSize, WhatTheStudentGaveIsNotChanged) {
    Lesson lesson = lesson_with(12000, 19200, 1000);
    lesson.options.sizes_given = true;
    default_size_to_fit(&lesson, 16, 16);
    EXPECT_EQ(lesson.options.cols, 19200u);
}

TEST(Paragraph, BreaksAtBlanksWithinTheWidth) {
    std::string words;
    for (int i = 0; i < 60; i++) words += "word" + std::to_string(i) + " ";
    std::istringstream lines(paragraph(5, words));
    std::string all;
    int count = 0;
    for (std::string line; std::getline(lines, line); count++) {
        EXPECT_LE(line.size(), 96u);
        EXPECT_EQ(line.substr(0, 5), "     ");
        EXPECT_NE(line[5], ' ');
        EXPECT_NE(line.back(), ' ');
        all += line.substr(5) + " ";
    }
    EXPECT_GT(count, 3);
    EXPECT_EQ(all, words);
}

std::string lines(size_t column, int indent, const char *text) {
    testing::internal::CaptureStdout();
    print_lines(column, indent, text);
    return testing::internal::GetCapturedStdout();
}

TEST(Paragraph, LinesGoOnWhereAColumnIsAndKeepTheirIndent) {
    EXPECT_EQ(lines(5, 3, "one"), "one\n");
    EXPECT_EQ(lines(5, 3, " one"), " one\n");
    EXPECT_EQ(lines(5, 3, "one\n  two  three\nfour"), "one\n     two  three\n   four\n");
    EXPECT_EQ(lines(96, 3, " one two"), "\n   one two\n");
    const std::string a(50, 'a'), b(50, 'b');
    EXPECT_EQ(lines(5, 3, ("x\n  " + a + " " + b).c_str()), "x\n     " + a + "\n     " + b + "\n");
}

TEST(Paragraph, EmptyPrintsNothingAndALongWordIsKept) {
    EXPECT_EQ(paragraph(3, ""), "");
    EXPECT_EQ(paragraph(3, "   "), "");
    EXPECT_EQ(paragraph(3, "one"), "   one\n");
    std::string word(200, 'x');
    EXPECT_EQ(paragraph(2, "a " + word + " b"), "  a\n  " + word + "\n  b\n");
}
