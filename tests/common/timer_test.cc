// SPDX-License-Identifier: Apache-2.0
// Timer: what it measures, how often, and which figures it refuses to give.
#include "common/timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "common/ceiling.h"
#include "common/check.h"
#include "tests/common/device_test.h"

namespace {

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

std::string rate_text(const RateCheck &check, size_t element_size = 0) {
    char text[512];
    rate_describe(&check, element_size, text, sizeof text);
    return text;
}

RateCheck rate(double gbps, double ceiling, size_t working_set = 0, size_t l2 = 0,
               double peak = 0) {
    RateCheck check = {};
    check.gbps = gbps;
    check.ceiling_gbps = ceiling;
    check.working_set = working_set;
    check.l2_bytes = l2;
    check.peak_gbps = peak;
    return check;
}

TEST(TimerStats, MedianSpreadMinimum) {
    std::vector<double> samples;
    for (int i = 0; i <= 100; ++i) samples.push_back(10 + 0.001 * ((i * 37) % 101)); // 10 … 10.1
    TimerStats stats;
    timer_stats_from(samples.data(), samples.size(), &stats);
    EXPECT_DOUBLE_EQ(10.05, stats.median_ms);
    EXPECT_DOUBLE_EQ(10, stats.min_ms);
    EXPECT_DOUBLE_EQ(10.1, stats.max_ms);
    EXPECT_NEAR(0.08 / 10.05, stats.spread, 1e-9);
    EXPECT_EQ(101u, stats.repeats);
    EXPECT_FALSE(stats.doubtful);
}

TEST(TimerStats, OutliersDoNotMoveTheMedianButWideSamplesAreDoubtful) {
    double one_outlier[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50};
    TimerStats stats;
    timer_stats_from(one_outlier, 20, &stats);
    EXPECT_EQ(1, stats.median_ms);
    EXPECT_EQ(50, stats.max_ms);
    EXPECT_FALSE(stats.doubtful);
    double wide[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9};
    timer_stats_from(wide, 10, &stats);
    EXPECT_TRUE(stats.doubtful);
    char text[200];
    timer_describe(&stats, text, sizeof text);
    EXPECT_TRUE(contains(text, "doubtful")) << text;
    EXPECT_TRUE(contains(text, "about 1.4 ms") || contains(text, "about 1.5 ms")) << text;
}

TEST(TimerStats, NoSamples) {
    TimerStats stats;
    timer_stats_from(nullptr, 0, &stats);
    EXPECT_EQ(0u, stats.repeats);
    char text[200];
    timer_describe(&stats, text, sizeof text);
    EXPECT_STREQ("not measured", text);
    double one[] = {3};
    timer_stats_from(one, 1, &stats);
    EXPECT_EQ(3, stats.median_ms);
    EXPECT_EQ(0, stats.spread);
    EXPECT_TRUE(stats.doubtful); // one sample differs from no other
    timer_describe(&stats, text, sizeof text);
    EXPECT_STREQ("about 3 ms (median of 1, spread 0.0 %); doubtful: fewer than 3 samples", text);
    double three[] = {3, 3, 3};
    timer_stats_from(three, 3, &stats);
    EXPECT_FALSE(stats.doubtful);
}

TEST(RateCheck, PlainRatesPass) {
    EXPECT_EQ(RATE_OK, rate_check(std::vector<RateCheck>{rate(4123, 4216)}.data()));
    EXPECT_EQ("4,123 GB/s, 97.8 % of the copy ceiling", rate_text(rate(4123, 4216)));
    EXPECT_EQ("4,123 GB/s", rate_text(rate(4123, 0))); // nothing to hold it against
    // A kernel that only writes is a little faster than a copy.
    EXPECT_EQ("4,424 GB/s, 104.9 % of the copy ceiling", rate_text(rate(4424, 4216, 0, 0, 4916)));
}

// The case of the 288 GB/s card that "reached" 900 GB/s with 8 MB.
TEST(RateCheck, CacheIsNamedWithASizeThatIsLargeEnough) {
    const RateCheck check = rate(700, 270, 16 << 20, 40 << 20, 288);
    EXPECT_EQ(RATE_IN_CACHE, rate_check(&check));
    const std::string text = rate_text(check, sizeof(double));
    EXPECT_TRUE(contains(text, "L2 cache (41.9 MB)")) << text;
    EXPECT_TRUE(contains(text, "take n = 41,943,040 or more")) << text;
    EXPECT_FALSE(contains(text, "700")) << "never as a plain result: " << text;
    // The suggestion is no longer in the cache.
    EXPECT_NE(
        RATE_IN_CACHE,
        rate_check(std::vector<RateCheck>{rate(700, 270, 41943040ull * 16, 40 << 20, 288)}.data()));
}

// The case of the matrix product that took as long for 8192 as for 512.
TEST(RateCheck, LaunchTimeIsNamed) {
    const RateCheck check = rate(50000, 4216, 276480000, 50 << 20);
    EXPECT_EQ(RATE_NOT_SYNCHRONISED, rate_check(&check));
    const std::string text = rate_text(check);
    EXPECT_TRUE(contains(text, "launch time, not run time")) << text;
    EXPECT_TRUE(contains(text, "cudaDeviceSynchronize")) << text;
    EXPECT_FALSE(contains(text, "50,000")) << text;
}

TEST(RateCheck, AboveTheCeilingWithoutACacheToBlame) {
    const RateCheck check = rate(6000, 4216, 276480000, 50 << 20);
    EXPECT_EQ(RATE_ABOVE_CEILING, rate_check(&check));
    EXPECT_FALSE(contains(rate_text(check), "6,000"));
    // Above the theoretical peak is never right, whatever was measured.
    EXPECT_EQ(RATE_ABOVE_CEILING,
              rate_check(std::vector<RateCheck>{rate(300, 290, 0, 0, 288)}.data()));
    EXPECT_EQ(RATE_ABOVE_CEILING,
              rate_check(std::vector<RateCheck>{rate(300, 0, 0, 0, 288)}.data()));
}

TEST(RateCheck, AKernelAsShortAsALaunchHasNoRate) {
    RateCheck check = rate(2, 4, 12000, 50 << 20, 4916); // 1,000 elements; the copy is as short
    check.ms = 0.002;
    EXPECT_EQ(RATE_TOO_SHORT, rate_check(&check));
    EXPECT_TRUE(contains(rate_text(check), "shorter than about 5.0 us")) << rate_text(check);
    EXPECT_FALSE(contains(rate_text(check), "L2")) << rate_text(check);
    check.gbps = 40; // far above that copy's rate, and far below the memory's
    EXPECT_EQ(RATE_TOO_SHORT, rate_check(&check));
    check.peak_gbps = check.ceiling_gbps = 0; // nothing known: short all the same
    EXPECT_EQ(RATE_TOO_SHORT, rate_check(&check));
    check.ceiling_gbps = 4216; // much work in no time: nobody waited
    check.gbps = 50000;
    EXPECT_EQ(RATE_NOT_SYNCHRONISED, rate_check(&check));
    check.gbps = 2000;
    check.ms = RATE_SHORTEST_MS;
    EXPECT_EQ(RATE_OK, rate_check(&check));
    check.ms = 0; // not known
    EXPECT_EQ(RATE_OK, rate_check(&check));
}

TEST(RateCheck, NoTime) {
    for (double gbps : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        const RateCheck check = rate(gbps, 100);
        EXPECT_EQ(RATE_NO_TIME, rate_check(&check));
        EXPECT_TRUE(contains(rate_text(check), "no time")) << rate_text(check);
    }
    EXPECT_EQ(0, gbps_from(1e9, 0));
    EXPECT_EQ(0, gbps_from(1e9, -1));
    EXPECT_DOUBLE_EQ(1, gbps_from(1e9, 1000));
}

TEST(LaunchOnly, TimeThatDoesNotGrowWithTheWork) {
    char text[400];
    EXPECT_TRUE(timing_is_launch_only(512.0 * 512 * 512, 0.005, 8192.0 * 8192 * 8192, 0.006, text,
                                      sizeof text));
    EXPECT_TRUE(contains(text, "launch time, not run time")) << text;
    EXPECT_TRUE(contains(text, "4,096") || contains(text, "4096")) << text;
    EXPECT_FALSE(timing_is_launch_only(1e6, 0.01, 1e8, 0.9, text, sizeof text));
    EXPECT_FALSE(timing_is_launch_only(1e6, 0.01, 2e6, 0.01, text, sizeof text)) << "too alike";
    EXPECT_FALSE(timing_is_launch_only(0, 0.01, 2e6, 0.01, nullptr, 0));
    EXPECT_FALSE(timing_is_launch_only(1, 0, 100, 0, nullptr, 0));
    EXPECT_TRUE(timing_is_launch_only(1, 1, 100, 1, nullptr, 0));
}

// --- CPU work ---

void sleep_2_ms(void *context) {
    ++*static_cast<int *>(context);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void count(void *context) { ++*static_cast<volatile int *>(context); }

TEST(TimeCpu, MeasuresAndKeepsItsBudget) {
    int calls = 0;
    TimerOptions options = {};
    options.budget_ms = 60;
    TimerStats stats;
    time_cpu(sleep_2_ms, &calls, &options, &stats);
    EXPECT_GE(stats.median_ms, 2);
    EXPECT_GE(stats.first_ms, 2);
    EXPECT_EQ(3u, stats.warmups);
    EXPECT_EQ(1u, stats.batch);
    EXPECT_EQ(1 + 3 + static_cast<int>(stats.repeats), calls);
    EXPECT_GE(stats.repeats, 3u);
    EXPECT_LE(stats.repeats, 30u); // 60 ms hold no more
}

TEST(TimeCpu, ShortWorkIsBatched) {
    int calls = 0;
    TimerOptions options = {};
    options.budget_ms = 20;
    options.repeat = 7;
    options.warmup = 2;
    TimerStats stats;
    time_cpu(count, &calls, &options, &stats);
    EXPECT_EQ(7u, stats.repeats);
    EXPECT_GT(stats.batch, 1u);
    EXPECT_EQ(2u, stats.warmups);
    EXPECT_EQ(1 + 2 + 7 * static_cast<int>(stats.batch), calls);
}

TEST(TimeCpu, NoWarmups) {
    int calls = 0;
    TimerOptions options = {};
    options.repeat = 1;
    options.warmup = -1;
    TimerStats stats;
    time_cpu(sleep_2_ms, &calls, &options, &stats);
    EXPECT_EQ(0u, stats.warmups);
    EXPECT_EQ(2, calls) << "the first call is never a sample";
}

// --- Device work ---

struct Fill {
    void *d;
    size_t bytes;
    int calls;
    int fail_at; // this call fails; 0: none
    cudaStream_t last_stream;
};

cudaError_t fill(void *context, cudaStream_t stream) {
    Fill *work = static_cast<Fill *>(context);
    work->last_stream = stream;
    if (++work->calls == work->fail_at) return cudaErrorUnknown;
    return cudaMemsetAsync(work->d, work->calls & 0x7F, work->bytes, stream);
}

class TimeGpu : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (device_count > 0) {
            ASSERT_EQ(cudaSuccess, cudaMalloc(&work.d, bytes));
        }
        work.bytes = bytes;
    }
    void TearDown() override {
        cudaFree(work.d);
        DeviceTest::TearDown();
    }
    const size_t bytes = 32 << 20;
    Fill work = {};
};

