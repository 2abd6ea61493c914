/* Which kernels cu_to_cpp cuts at their barriers, and which it leaves whole: a kernel that is no
 * longer cut is ten times as slow, one that is cut and must not be is wrong. The kernels are in
 * the folder cut; each that stays whole stands behind a line `// whole: reason`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

const char *const kFolder = "tests/cpu_device/cut/";

std::string text_of(const std::string &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string scratch(const char *name) {
    const char *folder = getenv("TEST_TMPDIR");
    return std::string(folder ? folder : "/tmp") + "/" + name;
}

/* What the translator says of the program, and what it makes of it. */
struct Translated {
    std::string said, made;
};
Translated translate(const std::string &path, const std::string &flags = "") {
    const std::string out = scratch("program.cc"), log = scratch("log");
    const std::string command =
        "tests/cpu_device/cu_to_cpp " + path + " " + out +
        " -- g++ -std=c++17 -isystem cpu_device/include -isystem cpu_device/include_forward "
        "-isystem cpu_device/include_absent " +
        flags + " 2> " + log;
    if (system(command.c_str()) != 0) return {text_of(log), ""};
    return {text_of(log), text_of(out)};
}

struct Kernel {
    std::string file, name, form, reason;
};

void PrintTo(const Kernel &k, std::ostream *out) { *out << k.file << ": " << k.name; }

/* The kernels of a file, all of one form, with the reasons that stand before them. */
std::vector<Kernel> kernels_of(const std::string &file, const std::string &form) {
    std::vector<Kernel> out;
    std::istringstream in(text_of(kFolder + file));
    std::string reason;
    const std::regex kernel("^(?:.*\\s)?__global__ void (\\w+)\\(.*"), mark("// whole: (.*)");
    for (std::string line; std::getline(in, line);) {
        std::smatch found;
        if (std::regex_match(line, found, mark)) reason = found[1];
        if (!std::regex_match(line, found, kernel)) continue;
        out.push_back({file, found[1], form, reason});
        reason.clear();
    }
    return out;
}

std::vector<Kernel> all_kernels() {
    std::vector<Kernel> out;
    for (const auto &[file, form] :
         std::map<std::string, std::string>{{"cut.cu", "is cut at its barriers"},
                                            {"whole.cu", "stays whole"},
                                            {"whole_for_operators.cu", "stays whole"},
                                            {"never_waits.cu", "never waits"}})
        for (const Kernel &k : kernels_of(file, form)) out.push_back(k);
    return out;
}

/* By kernel, what -DCPU_DEVICE_SHOW_CUTS says: the form, and behind a line break the reason. */
const std::map<std::string, std::string> &said_of(const std::string &file) {
    static std::map<std::string, std::map<std::string, std::string>> files;
    auto at = files.find(file);
    if (at != files.end()) return at->second;
    std::map<std::string, std::string> &out = files[file];
    std::istringstream in(translate(kFolder + file, "-DCPU_DEVICE_SHOW_CUTS").said);
    std::string kernel;
    const std::regex form(".*:[0-9]+: note: kernel '(\\w+)' (.*)"),
        because(".*:[0-9]+: note: because of (.*)");
    for (std::string line; std::getline(in, line);) {
        std::smatch found;
        if (std::regex_match(line, found, form)) out[kernel = found[1]] = found[2];
        else if (std::regex_match(line, found, because)) out[kernel] += "\n" + found[1].str();
    }
    return out;
}

class Cut : public testing::TestWithParam<Kernel> {};

TEST_P(Cut, OrNotAndWhy) {
    const Kernel &k = GetParam();
    const auto &said = said_of(k.file);
    ASSERT_TRUE(said.count(k.name)) << "the translator says nothing of it";
    EXPECT_EQ(k.form, said.at(k.name).substr(0, k.form.size()));
    if (k.form == "stays whole") {
        ASSERT_FALSE(k.reason.empty()) << "write `// whole: reason` before the kernel";
        EXPECT_EQ(k.reason, said.at(k.name).substr(said.at(k.name).find('\n') + 1));
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Cut, testing::ValuesIn(all_kernels()), [](const auto &info) {
    const std::string &file = info.param.file;
    return file.substr(0, file.find('.')) + "_" + info.param.name;
});

/* The kit's own kernels and benchmarks keep their speed. */
TEST(CutOrNot, TheBenchmarksKernelsAreAllCutOrNeverWait) {
    const std::string said =
        translate("benchmarks/peers/cuda_side.cu", "-I. -DCPU_DEVICE_SHOW_CUTS").said;
    EXPECT_EQ(std::string::npos, said.find("stays whole")) << said;
    EXPECT_NE(std::string::npos, said.find("'sum_shuffle' is cut")) << said;
}

TEST(CutOrNot, TheKitsKernelsAreAllCutOrNeverWait) {
    for (const char *file : {"add", "tuned/elementwise", "tuned/int32", "tuned/random"}) {
        const std::string said =
            translate(std::string("kernels/") + file + ".cu", "-I. -DCPU_DEVICE_SHOW_CUTS").said;
        EXPECT_EQ(std::string::npos, said.find("stays whole")) << said;
        EXPECT_NE(std::string::npos, said.find("note: kernel")) << said;
    }
}

TEST(CutOrNot, NothingIsCutWhereTheFlagsSaySo) {
    const std::string path = scratch("uncut.cu");
    std::ofstream(path) << "__global__ void k(int *x) { __syncthreads(); x[0] = 1; }\n"
                           "void go(int *x) { k<<<1, 1>>>(x); }\n";
    EXPECT_NE(std::string::npos,
              translate(path, "-DCPU_DEVICE_UNCUT").made.find("launch<::cpu_device::kMayWait>"));
}

/* The second form of a device function comes with the first's lines, for the compiler's messages. */
TEST(CutOrNot, LinesStayWhereTheyAre) {
    const std::string path = scratch("lines.cu");
    std::ofstream(path) << "__device__ int f(int a) {\n  __syncthreads();\n  return a;\n}\n"
                           "__global__ void k(int *x) {\n  x[0] = f(1);\n}\nint last;\n";
    const std::string made = translate(path).made;
    const size_t second = made.find("cu_block_f(");
    ASSERT_NE(std::string::npos, second);
    const size_t marker = made.rfind("# 1 \"", second), back = made.find("# 4 \"", second);
    EXPECT_NE(std::string::npos, marker);
    EXPECT_NE(std::string::npos, back);
}

} // namespace
