// SPDX-License-Identifier: Apache-2.0
// Diagrams are SVG that a parser accepts, whatever text stands in them.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include <unistd.h>

#include "common/svg_diagram.h"
#include "gtest/gtest.h"

namespace {

// The picture's text; frees it.
std::string taken(Picture picture) {
    std::string svg = picture.svg != nullptr ? picture.svg : "";
    free(picture.svg);
    return svg;
}

// What Python's XML parser (expat) says: 0 if it is well-formed.
int parse(const std::string &svg) {
    std::string path = testing::TempDir() + "/parsed." + std::to_string(getpid()) + ".svg";
    std::ofstream(path) << svg;
    int status = system(("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " +
                         path + " 2>/dev/null")
                            .c_str());
    unlink(path.c_str());
    return status;
}

SvgDiagram begun(const char *title = "title") {
    SvgDiagram d;
    svg_diagram_begin(&d, 100, 50, title);
    return d;
}

std::string with_text(const char *text) {
    SvgDiagram d = begun(text);
    svg_text(&d, 10, 10, text, "small", SVG_MIDDLE);
    return taken(svg_diagram_end(&d));
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST(SvgDiagram, TheParserOfTheseTestsCanSayNo) {
    EXPECT_NE(0, parse("<svg><text>a < b</text></svg>"));
    EXPECT_NE(0, parse("<svg>"));
    EXPECT_EQ(0, parse("<svg/>"));
}

TEST(SvgDiagram, EachShapeIsThereAndWellFormed) {
    SvgDiagram d = begun();
    svg_box(&d, 1, 2, 30, 40.5, "memory");
    svg_line(&d, 0, 0, 100, 50, "dashed");
    svg_arrow(&d, 5, 6, 7, 8);
    svg_text(&d, 10, 20, "words", "code small", SVG_END);
    std::string svg = taken(svg_diagram_end(&d));
    EXPECT_EQ(0, parse(svg)) << svg;
    for (const char *part :
         {"viewBox=\"0 0 100 50\"", "<title>title</title>",
          "<rect class=\"memory\" x=\"1\" y=\"2\" width=\"30\" height=\"40.5\"/>",
          "<line class=\"dashed\" x1=\"0\" y1=\"0\" x2=\"100\" y2=\"50\"/>",
          "<line class=\"arrow\" x1=\"5\" y1=\"6\" x2=\"7\" y2=\"8\"/>",
          "<text class=\"code small\" x=\"10\" y=\"20\" text-anchor=\"end\">words</text>"}) {
        EXPECT_TRUE(contains(svg, part)) << part << "\n" << svg;
    }
}

TEST(SvgDiagram, IsReadableOnLightAndOnDarkPages) {
    std::string svg = with_text("x");
    EXPECT_TRUE(contains(svg, "@media (prefers-color-scheme: dark)")) << svg;
    EXPECT_TRUE(contains(svg, "class=\"page\"")) << svg;
}

TEST(SvgDiagram, TextIsEscaped) {
    std::string svg = with_text("if (i < n && p > q) \"</text><script>\"");
    EXPECT_EQ(0, parse(svg)) << svg;
    EXPECT_FALSE(contains(svg, "<script")) << svg;
    EXPECT_TRUE(contains(svg, "if (i &lt; n &amp;&amp; p &gt; q) &quot;&lt;/text&gt;")) << svg;
}

TEST(SvgDiagram, TextThatIsNoUtf8IsReplaced) {
    for (const char *text :
         {"\xff", "\xc0\xaf", "a\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbf",
          "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf5\x80\x80\x80"}) {
        std::string svg = with_text(text);
        EXPECT_EQ(0, parse(svg)) << svg;
        EXPECT_TRUE(contains(svg, "?")) << svg;
    }
    std::string svg = with_text("2 \xc3\x97 3 \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(0, parse(svg)) << svg;
    EXPECT_TRUE(contains(svg, ">2 \xc3\x97 3 \xe2\x82\xac \xf0\x9f\x98\x80<")) << svg;
}

TEST(SvgDiagram, ControlCharactersBecomeBlanks) {
    std::string svg = with_text(
        "a\x01"
        "b\nc\x7f"
        "d\x1b[31m");
    EXPECT_EQ(0, parse(svg)) << svg;
    EXPECT_TRUE(contains(svg, "a b c d [31m")) << svg;
}

TEST(SvgDiagram, WhatIsNoNumberOrOutsideMakesNoPicture) {
    const double bad[] = {NAN, INFINITY, -INFINITY, -1, 101};
    for (double x : bad) {
        for (int shape = 0; shape < 4; shape++) {
            SvgDiagram d = begun();
            if (shape == 0) svg_text(&d, x, 10, "x", "", SVG_START);
            if (shape == 1) svg_line(&d, 1, 1, x, 10, "line");
            if (shape == 2) svg_box(&d, 1, 1, x, 10, "box");
            if (shape == 3) svg_arrow(&d, x, 1, 1, 10);
            Picture picture = svg_diagram_end(&d);
            EXPECT_EQ(nullptr, picture.svg) << x << " in shape " << shape;
            EXPECT_FALSE(picture.left_out);
            EXPECT_TRUE(contains(picture.why, "outside")) << picture.why;
            free(picture.svg);
        }
    }
}
