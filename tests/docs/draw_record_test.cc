// SPDX-License-Identifier: Apache-2.0
// The pages' pictures from recorded runs: of a GPU's record only, and with its figures.
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

const char *const kDevice = R"("device": {"kind": "gpu", "name": "a GPU"})";

std::string record(const std::string &lesson, const std::string &members) {
    return R"({"lesson": ")" + lesson + R"(", "record": {)" + members + "}}";
}

std::string operation(const std::string &name, const std::string &bytes,
                      const std::string &time) {
    return R"({"operation": ")" + name + R"(", "bytes_moved": )" + bytes + R"(, "time": {)" +
           time + "}}";
}

// Both lessons, with `timing` in the record of 04.
std::string records(const std::string &timing) {
    return "[" +
           record("03_elementwise",
                  std::string(kDevice) + R"(, "operations": [)" +
                      operation("x**2 * x, two steps", "20000",
                                R"("median_ms": 3, "doubtful": true)") +
                      "," + operation("x**2 * x, fused", "8000", R"("median_ms": 1.5)") + "]") +
           "," + record("04_timing", kDevice + timing) + "]";
}

struct Drawn {
    LessonRun run;
    std::string folder;
};

Drawn draw(const std::string &text) {
    const std::string path = fresh_folder() + "/lessons.json";
    std::ofstream(path) << text;
    Drawn drawn = {{}, fresh_folder()};
    drawn.run = run_program("./docs/pictures/draw_record", {path, drawn.folder});
    return drawn;
}

std::string picture(const Drawn &drawn, const std::string &name) {
    EXPECT_TRUE(file_exists(drawn.folder + "/" + name)) << drawn.run.all();
    return read_file(drawn.folder + "/" + name);
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST(DrawRecord, ShowsTheRecordsFigures) {
    const std::string call =
        R"("allocate_ms": 0.4, "load_ms": 77, "launch_ms": 0.005, "wait_ms": 0.43)";
    const std::string row = R"({"context_ms": 231, )" + call + "}";
    Drawn drawn =
        draw(records(R"(, "processes_n": 23040000, "processes": [)" + row + "," + row + "]"));
    std::string fusion = picture(drawn, "03_elementwise_fusion.svg");
    for (const char *part : {"1,000 floats", "times: a GPU", ">~3 ms<", ">1.50 ms<"}) {
        EXPECT_TRUE(contains(fusion, part)) << part << "\n" << fusion;
    }
    std::string clock = picture(drawn, "04_timing_clock.svg");
    for (const char *part :
         {"n = 23,040,000, a GPU", "1st process, 1st call", ">231 ms<", ">77.0 ms<"}) {
        EXPECT_TRUE(contains(clock, part)) << part << "\n" << clock;
    }
}

TEST(DrawRecord, CallsOfOneProcessAreShownWhereThereAreNoOthers) {
    Drawn drawn = draw(records(R"(, "first_call": {"n": 7000, "driver_ms": 100, "context_ms": 31,
        "allocate_ms": 1, "load_ms": 2, "launch_ms": 3, "wait_ms": 4},
        "second_call": {"wait_ms": 5})"));
    std::string clock = picture(drawn, "04_timing_clock.svg");
    for (const char *part : {"n = 7,000", ">131 ms<", "second call", ">5.00 ms<"}) {
        EXPECT_TRUE(contains(clock, part)) << part << "\n" << clock;
    }
}

TEST(DrawRecord, WhatWasNotRecordedIsNotInvented) {
    std::string clock = picture(draw(records("")), "04_timing_clock.svg");
    EXPECT_FALSE(contains(clock, " ms<")) << clock;
    EXPECT_TRUE(contains(clock, "only a GPU can show the times")) << clock;
}

TEST(DrawRecord, CurvesWithoutPointsAreNamedAndNotDrawn) {
    Drawn drawn = draw(records(""));
    EXPECT_EQ(drawn.run.status, 1) << drawn.run.all();
    EXPECT_TRUE(contains(drawn.run.err, "not drawn: 04_timing_queue.svg: ")) << drawn.run.err;
    EXPECT_TRUE(contains(drawn.run.err, "has no points")) << drawn.run.err;
    EXPECT_EQ(folder_entries(drawn.folder),
              (std::vector<std::string>{"03_elementwise_fusion.svg", "04_timing_clock.svg"}));
}

TEST(DrawRecord, BadInputIsOneLineAndNoPicture) {
    std::string cpu = records("");
    cpu.replace(cpu.find("\"gpu\""), 5, "\"cpu\"");
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"", "no JSON array"},
        {"{", "no JSON array"},
        {"{}", "no JSON array"},
        {"[]", "03_elementwise"},
        {"[1, null, {}]", "03_elementwise"},
        {"[" + record("03_elementwise", kDevice) + "]", "04_timing"},
        {cpu, "not recorded on a GPU"}};
    for (const auto &[text, reason] : bad) {
        Drawn drawn = draw(text);
        expect_one_line_error(drawn.run, 2, {"lessons.json", reason});
        EXPECT_TRUE(folder_entries(drawn.folder).empty()) << text;
    }
    expect_one_line_error(run_program("./docs/pictures/draw_record", {"/no/such/file", "/tmp"}),
                          2, {"/no/such/file", "cannot be read"});
    expect_one_line_error(run_program("./docs/pictures/draw_record", {}), 2, {"usage"});
}

TEST(DrawRecord, AFolderThatIsNotThereIsNamed) {
    const std::string path = fresh_folder() + "/lessons.json";
    std::ofstream(path) << records("");
    LessonRun run = run_program("./docs/pictures/draw_record", {path, "/no/such/folder"});
    EXPECT_EQ(run.status, 1) << run.all();
    EXPECT_TRUE(contains(run.err, "/no/such/folder/03_elementwise_fusion.svg")) << run.err;
}
