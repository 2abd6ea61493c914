// SPDX-License-Identifier: Apache-2.0
// Lesson 05 as a program: what it prints and records, and that it notices wrong kernels.
#include <string>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--n", "10007", "--repeat", "3", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Status 0 and a last line OK. Launches that cannot be are told on standard error by the CPU device,
// as they are meant to be.
void expect_right(const LessonRun &run) {
    expect_well_behaved(run, 400);
    EXPECT_EQ(0, run.status) << run.all();
    EXPECT_NE(run.out.find("\nOK\n"), std::string::npos) << run.all();
}

} // namespace

TEST(LaunchShapes, ShowsItsFourSections) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("05_launch_shapes", small());
    expect_right(run);
    for (const char *text :
         {"7 x 3 blocks: 5,376 threads, of which 1,676 have no pixel",
          "row 36, column 99   block (6, 2), thread ( 3,  4)", "3700 pixels asked by whom: all say",
          "all right both times", "   1, 1                           1      0",
          "   n / 256, 256              10,240    233",
          "   n / 2048, 2048      did not run: error ", "block (32, 32, 2)", "grid (1, 65536, 1)",
          "it ran", "was still poison each time", "element 4,294,967,301", "element 5\n"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << "no '" << text << "' in\n" << run.out;
    }
    EXPECT_EQ(count_of(run.out, "did not run"), 1u) << run.out;
    EXPECT_EQ(count_of(run.out, ": error ") + count_of(run.out, " error "), 7u) << run.out;
}

TEST(LaunchShapes, JsonHoldsEachShapeAndEachLimit) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/shapes.json";
    expect_right(run_lesson("05_launch_shapes", small({"--json", path})));
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    const cJSON *shapes = json.at({"shapes"}), *shape = nullptr;
    ASSERT_EQ(cJSON_GetArraySize(shapes), 9);
    size_t timed = 0;
    cJSON_ArrayForEach(shape, shapes) {
        timed += cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(shape, "time"));
        const bool ran = cJSON_GetObjectItemCaseSensitive(shape, "error") == nullptr;
        EXPECT_EQ(ran, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(shape, "right")) != 0);
    }
    EXPECT_EQ(8u, timed) << "what did not run has no time";
    EXPECT_EQ(cJSON_GetArraySize(json.at({"limits"})), 6);
    EXPECT_EQ(json.at({"index_in_64_bits"})->valuedouble, 4294967301.0);
}

TEST(LaunchShapes, OneElementIsEnough) {
    NEEDS_DEVICE();
    for (const char *n : {"1", "31", "32", "33", "1025"})
        expect_right(run_lesson("05_launch_shapes", {"--n", n, "--repeat", "3"}));
}

TEST(LaunchShapes, DrawsTheImage) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder();
    LessonRun run = run_lesson("05_launch_shapes", small({"--plot", folder + "/out.svg"}));
    expect_right(run);
    std::string image = read_file(folder + "/out_image.svg");
    EXPECT_NE(image.find("1,676 threads that the guard ends"), std::string::npos) << image;
    EXPECT_NE(image.find("(6, 2)"), std::string::npos) << image;
}

TEST(LaunchShapes, NoTimeOfTheCpuDeviceIsShown) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("05_launch_shapes", small());
    EXPECT_EQ(run.out.find(" us "), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("GB/s"), std::string::npos) << run.out;
}

class WrongShapes : public testing::TestWithParam<const char *> {};

TEST_P(WrongShapes, IsNoticed) {
    NEEDS_DEVICE();
    LessonRun run =
        run_program("./tests/lessons/05_launch_shapes_wrong", small(), {{"WRONG", GetParam()}});
    expect_well_behaved(run, 400);
    EXPECT_EQ(1, run.status) << run.all();
    EXPECT_NE(run.out.find("\nWRONG"), std::string::npos) << run.all();
}

INSTANTIATE_TEST_SUITE_P(All, WrongShapes,
                         testing::Values("stride", "image", "swapped", "owner", "limits",
                                         "wrapped"));
