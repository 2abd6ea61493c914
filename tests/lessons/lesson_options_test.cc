// SPDX-License-Identifier: Apache-2.0
// Options, good and bad, of every lesson: one clear line that names the value
// and what is allowed, the right exit status, no file left behind.
#include <cctype>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

struct LessonCase {
    const char *name;
    const char *size_option; // one that takes a size
    bool has_plot;
};

const LessonCase kLessons[] = {
    {"01_device_query", "--n", false},  {"02_round_trip", "--rows", false},
    {"03_elementwise", "--rows", true}, {"04_timing", "--cols", true},
    {"05_launch_shapes", "--n", true},  {"06_coalescing", "--n", true},
    {"07_transpose", "--rows", true},
};

void PrintTo(const LessonCase &lesson, std::ostream *out) { *out << lesson.name; }

std::string lesson_name(const testing::TestParamInfo<LessonCase> &info) {
    return std::string("Lesson_") + info.param.name;
}

} // namespace

class LessonOptions : public testing::TestWithParam<LessonCase> {
  protected:
    LessonRun run(const Arguments &arguments, const Environment &environment = {}) {
        return run_lesson(GetParam().name, arguments, environment);
    }
    // Small, odd sizes and few repeats, then `more`.
    Arguments small(const Arguments &more = {}) {
        Arguments arguments = {"--repeat", "2", "--warmup", "1"};
        if (std::string(GetParam().size_option) == "--n") {
            arguments.insert(arguments.end(), {"--n", "1003"});
        } else {
            arguments.insert(arguments.end(), {"--rows", "37", "--cols", "53"});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
};

INSTANTIATE_TEST_SUITE_P(All, LessonOptions, testing::ValuesIn(kLessons), lesson_name);

TEST_P(LessonOptions, HelpNeedsNoDeviceAndNamesEveryOption) {
    LessonRun result = run({"--help"}, {{"CUDA_VISIBLE_DEVICES", ""}});
    expect_well_behaved(result);
    EXPECT_EQ(result.status, 0) << result.all();
    EXPECT_EQ(result.err, "");
    for (const char *option : {"--help", "--seed", "--device", "--repeat", "--warmup", "--json"}) {
        EXPECT_NE(result.out.find(option), std::string::npos) << option << "\n" << result.out;
    }
    EXPECT_NE(result.out.find(GetParam().size_option), std::string::npos);
    EXPECT_EQ(result.out.find("--plot") != std::string::npos, GetParam().has_plot);
}

// What is read together is seen together: a screen of 24 lines of 80 columns holds a section.
TEST_P(LessonOptions, ASectionFitsAScreen) {
    NEEDS_DEVICE();
    LessonRun result = run({});
    expect_success(GetParam().name, result);
    std::istringstream lines(result.out);
    std::string section = "the beginning";
    size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        const bool begins =
            line.size() > 2 && std::isdigit(line[0]) && line[1] == '.' && line[2] == ' ';
        const bool device = line.compare(0, 7, "Device ") == 0; // 01 has no numbers
        if (begins || device) {
            section = line;
            count = 0;
        }
        ++count;
        size_t columns = 0; // UTF-8: bytes that continue a letter take none
        for (unsigned char byte : line) columns += (byte & 0xC0) != 0x80;
        EXPECT_LE(columns, 80u) << line;
        EXPECT_LE(count, 24u) << section << "\n" << result.out;
    }
}

TEST_P(LessonOptions, BadSizesAreNamedWithWhatIsAllowed) {
    for (const char *value :
         {"0", "-1", "abc", "1e12", "12x", "", " 7", "0x10", "1.5", "99999999999999999999999"}) {
        SCOPED_TRACE(std::string(GetParam().size_option) + " '" + value + "'");
        LessonRun result = run({GetParam().size_option, value});
        expect_one_line_error(result, 2, {GetParam().size_option, value, "1"});
        EXPECT_EQ(result.out, "");
    }
}

TEST_P(LessonOptions, BadNumbersOfTheOtherOptions) {
    for (const char *option : {"--repeat", "--warmup", "--seed"}) {
        for (const char *value : {"-1", "abc", "3x", "", "1e3"}) {
            SCOPED_TRACE(std::string(option) + " '" + value + "'");
            expect_one_line_error(run({option, value}), 2, {option, value});
        }
    }
    expect_one_line_error(run({"--repeat", "0"}), 2, {"--repeat", "0"});
}

TEST_P(LessonOptions, UnknownOptionsAndArguments) {
    expect_one_line_error(run({"--frobnicate"}), 2, {"--frobnicate"});
    expect_one_line_error(run({"--json"}), 2, {"--json"});
    expect_one_line_error(run({"12"}), 2, {"12"});
    // The beginning of a name is not the name.
    expect_one_line_error(run({"--repea", "3"}), 2, {"--repea"});
    if (!GetParam().has_plot) {
        expect_one_line_error(run({"--plot", "x.svg"}), 2, {"--plot"});
    }
}

TEST_P(LessonOptions, DevicesThatAreNotThere) {
    NEEDS_DEVICE();
    for (const char *value : {"99", "-1", "abc", "", "GPU-no-such-uuid"}) {
        SCOPED_TRACE(std::string("--device '") + value + "'");
        expect_one_line_error(run(small({"--device", value})), 2, {"--device", value});
    }
}

TEST_P(LessonOptions, MoreMemoryThanThereIs) {
    NEEDS_DEVICE();
    if (std::string(GetParam().name) == "01_device_query") {
        // The lesson's facts need no memory; the measured copy says what was missing.
        LessonRun result = run({"--n", "1000000000000"});
        expect_well_behaved(result);
        EXPECT_NE(result.all().find("not measured"), std::string::npos) << result.all();
        EXPECT_EQ(result.status, 0);
        return;
    }
    if (std::string(GetParam().size_option) == "--n") {
        expect_one_line_error(run({"--n", "1000000000000"}), 2,
                              {"--n 1000000000000", "1,000,000,000,000 elements need", "fit"});
        return;
    }
    // 4 * 10^12 bytes an array, and 4 * 10^24, which no size_t holds.
    LessonRun result = run({"--rows", "1000000", "--cols", "1000000"});
    expect_one_line_error(result, 2, {"1,000,000"});
    result = run({"--rows", "1000000000000", "--cols", "1000000000000"});
    expect_one_line_error(result, 2, {"1000000000000"});
}

TEST_P(LessonOptions, AnUnwritableFileIsFoundBeforeTheWork) {
    std::string folder = fresh_folder();
    for (const std::string &path : {folder + "/no/such/folder/x.json", folder, std::string()}) {
        SCOPED_TRACE("--json '" + path + "'");
        LessonRun result = run({"--json", path});
        expect_one_line_error(result, 2, {path});
        EXPECT_EQ(result.out, "") << "work was started";
    }
    EXPECT_TRUE(folder_entries(folder).empty());
}

TEST_P(LessonOptions, ABadOptionLeavesAnOldFileAlone) {
    std::string path = fresh_folder() + "/old.json";
    FILE *file = fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    fputs("old", file);
    fclose(file);
    EXPECT_EQ(run({"--json", path, "--repeat", "x"}).status, 2);
    EXPECT_EQ(read_file(path), "old");
}

TEST_P(LessonOptions, AGoodRunIsVerifiedAndRecorded) {
    NEEDS_DEVICE();
    std::string folder = fresh_folder(), path = folder + "/result.json";
    LessonRun result = run(small({"--seed", "7", "--json", path}));
    expect_success(GetParam().name, result);
    EXPECT_EQ(folder_entries(folder), std::vector<std::string>{"result.json"});
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr) << read_file(path);
    const cJSON *program = json.at({"program"});
    ASSERT_TRUE(cJSON_IsString(program));
    EXPECT_STREQ(program->valuestring, GetParam().name);
}