TEST_F(TimeGpu, MeasuresTheDeviceNotTheLaunch) {
    TimerOptions options = {};
    options.budget_ms = 100;
    TimerStats stats, small_stats;
    ASSERT_EQ(cudaSuccess, time_gpu(fill, &work, &options, &stats));
    EXPECT_GT(stats.median_ms, 0);
    EXPECT_GE(stats.median_ms, stats.min_ms);
    EXPECT_LE(stats.median_ms, stats.max_ms);
    EXPECT_GE(stats.repeats, 3u);
    EXPECT_EQ(3u, stats.warmups);
    EXPECT_GT(stats.first_ms, 0);
    EXPECT_GE(work.calls, static_cast<int>(1 + 3 + stats.repeats * stats.batch));
    // Time grows with the work: 32 MB against 32 kB.
    Fill small = work;
    small.bytes = 32 << 10;
    ASSERT_EQ(cudaSuccess, time_gpu(fill, &small, &options, &small_stats));
    EXPECT_GT(stats.median_ms, 1.5 * small_stats.median_ms);
}

// What all samples took together cannot be more than what passed on the clock.
TEST_F(TimeGpu, BatchesAreDividedByTheirCalls) {
    Fill small = work;
    small.bytes = 32 << 10;
    TimerOptions options = {};
    options.repeat = 20;
    TimerStats stats;
    const double begin_ms = host_clock_ms();
    ASSERT_EQ(cudaSuccess, time_gpu(fill, &small, &options, &stats));
    const double passed_ms = host_clock_ms() - begin_ms;
    ASSERT_GT(stats.batch, 3u);
    EXPECT_LT(stats.median_ms * static_cast<double>(stats.batch) * 10, passed_ms)
        << "half of the samples take at least the median";
}

