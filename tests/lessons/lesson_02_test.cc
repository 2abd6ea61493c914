// SPDX-License-Identifier: Apache-2.0
// Lesson 02 as a program, and its round trip by itself.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/lesson.h"
#include "common/recorded.h"
#include "gtest/gtest.h"
#include "lessons/parts/02_round_trip.h"
#include "tests/lessons/lesson_program.h"

namespace {

Arguments small(const Arguments &more = {}) {
    Arguments arguments = {"--rows", "37", "--cols", "53", "--repeat", "2", "--warmup", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// The lines that follow the first line holding `title`.
std::vector<std::string> lines_after(const LessonRun &run, const std::string &title, size_t count) {
    std::vector<std::string> all = run.lines(), result;
    for (size_t i = 0; i < all.size(); i++) {
        if (all[i].find(title) == std::string::npos) continue;
        for (size_t k = i + 1; k < all.size() && k <= i + count; k++) result.push_back(all[k]);
        break;
    }
    return result;
}

// All numbers of the 3 x 3 matrix printed below `title`.
std::vector<double> matrix_after(const LessonRun &run, const std::string &title) {
    std::vector<double> numbers;
    for (std::string line : lines_after(run, title, 3)) {
        for (char &c : line) {
            if (c == '[' || c == ']' || c == ',') c = ' ';
        }
        const char *at = line.c_str();
        char *end = nullptr;
        for (double number = strtod(at, &end); end != at; number = strtod(at, &end)) {
            numbers.push_back(number);
            at = end;
        }
    }
    return numbers;
}

} // namespace

TEST(RoundTripLesson, PrintsTheMatrixAndItsCube) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("02_round_trip", small());
    expect_success("02_round_trip", run);
    std::vector<double> x = matrix_after(run, "x, 3 x 3 normal numbers");
    std::vector<double> cube = matrix_after(run, "x**2 * x, computed on the device");
    ASSERT_EQ(x.size(), 9u) << run.out;
    ASSERT_EQ(cube.size(), 9u) << run.out;
    for (size_t i = 0; i < 9; i++) {
        EXPECT_NEAR(cube[i], x[i] * x[i] * x[i], 1e-4 * (1 + std::abs(cube[i]))) << i;
        EXPECT_NE(x[i], 0.0);
    }
}

TEST(RoundTripLesson, TheSeedDecidesTheNumbers) {
    NEEDS_DEVICE();
    auto numbers = [](const char *seed) {
        LessonRun run = run_lesson("02_round_trip", small({"--seed", seed}));
        expect_success("02_round_trip", run);
        return matrix_after(run, "x, 3 x 3 normal numbers");
    };
    std::vector<double> first = numbers("1"), again = numbers("1"), other = numbers("2");
    EXPECT_EQ(first, again);
    EXPECT_NE(first, other);
    EXPECT_EQ(numbers("18446744073709551615").size(), 9u);
}

TEST(RoundTripLesson, ShowsEachWayAndTheNumbersMadeOnTheDevice) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/trip.json";
    LessonRun run = run_lesson("02_round_trip", small({"--json", path}));
    expect_success("02_round_trip", run);
    for (const char *text :
         {"pageable, cudaMemcpy", "pinned, cudaMemcpy", "pageable, staged", "on the device",
          "0 bytes", "the same with to_gpu and get", "same bits"}) {
        EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
    }
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    for (const char *way : {"pageable", "pinned", "staged"}) {
        EXPECT_GT(json.at({way, "to_device_gbps"})->valuedouble, 0) << way;
        EXPECT_GT(json.at({way, "to_host_gbps"})->valuedouble, 0) << way;
    }
    const cJSON *trips = json.at({"round_trips"}), *trip = nullptr;
    ASSERT_GE(cJSON_GetArraySize(trips), 10);
    cJSON_ArrayForEach(trip, trips) {
        EXPECT_TRUE(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(trip, "same_bits")));
    }
}

TEST(RoundTripLesson, OnTheCpuDeviceTimesAreThoseOfAGpu) {
    if (!kCpuDevice) GTEST_SKIP() << "this build runs on a GPU";
    LessonRun run = run_lesson("02_round_trip", small());
    expect_success("02_round_trip", run);
    EXPECT_EQ(run.out.find("Pinning"), std::string::npos) << "nothing is pinned here\n" << run.out;
    // Sections 3 and 4: each time is one of the recorded run's, and it is said whose.
    for (const char *way : {"pageable", "pinned", "staged"}) {
        TimerStats there = {};
        ASSERT_TRUE(recorded_timer("02_round_trip", (std::string("/") + way + "/to_device").c_str(),
                                   &there));
        EXPECT_NE(run.out.find(text_time(&there)), std::string::npos) << way << "\n" << run.out;
    }
    TimerStats fresh = {};
    ASSERT_TRUE(recorded_timer("02_round_trip", "/fresh/to_host", &fresh));
    EXPECT_NE(run.out.find(text_time(&fresh)), std::string::npos) << run.out;
    TimerStats made = {};
    ASSERT_TRUE(recorded_timer("02_round_trip", "/made_on_device", &made));
    EXPECT_NE(run.out.find(text_time(&made)), std::string::npos) << run.out;
    EXPECT_EQ(count_of(run.out, "Recorded: NVIDIA"), 2u) << run.out;
    EXPECT_EQ(count_of(run.out, "/s"), 7u) << "no rate but the recorded ones\n" << run.out;
}