TEST_P(LessonOptions, TheSecondDeviceServesAsWell) {
    NEEDS_DEVICE();
    if (!kCpuDevice && visible_devices() < 2) GTEST_SKIP() << "one GPU only";
    LessonRun result = run(small({"--device", "1"}), {{"LAB_CPU_DEVICE_COUNT", "2"}});
    expect_success(GetParam().name, result);
}

TEST_P(LessonOptions, AFailingAllocationOrCopyIsToldAndEndsWithOne) {
    if (!kCpuDevice) GTEST_SKIP() << "only the CPU device can be told to fail";
    for (const char *fault : {"malloc:1", "malloc:2", "malloc:3", "copy:1", "copy:2"}) {
        SCOPED_TRACE(fault);
        LessonRun result = run(small(), {{"LAB_CPU_DEVICE_FAIL", fault}});
        expect_well_behaved(result);
        if (std::string(GetParam().name) == "01_device_query") {
            // Facts need neither: the measured copy is given up, and says so.
            EXPECT_EQ(result.status, 0) << result.all();
            continue;
        }
        // From 06 on the third allocation is that of the copy for comparison, which does with less.
        if (GetParam().name[1] >= '6' && std::string(fault) == "malloc:3") continue;
        EXPECT_EQ(result.status, 1) << result.all();
        EXPECT_NE(result.err.find("cudaError"), std::string::npos) << result.err;
    }
}

TEST_P(LessonOptions, ASmallDeviceIsEnoughOrItIsSaidWhatIsMissing) {
    if (!kCpuDevice) GTEST_SKIP() << "only the CPU device can be made smaller";
    for (const char *memory : {"1M", "2M", "3M", "4M", "8M", "16M"}) {
        SCOPED_TRACE(memory);
        LessonRun result = run({"--repeat", "2"}, {{"LAB_CPU_DEVICE_MEMORY", memory}});
        if (result.status == 0) {
            expect_success(GetParam().name, result);
            continue;
        }
        expect_one_line_error(result, 2, {"not enough device memory", "needs", "has"});
        EXPECT_EQ(std::string(GetParam().name), "02_round_trip") << "the others need no fixed size";
    }
}

TEST_P(LessonOptions, NoDeviceIsSaidWithAWayOut) {
    Environment none = kCpuDevice ? Environment{{"LAB_CPU_DEVICE_COUNT", "0"}}
                                  : Environment{{"CUDA_VISIBLE_DEVICES", ""}};
    LessonRun result = run(small(), none);
    expect_well_behaved(result);
    EXPECT_EQ(result.status, 3) << result.all();
    EXPECT_EQ(result.out.find("OK\n"), std::string::npos);
    EXPECT_NE(result.all().find("no device"), std::string::npos) << result.all();
    if (kCpuDevice && std::string(GetParam().name) == "01_device_query") {
        EXPECT_NE(result.all().find("LAB_CPU_DEVICE_COUNT"), std::string::npos) << result.all();
    }
    if (!kCpuDevice && visible_devices() > 0) {
        EXPECT_NE(result.all().find("hidden by CUDA_VISIBLE_DEVICES"), std::string::npos)
            << result.all();
    }
}
