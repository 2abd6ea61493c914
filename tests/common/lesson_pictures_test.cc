// SPDX-License-Identifier: Apache-2.0
// What lessons draw, from data of all sizes; curves, whose titles cannot break a script; names.
// script.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "common/lesson_pictures.h"
#include "common/output_file.h"
#include "common/svg_plot.h"
#include "gtest/gtest.h"

namespace {

bool has_gnuplot() { return system("command -v gnuplot >/dev/null") == 0; }

std::string taken(Picture picture) {
    EXPECT_NE(picture.svg, nullptr) << picture.why;
    std::string svg = picture.svg != nullptr ? picture.svg : "";
    free(picture.svg);
    return svg;
}

size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        found++;
    return found;
}

std::string owners(size_t n, size_t block, size_t without_guard) {
    const OwnersPicture data = {n, block, 0, without_guard};
    return taken(picture_owners(&data));
}

std::string variant(const char *path) {
    char name[64] = "";
    return output_file_variant(path, "queue", name, sizeof name) ? name : "too long";
}

} // namespace

TEST(OwnersPicture, HasACellForEachWarpAndGreyOnesForThreadsWithoutAnElement) {
    std::string svg = owners(1000, 256, 24);
    EXPECT_EQ(count(svg, "class=\"thread\""), 32u); // 4 blocks of 8 warps, the last one in part
    EXPECT_EQ(count(svg, "class=\"idle\""), 1u);
    EXPECT_EQ(count(svg, "class=\"memory\""), 4u);
    EXPECT_NE(svg.find("768 to 999"), std::string::npos) << svg;
    EXPECT_NE(svg.find("24 threads of block 3 without an element"), std::string::npos) << svg;
}

TEST(OwnersPicture, SizesAroundBlocks) {
    EXPECT_NE(owners(1, 256, 255).find("255 threads of block 0"), std::string::npos);
    EXPECT_NE(owners(257, 256, 255).find("255 threads of block 1"), std::string::npos);
    EXPECT_EQ(count(owners(257, 256, 255), "class=\"idle\""), 8u);
    EXPECT_NE(owners(256, 256, 0).find("Each thread has an element"), std::string::npos);
    EXPECT_EQ(count(owners(256, 256, 0), "class=\"idle\""), 0u);
    EXPECT_EQ(count(owners(1000, 250, 0), "class=\"thread\""),
              32u); // warps of 32, the last of 26
    std::string large = owners(230551211, 256, 85);
    EXPECT_EQ(count(large, "class=\"memory\""), 4u); // the first two blocks and the last two
    EXPECT_NE(large.find("block 900,590"), std::string::npos) << large;
}

TEST(FusionPicture, CountsBytesAndShowsTimesWhereThereAreSome) {
    FusionPicture data = {1000000, "1.06 ms", "0.432 ms", "a <GPU>"};
    std::string svg = taken(picture_fusion(&data));
    for (const char *part : {"20 bytes an element, 20.0 MB", "8 bytes an element, 8.0 MB",
                             "1.06 ms", "0.432 ms", "times: a &lt;GPU&gt;"}) {
        EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
    }
    EXPECT_EQ(count(svg, ">4 bytes<"), 7u); // 5 floats, then 2
    data.fused = nullptr;
    svg = taken(picture_fusion(&data));
    EXPECT_EQ(svg.find("1.06"), std::string::npos) << "one time alone compares nothing";
    EXPECT_EQ(svg.find("times:"), std::string::npos);
}

TEST(ClockPicture, ShowsEachCallAndMarksWhatIsMissing) {
    const ClockRow rows[2] = {{"first call", 231, 0.4, 0.5, 0.007, 0.43},
                              {"second call", NAN, 0.2, NAN, 0.005, INFINITY}};
    ClockPicture data = {"an H200", 1000, 2, rows};
    std::string svg = taken(picture_clock(&data));
    for (const char *part : {"first call", "second call", ">231 ms<", ">7.0 us<", "an H200"}) {
        EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
    }
    EXPECT_EQ(count(svg, ">-<"), 2u + 1u) << "NaN and infinity are no times\n" << svg;
    data.device = nullptr;
    svg = taken(picture_clock(&data));
    EXPECT_EQ(svg.find(" ms<"), std::string::npos) << svg;
    EXPECT_NE(svg.find("only a GPU can show the times"), std::string::npos) << svg;
}

TEST(QueuePoints, AreMediansOfNeighbours) {
    QueuePoint points[QUEUE_POINTS];
    std::vector<double> ms(3000, 0.004);
    for (size_t i = 1500; i < 3000; i++) ms[i] = 0.046;
    ms[7] = 100; // an outlier
    ASSERT_EQ(queue_points(ms.data(), 3000, points), 60u);
    EXPECT_DOUBLE_EQ(points[0].launch, 25.5);
    EXPECT_DOUBLE_EQ(points[59].launch, 2975.5);
    EXPECT_DOUBLE_EQ(points[0].ms, 0.004);
    EXPECT_DOUBLE_EQ(points[29].ms, 0.004);
    EXPECT_DOUBLE_EQ(points[30].ms, 0.046);
    const double few[3] = {3, 1, 2};
    ASSERT_EQ(queue_points(few, 3, points), 3u);
    EXPECT_DOUBLE_EQ(points[0].ms, 3);
    EXPECT_DOUBLE_EQ(points[0].launch, 1);
    EXPECT_EQ(queue_points(few, 0, points), 0u);
}