TEST_F(TimeGpu, FollowsItsStream) {
    cudaStream_t stream;
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TimerOptions options = {};
    options.stream = stream;
    options.repeat = 5;
    TimerStats stats;
    ASSERT_EQ(cudaSuccess, time_gpu(fill, &work, &options, &stats));
    EXPECT_EQ(stream, work.last_stream);
    EXPECT_EQ(cudaSuccess, cudaStreamQuery(stream)) << "not synchronised on return";
    EXPECT_EQ(5u, stats.repeats);
    ASSERT_EQ(cudaSuccess, time_gpu_end_to_end(fill, &work, &options, &stats));
    EXPECT_EQ(1u, stats.batch);
    EXPECT_EQ(5u, stats.repeats);
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

cudaError_t wait_and_fill(void *context, cudaStream_t stream) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return fill(context, stream);
}

TEST_F(TimeGpu, EndToEndHoldsWhatTheHostDoesOnTheWay) {
    TimerOptions options = {};
    options.repeat = 4;
    TimerStats whole;
    ASSERT_EQ(cudaSuccess, time_gpu_end_to_end(wait_and_fill, &work, &options, &whole));
    EXPECT_GE(whole.min_ms, 3);
    EXPECT_EQ(4u, whole.repeats);
}

TEST_F(TimeGpu, ManySamplesStayWithinTheQueue) {
    Fill small = work;
    small.bytes = 1 << 10;
    TimerOptions options = {};
    options.repeat = 1500;
    TimerStats stats;
    ASSERT_EQ(cudaSuccess, time_gpu(fill, &small, &options, &stats));
    EXPECT_EQ(1500u, stats.repeats);
}

