// SPDX-License-Identifier: Apache-2.0
// Lesson 06 as a program, and its counting of sectors.
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "lessons/parts/06_sectors.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--n", "9600", "--repeat", "3", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Byte by byte.
size_t counted(const Request &request) {
    std::set<size_t> sectors;
    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t byte = 0; byte < request.width; byte++)
            sectors.insert((request.first + lane * request.step + byte) / SECTOR_BYTES);
    }
    return sectors.size();
}

} // namespace

TEST(Sectors, AreThoseThatAnyByteIsIn) {
    for (size_t first : {0, 1, 4, 28, 31, 32}) {
        for (size_t step : {0, 1, 4, 8, 12, 16, 31, 32, 33, 100, 128}) {
            for (size_t width : {1, 4, 8, 16}) {
                const Request request = {"", first, step, width};
                EXPECT_EQ(counted(request), sectors_touched(&request))
                    << first << " " << step << " " << width;
            }
        }
    }
}

TEST(Coalescing, CountsSectorsAndChecksEachPattern) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("06_coalescing", small());
    expect_success("06_coalescing", run);
    for (const char *text :
         {"stride 8                        128        32           1024       8.00 x",
          "stride 1, offset 1              128         5            160       1.25 x",
          "x of 12-byte structs            128        12            384       3.00 x",
          "struct of arrays     0 (exact)"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
    EXPECT_EQ(count_of(run.out, "0 (exact)"), 8u) << run.out;
}

TEST(Coalescing, AllPatternsMoveTheSameUsefulBytes) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/patterns.json";
    expect_success("06_coalescing", run_lesson("06_coalescing", small({"--json", path})));
    Json json(read_file(path));
    const cJSON *patterns = json.at({"patterns"}), *row = nullptr;
    ASSERT_EQ(cJSON_GetArraySize(patterns), 8);
    cJSON_ArrayForEach(row, patterns) {
        const double moved = cJSON_GetObjectItemCaseSensitive(row, "bytes_moved")->valuedouble;
        const bool shifted =
            std::string(cJSON_GetObjectItemCaseSensitive(row, "pattern")->valuestring) ==
            "offset 1";
        EXPECT_EQ(moved, 8.0 * (shifted ? 9599 : 9600));
    }
}

TEST(Coalescing, AnySizeIsRoundedToWholePatterns) {
    NEEDS_DEVICE();
    for (const char *n : {"1", "31", "33", "96", "97", "1025"})
        expect_success("06_coalescing", run_lesson("06_coalescing", {"--n", n, "--repeat", "3"}));
}

TEST(Coalescing, DrawsTheSectors) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run = run_lesson("06_coalescing", small({"--plot", folder + "/out.svg"}));
    expect_success("06_coalescing", run);
    expect_picture(run, folder + "/out_sectors.svg");
    EXPECT_NE(read_file(folder + "/out_sectors.svg").find("12 sectors"), std::string::npos);
}

class WrongCoalescing : public testing::TestWithParam<const char *> {};

TEST_P(WrongCoalescing, IsNoticed) {
    NEEDS_DEVICE();
    LessonRun run =
        run_program("./tests/lessons/06_coalescing_wrong", small(), {{"WRONG", GetParam()}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(1, run.status) << run.all();
    EXPECT_NE(run.out.find("\nWRONG"), std::string::npos) << run.all();
}

INSTANTIATE_TEST_SUITE_P(All, WrongCoalescing,
                         testing::Values("strided", "offset", "float4", "structs", "arrays"));
