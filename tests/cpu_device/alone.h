/* Runs a piece of a test in a process of its own: what sticks to a device there harms no other
 * test. The piece says what it found with CHECK_ALONE and goes on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CPU_DEVICE_ALONE_H
#define TESTS_CPU_DEVICE_ALONE_H

#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

/* Compares two integers (error codes above all) in a piece that runs alone. */
#define CHECK_ALONE(want, got)                                                                \
    do {                                                                                      \
        const long long want_ = (long long)(want), got_ = (long long)(got);                   \
        if (want_ != got_) {                                                                  \
            fprintf(stderr, "%s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #got, got_, \
                    want_);                                                                   \
            ++alone_failures;                                                                 \
        }                                                                                     \
    } while (0)

/* The block of statements runs in a fresh process; the test fails if a check in it did. */
#define RUN_ALONE(...)                                                   \
    do {                                                                 \
        const auto piece = [](int &alone_failures) __VA_ARGS__;          \
        GTEST_FLAG_SET(death_test_style, "threadsafe");                  \
        EXPECT_EXIT(run_alone(piece), ::testing::ExitedWithCode(0), ""); \
    } while (0)

template <class Piece>
inline void run_alone(const Piece &piece) {
    int failures = 0;
    piece(failures);
    fflush(stdout);
    _Exit(failures ? 1 : 0);
}

/* The statement in a process of its own ends with that status and says that. */
#define EXPECT_SAYS(status, pattern, ...)                                                   \
    do {                                                                                    \
        const auto piece = [] __VA_ARGS__;                                                  \
        GTEST_FLAG_SET(death_test_style, "threadsafe");                                     \
        EXPECT_EXIT((piece(), fflush(stdout), _Exit(0)), ::testing::ExitedWithCode(status), \
                    pattern);                                                               \
    } while (0)

/* With --config=check a program in which something was found does not end with status 0; a test
 * that finds it on purpose in its own process does. */
#ifdef LAB_CPU_DEVICE_CHECK
class EndsByItsTests : public ::testing::EmptyTestEventListener {
    void OnTestProgramEnd(const ::testing::UnitTest &tests) override {
        fflush(nullptr);
        _Exit(tests.Passed() ? 0 : 1);
    }
};
inline const bool ends_by_its_tests =
    (::testing::UnitTest::GetInstance()->listeners().Append(new EndsByItsTests), true);
#endif

/* Skips a test where the address sanitizer stands between program and memory. */
#if defined(__SANITIZE_ADDRESS__)
#define NOT_UNDER_ASAN(reason) GTEST_SKIP() << "under the address sanitizer: " << (reason)
#else
#define NOT_UNDER_ASAN(reason) (void)0
#endif

#endif