TEST(ImagePicture, GreyIsWhatHasNoPixel) {
    const ImagePicture image = {37, 100, 16, 16};
    std::string svg = taken(picture_image(&image));
    EXPECT_EQ(count(svg, "class=\"idle\""), 21u);
    EXPECT_EQ(count(svg, "class=\"thread\""), 21u);
    EXPECT_NE(svg.find("1,676 threads that the guard ends"), std::string::npos) << svg;
    const ImagePicture one = {1, 1, 1, 1};
    EXPECT_NE(taken(picture_image(&one)).find("0 threads that the guard ends"), std::string::npos);
}

TEST(SectorsPicture, HasAStripForEachPattern) {
    SectorsPicture sectors = {};
    sectors.count = 2;
    sectors.strips[0] = {"side by side", 0, 4, 4, 4};
    sectors.strips[1] = {"far apart", 0, 4096, 4, 32}; // all but one lane outside of what is shown
    std::string svg = taken(picture_sectors(&sectors));
    EXPECT_EQ(count(svg, "class=\"used\""), 33u);
    EXPECT_NE(svg.find("far apart"), std::string::npos);
}

TEST(BanksPicture, MarksAColumnOfBothTiles) {
    std::string svg = taken(picture_banks(5));
    EXPECT_EQ(count(svg, "class=\"thread\""), 32u);
    EXPECT_GE(count(svg, ">5</text>"), 16u) << "one bank for the whole column";
    EXPECT_NE(svg.find(">20</text>"), std::string::npos);
}

TEST(SvgPlot, TitlesCannotBreakTheScriptNorTheSvg) {
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    const double x[] = {1, 10, 100}, y[] = {1, NAN, 3};
    const PlotText text = {"a \"title\" \\ `touch /tmp/never` < & >\n",
                           "it's x_axis",
                           "y^axis",
                           false,
                           10,
                           "here's <a> `mark`"};
    const PlotCurve curve = {"\"; system(\"touch /tmp/never\"); \"", 3, x, y};
    std::string svg = taken(svg_plot_draw(&text, 1, &curve));
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("&lt; &amp; &gt;"), std::string::npos);
    EXPECT_NE(svg.find("here's &lt;a"), std::string::npos);
    EXPECT_NE(svg.find(">1 ms<"), std::string::npos) << "y is a time: its ticks have units";
    EXPECT_NE(svg.find("[stroke=black] { stroke: #ddd; }"), std::string::npos);
    EXPECT_NE(access("/tmp/never", F_OK), 0);
}

TEST(SvgPlot, NamesBlackAndWhiteAsTheStyleExpects) {
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    const double x[] = {1, 2}, y[] = {1, 2};
    const PlotText text = {"title", "x", "y", true, 0, ""};
    const PlotCurve curve = {"curve", 2, x, y};
    std::string svg = taken(svg_plot_draw(&text, 1, &curve));
    EXPECT_GT(count(svg, "stroke='black'"), 0u) << "axes are light on a dark page by this name";
    EXPECT_EQ(count(svg, "width=\"800\" height=\"560\" fill=\"none\""), 1u)
        << "a background of gnuplot's own would be as light on a dark page";
}

TEST(SvgPlot, WithoutGnuplotItIsLeftOut) {
    const std::string path = getenv("PATH") != nullptr ? getenv("PATH") : "";
    setenv("PATH", "/nowhere", 1);
    const double x[] = {1}, y[] = {1};
    const PlotText text = {"title", "x", "y", false, 0, ""};
    const PlotCurve curve = {"curve", 1, x, y};
    Picture picture = svg_plot_draw(&text, 1, &curve);
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(picture.svg, nullptr);
    EXPECT_TRUE(picture.left_out);
    EXPECT_NE(std::string(picture.why).find("gnuplot is not installed"), std::string::npos);
}

TEST(OutputFileVariant, PutsTheTopicBeforeTheEnding) {
    EXPECT_EQ(variant("out.svg"), "out_queue.svg");
    EXPECT_EQ(variant("a.b/out"), "a.b/out_queue.svg");
    EXPECT_EQ(variant("out.png"), "out.png_queue.svg");
    EXPECT_EQ(variant("folder/.svg"), "folder/.svg_queue.svg");
    EXPECT_EQ(variant(".svg"), ".svg_queue.svg");
    EXPECT_EQ(variant("/dev/stdout"), "/dev/stdout");
    EXPECT_EQ(variant(std::string(60, 'x').c_str()), "too long");
    EXPECT_EQ(variant(std::string(53, 'x').c_str()), std::string(53, 'x') + "_queue.svg");
}
