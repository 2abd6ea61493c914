/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 04: how long does it take, really?
 *
 * You learn: why the first GPU call is slow, what the second one finds ready (code
 *            and context, never results); why a host clock without synchronise times the launch and
 *            not the run; how to compare CPU and GPU honestly, with transfers and
 *            without; from which size on a GPU pays.
 * Run:       bazel run //lessons:04_timing -- --plot curve.svg
 * Prints:    five tables; every time is a median with its spread, and every rate
 *            has its share of a copy measured in the same run. Exit status 0: all
 *            timed results were right. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "lessons/parts/04_crossover.h"
#include "lessons/parts/04_first_call.h"
#include "lessons/parts/04_launch_queue.h"
#include "common/paragraph.h"
#include "common/speed_up.h"
#include "common/svg_plot.h"
#include "lessons/parts/04_timing_ways.h"

static const LessonSpec SPEC = {
    .program = "04_timing",
    .about = "Times x + x and x * x on CPU and device, and shows how timings go wrong.",
    .rows = 12000,
    .cols = 19200,
    .cpu_cols = 1920,
    .device_bytes_each = 2 * sizeof(float), /* x and the result */
    .host_bytes_each = 3 * sizeof(float),   /* and the result expected */
    .has_plot = true,
};

/* The smaller size of the comparison; the larger one is the lesson's own. */
enum { SMALLER_COLS = 1920 };

/* 2. The same launch timed in three ways. Host clocks are read by hand here to
 * show the mistake; the figures that count come from the library's timer. */
enum { TRAP_RUNS = 9 };

static void time_by_hand(TimingCase *c, TimerStats *not_waiting, TimerStats *waiting) {
    double launched_ms[TRAP_RUNS], done_ms[TRAP_RUNS];
    for (int run = 0; run < TRAP_RUNS; run++) {
        CUDA_CHECK(cudaDeviceSynchronize());
        double start_ms = host_clock_ms();
        CUDA_CHECK(timing_run_kernel(c, 0));
        launched_ms[run] = host_clock_ms() - start_ms; /* the trap: nobody waited */
        CUDA_CHECK(cudaDeviceSynchronize());
        done_ms[run] = host_clock_ms() - start_ms;
    }
    timer_stats_from(launched_ms, TRAP_RUNS, not_waiting);
    timer_stats_from(done_ms, TRAP_RUNS, waiting);
}

static void show_trap(Lesson *lesson, const TimingCase *arrays) {
    const size_t sizes[2] = {arrays->n / 64 > 0 ? arrays->n / 64 : 1, arrays->n};
    TimerStats launched[2], done[2], kernel;
    TimingCase c = *arrays;
    printf("\n2. The trap: a host clock that is stopped before the GPU has finished\n\n");
    printf("   %13s %20s %20s %14s %16s\n", "n", "clock, not waiting", "clock and wait", "events",
           "of the true time");
    for (int i = 0; i < 2; i++) {
        TimerOptions options = {.budget_ms = 50};
        c.n = sizes[i];
        time_by_hand(&c, &launched[i], &done[i]);
        CUDA_CHECK(timing_measure(&c, WAY_GPU_KERNEL, &options, &kernel));
        printf("   %13s %20s %20s %14s %14.1f %%\n", text_count(c.n),
               text_ms(launched[i].median_ms), text_ms(done[i].median_ms), text_time(&kernel),
               100 * launched[i].median_ms / done[i].median_ms);
    }
    double bytes = (double)TIMING_BYTES_EACH * (double)sizes[1];
    char why[256] = "";
    bool launch_only =
        timing_is_launch_only((double)sizes[0], launched[0].median_ms, (double)sizes[1],
                              launched[1].median_ms, why, sizeof why);
    printf("   The first clock was stopped too early: what it shows is launch time, not run time.\n");
    if (launch_only) print_paragraph(5, why);
    print_paragraph(5, lesson_rate_note(lesson, bytes, launched[1].median_ms, (size_t)bytes,
                                        sizeof(float)));
    record_number(lesson->record, "trap_launch_ms", launched[1].median_ms);
    record_number(lesson->record, "trap_run_ms", done[1].median_ms);
    record_flag(lesson->record, "trap_launch_only", launch_only);
}

