/* Runs each program of this folder and checks how it ends and what it says.
 *
 * A program's first comment holds what must be in its output: "Prints: TEXT", and, unless it is
 * 0, its exit status: "Ends with: 3". A program checks its own numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

const char *const kFolder = "tests/cpu_device/programs/";
const int kLimitSeconds = 60;

struct Expected {
  std::vector<std::string> lines;
  int status = 0;
};

/* What the source's first comment promises. */
Expected read_source(const std::string &name) {
  Expected expected;
  std::ifstream source(kFolder + name + ".cu");
  if (!source) source.open(kFolder + name + "_sources/" + name + ".cu");
  EXPECT_TRUE(source.good()) << "no source of " << name;
  for (std::string line; std::getline(source, line);) {
    const std::string prints = " * Prints: ", ends = " * Ends with: ";
    if (line.compare(0, prints.size(), prints) == 0) expected.lines.push_back(line.substr(prints.size()));
    if (line.compare(0, ends.size(), ends) == 0) expected.status = atoi(line.c_str() + ends.size());
    if (line.find("*/") != std::string::npos) break;
  }
  return expected;
}

/* Output and errors of a command, with its exit status (124: it took too long). */
std::string output_of(const std::string &command, int *status) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int ended = pclose(pipe);
  *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  return text;
}

class Program : public testing::TestWithParam<const char *> {};

TEST_P(Program, SaysAndEndsAsItsSourceTells) {
  const Expected expected = read_source(GetParam());
  int status = -1;
  const std::string output = output_of("timeout " + std::to_string(kLimitSeconds) + " ./" + kFolder + GetParam() +
                                           " 2>&1 </dev/null", &status);
  EXPECT_EQ(expected.status, status) << output;
  EXPECT_FALSE(expected.lines.empty()) << "the source has no \"Prints:\" line";
  for (const std::string &line : expected.lines)
    EXPECT_NE(std::string::npos, output.find(line)) << "not printed: " << line << "\nbut:\n" << output;
}

const char *const kNames[] = {
#include "tests/cpu_device/programs/names.inc"
};

/* Like many programs of courses these leave memory to the system when they end. */
class Sanitizers : public testing::Environment {
  void SetUp() override {
    const char *set = getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", (std::string(set ? set : "") + ":detect_leaks=0").c_str(), 1);
  }
};
testing::Environment *const g_sanitizers = testing::AddGlobalTestEnvironment(new Sanitizers);

INSTANTIATE_TEST_SUITE_P(All, Program, testing::ValuesIn(kNames),
                         [](const testing::TestParamInfo<const char *> &info) { return std::string(info.param); });

}  // namespace