TEST(RoundTripLesson, AllShowsEachArrayWithItsStrides) {
    NEEDS_DEVICE();
    LessonRun some = run_lesson("02_round_trip", small()),
              all = run_lesson("02_round_trip", small({"--all"}));
    expect_success("02_round_trip", some);
    expect_success("02_round_trip", all);
    EXPECT_EQ(count_of(some.out, "strides ("), 0u) << some.out;
    EXPECT_EQ(count_of(all.out, "strides ("), 12u) << all.out;
    for (const LessonRun *run : {&some, &all})
        EXPECT_NE(run->out.find("12 of 12 came back with the same bits"), std::string::npos)
            << run->out;
}

TEST(RoundTripLesson, OneElementIsEnough) {
    NEEDS_DEVICE();
    expect_success("02_round_trip",
                   run_lesson("02_round_trip", {"--rows", "1", "--cols", "1", "--repeat", "1"}));
}

// The lesson with one function wrong on purpose: exit status 1, and what was seen.
class RoundTripWrong : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(RoundTripWrong, IsNoticed) {
    NEEDS_DEVICE();
    LessonRun run =
        run_program("./tests/lessons/02_round_trip_wrong", small(), {{"WRONG", GetParam().first}});
    expect_well_behaved(run, 120);
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_NE(run.out.find(GetParam().second), std::string::npos) << run.all();
    EXPECT_EQ(run.out.find("\nOK\n"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, RoundTripWrong,
                         testing::Values(std::make_pair("get_bit",
                                                        "element 5 came back with other bits"),
                                         std::make_pair("get_gap", "wrote between the elements"),
                                         std::make_pair("staged", "WRONG BITS"),
                                         std::make_pair("numbers", "numbers of both sides: ")),
                         [](const auto &info) { return std::string(info.param.first); });

TEST(RoundTripWrongControl, ToldToBeRightItIs) {
    NEEDS_DEVICE();
    LessonRun run = run_program("./tests/lessons/02_round_trip_wrong", small());
    expect_success("02_round_trip", run);
}

// The function that the lesson judges by, on cases of its own.
class RoundTrip : public testing::TestWithParam<RoundTripCase> {};

TEST_P(RoundTrip, KeepsEveryBit) {
    NEEDS_DEVICE();
    for (uint64_t seed : {1u, 2u, 77u}) {
        RoundTripCase trip = GetParam();
        RoundTripResult result = round_trip(&trip, seed);
        EXPECT_EQ(result.outcome, ROUND_TRIP_SAME_BITS) << trip.what << ": " << result.text;
        size_t bytes = dtype_size(trip.dtype);
        for (int axis = 0; axis < trip.ndim; axis++) bytes *= trip.shape[axis];
        EXPECT_EQ(result.bytes, bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RoundTrip,
    testing::Values(
        RoundTripCase{"scalar", DTYPE_FLOAT32, 0, {}, {}, false},
        RoundTripCase{"empty", DTYPE_FLOAT64, 1, {0}, {}, false},
        RoundTripCase{"empty in the middle", DTYPE_UINT8, 3, {3, 0, 5}, {1, -2, 3}, true},
        RoundTripCase{"one", DTYPE_INT8, 3, {1, 1, 1}, {-7, 5, 3}, false},
        RoundTripCase{"31 bytes", DTYPE_UINT8, 1, {31}, {}, false},
        RoundTripCase{"backwards", DTYPE_FLOAT32, 1, {257}, {-1}, false},
        RoundTripCase{"every 1000th", DTYPE_INT16, 1, {1001}, {1000}, false},
        RoundTripCase{"odd bytes, two axes", DTYPE_UINT8, 2, {127, 131}, {2, 3}, false},
        RoundTripCase{"column-major, three axes", DTYPE_INT64, 3, {7, 9, 11}, {}, true},
        RoundTripCase{"column-major, backwards", DTYPE_FLOAT64, 3, {7, 9, 11}, {-1, -2, -3}, true},
        RoundTripCase{"large", DTYPE_FLOAT32, 2, {1021, 1031}, {}, false},
        RoundTripCase{"large, strided", DTYPE_FLOAT32, 2, {1021, 1031}, {2, -1}, false}),
    [](const testing::TestParamInfo<RoundTripCase> &info) {
        return "Case" + std::to_string(info.index);
    });