/* 3. One size, one operation, four ways. */
static bool compare_ways(Lesson *lesson, const TimingCase *c, float *want, size_t cols,
                         Doubts *doubts) {
    static const TimingWay ways[] = {WAY_CPU_ONE_THREAD, WAY_CPU_ALL_THREADS, WAY_GPU_KERNEL,
                                     WAY_GPU_TRANSFERS};
    double bytes = (double)TIMING_BYTES_EACH * (double)c->n;
    TimerStats stats[4];
    TimerOptions options = *lesson_timer(lesson);
    if (lesson->options.repeat == 0) options.repeat = lesson->on_cpu_device ? 3 : 7;
    if (lesson->options.warmup < 0) options.warmup = 1;
    printf("   %s, %s x %s\n", c->multiply ? "x * x" : "x + x", text_count(lesson->options.rows),
           text_count(cols));
    for (int way = 0; way < 4; way++) {
        CUDA_CHECK(timing_measure(c, ways[way], &options, &stats[way]));
        bool kernel = ways[way] == WAY_GPU_KERNEL;
        printf("     %-26s %10s %10s %6.1f %% %12s %7s %11s\n",
               timing_way_name(lesson, ways[way]), text_time(&stats[way]),
               text_ms(stats[way].min_ms), 100 * stats[way].spread,
               kernel ? lesson_rate(lesson, bytes, stats[way].median_ms, (size_t)bytes)
                      : text_rate(gbps_from(bytes, stats[way].median_ms)),
               kernel ? lesson_share(lesson, bytes, stats[way].median_ms, (size_t)bytes) : "",
               way == 0 ? "-" : speed_up_text(lesson, &stats[0], &stats[way]));
        doubts_note(doubts, timing_way_name(lesson, ways[way]), &stats[way]);
        Record *row = record_row(lesson->record, "comparison");
        record_text(row, "operation", c->multiply ? "x * x" : "x + x");
        record_count(row, "n", c->n);
        record_text(row, "way", timing_way_name(lesson, ways[way]));
        record_timer(row, "time", &stats[way]);
    }
    if (!lesson->on_cpu_device && lesson->optimised) {
        printf("     against all CPU threads: kernel only %s, with transfers %s\n",
               speed_up_text(lesson, &stats[1], &stats[2]),
               speed_up_text(lesson, &stats[1], &stats[3]));
    }
    return timing_verify(lesson, c, want);
}

/* The SM clock at both ends of the comparison: times at different clocks differ. */
static void show_clock(const Doubts *doubts) {
    if (doubts->first_clock_mhz > 0 && doubts->last_clock_mhz > 0) {
        printf("   SM clock: %.0f MHz before the first kernel, %.0f MHz after the last.\n",
               doubts->first_clock_mhz, doubts->last_clock_mhz);
    } else {
        printf("   SM clock before and after: not reported.\n");
    }
}

static bool compare_sizes(Lesson *lesson, TimingCase *c, float *want, Doubts *doubts) {
    const size_t all = lesson->options.cols;
    const size_t cols[2] = {all > SMALLER_COLS ? SMALLER_COLS : all, all};
    bool right = true;
    printf("\n3. CPU and %s, results checked after timing\n\n",
           lesson->on_cpu_device ? "CPU device" : "GPU");
    printf("     %-26s %10s %10s %8s %12s %7s %11s\n", "", "median", "fastest", "spread", "rate",
           "of copy", "to 1 thread");
    for (int size = cols[0] == cols[1] ? 1 : 0; size < 2; size++) {
        TimingCase part = *c;
        part.n = lesson->options.rows * cols[size];
        CUDA_CHECK(lesson_measure_ceiling(lesson, part.n * sizeof(float)));
        for (int multiply = 0; multiply < 2; multiply++) {
            part.multiply = multiply;
            right = compare_ways(lesson, &part, want, cols[size], doubts) && right;
        }
        printf("     (copy, device to device, same bytes: %s)\n", text_rate(lesson->copy_gbps));
    }
    show_clock(doubts);
    if (lesson->on_cpu_device) {
        printf("   No speed-up is given: these times say nothing about a GPU.\n");
    } else if (!lesson->optimised) {
        printf("   No speed-up is given: this is a dbg build. Build with -c opt.\n");
    }
    return right;
}

int main(int argc, char **argv) {
    Lesson lesson;
    FirstCall first;
    char why[512];
    if (!lesson_options(&lesson, argc, argv, &SPEC)) return lesson.status;
    if (lesson.options.plot_path != NULL &&
        !svg_plot_possible(lesson.options.plot_path, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", SPEC.program, why);
        return LESSON_BAD_OPTION;
    }
    first_call_start(lesson.options.device, &first);
    if (!lesson_start(&lesson)) return lesson.status;
    const size_t n = lesson.options.n;
    if (lesson.on_cpu_device) {
        printf("   Times of the CPU device say nothing about a GPU; the way to measure is the "
               "same.\n");
    }

    float *x = malloc(n * sizeof(float)), *out = malloc(n * sizeof(float));
    float *want = malloc(n * sizeof(float));
    if (x == NULL || out == NULL || want == NULL) {
        fprintf(stderr, "no host memory for 3 arrays of %s\n", text_bytes(4.0 * (double)n));
        return LESSON_WRONG;
    }
    philox_normal_fill(x, n, lesson.options.seed);
    TimingCase c = {.n = n, .x = x, .out = out};
    Doubts doubts = {0};

    show_first_call(&lesson, &first, &c);
    CUDA_CHECK(lesson_measure_ceiling(&lesson, n * sizeof(float)));
    show_trap(&lesson, &c);
    bool right = compare_sizes(&lesson, &c, want, &doubts);

    /* 4. A kernel of about 50 us on a large GPU; a tenth of the work elsewhere. */
    TimingCase queued = c;
    size_t queued_n = lesson.on_cpu_device ? 100000 : 23040000;
    queued.n = n < queued_n ? n : queued_n;
    right = show_launch_queue(&lesson, &queued, lesson.on_cpu_device ? 300 : 3000) && right;

    size_t n_max = lesson.on_cpu_device ? 300000 : 70000000;
    right = show_crossover(&lesson, &c, want, n < n_max ? n : n_max, &doubts) && right;
    doubts_print(&doubts, lesson.record);

    CUDA_CHECK(cudaFree(c.d_x));
    CUDA_CHECK(cudaFree(c.d_out));
    free(x), free(out), free(want);
    return lesson_end(&lesson, right);
}
