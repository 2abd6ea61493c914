/* Is the reader of the language in which kernels are cut right about the names in them? What it takes
 * each variable for, and which one each name means, is compared with what clang says of the same
 * program. Only these tests use clang; where there is none they are skipped. Of other programs, such as
 * the fuzzer's:
 *
 *   LAB_ORACLE_PROGRAMS="/tmp/fuzz/1/fuzz.cu /tmp/fuzz/2/fuzz.cu" bazel run //tests/cpu_device:oracle_test
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cpu_device/oracle/front_end.h"

namespace {

using oracle::Facts;
using oracle::Place;
using oracle::text_of;

/* ---- the reader ---- */

std::string scratch() {
    const char *folder = getenv("TEST_TMPDIR");
    return folder ? folder : "/tmp";
}

std::string text_of_file(const std::string &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

/* The translator's words on the program, with every name that the reader has read in it; false: it failed. */
bool translate(const std::string &program, std::string *words) {
    const std::string log = scratch() + "/translator.log";
    const std::string command =
        "tests/cpu_device/cu_to_cpp " + program + " " + scratch() +
        "/program.cc -- g++ -std=c++17 -isystem cpu_device/include -isystem cpu_device/include_forward "
        "-isystem cpu_device/include_absent -I. -DCPU_DEVICE_SHOW_VARIABLES 2> " +
        log;
    const bool translated = system(command.c_str()) == 0;
    *words = text_of_file(log);
    return translated;
}

struct SourceFile {
    std::vector<std::string> lines;
    std::set<std::string> macros; /* defined in it */
};

const SourceFile &source_file(const std::string &path) {
    static std::map<std::string, SourceFile> files;
    SourceFile &file = files[path];
    if (!file.lines.empty()) return file;
    std::ifstream in(path);
    const std::regex define("\\s*#\\s*define\\s+(\\w+).*");
    for (std::string line; std::getline(in, line); file.lines.push_back(line)) {
        std::smatch found;
        if (std::regex_match(line, found, define)) file.macros.insert(found[1]);
    }
    return file;
}

bool holds_any(const std::string &line, const std::set<std::string> &names) {
    const std::regex word("\\w+");
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at)
        if (names.count(at->str())) return true;
    return false;
}

/* The name's place in the source, which is another column of the line than in the preprocessed text if
 * a macro, a comment or more than one blank stands before it. Nowhere, if such a line holds it twice. */
Place in_source(const Place &p, const std::string &name) {
    const SourceFile &file = source_file(p.file);
    if (p.line < 1 || (size_t)p.line > file.lines.size()) return {};
    const std::string &line = file.lines[(size_t)p.line - 1];
    const bool moved = holds_any(line, file.macros);
    const std::regex word("\\b" + name + "\\b");
    std::vector<int> columns;
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at)
        columns.push_back((int)at->position() + 1);
    for (int column : columns)
        if (column == p.column && !moved) return p;
    return columns.size() == 1 ? Place{p.file, p.line, columns[0]} : Place{};
}

struct Beliefs {
    std::string error;         /* the translator's last words, if it failed */
    std::set<Place> functions; /* that were read, by the places of their names */
    Facts facts;
    std::set<std::string>
        unplaced; /* FILE:LINE: and a name, which stands there nobody knows where */
};

std::string unplaced(const Place &p, const std::string &name) {
    return p.file + ":" + std::to_string(p.line) + ": " + name;
}

Beliefs beliefs_of(const std::string &program) {
    Beliefs out;
    std::string words;
    if (!translate(program, &words))
        out.error = "it failed: " + words.substr(words.size() < 500 ? 0 : words.size() - 500);
    std::istringstream in(words);
    const std::regex form(
        "(.*):([0-9]+):([0-9]+): (?:(function|variable) )?'(\\w+)'(?:: (.*)| is of ([0-9]+):([0-9]+)| is read)");
    for (std::string line; std::getline(in, line);) {
        std::smatch found;
        if (!std::regex_match(line, found, form)) continue;
        const std::string what = found[4], name = found[5], kind = found[6];
        const Place said{oracle::without_dot(found[1]), std::stoi(found[2]), std::stoi(found[3])},
            at = in_source(said, name);
        if (!at.line) {
            out.unplaced.insert(unplaced(said, name));
        } else if (what == "function") {
            out.functions.insert(at);
        } else if (what == "variable") {
            out.facts.variables[at] = {name, kind, {}, false};
        } else {
            const Place declared =
                in_source({said.file, std::stoi(found[7]), std::stoi(found[8])}, name);
            if (declared.line) out.facts.uses[at] = declared;
            else out.unplaced.insert(unplaced(said, name));
        }
    }
    return out;
}