// --- Times that are not to be trusted ---

// A clock that ramps up while the samples are taken, as a GPU's does after a rest.
double idle_then_warm() {
    static const double mhz[] = {345, 1980};
    static int reading = 0;
    return mhz[reading++ % 2];
}

double steady() { return 1980; }
double unknown() { return 0; }

std::string described(const TimerStats &stats) {
    char text[400];
    timer_describe(&stats, text, sizeof text);
    return text;
}

TEST_F(TimeGpu, AClockThatMovesIsNamedAndCostsDigits) {
    TimerOptions options = {};
    options.repeat = 5;
    options.read_clock = idle_then_warm;
    TimerStats stats;
    for (auto *timer : {time_gpu, time_gpu_end_to_end}) {
        ASSERT_EQ(cudaSuccess, timer(fill, &work, &options, &stats));
        EXPECT_EQ(345, stats.clock_before_mhz);
        EXPECT_EQ(1980, stats.clock_after_mhz);
        EXPECT_TRUE(stats.doubtful);
        EXPECT_TRUE(contains(described(stats).c_str(), "the SM clock went from 345 to 1980 MHz"))
            << described(stats);
        EXPECT_EQ(0u, described(stats).find("about ")) << described(stats);
    }
}

TEST_F(TimeGpu, AClockThatStandsOrIsNotKnownIsNoReasonToDoubt) {
    TimerOptions options = {};
    options.repeat = 1; // no spread
    TimerStats stats;
    for (ClockReader reader : {steady, unknown}) {
        options.read_clock = reader;
        ASSERT_EQ(cudaSuccess, time_gpu(fill, &work, &options, &stats));
        EXPECT_EQ(reader(), stats.clock_before_mhz);
        EXPECT_FALSE(contains(described(stats).c_str(), "SM clock")) << described(stats);
    }
}

// Sleeps 2 ms, or 20 ms in every other call.
void uneven_sleep(void *context) {
    const bool is_long = ++*static_cast<int *>(context) % 2 == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(is_long ? 20 : 2));
}

