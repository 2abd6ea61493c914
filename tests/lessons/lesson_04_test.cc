// SPDX-License-Identifier: Apache-2.0
// Lesson 04 as a program, and the rules by which its figures are shown.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "common/fresh_process.h"
#include "common/recorded.h"
#include "lessons/parts/04_first_call.h"
#include "lessons/parts/04_timing_ways.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--rows", "100", "--cols", "203", "--repeat", "3", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

bool has_gnuplot() { return run_program("sh", {"-c", "command -v gnuplot"}).status == 0; }

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
    for (const char *text :
         {"1. Where the first call's time goes", "2. The article's riddle", "3. The trap",
          "not waiting", "by events", "launch time, not run time", "4. CPU and GPU",
          "CPU, 1 thread", "kernel only", "+ transfers", "spread", "of copy", "5. The launch queue",
          "6. From which n on", "launch, wait", "with transfers"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
}

// No time of its own but the CPU's: each table is a GPU's, and says so.
TEST(Timing, TheCpuDeviceShowsWhatAGpuTook) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("04_timing", small());
    expect_success("04_timing", run);
    EXPECT_NE(run.out.find("say nothing about a GPU"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(recorded_source()), std::string::npos) << run.out;
    EXPECT_EQ(count_of(run.out, std::string(" (") + recorded_device() + ", recorded)"), 6u)
        << run.out;
    EXPECT_EQ(count_of(run.out, "20,300 "), 0u) << "a size of this run in\n" << run.out;
    EXPECT_EQ(count_of(run.out, "n = 20,300:"), 1u) << "the CPU's own time\n" << run.out;
    EXPECT_EQ(run.out.find("unknown"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("nan"), std::string::npos) << run.out;
    TimerStats steady = {};
    ASSERT_TRUE(recorded_timer("04_timing", "/steady_state", &steady));
    EXPECT_NE(run.out.find(text_time_in(&steady, 1)), std::string::npos) << run.out;
}

TEST(Timing, AllShowsTheOtherOperationAndSize) {
    NEEDS_DEVICE();
    LessonRun some = run_lesson("04_timing", {"--rows", "100", "--cols", "2000", "--repeat", "3"});
    LessonRun all =
        run_lesson("04_timing", {"--rows", "100", "--cols", "2000", "--repeat", "3", "--all"});
    expect_success("04_timing", some);
    expect_success("04_timing", all);
    EXPECT_EQ(count_of(some.out, "     CPU, 1 thread"), 1u) << some.out;
    EXPECT_EQ(count_of(all.out, "     CPU, 1 thread"), 4u) << all.out;
    EXPECT_EQ(count_of(all.out, "   x * x, "), 2u) << all.out;
}

TEST(Timing, AGpuShowsStepsAndProcesses) {
    NEEDS_DEVICE();
    if (kCpuDevice) GTEST_SKIP() << "this build runs on the CPU device";
    LessonRun run = run_lesson("04_timing", small());
    expect_success("04_timing", run);
    for (const char *text :
         {"start the driver", "create the context", "allocate the result", "load the kernel",
          "first call", "second", "steady", "1st process", "SM clock"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
}

TEST(Timing, JsonHoldsTheFirstCallApartFromTheSteadyState) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/timing.json";
    LessonRun run = run_lesson("04_timing", small({"--json", path}));
    expect_success("04_timing", run);
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    for (const char *key :
         {"driver_ms", "context_ms", "allocate_ms", "load_ms", "launch_ms", "wait_ms"}) {
        EXPECT_TRUE(cJSON_IsNumber(json.at({"first_call", key}))) << key;
    }
    EXPECT_TRUE(cJSON_IsObject(json.at({"steady_state"})));
    EXPECT_EQ(cJSON_GetArraySize(json.at({"comparison"})), 8);
    EXPECT_GE(cJSON_GetArraySize(json.at({"crossover"})), 2);
    EXPECT_TRUE(cJSON_IsNumber(json.at({"doubtful_figures"})));
    EXPECT_EQ(cJSON_GetArraySize(json.at({"trap"})), 2);
    EXPECT_EQ(cJSON_GetArraySize(json.at({"queue"})), 6);
    const cJSON *trap = cJSON_GetArrayItem(json.at({"trap"}), 1);
    const auto median_of = [trap](const char *clock) {
        const cJSON *time = cJSON_GetObjectItemCaseSensitive(trap, clock);
        return cJSON_GetObjectItemCaseSensitive(time, "median_ms")->valuedouble;
    };
    EXPECT_LT(median_of("launched"), median_of("done"));
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
    LessonRun run =
        run_program("./tests/lessons/04_timing_wrong", small(), {{"WRONG", "last_block"}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.all().find("x + x on the device"), std::string::npos) << run.all();
}

namespace {

// How a fresh process ended that did this.
std::string ended(void (*work)(void *, void *), bool *well) {
    char why[128] = "";
    int result = 0;
    *well = in_fresh_process(work, nullptr, &result, sizeof result, why, sizeof why);
    return why;
}

// Two processes as an H200 might time them; the second finds the kernel on disk.
Processes processes_with(double second_load_ms) {
    Processes processes = {};
    processes.measured = true;
    for (ProcessTimes &time : processes.time) {
        time.right = true;
        time.context_ms = 230;
        for (CallTimes &call : time.call) call = {0.25, 0.001, 0.005, 0.043};
    }
    processes.time[0].call[0].load_ms = 400;
    processes.time[1].call[0].load_ms = second_load_ms;
    return processes;
}

std::string shown(const Processes &processes, bool *right) {
    Lesson lesson = {};
    FirstCall first = {};
    first.processes = processes;
    testing::internal::CaptureStdout();
    *right = show_processes(&lesson, &first);
    return testing::internal::GetCapturedStdout();
}

// The line that begins with `step`.
std::string row_of(const std::string &text, const std::string &step) {
    size_t at = text.find("   " + step);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

} // namespace

TEST(FreshProcess, BringsItsResultBack) {
    int sum = 20, result = 0;
    char why[128] = "";
    EXPECT_TRUE(in_fresh_process(
        [](void *context, void *out) {
            int *given = static_cast<int *>(context);
            *static_cast<int *>(out) = *given + 3;
            *given = 0; // in its own memory
        },
        &sum, &result, sizeof result, why, sizeof why))
        << why;
    EXPECT_EQ(23, result);
    EXPECT_EQ(20, sum);
}

TEST(FreshProcess, SaysHowItEnded) {
    bool well = true;
    EXPECT_EQ("its process ended with status 7", ended([](void *, void *) { _exit(7); }, &well));
    EXPECT_FALSE(well);
    EXPECT_EQ("its process ended without an answer",
              ended([](void *, void *) { _exit(0); }, &well));
    EXPECT_FALSE(well);
    EXPECT_EQ("its process was ended by signal 9",
              ended([](void *, void *) { kill(getpid(), SIGKILL); }, &well));
    EXPECT_FALSE(well);
}

TEST(Processes, RunBothCallsRightAndLeaveNoFile) {
    if (!kCpuDevice)
        GTEST_SKIP() << "only a process without a GPU's context can fork: the lesson does";
    std::string folder = fresh_folder();
    setenv("TMPDIR", folder.c_str(), 1);
    Options options = {};
    options.n = 10007;
    options.seed = 42;
    options.device = "0";
    Processes processes;
    processes_measure(&options, &processes);
    unsetenv("TMPDIR");
    ASSERT_TRUE(processes.measured) << processes.why;
    for (const ProcessTimes &time : processes.time) {
        EXPECT_TRUE(time.right);
        EXPECT_GT(time.call[0].launch_ms, 0);
        EXPECT_GT(time.call[1].launch_ms, 0);
    }
    EXPECT_TRUE(folder_entries(folder).empty());
}

TEST(Processes, WithoutADeviceOrAFolderSayWhyNot) {
    if (!kCpuDevice)
        GTEST_SKIP() << "only a process without a GPU's context can fork: the lesson does";
    Options options = {};
    options.n = 7;
    options.device = "99";
    Processes processes;
    processes_measure(&options, &processes);
    EXPECT_FALSE(processes.measured);
    EXPECT_NE(std::string(processes.why).find("invalid device ordinal"), std::string::npos)
        << processes.why;
    setenv("TMPDIR", "/no/such/folder", 1);
    processes_measure(&options, &processes);
    unsetenv("TMPDIR");
    EXPECT_FALSE(processes.measured);
    EXPECT_NE(std::string(processes.why).find("/no/such/folder (TMPDIR): No such file"),
              std::string::npos)
        << processes.why;
}

TEST(Processes, TheArticlesClockHoldsNeitherContextNorRun) {
    bool right = false;
    std::string text = shown(processes_with(10), &right);
    EXPECT_TRUE(right);
    EXPECT_NE(text.find("found it on disk"), std::string::npos) << text;
    EXPECT_NE(row_of(text, "driver and context").find("230           -         230           -"),
              std::string::npos)
        << text;
    // allocate, load and launch: 400 + 0.25 + 0.005, 0.25 + 0.001 + 0.005, 10 + 0.25 + 0.005
    EXPECT_NE(
        row_of(text, "in the article's clock").find("400       0.256        10.3       0.256"),
        std::string::npos)
        << text;
}

TEST(Processes, ACacheThatWasNotUsedIsNotPraised) {
    bool right = false;
    std::string text = shown(processes_with(390), &right);
    EXPECT_TRUE(right);
    EXPECT_EQ(text.find("found it on disk"), std::string::npos) << text;
    EXPECT_NE(text.find("was not used"), std::string::npos) << text;
}

TEST(Processes, AWrongResultIsAnError) {
    bool right = true;
    Processes processes = processes_with(1.5);
    processes.time[1].right = false;
    EXPECT_NE(shown(processes, &right).find("WRONG"), std::string::npos);
    EXPECT_FALSE(right);
}

TEST(Processes, WhatWasNotMeasuredIsNotShown) {
    bool right = false;
    Processes processes = {};
    snprintf(processes.why, sizeof processes.why, "no reason");
    std::string text = shown(processes, &right);
    EXPECT_TRUE(right);
    EXPECT_NE(text.find("Not measured: no reason."), std::string::npos) << text;
    EXPECT_EQ(text.find("1st process"), std::string::npos) << text;
}

using Names = std::vector<std::string>;

TEST(TimingPlot, DrawsAPictureForEachTopic) {
    NEEDS_DEVICE();
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    std::string folder = fresh_folder();
    LessonRun run = run_lesson("04_timing", small({"--plot", folder + "/out.svg"}));
    expect_success("04_timing", run);
    const Names names = {"out_clock.svg", "out_crossover.svg", "out_queue.svg"};
    const char *const holds[] = {"the article's clock", "CPU, 1 thread", "the kernel, by events"};
    EXPECT_EQ(folder_entries(folder), names);
    for (size_t i = 0; i < names.size(); i++) {
        expect_picture(run, folder + "/" + names[i]);
        EXPECT_NE(read_file(folder + "/" + names[i]).find(holds[i]), std::string::npos) << holds[i];
    }
}

TEST(TimingPlot, TheCpuDeviceDrawsWhatAGpuTook) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    std::string folder = fresh_folder();
    expect_success("04_timing", run_lesson("04_timing", small({"--plot", folder + "/out.svg"})));
    for (const char *name : {"/out_clock.svg", "/out_queue.svg", "/out_crossover.svg"}) {
        if (!has_gnuplot() && std::string(name) != "/out_clock.svg") continue;
        EXPECT_NE(read_file(folder + name).find(recorded_label()), std::string::npos) << name;
    }
}

TEST(TimingPlot, TheRecordHasThePointsOfTheQueueInTheOrderOfLaunches) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/timing.json";
    expect_success("04_timing", run_lesson("04_timing", small({"--json", path})));
    Json json(read_file(path));
    const cJSON *points = json.at({"queue_points"}), *point = nullptr;
    ASSERT_EQ(cJSON_GetArraySize(points), 60);
    double before = 0;
    cJSON_ArrayForEach(point, points) {
        double launch = cJSON_GetObjectItemCaseSensitive(point, "launch")->valuedouble;
        EXPECT_GT(launch, before);
        EXPECT_GT(cJSON_GetObjectItemCaseSensitive(point, "host_ms")->valuedouble, 0);
        before = launch;
    }
}

TEST(TimingPlot, OnePointIsACurveToo) {
    NEEDS_DEVICE();
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    std::string folder = fresh_folder();
    LessonRun run =
        run_lesson("04_timing", {"--rows", "1", "--cols", "7", "--plot", folder + "/point.svg"});
    expect_success("04_timing", run);
    expect_picture(run, folder + "/point_crossover.svg");
}

TEST(TimingPlot, WithoutGnuplotDiagramsAreDrawnAndItSaysWhatIsMissing) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run =
        run_lesson("04_timing", small({"--plot", folder + "/out.svg"}), {{"PATH", "/nowhere"}});
    expect_success("04_timing", run);
    EXPECT_EQ(folder_entries(folder), Names{"out_clock.svg"});
    for (const char *name : {"/out_queue.svg", "/out_crossover.svg"}) {
        EXPECT_NE(run.out.find("Not drawn: " + folder + name +
                               ": gnuplot is not installed (sudo apt-get install gnuplot-nox)"),
                  std::string::npos)
            << run.out;
    }
}

TEST(TimingPlot, AFailingGnuplotLeavesNoFile) {
    NEEDS_DEVICE();
    for (const char *script :
         {"cat >/dev/null; echo '<svg'; exit 3", "cat >/dev/null; echo words"}) {
        std::string folder = fresh_folder(), bin = folder_with_gnuplot(script);
        LessonRun run = run_lesson("04_timing", small({"--plot", folder + "/out.svg"}),
                                   {{"PATH", bin + ":/usr/bin:/bin"}});
        expect_well_behaved(run);
        EXPECT_EQ(run.status, 1) << run.all();
        EXPECT_NE(run.err.find("queue: gnuplot"), std::string::npos) << run.err;
        EXPECT_NE(run.lines().back().find("NOT DONE"), std::string::npos) << run.all();
        EXPECT_TRUE(folder_entries(folder).empty());
    }
}

TEST(TimingPlot, NothingIsDrawnOfWrongResults) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run = run_program("./tests/lessons/04_timing_wrong",
                                small({"--plot", folder + "/out.svg"}), {{"WRONG", "last_block"}});
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find("No pictures are drawn"), std::string::npos) << run.all();
    EXPECT_TRUE(folder_entries(folder).empty());
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
