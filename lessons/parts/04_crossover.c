/* SPDX-License-Identifier: Apache-2.0 */
/* See crossover.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_crossover.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_pictures.h"

enum { POINTS_MAX = 16, SHOWN_WAYS = CROSSOVER_WAYS };

static const TimingWay SHOWN[SHOWN_WAYS] = {WAY_CPU_ONE_THREAD, WAY_CPU_ALL_THREADS,
                                            WAY_GPU_AND_WAIT, WAY_GPU_TRANSFERS};
enum { ONE_THREAD = 0, ALL_THREADS = 1, AND_WAIT = 2, TRANSFERS = 3 }; /* indices into SHOWN */

size_t crossover_index(const double *slow_ms, const double *fast_ms, size_t count) {
    size_t index = count;
    while (index > 0 && fast_ms[index - 1] < slow_ms[index - 1]) index--;
    return index;
}

/* Shorter than the way's name: the table has four of them side by side. */
static const char *heading(const Lesson *lesson, int way) {
    if (way == AND_WAIT) return "launch and wait";
    return way == TRANSFERS ? "with transfers" : timing_way_name(lesson, SHOWN[way]);
}

/* As text_time, with nanoseconds for the smallest sizes. Valid until the next call. */
static const char *short_time(const TimerStats *stats) {
    static char text[32];
    if (stats->median_ms >= 1e-3) return text_time(stats);
    snprintf(text, sizeof text, "%s%.0f ns", stats->doubtful ? "~" : "", 1e6 * stats->median_ms);
    return text;
}

/* The median times, one array for each way shown, ready to plot. */
typedef struct Curves {
    size_t count;
    double n[POINTS_MAX];
    double ms[SHOWN_WAYS][POINTS_MAX];
} Curves;

static bool measure_point(Lesson *lesson, TimingCase *c, float *want, Curves *curves,
                          Doubts *doubts) {
    TimerOptions options = *lesson_timer(lesson);
    Record *row = record_row(lesson->record, "crossover");
    size_t point = curves->count++;
    if (lesson->options.repeat == 0) options.budget_ms = 20;
    curves->n[point] = (double)c->n;
    record_count(row, "n", c->n);
    printf("   %13s", text_count(c->n));
    for (int way = 0; way < SHOWN_WAYS; way++) {
        static const char *const keys[] = {"cpu_one_thread", "cpu_all_threads",
                                           "device_launch_and_wait", "device_with_transfers"};
        TimerStats stats;
        CUDA_CHECK(timing_measure(c, SHOWN[way], &options, &stats));
        curves->ms[way][point] = stats.median_ms;
        doubts_note(doubts, timing_way_name(lesson, SHOWN[way]), &stats);
        record_timer(row, keys[way], &stats);
        printf(" %19s", short_time(&stats));
    }
    printf("\n");
    return timing_verify(lesson, c, want);
}

static void print_winner(Lesson *lesson, const Curves *curves, int way, const char *what,
                         const char *key) {
    double best_cpu_ms[POINTS_MAX]; /* to start threads takes time: one may be faster than all */
    for (size_t i = 0; i < curves->count; i++)
        best_cpu_ms[i] = fmin(curves->ms[ONE_THREAD][i], curves->ms[ALL_THREADS][i]);
    size_t index = crossover_index(best_cpu_ms, curves->ms[way], curves->count);
    if (index < curves->count) {
        printf("   %s, the GPU beats the CPU, with one thread or all, from n = %s on.\n", what,
               text_count((uint64_t)curves->n[index]));
        record_number(lesson->record, key, curves->n[index]);
    } else {
        printf("   %s, the GPU does not beat the CPU at these n.\n", what);
        record_text(lesson->record, key, NULL);
    }
}

static Picture draw(const Lesson *lesson, const Curves *curves) {
    char names[SHOWN_WAYS][64];
    CrossoverPicture drawn = {.device = lesson->on_cpu_device ? NULL : lesson->device_name,
                              .count = curves->count,
                              .n = curves->n};
    for (int way = 0; way < SHOWN_WAYS; way++) {
        snprintf(names[way], sizeof names[way], "%s", timing_way_name(lesson, SHOWN[way]));
        drawn.ways[way] = names[way];
        drawn.ms[way] = curves->ms[way];
    }
    return picture_crossover(&drawn);
}

bool show_crossover(Lesson *lesson, const TimingCase *arrays, float *want, size_t n_max,
                    Doubts *doubts) {
    Curves curves = {0};
    TimingCase c = *arrays;
    bool right = true;
    c.multiply = false;
    printf("\n5. x + x at growing n; on the %s: launch and wait, or with transfers both ways\n\n",
           lesson->on_cpu_device ? "CPU device" : "GPU");
    printf("   %13s", "n");
    for (int way = 0; way < SHOWN_WAYS; way++) printf(" %19s", heading(lesson, way));
    printf("\n");
    for (size_t n = n_max < 1000 ? n_max : 1000; n <= n_max && curves.count < POINTS_MAX; n *= 4) {
        c.n = n;
        right = measure_point(lesson, &c, want, &curves, doubts) && right;
    }
    if (!lesson->on_cpu_device && lesson->optimised) {
        print_winner(lesson, &curves, AND_WAIT, "With the data on the device", "gpu_wins_from_n");
        print_winner(lesson, &curves, TRANSFERS, "With transfers",
                     "gpu_with_transfers_wins_from_n");
    }
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "crossover", draw(lesson, &curves));
    return right;
}
