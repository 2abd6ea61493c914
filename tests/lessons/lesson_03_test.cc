// SPDX-License-Identifier: Apache-2.0
// Lesson 03 as a program: right kernels pass, wrong ones are named.
#include <cstdlib>
#include <string>

#include "common/lesson.h"
#include "common/recorded.h"
#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments sized(const char *rows, const char *cols, const Arguments &more = {}) {
    Arguments arguments = {"--rows", rows, "--cols", cols, "--repeat", "2", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

} // namespace

TEST(Elementwise, EveryElementIsChecked) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("03_elementwise", sized("1000", "1003"));
    expect_success("03_elementwise", run);
    EXPECT_NE(run.out.find("5,015,000 of 5,015,000 right"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("0 (exact)"), std::string::npos);
}

TEST(Elementwise, ShowsWhoComputesWhat) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("03_elementwise", sized("1000", "1003"));
    expect_success("03_elementwise", run);
    // 1,003,000 = 3,917 * 256 + 248, so element 1,002,999 has block 3,917, thread 247.
    EXPECT_NE(run.out.find("3,918 blocks of 256"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("block 3,917, thread 247"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("block 1, thread 0"), std::string::npos) << run.out;
}

TEST(Elementwise, ShowsWhatTheGuardIsFor) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("03_elementwise", sized("3", "5"));
    expect_success("03_elementwise", run);
    EXPECT_NE(run.out.find("with the guard 0, without it 24"), std::string::npos) << run.out;
}

TEST(Elementwise, SizesAroundBlocksAndVectors) {
    NEEDS_DEVICE();
    for (const char *cols : {"1", "2", "3", "31", "33", "255", "256", "257"}) {
        SCOPED_TRACE(cols);
        expect_success("03_elementwise", run_lesson("03_elementwise", sized("1", cols)));
    }
}

TEST(Elementwise, FusionMovesLess) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/elementwise.json";
    LessonRun run = run_lesson("03_elementwise", sized("100", "100", {"--json", path}));
    expect_success("03_elementwise", run);
    EXPECT_NE(run.out.find("2.5 times as much"), std::string::npos) << run.out;
    Json json(read_file(path));
    const cJSON *operations = json.at({"operations"}), *row = nullptr;
    ASSERT_EQ(cJSON_GetArraySize(operations), 5);
    double moved[5];
    int i = 0;
    cJSON_ArrayForEach(row, operations) {
        moved[i++] = cJSON_GetObjectItemCaseSensitive(row, "bytes_moved")->valuedouble;
        EXPECT_EQ(cJSON_GetObjectItemCaseSensitive(row, "wrong")->valueint, 0);
    }
    EXPECT_EQ(moved[0], 12e4);
    EXPECT_EQ(moved[1], 12e4);
    EXPECT_EQ(moved[2], 20e4);
    EXPECT_EQ(moved[3], 8e4);
    EXPECT_EQ(moved[4], 12e4);
    EXPECT_EQ(json.at({"elements_checked"})->valueint, 50000);
}

TEST(Elementwise, TheTextbookKernelComesFirstAndTheWideOneLast) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/order.json";
    LessonRun run = run_lesson("03_elementwise", sized("100", "103", {"--json", path}));
    expect_success("03_elementwise", run);
    Json json(read_file(path));
    const cJSON *rows = json.at({"operations"});
    const cJSON *first = cJSON_GetArrayItem(rows, 0), *last = cJSON_GetArrayItem(rows, 4);
    EXPECT_STREQ(cJSON_GetObjectItemCaseSensitive(first, "operation")->valuestring,
                 "x + y, textbook");
    EXPECT_STREQ(cJSON_GetObjectItemCaseSensitive(last, "operation")->valuestring, "x + y, wide");
    EXPECT_NE(cJSON_GetObjectItemCaseSensitive(first, "time"), nullptr) << "it is timed";
}

TEST(Elementwise, NoSpeedIsClaimedOnTheCpuDevice) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("03_elementwise", sized("100", "100"));
    expect_success("03_elementwise", run);
    EXPECT_EQ(run.out.find("times as long"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("faster"), std::string::npos) << run.out;
    EXPECT_NE(run.lines().front().find("this computer's"), std::string::npos);
}

TEST(Elementwise, DefaultSizesAreQuickOnTheCpuDevice) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("03_elementwise", {});
    expect_success("03_elementwise", run);
    EXPECT_LT(run.seconds, 20.0); // about 2 s; room for a busy machine
}

TEST(ElementwisePlot, DrawsOwnersAndDataFlow) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run =
        run_lesson("03_elementwise", sized("100", "103", {"--plot", folder + "/out.svg"}));
    expect_success("03_elementwise", run);
    const std::vector<std::string> names = {"out_fusion.svg", "out_owners.svg"};
    EXPECT_EQ(folder_entries(folder), names);
    for (const std::string &name : names) expect_picture(run, folder + "/" + name);
    std::string owners = read_file(folder + "/out_owners.svg");
    EXPECT_NE(owners.find("24 threads of block 3 without an element"), std::string::npos) << owners;
    EXPECT_NE(owners.find("0 with the guard, 24 without it"), std::string::npos) << owners;
    std::string fusion = read_file(folder + "/out_fusion.svg");
    if (kCpuDevice) { // its own times would say nothing: those of the recorded run, of its size
        EXPECT_NE(fusion.find("230,551,211 floats"), std::string::npos) << fusion;
        EXPECT_NE(fusion.find(recorded_label()), std::string::npos) << fusion;
        TimerStats fused = {};
        ASSERT_TRUE(recorded_timer("03_elementwise", "/operations/3/time", &fused));
        EXPECT_NE(fusion.find(text_time(&fused)), std::string::npos) << fusion;
    } else {
        EXPECT_NE(fusion.find("10,300 floats"), std::string::npos) << fusion;
        EXPECT_NE(fusion.find("20 bytes an element, 206.0 kB"), std::string::npos) << fusion;
        EXPECT_NE(fusion.find("8 bytes an element, 82.4 kB"), std::string::npos) << fusion;
    }
}

