// SPDX-License-Identifier: Apache-2.0
// Small parts that lessons share: broken lines.
#include <sstream>
#include <string>

#include "common/paragraph.h"
#include "gtest/gtest.h"

namespace {

std::string paragraph(int indent, const std::string &text) {
    testing::internal::CaptureStdout();
    print_paragraph(indent, text.c_str());
    return testing::internal::GetCapturedStdout();
}

} // namespace

TEST(Paragraph, BreaksAtBlanksWithinTheWidth) {
    std::string words;
    for (int i = 0; i < 60; i++) words += "word" + std::to_string(i) + " ";
    std::istringstream lines(paragraph(5, words));
    std::string all;
    int count = 0;
    for (std::string line; std::getline(lines, line); count++) {
        EXPECT_LE(line.size(), 80u);
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
    EXPECT_EQ(lines(80, 3, " one two"), "\n   one two\n");
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