TEST(TimeCpu, SamplesThatDifferAreDoubtful) {
    int calls = 0;
    TimerOptions options = {};
    options.repeat = 8;
    TimerStats stats;
    time_cpu(uneven_sleep, &calls, &options, &stats);
    EXPECT_GT(stats.spread, TIMER_SPREAD_LIMIT);
    EXPECT_TRUE(stats.doubtful);
    EXPECT_EQ(0u, described(stats).find("about ")) << described(stats);
    EXPECT_TRUE(contains(described(stats).c_str(), "the samples differ by more than 10 %"));
    EXPECT_LT(stats.min_ms, stats.median_ms);
}

TEST_F(TimeGpu, AFailingCallIsReportedWhereverItComes) {
    TimerOptions options = {};
    options.repeat = 3;
    for (int at : {1, 2, 5, 6, 7}) {
        Fill failing = work;
        failing.calls = 0;
        failing.fail_at = at;
        TimerStats stats = {};
        stats.median_ms = 77;
        EXPECT_EQ(cudaErrorUnknown, time_gpu(fill, &failing, &options, &stats)) << at;
        EXPECT_EQ(0, stats.median_ms) << at;
        EXPECT_EQ(at, failing.calls) << "went on after an error";
    }
}

// Work in which a call fails, and that says all is well.
cudaError_t silent_failure(void *context, cudaStream_t stream) {
    Fill *failing = static_cast<Fill *>(context);
    if (++failing->calls == failing->fail_at) (void)cudaMemsetAsync(nullptr, 1, 4, stream);
    return cudaSuccess;
}

TEST_F(TimeGpu, WorkThatIgnoresItsErrorsHasNoTime) {
    TimerOptions options = {};
    options.repeat = 3;
    for (auto *timer : {time_gpu, time_gpu_end_to_end}) {
        for (int at : {1, 3, 5}) {
            Fill failing = work;
            failing.calls = 0;
            failing.fail_at = at;
            TimerStats stats = {};
            EXPECT_NE(cudaSuccess, timer(silent_failure, &failing, &options, &stats)) << at;
            EXPECT_EQ(0, stats.median_ms) << at;
            EXPECT_EQ(at, failing.calls) << "went on after an error";
            EXPECT_TRUE(contains(lab_last_message(), "return cudaGetLastError()"))
                << lab_last_message();
        }
    }
}

TEST_F(TimeGpu, AnErrorFromBeforeIsNotTheWorks) {
    (void)cudaMemset(nullptr, 1, 4);
    TimerOptions options = {};
    options.repeat = 3;
    TimerStats stats = {};
    EXPECT_EQ(cudaSuccess, time_gpu(fill, &work, &options, &stats));
}

class Ceiling : public DeviceTest {};

TEST_F(Ceiling, CopyIsMeasured) {
    double gbps = -1;
    size_t free_before = 0, free_after = 0, total = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_before, &total));
    ASSERT_EQ(cudaSuccess, measure_copy_ceiling(8 << 20, 0, &gbps));
    EXPECT_GT(gbps, 0.1);
    EXPECT_LT(gbps, 100000);
#ifdef LAB_CPU_DEVICE // on a GPU others may take memory meanwhile
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_after, &total));
    EXPECT_EQ(free_before, free_after) << "an array was not given back";
#else
    (void)free_after;
#endif
}

TEST_F(Ceiling, BadArguments) {
    double gbps = 5;
    EXPECT_EQ(cudaErrorInvalidValue, measure_copy_ceiling(0, 0, &gbps));
    EXPECT_EQ(cudaErrorInvalidValue, measure_copy_ceiling(100, 0, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, measure_copy_ceiling_in(nullptr, nullptr, 100, 0, &gbps));
    EXPECT_EQ(0, gbps);
}

TEST_F(Ceiling, TooLittleMemoryLeavesNothingBehind) {
    double gbps = 5;
    EXPECT_EQ(cudaErrorMemoryAllocation, measure_copy_ceiling(size_t{1} << 50, 0, &gbps));
    EXPECT_EQ(0, gbps);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST_F(Ceiling, PeakOfNoDeviceIsNotReported) {
    EXPECT_GE(memory_peak_gbps(0), 0);
    EXPECT_EQ(0, memory_peak_gbps(12345));
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

} // namespace
