// SPDX-License-Identifier: Apache-2.0
// Runs a lesson as a student would and gives back what it said.
//
// The tests look for lessons/NAME under the current folder, which is the
// runfiles root both under Bazel and for a packed copy of the tests. What a
// lesson does on the CPU device and on a GPU differs in few, named places:
// kCpuDevice tells a test which build it checks.
#ifndef TESTS_LESSONS_LESSON_PROGRAM_H_
#define TESTS_LESSONS_LESSON_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

#include <cjson/cJSON.h>
#include "gtest/gtest.h"

#ifdef LAB_CPU_DEVICE
constexpr bool kCpuDevice = true;
#else
constexpr bool kCpuDevice = false;
#endif

using Arguments = std::vector<std::string>;
// Name and value; a value of "" sets the variable to nothing, kUnset removes it.
using Environment = std::vector<std::pair<std::string, std::string>>;
extern const char kUnset[];

struct LessonRun {
    int status = -1; // exit status, or -1 where a signal or the time limit ended it
    int signal = 0;  // that signal, or 0
    bool timed_out = false;
    double seconds = 0;
    std::string out; // standard output
    std::string err; // standard error
    std::string all() const { return out + err; }
    std::vector<std::string> lines() const;
};

// Runs lessons/`name` with a limit of `limit_s` seconds.
LessonRun run_lesson(const std::string &name, const Arguments &arguments,
                     const Environment &environment = {}, double limit_s = 240);

// Runs any program; path with a slash, or looked up on PATH.
LessonRun run_program(const std::string &path, const Arguments &arguments,
                      const Environment &environment = {}, double limit_s = 240);

// A fresh, empty folder that is removed when the test program ends.
std::string fresh_folder();

bool file_exists(const std::string &path);
std::string read_file(const std::string &path);
std::vector<std::string> folder_entries(const std::string &path);

// Number of devices this process sees.
int visible_devices();

// Skips the current test where there is no device, or fails it where
// LAB_REQUIRE_GPU=1 asks that there be one.
#define NEEDS_DEVICE()                                                \
    do {                                                              \
        if (visible_devices() > 0) break;                             \
        const char *required = getenv("LAB_REQUIRE_GPU");             \
        if (required != nullptr && std::string(required) == "1") {    \
            FAIL() << "LAB_REQUIRE_GPU=1, but there is no device";    \
        }                                                             \
        GTEST_SKIP() << "there is no device: this build needs a GPU"; \
    } while (false)

// How often `part` stands in `text`.
size_t count_of(const std::string &text, const std::string &part);

// A parsed JSON document that frees itself; root is null if it was not JSON.
class Json {
  public:
    explicit Json(const std::string &text) : root_(cJSON_Parse(text.c_str())) {}
    ~Json() { cJSON_Delete(root_); }
    Json(const Json &) = delete;
    Json &operator=(const Json &) = delete;
    const cJSON *root() const { return root_; }
    // The member at the path, null where there is none.
    const cJSON *at(const std::vector<std::string> &path) const;

  private:
    cJSON *root_;
};

// What every run of a lesson must keep to, right or wrong: no signal, no
// timeout, no line wider than that, no escape sequence (colour).
void expect_well_behaved(const LessonRun &run, size_t width = 100);

// Exit status 0, nothing on standard error, first line names lesson and device,
// last line is OK.
void expect_success(const std::string &name, const LessonRun &run);

// The run names the picture, which is a whole SVG that is readable on light and on dark pages.
void expect_picture(const LessonRun &run, const std::string &path);

// Exit status `status`, one line on standard error holding each of the words,
// and nothing that looks like a crash.
void expect_one_line_error(const LessonRun &run, int status, const std::vector<std::string> &words);

#endif // TESTS_LESSONS_LESSON_PROGRAM_H_