/* ---- the comparison ---- */

struct Count {
    size_t variables = 0, uses = 0, unplaced = 0;
} g_total;
bool g_read_any = false;

/* What the reader says, clang says as well. */
void expect_confirmed(const Beliefs &reader, const Facts &clang) {
    for (const auto &[place, variable] : reader.facts.variables) {
        const auto at = clang.variables.find(place);
        if (at == clang.variables.end()) {
            ADD_FAILURE() << text_of(place) << ": the reader sees a variable '" << variable.name
                          << "', clang none";
            continue;
        }
        EXPECT_EQ(at->second.name, variable.name) << text_of(place);
        /* Of `auto` the reader claims nothing. */
        if (variable.kind.find("auto") != std::string::npos) continue;
        EXPECT_EQ(at->second.kind, variable.kind)
            << text_of(place) << ": clang's word on '" << variable.name << "', and the reader's";
    }
    for (const auto &[place, declared] : reader.facts.uses) {
        const auto at = clang.uses.find(place);
        const auto variable = clang.variables.find(declared);
        if (at == clang.uses.end() && variable != clang.variables.end() &&
            variable->second.constant)
            continue;
        if (at == clang.uses.end())
            ADD_FAILURE() << text_of(place)
                          << ": the reader sees the use of a variable, clang none";
        else
            EXPECT_EQ(text_of(at->second), text_of(declared))
                << text_of(place) << ": what is meant there, by clang and by the reader";
    }
}

/* In the functions that the reader has read, clang sees nothing more. */
void expect_complete(const Beliefs &reader, const Facts &clang) {
    const auto is_read = [&](const Place &declared) {
        const auto at = clang.variables.find(declared);
        return at != clang.variables.end() && reader.functions.count(at->second.function);
    };
    for (const auto &[place, variable] : clang.variables) {
        if (!is_read(place) || reader.unplaced.count(unplaced(place, variable.name))) continue;
        EXPECT_TRUE(reader.facts.variables.count(place))
            << text_of(place) << ": the reader does not see '" << variable.name << "'";
    }
    for (const auto &[place, declared] : clang.uses) {
        if (!is_read(declared) ||
            reader.unplaced.count(unplaced(place, clang.variables.at(declared).name)))
            continue;
        EXPECT_TRUE(reader.facts.uses.count(place))
            << text_of(place) << ": to the reader this is no variable of the function's";
    }
}

/* Those that LAB_ORACLE_PROGRAMS names, by full paths with blanks between; else the kit's own. */
std::vector<std::string> programs() {
    if (const char *named = getenv("LAB_ORACLE_PROGRAMS")) {
        std::istringstream in(named);
        return {std::istream_iterator<std::string>(in), {}};
    }
    /* What nvcc takes and clang does not. */
    static const std::set<std::string> not_for_clang = {
        "tests/cpu_device/cut/whole.cu",           /* kernels that are called asm and volatile */
        "tests/cpu_device/programs/inline_ptx.cu", /* PTX */
        "tests/cpu_device/programs/inline_ptx_blocks.cu",
        "tests/cpu_device/programs/launch_styles.cu",             /* braces in <<<>>> */
        "tests/cpu_device/programs/launches_through_pointers.cu", /* << < */
    };
    std::set<std::string> out = {"benchmarks/peers/cuda_side.cu",
                                 "tests/cpu_device/phases_test.cu"};
    for (const char *folder : {"kernels", "kernels/tuned", "tests/cpu_device/cut",
                               "tests/cpu_device/oracle", "tests/cpu_device/programs"})
        for (const auto &file : std::filesystem::directory_iterator(folder))
            if (file.path().extension() == ".cu" && !not_for_clang.count(file.path().string()))
                out.insert(file.path().string());
    return {out.begin(), out.end()};
}

