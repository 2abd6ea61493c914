// SPDX-License-Identifier: Apache-2.0
// Command lines: good ones, and each bad one with one line that names the value and
// what is allowed.
#include "common/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

const LessonSpec MATRIX = [] {
    LessonSpec spec = {};
    spec.program = "03_elementwise";
    spec.about = "one operation on millions of elements";
    spec.rows = 12000;
    spec.cols = 1920;
    spec.cpu_rows = 1200;
    spec.pictures[0] = "owners";
    spec.pictures[1] = "fusion";
    return spec;
}();

struct Parsed {
    OptionsStatus status;
    Options options;
    std::string message;
    std::shared_ptr<std::vector<std::string>> arguments; // options point into them
};

Parsed parse(std::vector<std::string> arguments, const LessonSpec &spec = MATRIX,
             bool on_cpu_device = false) {
    arguments.insert(arguments.begin(), "program");
    Parsed parsed;
    parsed.arguments = std::make_shared<std::vector<std::string>>(arguments);
    std::vector<char *> argv;
    for (std::string &argument : *parsed.arguments) argv.push_back(&argument[0]);
    argv.push_back(nullptr);
    char message[4096];
    parsed.status = options_parse(static_cast<int>(arguments.size()), argv.data(), &spec,
                                  on_cpu_device, &parsed.options, message, sizeof message);
    parsed.message = message;
    return parsed;
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST(Options, Defaults) {
    const Parsed p = parse({});
    ASSERT_EQ(OPTIONS_OK, p.status) << p.message;
    EXPECT_EQ(12000u, p.options.rows);
    EXPECT_EQ(1920u, p.options.cols);
    EXPECT_EQ(12000u * 1920u, p.options.n);
    EXPECT_EQ(42u, p.options.seed);
    EXPECT_STREQ("0", p.options.device);
    EXPECT_FALSE(p.options.device_given);
    EXPECT_EQ(0, p.options.repeat);
    EXPECT_EQ(-1, p.options.warmup);
    EXPECT_EQ(nullptr, p.options.json_path);
    EXPECT_EQ(nullptr, p.options.plot_path);
    EXPECT_FALSE(p.options.sizes_given);
    EXPECT_EQ("", p.message);
}

TEST(Options, DefaultsOnTheCpuDevice) {
    const Parsed p = parse({}, MATRIX, true);
    EXPECT_EQ(1200u, p.options.rows);
    EXPECT_EQ(1920u, p.options.cols); // no default of its own
}

TEST(Options, AllGiven) {
    const Parsed p = parse({"--rows", "3", "--cols=5", "--seed", "18446744073709551615", "--device",
                            "GPU-12ab", "--repeat", "7", "--warmup=0", "--json", "/dev/null"});
    ASSERT_EQ(OPTIONS_OK, p.status) << p.message;
    EXPECT_EQ(3u, p.options.rows);
    EXPECT_EQ(5u, p.options.cols);
    EXPECT_EQ(15u, p.options.n);
    EXPECT_EQ(UINT64_MAX, p.options.seed);
    EXPECT_STREQ("GPU-12ab", p.options.device);
    EXPECT_TRUE(p.options.device_given);
    EXPECT_TRUE(parse({"--device=0"}).options.device_given) << "though it is the default";
    EXPECT_EQ(7, p.options.repeat);
    EXPECT_EQ(0, p.options.warmup);
    EXPECT_STREQ("/dev/null", p.options.json_path);
    EXPECT_TRUE(p.options.sizes_given);
}

TEST(Options, ASizeThatEqualsItsDefaultIsGivenToo) {
    EXPECT_TRUE(parse({"--rows", "12000"}).options.sizes_given);
    EXPECT_TRUE(parse({"--cols", "1920"}).options.sizes_given);
}

TEST(Options, LastOneCounts) { EXPECT_EQ(4u, parse({"--rows", "3", "--rows", "4"}).options.rows); }

// Each must be refused with one line that holds all of the parts.
struct Bad {
    std::vector<std::string> arguments, parts;
};

class BadOptions : public ::testing::TestWithParam<Bad> {};

TEST_P(BadOptions, OneLineNamesTheValueAndWhatIsAllowed) {
    const Parsed p = parse(GetParam().arguments);
    ASSERT_EQ(OPTIONS_BAD, p.status);
    EXPECT_EQ(0, std::count(p.message.begin(), p.message.end(), '\n')) << p.message;
    EXPECT_EQ(0u, p.message.find("03_elementwise: ")) << p.message;
    for (const std::string &part : GetParam().parts) {
        EXPECT_TRUE(contains(p.message, part)) << p.message << "\nlacks: " << part;
    }
}

const std::string RANGE = "from 1 to 1,000,000,000,000";
INSTANTIATE_TEST_SUITE_P(
    All, BadOptions,
    ::testing::Values(
        Bad{{"--rows", "0"}, {"--rows \"0\"", RANGE}},
        Bad{{"--rows", "-1"}, {"--rows \"-1\"", RANGE}},
        Bad{{"--rows=-1"}, {"--rows \"-1\"", RANGE}},
        Bad{{"--rows", "abc"}, {"--rows \"abc\"", RANGE, "digits"}},
        Bad{{"--rows", "1e12"}, {"--rows \"1e12\"", RANGE}},
        Bad{{"--rows", "12x"}, {"--rows \"12x\"", RANGE}},
        Bad{{"--rows", ""}, {"--rows \"\"", RANGE}}, Bad{{"--rows", " 7"}, {"--rows \" 7\""}},
        Bad{{"--rows", "7 "}, {"--rows \"7 \""}}, Bad{{"--rows", "+7"}, {"--rows \"+7\""}},
        Bad{{"--rows", "0x10"}, {"--rows \"0x10\""}},
        Bad{{"--rows", "1,000"}, {"--rows \"1,000\""}}, Bad{{"--rows", "1.5"}, {"--rows \"1.5\""}},
        Bad{{"--rows", "1000000000001"}, {"1000000000001", RANGE}},
        Bad{{"--rows", "99999999999999999999999999"}, {"99999999999999999999999999", RANGE}},
        Bad{{"--seed", "18446744073709551616"}, {"--seed", "18,446,744,073,709,551,615"}},
        Bad{{"--rows", "1000000000000", "--cols", "1000000000000"}, {"--rows", "--cols", "count"}},
        Bad{{"--repeat", "0"}, {"--repeat \"0\"", "from 1 to 1,000,000"}},
        Bad{{"--warmup", "-3"}, {"--warmup \"-3\"", "from 0 to 1,000,000"}},
        Bad{{"--rows"}, {"--rows needs a value"}}, Bad{{"--json"}, {"--json needs a value"}},
        Bad{{"--device", ""}, {"--device"}}, Bad{{"--speed", "3"}, {"\"--speed\"", "--help"}},
        Bad{{"--sed", "3"}, {"\"--sed\"", "did you mean --seed"}},
        Bad{{"--ro", "3"}, {"\"--ro\"", "did you mean --rows"}},
        Bad{{"--ro=3"}, {"did you mean --rows"}}, Bad{{"--n", "3"}, {"\"--n\""}},
        Bad{{"-r", "3"}, {"\"-r\""}}, Bad{{"--help=yes"}, {"--help takes no value"}},
        Bad{{"12"}, {"\"12\" is not an option"}}, Bad{{"--rows", "3", "stray"}, {"\"stray\""}},
        Bad{{"--", "3"}, {"\"3\""}},
        Bad{{"--json", "/nowhere/at/all.json"}, {"/nowhere/at/all.json", "No such file"}},
        Bad{{"--json", "/"}, {"\"/\"", "directory"}}, Bad{{"--json", ""}, {"--json", "empty"}},
        Bad{{"--json", "same.out", "--plot", "same.out"}, {"--json", "--plot", "\"same.out\""}},
        Bad{{"--json", "x_fusion.svg", "--plot", "x.svg"},
            {"--json", "--plot", "\"x_fusion.svg\""}},
        Bad{{"--plot", "/nowhere/x.svg"}, {"--plot", "/nowhere/x.svg"}}));

TEST(Options, HelpNamesEveryOption) {
    const Parsed p = parse({"--rows", "7", "--help", "--whatever"});
    ASSERT_EQ(OPTIONS_HELP, p.status);
    for (const char *part :
         {"03_elementwise: one operation", "--rows ROWS", "default 12000", "--cols COLS",
          "--seed SEED", "default 42", "--device DEVICE", "--repeat TIMES", "--warmup TIMES",
          "--json FILE", "--plot FILE", "--help", "Exit status"}) {
        EXPECT_TRUE(contains(p.message, part)) << p.message << "\nlacks: " << part;
    }
    EXPECT_FALSE(contains(p.message, "default 184")) << p.message;
}

TEST(Options, ALessonHasOnlyWhatItAskedFor) {
    LessonSpec spec = {};
    spec.program = "01";
    spec.about = "about";
    spec.n = 100;
    spec.no_seed = spec.no_timing = true;
    EXPECT_EQ(OPTIONS_BAD, parse({"--rows", "3"}, spec).status);
    EXPECT_EQ(OPTIONS_BAD, parse({"--seed", "3"}, spec).status);
    EXPECT_EQ(OPTIONS_BAD, parse({"--repeat", "3"}, spec).status);
    EXPECT_EQ(OPTIONS_BAD, parse({"--plot", "/dev/null"}, spec).status);
    EXPECT_EQ(77u, parse({"--n", "77"}, spec).options.n);
    EXPECT_FALSE(contains(parse({"--help"}, spec).message, "--seed"));
}

TEST(Options, OptionsOfOneLesson) {
    size_t block = 256;
    bool quick = false;
    const char *mode = "plain";
    const OptionExtra extra[] = {
        {"block", "THREADS", "threads per block", OPTION_SIZE, &block, 1, 1024},
        {"quick", nullptr, "less work", OPTION_FLAG, &quick, 0, 0},
        {"mode", "MODE", "which", OPTION_TEXT, &mode, 0, 0},
    };
    LessonSpec spec = MATRIX;
    spec.extra = extra;
    spec.extra_count = 3;
    const Parsed parsed = parse({"--block", "64", "--quick", "--mode", "x"}, spec);
    ASSERT_EQ(OPTIONS_OK, parsed.status);
    EXPECT_STREQ("x", mode);
    EXPECT_EQ(64u, block);
    EXPECT_TRUE(quick);
    EXPECT_TRUE(contains(parse({"--block", "1025"}, spec).message, "from 1 to 1,024"));
    block = 256;
    EXPECT_TRUE(contains(parse({"--help"}, spec).message, "threads per block (default 256)"));
}

TEST(Options, LongArgumentsAreCutNotOverrun) {
    const Parsed p = parse({"--rows", std::string(10000, '9')});
    EXPECT_EQ(OPTIONS_BAD, p.status);
    EXPECT_LT(p.message.size(), 4096u);
    EXPECT_EQ(OPTIONS_BAD, parse({"--" + std::string(10000, 'x')}).status);
    EXPECT_EQ(OPTIONS_BAD, parse({"--json", "/tmp/" + std::string(10000, 'x')}).status);
}

TEST(ParseSize, DigitsOnlyWithinRange) {
    uint64_t value = 1;
    EXPECT_TRUE(parse_size("0", 0, 10, &value));
    EXPECT_EQ(0u, value);
    EXPECT_TRUE(parse_size("0010", 0, 10, &value));
    EXPECT_EQ(10u, value);
    EXPECT_TRUE(parse_size("18446744073709551615", 0, UINT64_MAX, &value));
    EXPECT_EQ(UINT64_MAX, value);
    for (const char *bad : {"", "11", "-1", "1 ", "1e1", "18446744073709551616", "a"}) {
        value = 5;
        EXPECT_FALSE(parse_size(bad, 0, 10, &value)) << bad;
        EXPECT_EQ(5u, value);
    }
    EXPECT_FALSE(parse_size(nullptr, 0, 10, &value));
}

TEST(SizeProduct, NoticesOverflow) {
    size_t product = 1;
    EXPECT_TRUE(size_product(12000, 19200, &product));
    EXPECT_EQ(230400000u, product);
    EXPECT_FALSE(size_product(SIZE_MAX, 2, &product));
    EXPECT_EQ(230400000u, product);
    EXPECT_TRUE(size_product(SIZE_MAX, 0, &product));
    EXPECT_EQ(0u, product);
}

} // namespace
