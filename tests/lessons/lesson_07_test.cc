// SPDX-License-Identifier: Apache-2.0
// Lesson 07 as a program, and its counting of banks.
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "lessons/parts/07_banks.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--rows", "33", "--cols", "65", "--repeat", "3", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

size_t steps(size_t first, size_t step) {
    size_t word[LANES];
    for (size_t lane = 0; lane < LANES; lane++) word[lane] = first + lane * step;
    return bank_steps(word);
}

} // namespace

TEST(Banks, StepsAreTheMostWordsOfOneBank) {
    EXPECT_EQ(1u, steps(0, 1));
    EXPECT_EQ(1u, steps(7, 1)) << "wherever it begins";
    EXPECT_EQ(1u, steps(3, 0)) << "one word is given to all at once";
    EXPECT_EQ(2u, steps(0, 2));
    EXPECT_EQ(4u, steps(0, 4));
    EXPECT_EQ(32u, steps(0, 32));
    EXPECT_EQ(32u, steps(5, 64));
    EXPECT_EQ(1u, steps(0, 33));
    EXPECT_EQ(1u, steps(0, 3)) << "odd distances meet no bank twice";
}

TEST(Banks, AnyWordsAreCountedRight) {
    unsigned state = 1;
    for (int trial = 0; trial < 200; trial++) {
        size_t word[LANES];
        std::map<size_t, std::set<size_t>> banks;
        for (size_t &w : word) {
            state = state * 1664525u + 1013904223u;
            w = state >> 24;
            banks[w % BANKS].insert(w);
        }
        size_t most = 0;
        for (const auto &bank : banks) most = std::max(most, bank.second.size());
        EXPECT_EQ(most, bank_steps(word));
    }
}

TEST(Transpose, CountsBanksAndChecksEachStep) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("07_transpose", small());
    expect_success("07_transpose", run);
    for (const char *text :
         {"float tile[32][32]                   1 step         32 steps",
          "float tile[32][33]                   1 step           1 step",
          "[32][32], column c ^ r               1 step           1 step", "5. the kit's"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
    EXPECT_EQ(count_of(run.out, "0 (exact)"), 6u) << run.out;
}

TEST(Transpose, OddAndTinySizes) {
    NEEDS_DEVICE();
    const char *const sizes[][2] = {
        {"1", "1"}, {"1", "1025"}, {"31", "33"}, {"64", "64"}, {"100", "4"}};
    for (const auto &size : sizes) {
        expect_success("07_transpose", run_lesson("07_transpose", {"--rows", size[0], "--cols",
                                                                   size[1], "--repeat", "3"}));
    }
}

TEST(Transpose, MoreRowsThanAGridHasAreRefused) {
    LessonRun run = run_lesson("07_transpose", {"--rows", "2097121", "--cols", "1"});
    expect_one_line_error(run, 2, {"--rows 2097121", "at most 2097120", "65,535 blocks"});
    EXPECT_EQ("", run.out);
}

TEST(Transpose, DrawsTheBanks) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run = run_lesson("07_transpose", small({"--plot", folder + "/out.svg"}));
    expect_success("07_transpose", run);
    expect_picture(run, folder + "/out_banks.svg");
}

class WrongTranspose : public testing::TestWithParam<const char *> {};

TEST_P(WrongTranspose, IsNoticed) {
    NEEDS_DEVICE();
    LessonRun run =
        run_program("./tests/lessons/07_transpose_wrong", small(), {{"WRONG", GetParam()}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(1, run.status) << run.all();
    EXPECT_NE(run.out.find("\nWRONG"), std::string::npos) << run.all();
}

INSTANTIATE_TEST_SUITE_P(All, WrongTranspose,
                         testing::Values("transpose_naive_gpu", "transpose_tile_gpu",
                                         "transpose_padded_gpu", "transpose_swizzled_gpu",
                                         "transpose_gpu"));
