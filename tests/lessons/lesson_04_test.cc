// SPDX-License-Identifier: Apache-2.0
// Lesson 04 as a program, and the rules by which its figures are shown.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/stat.h>

#include "gtest/gtest.h"
#include "lessons/parts/04_crossover.h"
#include "lessons/parts/04_launch_queue.h"
#include "common/svg_plot.h"
#include "lessons/parts/04_timing_ways.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--rows", "100", "--cols", "203", "--repeat", "3", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

bool has_gnuplot() {
    return run_program("sh", {"-c", "command -v gnuplot"}).status == 0;
}

// A folder with a program called gnuplot that runs `script`.
std::string folder_with_gnuplot(const std::string &script) {
    std::string folder = fresh_folder(), path = folder + "/gnuplot";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
    return folder;
}

} // namespace

TEST(Timing, ShowsAllItsParts) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("04_timing", small());
    expect_success("04_timing", run);
    for (const char *text : {"start the driver",
                             "create the context",
                             "allocate the result",
                             "load the kernel",
                             "first call",
                             "second",
                             "steady state",
                             "clock, not waiting",
                             "clock and wait",
                             "events",
                             "launch time, not run time",
                             "CPU, 1 thread",
                             "kernel only",
                             "+ transfers",
                             "spread",
                             "of copy",
                             "The launch queue",
                             "by events",
                             "launch and wait",
                             "SM clock"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
}

TEST(Timing, TheCpuDeviceClaimsNothing) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("04_timing", small());
    expect_success("04_timing", run);
    EXPECT_NE(run.out.find("say nothing about a GPU"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("No speed-up is given"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find(" x\n"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("beats"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("faster than"), std::string::npos) << run.out;
}

TEST(Timing, JsonHoldsTheFirstCallApartFromTheSteadyState) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/timing.json";
    LessonRun run = run_lesson("04_timing", small({"--json", path}));
    expect_success("04_timing", run);
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    for (const char *key : {"driver_ms", "context_ms", "allocate_ms", "load_and_run_ms"}) {
        EXPECT_TRUE(cJSON_IsNumber(json.at({"first_call", key}))) << key;
    }
    EXPECT_TRUE(cJSON_IsObject(json.at({"steady_state"})));
    EXPECT_EQ(cJSON_GetArraySize(json.at({"comparison"})), 8);
    EXPECT_GE(cJSON_GetArraySize(json.at({"crossover"})), 2);
    EXPECT_TRUE(cJSON_IsNumber(json.at({"doubtful_figures"})));
    EXPECT_LT(json.at({"trap_launch_ms"})->valuedouble, json.at({"trap_run_ms"})->valuedouble);
}

TEST(Timing, TinySizesStillWork) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("04_timing", {"--rows", "1", "--cols", "1", "--repeat", "2"});
    expect_success("04_timing", run);
}

TEST(Timing, DefaultSizesAreQuickOnTheCpuDevice) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("04_timing", {});
    expect_success("04_timing", run);
    EXPECT_LT(run.seconds, 25.0); // about 2 s; room for a busy machine
}

TEST(Timing, AWrongKernelIsFoundAfterItWasTimed) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/04_timing_wrong", small(),
                                {{"WRONG", "last_block"}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.all().find("x + x on the device"), std::string::npos) << run.all();
}

TEST(TimingPlot, DrawsTheCurve) {
    NEEDS_DEVICE();
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    std::string folder = fresh_folder(), path = folder + "/curve.svg";
    LessonRun run = run_lesson("04_timing", small({"--plot", path}));
    expect_success("04_timing", run);
    EXPECT_EQ(folder_entries(folder), std::vector<std::string>{"curve.svg"});
    std::string svg = read_file(path);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("CPU, 1 thread"), std::string::npos);
}

TEST(TimingPlot, OnePointIsACurveToo) {
    NEEDS_DEVICE();
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    std::string path = fresh_folder() + "/point.svg";
    LessonRun run = run_lesson("04_timing", {"--rows", "1", "--cols", "7", "--plot", path});
    expect_success("04_timing", run);
    EXPECT_NE(read_file(path).find("</svg>"), std::string::npos);
}