TEST(ElementwisePlot, WhatCannotBeWrittenIsFoundBeforeTheWork) {
    std::string folder = fresh_folder();
    ASSERT_EQ(run_program("mkdir", {folder + "/out_fusion.svg"}).status, 0);
    const std::vector<std::pair<std::string, std::string>> bad = {
        {folder + "/no/such/out.svg", folder + "/no/such/out"},
        {folder, "directory"},
        {folder + "/out.svg", folder + "/out_fusion.svg"},
        {"", "empty"}};
    for (const auto &[path, named] : bad) {
        LessonRun run = run_lesson("03_elementwise", sized("10", "10", {"--plot", path}));
        expect_one_line_error(run, 2, {"--plot", named});
        EXPECT_EQ(run.out, "") << "work was started";
    }
    EXPECT_EQ(folder_entries(folder), std::vector<std::string>{"out_fusion.svg"});
}

TEST(ElementwisePlot, AFullDiskIsSaid) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("03_elementwise", sized("10", "10", {"--plot", "/dev/full"}));
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.err.find("--plot: cannot write \"/dev/full\""), std::string::npos) << run.err;
    EXPECT_NE(run.lines().back().find("NOT DONE"), std::string::npos) << run.all();
}

TEST(ElementwiseWrong, NothingIsDrawnOfWrongResults) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run =
        run_program("./tests/lessons/03_elementwise_wrong",
                    sized("1", "1000", {"--plot", folder + "/out.svg"}), {{"WRONG", "square"}});
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find("No pictures are drawn"), std::string::npos) << run.all();
    EXPECT_TRUE(folder_entries(folder).empty());
}

TEST(ElementwiseWrong, AForgottenLastBlockIsNamed) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/03_elementwise_wrong", sized("1", "1000"),
                                {{"WRONG", "last_block"}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    // 1,000 - 232 = 768 are computed: the first wrong element is number 768.
    EXPECT_NE(run.all().find("768"), std::string::npos) << run.all();
    EXPECT_NE(run.all().find("232"), std::string::npos) << run.all();
    EXPECT_NE(run.all().find("never written"), std::string::npos) << run.all();
    // Accesses of 4 floats, of which all 250 fit block 0's first chunk: number 192 is thread
    // 192's.
    EXPECT_NE(run.out.find("element 768 is the work of block 0 of 1, thread 192 of 256"),
              std::string::npos)
        << run.all();
    EXPECT_NE(run.out.find("4,768 of 5,000 right"), std::string::npos) << run.all();
    EXPECT_NE(run.lines().back().find("WRONG"), std::string::npos) << run.all();
}

TEST(ElementwiseWrong, AForgottenLastBlockOfTheTextbookFormIsNamed) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/03_elementwise_wrong", sized("1", "1000"),
                                {{"WRONG", "textbook"}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find("x + y, textbook"), std::string::npos) << run.all();
    EXPECT_NE(run.out.find("element 768 (block 3, thread 0)"), std::string::npos) << run.all();
    EXPECT_NE(run.out.find("last, partial block"), std::string::npos) << run.all();
    EXPECT_NE(run.out.find("4,768 of 5,000 right"), std::string::npos) << run.all();
}

TEST(ElementwiseWrong, AWrongFormulaIsNoticed) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/wrong.json";
    LessonRun run = run_program("./tests/lessons/03_elementwise_wrong",
                                sized("10", "100", {"--json", path}), {{"WRONG", "square"}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.all().find("x**2 * x, fused"), std::string::npos);
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr) << "a wrong result is recorded too";
    const cJSON *fused = cJSON_GetArrayItem(json.at({"operations"}), 3);
    EXPECT_GT(cJSON_GetObjectItemCaseSensitive(fused, "wrong")->valueint, 900);
}

TEST(ElementwiseWrong, WrongSignaturesAndAMissingGuardAreNoticed) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/03_elementwise_wrong", sized("1", "1000"),
                                {{"WRONG", "owner"}});
    expect_well_behaved(run);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find("1,000 elements checked: only 128 say"), std::string::npos) << run.out;
    run = run_program("./tests/lessons/03_elementwise_wrong", sized("1", "1000"),
                      {{"WRONG", "no_guard"}});
    expect_well_behaved(run);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find("with the guard 24, without it 24"), std::string::npos) << run.out;
}

TEST(ElementwiseWrongControl, ToldToBeRightItIs) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/03_elementwise_wrong", sized("1", "1000"));
    expect_success("03_elementwise", run);
}