/* False: *why says what keeps clang from it. */
bool clang_reads(const std::string &program, Facts *facts, std::string *why) {
    static std::string none;
    static const std::string clang = oracle::find_clang(&none);
    *why = none;
    if (clang.empty()) return false;
    if (oracle::read_program(clang, program, scratch(), facts, why)) return true;
    *why = clang + " cannot read it: " + *why;
    return false;
}

class Oracle : public testing::TestWithParam<std::string> {};

TEST_P(Oracle, AgreesWithTheReader) {
    const Beliefs reader = beliefs_of(GetParam());
    std::string why;
    Facts facts;
    const bool anything = !reader.functions.empty() || !reader.error.empty();
    if (anything && !clang_reads(GetParam(), &facts, &why)) GTEST_SKIP() << why;
    ASSERT_EQ("", reader.error);
    expect_confirmed(reader, facts);
    expect_complete(reader, facts);
    printf("%zu variables and %zu uses compared, %zu not found in their lines\n",
           reader.facts.variables.size(), reader.facts.uses.size(), reader.unplaced.size());
    g_total.variables += reader.facts.variables.size();
    g_total.uses += reader.facts.uses.size();
    g_total.unplaced += reader.unplaced.size();
    g_read_any = g_read_any || anything;
}

INSTANTIATE_TEST_SUITE_P(Programs, Oracle, testing::ValuesIn(programs()), [](const auto &info) {
    const std::filesystem::path path = info.param;
    return std::regex_replace(path.parent_path().filename().string() + "_" + path.stem().string(),
                              std::regex("\\W"), "_");
});

const char *const kOwnProgram = "tests/cpu_device/oracle/names.cu";

/* The program with names of all kinds is there to be read. */
TEST(OraclesOwnProgram, IsReadToItsLastFunction) {
    const std::string text = text_of_file(kOwnProgram);
    const std::regex definition("\n__(device|global)__ [^\n;]*\\{\n");
    const auto first = std::sregex_iterator(text.begin(), text.end(), definition);
    EXPECT_EQ((size_t)std::distance(first, std::sregex_iterator()),
              beliefs_of(kOwnProgram).functions.size());
}

/* A reader that is wrong is found out. */
TEST(OraclesOwnProgram, ShowsWhereAReaderIsWrong) {
    std::string why;
    Facts clang;
    if (!clang_reads(kOwnProgram, &clang, &why)) GTEST_SKIP() << why;
    const Beliefs right = beliefs_of(kOwnProgram);
    ASSERT_FALSE(right.facts.uses.empty());
    const auto [use, declared] = *right.facts.uses.begin();
    const auto other = std::find_if(right.facts.variables.begin(), right.facts.variables.end(),
                                    [&](const auto &v) { return !(v.first == declared); });
    Beliefs wrong = right;
    wrong.facts.variables[declared].kind += "s";
    EXPECT_NONFATAL_FAILURE(expect_confirmed(wrong, clang), "clang's word on");
    wrong = right;
    wrong.facts.uses[use] = other->first;
    EXPECT_NONFATAL_FAILURE(expect_confirmed(wrong, clang), "what is meant there");
    wrong = right;
    wrong.facts.uses.erase(use);
    EXPECT_NONFATAL_FAILURE(expect_complete(wrong, clang), "no variable of the function's");
}

/* Nothing compared is nothing shown. */
class Total : public testing::Environment {
    void TearDown() override {
        printf("in all %zu variables and %zu uses compared, %zu not found in their lines\n",
               g_total.variables, g_total.uses, g_total.unplaced);
        EXPECT_TRUE(!g_read_any || (g_total.variables > 0 && g_total.uses > 0))
            << "the translator showed no variables";
    }
};
const testing::Environment *const g_environment = testing::AddGlobalTestEnvironment(new Total);

} // namespace
