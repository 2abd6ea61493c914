/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 04: how long does it take, really?
 *
 * You learn:  why the first GPU call is slow, what the second one finds ready (code and
 *             context, never results); why a host clock without synchronise times the launch;
 *             how to compare CPU and GPU honestly; from which size on a GPU pays.
 * Run:        bazel run //lessons:04_timing -- --plot out.svg
 * Prints:     six tables of medians; on the CPU device those that a GPU took. Exit status 0: all timed results were right. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/recorded.h"
#include "common/speed_up.h"
#include "lessons/parts/04_first_call.h"
#include "lessons/parts/04_timing_ways.h"

static const LessonSpec SPEC = {
    .program = "04_timing",
    .about = "Times x + x and x * x on CPU and device, and shows how timings go wrong.",
    .rows = 12000,
    .cols = 19200,
    .cpu_cols = 1920,
    .device_bytes_each = 2 * sizeof(float), /* x and the result */
    .host_bytes_each = 3 * sizeof(float),   /* and the result expected */
    .has_all = true,
    .pictures = {"clock", "queue", "crossover"}};

/* The smaller size of the comparison; the larger one is the lesson's own. */
enum { SMALLER_COLS = 1920 };

/* 3. The same launch timed in three ways. Host clocks are read by hand here to
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

static void fall_into_the_trap(Lesson *lesson, const TimingCase *arrays) {
    const size_t sizes[2] = {arrays->n / 64 > 0 ? arrays->n / 64 : 1, arrays->n};
    const TimerOptions options = {.budget_ms = 50};
    TrapTimes times[2];
    for (int i = 0; i < 2; i++) {
        TimingCase c = *arrays;
        c.n = times[i].n = sizes[i];
        time_by_hand(&c, &times[i].launched, &times[i].done);
        CUDA_CHECK(timing_measure(&c, WAY_GPU_KERNEL, &options, &times[i].kernel));
    }
    show_trap(lesson, times);
}

int main(int argc, char **argv) {
    Lesson lesson;
    FirstCall first;
    if (!lesson_options(&lesson, argc, argv, &SPEC)) return lesson.status;
    first_call_start(&lesson, &first); /* the clock runs before any CUDA call */
    if (!lesson_start(&lesson)) return lesson.status;
    if (lesson.on_cpu_device)
        printf("   Its times say nothing about a GPU: the tables show a recorded run's.\n   %s.\n",
               recorded_source());
    const size_t n = lesson.options.n, bytes = n * sizeof(float);
    float *x = lesson_host_memory(&lesson, bytes), *out = lesson_host_memory(&lesson, bytes);
    float *want = lesson_host_memory(&lesson, bytes);
    philox_normal_fill(x, n, lesson.options.seed);
    TimingCase c = {.n = n, .x = x, .out = out};
    Doubts doubts = {0};

    /* 1. Where the first call's time goes. It allocates c.d_x and c.d_out. */
    show_first_call(&lesson, &first, &c);

    /* 2. What two processes share. */
    bool right = show_processes(&lesson, &first);

    /* 3. The trap: a clock that is stopped too early. */
    CUDA_CHECK(lesson_measure_ceiling(&lesson, bytes));
    fall_into_the_trap(&lesson, &c);

    /* 4. CPU and GPU, with transfers and without. */
    right = show_comparison(&lesson, &c, want, SMALLER_COLS, &doubts) && right;

    /* 5. Launches that nobody waits for. A kernel of about 50 us on a large GPU. */
    const size_t queued_n = lesson.on_cpu_device ? 100000 : 23040000;
    TimingCase queued = c;
    queued.n = n < queued_n ? n : queued_n;
    right = show_launch_queue(&lesson, &queued, lesson.on_cpu_device ? 300 : 3000) && right;

    /* 6. From which n on the GPU wins. */
    const size_t n_max = lesson.on_cpu_device ? 300000 : 70000000;
    right = show_crossover(&lesson, &c, want, n < n_max ? n : n_max, &doubts) && right;

    doubts_print(&doubts, &lesson);
    CUDA_CHECK(cudaFree(c.d_x));
    CUDA_CHECK(cudaFree(c.d_out));
    free(x), free(out), free(want);
    return lesson_end(&lesson, right);
}
