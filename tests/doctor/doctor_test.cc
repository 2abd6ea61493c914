/* What the doctor says about drivers, visibility and architectures.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace {

const char FAKE_DRIVER[] = "LD_LIBRARY_PATH=tests/doctor/driver ";

struct Outcome {
    int status;
    std::string text;
};

/* Runs a doctor with variables such as "A=b C=d " in front. */
Outcome run(const std::string &variables,
            const std::string &program = "tests/doctor/doctor_on_gpu_machine") {
    Outcome outcome{-1, ""};
    const std::string clean = "env -u CUDA_VISIBLE_DEVICES -u LD_LIBRARY_PATH ";
    FILE *pipe = popen((clean + variables + program + " 2>&1").c_str(), "r");
    if (!pipe) return outcome;
    for (int c; (c = fgetc(pipe)) != EOF;) outcome.text += static_cast<char>(c);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

#define EXPECT_SAYS(outcome, words) \
    EXPECT_NE(std::string::npos, (outcome).text.find(words)) << (outcome).text
#define EXPECT_SAYS_NOT(outcome, words) \
    EXPECT_EQ(std::string::npos, (outcome).text.find(words)) << (outcome).text

TEST(Doctor, IsContentWhereAllIsThere) {
    const Outcome outcome = run(FAKE_DRIVER);
    EXPECT_EQ(0, outcome.status);
    EXPECT_SAYS(outcome, "All that the GPU needs is here.");
    EXPECT_SAYS(outcome, "Fake GPU 0, compute capability 9.0");
    EXPECT_SAYS(outcome, "supports CUDA up to 13.0");
    EXPECT_SAYS(outcome, "CUDA_VISIBLE_DEVICES  not set");
}

TEST(Doctor, NamesTheDriverLibraryThatWasLoaded) {
    EXPECT_SAYS(run(FAKE_DRIVER), "tests/doctor/driver/libcuda.so.1");
}

TEST(Doctor, MissingDriverIsReportedWithTheFix) {
    const Outcome outcome = run("LD_LIBRARY_PATH=/nowhere ");
    if (outcome.text.find("driver                none") == std::string::npos)
        GTEST_SKIP() << "this machine has a driver";
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(outcome, "Install the driver");
    EXPECT_SAYS(outcome, "--config=cpu");
}

TEST(Doctor, HiddenGpusAreCalledHidden) {
    for (const char *hiding : {"", "-1", "7"}) {
        const Outcome outcome =
            run(std::string(FAKE_DRIVER) + "CUDA_VISIBLE_DEVICES=" + hiding + " ");
        EXPECT_EQ(1, outcome.status);
        EXPECT_SAYS(outcome, std::string("hidden by CUDA_VISIBLE_DEVICES='") + hiding + "'");
        EXPECT_SAYS(outcome, "programs see 0 of 1 GPUs");
        EXPECT_SAYS_NOT(outcome, "Install the driver");
    }
}

TEST(Doctor, VisibilityThatHidesNothingIsShownOnly) {
    const Outcome outcome =
        run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_GPUS=2 CUDA_VISIBLE_DEVICES=1 ");
    EXPECT_EQ(0, outcome.status);
    EXPECT_SAYS(outcome, "Fake GPU 1");
    EXPECT_SAYS(outcome, "CUDA_VISIBLE_DEVICES  '1'");
}

TEST(Doctor, DriverOlderThanTheToolkitByAMajorVersion) {
    const Outcome outcome = run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_VERSION=12040 ");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(
        outcome,
        "The driver supports CUDA up to 12.4, but the toolkit is 13.0: programs end with error 35");
}

TEST(Doctor, DriverNewerThanTheToolkitIsFine) {
    EXPECT_EQ(0, run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_VERSION=13020 ").status);
}

TEST(Doctor, ArchitectureThatDoesNotFitIsToldWithTheFlag) {
    /* sm_80 runs on 8.6, compute_90 would be compiled for 12.0, and nothing here is for 7.5. */
    for (const char *fits : {"80", "86", "90", "120"})
        EXPECT_EQ(0, run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_CAPABILITY=" + fits + " ").status)
            << fits;
    const Outcome outcome = run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_CAPABILITY=75 ");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(
        outcome,
        "Built for sm_80 compute_90, which Fake GPU 0 (compute capability 7.5) cannot run.");
    EXPECT_SAYS(outcome, "--archs=sm_75");
}

TEST(Doctor, StubOfTheToolkitIsCalledAStub) {
    const Outcome outcome = run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_INIT=34 ");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(outcome, "is the toolkit's stub");
}

TEST(Doctor, LinuxDriverOnWslIsToldWithTheRightFolder) {
    const Outcome outcome = run(FAKE_DRIVER, "tests/doctor/doctor_on_wsl");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(outcome, "its library lies in /proc, but ");
    EXPECT_SAYS(outcome, "tests/doctor/driver/libcuda.so.1 was loaded");
}

TEST(Doctor, DriverThatDoesNotStartIsToldWithItsError) {
    const Outcome outcome = run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_INIT=803 ");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(outcome, "cuInit gives error 803");
}

TEST(Doctor, SurvivesADriverThatCrashes) {
    const Outcome outcome = run(std::string(FAKE_DRIVER) + "FAKE_DRIVER_GPUS=crash ");
    EXPECT_EQ(1, outcome.status);
    EXPECT_SAYS(outcome, "it crashed when it was asked");
}

TEST(Doctor, OfThisMachineSaysWhichDeviceAndWhy) {
    const Outcome outcome = run("", "bazel/doctor/doctor");
    EXPECT_SAYS(outcome, "device used");
    EXPECT_SAYS(outcome, "host compiler");
}

TEST(Doctor, TakesNoOptions) {
    const Outcome outcome = run("", "bazel/doctor/doctor --frobnicate");
    EXPECT_EQ(2, outcome.status);
    EXPECT_SAYS(outcome, "doctor takes no options");
}

} // namespace
