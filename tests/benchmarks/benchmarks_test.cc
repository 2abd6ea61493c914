// SPDX-License-Identifier: Apache-2.0
// The benchmark programs, run at small sizes: they check their results, refuse
// what they must and leave complete records. Times are not looked at.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct Outcome {
    int status; // exit status; 128 + signal
    std::string output;
};

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string scratch(const std::string &name) {
    const char *folder = std::getenv("TEST_TMPDIR");
    return std::string(folder != nullptr ? folder : "/tmp") + "/benchmarks_test_" + name;
}

// Under Bazel and in a packed copy alike, the current folder holds benchmarks/.
Outcome run(const std::string &command) {
    const std::string path = scratch("output");
    const int status = std::system(("{ " + command + "; } >" + path + " 2>&1").c_str());
    Outcome result = {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                      read_file(path)};
    std::remove(path.c_str());
    return result;
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

class Benchmarks : public ::testing::Test {
  protected:
    void SetUp() override {
        int count = 0;
        if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return;
        const char *required = std::getenv("LAB_REQUIRE_GPU");
        ASSERT_FALSE(required != nullptr && std::strcmp(required, "1") == 0) << "no GPU";
        GTEST_SKIP() << "no GPU";
    }
};

TEST_F(Benchmarks, ElementwiseChecksEveryOperation) {
    const std::string json = scratch("elementwise.json");
    const Outcome done =
        run("benchmarks/elementwise_bench --rows 33 --cols 1001 --repeat 2 --json " + json);
    EXPECT_EQ(0, done.status) << done.output;
    EXPECT_EQ(12u, count_of(done.output, "  right")) << done.output;
    EXPECT_FALSE(contains(done.output, "WRONG")) << done.output;
    const std::string record = read_file(json);
    EXPECT_EQ(12u, count_of(record, "\"percent_of_copy\"")) << record;
    EXPECT_EQ(12u, count_of(record, "\"median_ms\"")) << record;
    std::remove(json.c_str());
}

// No kernel reaches twice the copy's rate, where arrays are too large for a cache.
TEST_F(Benchmarks, ElementwiseCanRequireARate) {
#ifdef LAB_CPU_DEVICE
    const std::string size = "--rows 1000 --cols 1000";
#else
    const std::string size = "--rows 5000 --cols 8000";
#endif
    const Outcome done = run("benchmarks/elementwise_bench --repeat 2 --require 200 " + size);
    EXPECT_EQ(1, done.status) << done.output;
    EXPECT_EQ(4u, count_of(done.output, "below what is required")) << done.output;
}

TEST_F(Benchmarks, TransfersAreChecked) {
    const std::string json = scratch("transfer.json");
    const Outcome done = run("benchmarks/transfer_bench --n 1000003 --repeat 2 --json " + json);
    EXPECT_EQ(0, done.status) << done.output;
    EXPECT_EQ(8u, count_of(read_file(json), "\"way\""));
    std::remove(json.c_str());
}

TEST_F(Benchmarks, TunerPrintsTheBestAndTheLibrary) {
    const Outcome done = run("benchmarks/elementwise_tuner --n 10007 --repeat 1 --show 3");
    EXPECT_EQ(0, done.status) << done.output;
    EXPECT_EQ(2u, count_of(done.output, "the library as it is")) << done.output;
}

TEST_F(Benchmarks, FirstResultIsChecked) {
    const Outcome done = run("benchmarks/first_result 1001");
    EXPECT_EQ(0, done.status) << done.output;
    EXPECT_TRUE(contains(done.output, "\"since\": \"main\"")) << done.output;
    const Outcome timed = run("LAB_BENCH_START_NS=1 benchmarks/first_result 1001");
    EXPECT_TRUE(contains(timed.output, "\"since\": \"process start\"")) << timed.output;
}

TEST_F(Benchmarks, BadOptionsAreRefused) {
    for (const char *command :
         {"elementwise_bench --rows 0", "elementwise_bench --require -1", "transfer_bench --n 1e6",
          "elementwise_tuner --show 0", "first_result 0", "first_result 1x", "first_result 1 2",
          "elementwise_bench --json /nonexistent/file.json", "transfer_bench --what"}) {
        const Outcome done = run(std::string("benchmarks/") + command);
        EXPECT_EQ(2, done.status) << command << ": " << done.output;
        EXPECT_EQ(1u, count_of(done.output, "\n")) << command << ": " << done.output;
    }
}

#ifdef LAB_CPU_DEVICE
TEST_F(Benchmarks, CpuDeviceAgainstTheLoop) {
    const std::string json = scratch("cpu.json");
    const Outcome done = run("benchmarks/cpu_device_bench --n 100003 --repeat 2 --json " + json);
    EXPECT_EQ(0, done.status) << done.output;
    EXPECT_TRUE(contains(done.output, "with 1 thread: every element right")) << done.output;
    EXPECT_FALSE(contains(done.output, "WRONG")) << done.output;
    EXPECT_TRUE(contains(read_file(json), "\"times_the_loop\""));
    std::remove(json.c_str());
    const Outcome strict =
        run("benchmarks/cpu_device_bench --n 100003 --repeat 2 --require-ratio 1");
    EXPECT_EQ(1, strict.status) << strict.output;
}
#endif

// ---- compare_cupy.py, with a stand-in for CuPy whose times are given -----------

class Compare : public Benchmarks {
  protected:
    Outcome compare(const std::string &environment, const std::string &more = "--rehearse") {
        return run(environment +
                   " python3 benchmarks/compare_cupy.py --bin benchmarks --python "
                   "tests/benchmarks/stand_in_peer.py --rows 20 --cols 100 --first-n 1000 "
                   "--runs 1 --repeat 2 " +
                   more);
    }
    void SetUp() override {
        Benchmarks::SetUp();
        if (!IsSkipped() && run("python3 --version").status != 0) GTEST_SKIP() << "no python3";
    }
};

TEST_F(Compare, RatiosAreTheirTimeByOurs) {
    const std::string json = scratch("compare.json");
    const Outcome slow = compare("PEER_MS=1e6", "--rehearse --json " + json);
    // x + x, x**2 * x, first result.
    EXPECT_TRUE(contains(slow.output, "goal 2.4 x: met")) << slow.output;
    EXPECT_TRUE(contains(slow.output, "goal 5 x: met")) << slow.output;
    EXPECT_TRUE(contains(slow.output, "goal 2 x: met")) << slow.output;
    EXPECT_TRUE(contains(slow.output, "less a program with a context only")) << slow.output;
    EXPECT_TRUE(contains(slow.output, "ms   goal at most 10: ")) << slow.output;
    EXPECT_FALSE(contains(slow.output, "WRONG")) << slow.output;
    EXPECT_TRUE(contains(read_file(json), "\"ratios\""));
    EXPECT_TRUE(contains(read_file(json), "\"context_only\""));
    std::remove(json.c_str());

    const Outcome fast = compare("PEER_MS=1e-6");
    EXPECT_EQ(1, fast.status) << fast.output;
    EXPECT_TRUE(contains(fast.output, "goal 2.4 x: MISSED")) << fast.output;
    EXPECT_TRUE(contains(fast.output, "goal 5 x: MISSED")) << fast.output;
    EXPECT_TRUE(contains(fast.output, "goal 2 x: MISSED")) << fast.output;
}

TEST_F(Compare, WrongResultsOfThePeerAreSaid) {
    const Outcome done = compare("PEER_MS=1 PEER_WRONG=1");
    EXPECT_EQ(1, done.status) << done.output;
    EXPECT_EQ(7u, count_of(done.output, "WRONG RESULT: CuPy")) << done.output;
}

TEST_F(Compare, PycudaStandsBesideCupyAndHasNoGoals) {
    const std::string json = scratch("pycuda.json");
    const Outcome done = compare("PEER_MS=1e6", "--rehearse --json " + json);
    // Two sizes of three operations, two first results, two sizes of two transfers.
    EXPECT_EQ(12u, count_of(done.output, " PyCUDA 1000000.000 ms")) << done.output;
    EXPECT_EQ(12u, count_of(read_file(json), "\"pycuda\": 1000000.0")) << read_file(json);
    EXPECT_FALSE(contains(done.output, "left out")) << done.output;
    std::remove(json.c_str());
}

TEST_F(Compare, WithoutPycudaTheRestRunsAndSaysSo) {
    const std::string json = scratch("without.json");
    const Outcome with = compare("PEER_MS=1e6");
    const Outcome done = compare("PEER_MS=1e6 PYCUDA_MISSING=1", "--rehearse --json " + json);
    EXPECT_EQ(with.status, done.status) << done.output;
    EXPECT_TRUE(contains(done.output, "PyCUDA: left out: no PyCUDA here")) << done.output;
    EXPECT_TRUE(contains(read_file(json), "\"without\": \"no PyCUDA here\"")) << read_file(json);
    EXPECT_TRUE(contains(done.output, "goal 2.4 x: met")) << done.output;
    std::remove(json.c_str());
    const Outcome nowhere =
        compare("PEER_MS=1e6", "--rehearse --pycuda-python /nonexistent/python3");
    EXPECT_TRUE(contains(nowhere.output, "PyCUDA: left out: cannot run /nonexistent/python3"))
        << nowhere.output;
}

TEST_F(Compare, APycudaThatFailsOrIsWrongIsNoPass) {
    const std::string json = scratch("broken.json");
    const Outcome broken = compare("PEER_MS=1e6 PYCUDA_FAILS=1", "--rehearse --json " + json);
    EXPECT_EQ(1, broken.status) << broken.output;
    EXPECT_TRUE(contains(read_file(json), "\"ratios\"")) << "CuPy's figures were lost";
    std::remove(json.c_str());
    EXPECT_TRUE(contains(broken.output, "PyCUDA broke")) << broken.output;
    EXPECT_TRUE(contains(broken.output, "PyCUDA: FAILED: ")) << broken.output;
    const Outcome wrong = compare("PEER_MS=1e6 PYCUDA_WRONG=1");
    EXPECT_EQ(1, wrong.status) << wrong.output;
    EXPECT_EQ(7u, count_of(wrong.output, "WRONG RESULT: PyCUDA")) << wrong.output;
}

TEST_F(Compare, AnEmptyCacheThatWasNoneIsNotCompared) {
    const Outcome done = compare("PEER_MS=1e6 PYCUDA_NO_CACHE=1");
    EXPECT_TRUE(contains(done.output, "nothing compiled yet: left out")) << done.output;
    EXPECT_EQ(11u, count_of(done.output, " PyCUDA 1000000.000 ms")) << done.output;
}

// The real script, where the python3 here has no PyCUDA.
TEST_F(Compare, ThePeerSaysWhatItNeeds) {
    if (run("python3 -c 'import numpy, pycuda'").status == 0) GTEST_SKIP() << "PyCUDA is here";
    const Outcome done = run("python3 benchmarks/peer_pycuda.py first 10");
    EXPECT_EQ(3, done.status) << done.output;
    EXPECT_TRUE(contains(done.output, "it needs numpy and PyCUDA")) << done.output;
    const Outcome bad = run("python3 benchmarks/peer_pycuda.py ops --rows 0");
    EXPECT_EQ(2, bad.status) << bad.output;
    EXPECT_TRUE(contains(bad.output, "0 is not a positive number")) << bad.output;
}

TEST_F(Compare, SaysWhatCannotRun) {
    const Outcome no_peer = compare("PEER_MISSING=1");
    EXPECT_EQ(3, no_peer.status) << no_peer.output;
    EXPECT_TRUE(contains(no_peer.output, "no CuPy here")) << no_peer.output;
    const Outcome no_programs = run("python3 benchmarks/compare_cupy.py --bin /nonexistent");
    EXPECT_EQ(3, no_programs.status) << no_programs.output;
#ifdef LAB_CPU_DEVICE
    const Outcome no_gpu = compare("PEER_MS=1", "");
    EXPECT_EQ(3, no_gpu.status) << no_gpu.output;
    EXPECT_TRUE(contains(no_gpu.output, "say nothing about a GPU")) << no_gpu.output;
#endif
}

} // namespace