TEST(TimingPlot, WithoutGnuplotItSaysSoBeforeTheWork) {
    std::string folder = fresh_folder(), path = folder + "/curve.svg";
    LessonRun run = run_lesson("04_timing", small({"--plot", path}), {{"PATH", "/nowhere"}});
    expect_one_line_error(run, 2,
                          {"--plot", path, "gnuplot", "not installed", "apt-get install"});
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(folder_entries(folder).empty());
}

TEST(TimingPlot, AFileThatCannotBeWrittenIsFoundBeforeTheWork) {
    std::string path = fresh_folder() + "/no/such/curve.svg";
    LessonRun run = run_lesson("04_timing", small({"--plot", path}));
    expect_one_line_error(run, 2, {path});
    EXPECT_EQ(run.out, "");
}

TEST(TimingPlot, AFailingGnuplotLeavesNoFile) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder(), path = folder + "/curve.svg";
    std::string bin = folder_with_gnuplot("cat >/dev/null; echo '<svg'; exit 3");
    LessonRun run = run_lesson("04_timing", small({"--plot", path}),
                               {{"PATH", bin + ":/usr/bin:/bin"}});
    expect_well_behaved(run);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.err.find("gnuplot failed with status 3"), std::string::npos) << run.err;
    EXPECT_TRUE(folder_entries(folder).empty());
}

TEST(SvgPlot, TitlesCannotBreakTheScript) {
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    std::string folder = fresh_folder(), path = folder + "/odd.svg";
    const double x[] = {1, 10, 100}, y[] = {1, 2, 3};
    PlotText text = {"a \"title\" \\ `touch /tmp/never`\n", "it's x_axis", "y^axis"};
    PlotCurve curve = {"\"; system(\"touch /tmp/never\"); \"", 3, x, y};
    char why[256] = "";
    EXPECT_TRUE(svg_plot_write(path.c_str(), &text, 1, &curve, why, sizeof why)) << why;
    EXPECT_NE(read_file(path).find("</svg>"), std::string::npos);
    EXPECT_FALSE(file_exists("/tmp/never"));
}

TEST(Crossover, IsTheFirstPointAfterWhichAllAreFaster) {
    const double slow[] = {1, 2, 4, 8, 16};
    const double never[] = {2, 3, 5, 9, 17}, always[] = {0.5, 1, 2, 3, 4};
    const double late[] = {5, 5, 5, 5, 5}, lucky[] = {5, 1, 5, 9, 5};
    const double equal[] = {1, 2, 4, 8, 16};
    EXPECT_EQ(crossover_index(slow, never, 5), 5u);
    EXPECT_EQ(crossover_index(slow, always, 5), 0u);
    EXPECT_EQ(crossover_index(slow, late, 5), 3u);
    EXPECT_EQ(crossover_index(slow, lucky, 5), 4u); // the win at 1 did not last
    EXPECT_EQ(crossover_index(slow, equal, 5), 5u);
    EXPECT_EQ(crossover_index(slow, always, 0), 0u);
}

// Launches of 4 us, and from launch `full` on waits for a kernel.
size_t full_at(size_t launches, size_t full, double kernel_us) {
    std::vector<double> ms(launches, 0.004);
    for (size_t i = full; i < launches; i++) ms[i] = kernel_us / 1000;
    return queue_full_at(ms.data(), launches, kernel_us / 1000);
}

TEST(LaunchQueue, IsFullWhereLaunchesBecomeWaits) {
    EXPECT_EQ(1133u, full_at(3000, 1133, 46));
    EXPECT_EQ(3000u, full_at(3000, 3000, 46));
}

TEST(LaunchQueue, IsNotCalledFullForKernelsAsShortAsALaunch) {
    EXPECT_EQ(3000u, full_at(3000, 0, 6));
    EXPECT_EQ(3000u, full_at(3000, 100, 15));
}

TEST(LaunchQueue, AFewSlowLaunchesAreNoWaits) {
    std::vector<double> ms(3000, 0.004);
    for (size_t i : {700, 701, 702, 1500}) ms[i] = 0.2;
    EXPECT_EQ(3000u, queue_full_at(ms.data(), ms.size(), 0.046));
    EXPECT_EQ(3u, queue_full_at(ms.data(), 3, 0.046));
}
