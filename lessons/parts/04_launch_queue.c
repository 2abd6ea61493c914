/* SPDX-License-Identifier: Apache-2.0 */
/* See launch_queue.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_launch_queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_pictures.h"

enum { PARTS = 6, WAITS = 8, KERNEL_TO_LAUNCH = 4 };

/* Returns the first launch of WAITS in a row that took at least half the kernel's time:
 * each was a wait for a free place in the queue. `launches` if there is none. */
static size_t first_wait(const double *launch_ms, size_t launches, double kernel_ms) {
    size_t waits = 0;
    for (size_t i = 0; i < launches; i++) {
        waits = launch_ms[i] > kernel_ms / 2 ? waits + 1 : 0;
        if (waits == WAITS) return i + 1 - WAITS;
    }
    return launches;
}

size_t queue_full_at(const double *launch_ms, size_t launches, double kernel_ms) {
    if (launches < PARTS) return launches;
    double *first = malloc(launches / PARTS * sizeof *first);
    if (first == NULL) return launches;
    TimerStats stats;
    memcpy(first, launch_ms, launches / PARTS * sizeof *first);
    timer_stats_from(first, launches / PARTS, &stats);
    free(first);
    if (kernel_ms < KERNEL_TO_LAUNCH * stats.median_ms) return launches;
    return first_wait(launch_ms, launches, kernel_ms);
}

/* Medians along the way, as a picture and for one from the record. */
static void keep_points(Lesson *lesson, size_t n, const double *launch_ms, size_t launches,
                        double kernel_ms) {
    QueuePoint points[QUEUE_POINTS];
    const QueuePicture drawn = {.device = lesson->on_cpu_device ? NULL : lesson->device_name,
                                .n = n,
                                .count = queue_points(launch_ms, launches, points),
                                .points = points,
                                .kernel_ms = kernel_ms};
    record_count(lesson->record, "queue_n", n);
    for (size_t i = 0; i < drawn.count; i++) {
        Record *row = record_row(lesson->record, "queue_points");
        record_number(row, "launch", points[i].launch);
        record_number(row, "host_ms", points[i].ms);
    }
    if (lesson->options.plot_path != NULL) lesson_picture(lesson, "queue", picture_queue(&drawn));
}

bool show_launch_queue(Lesson *lesson, const TimingCase *timing_case, size_t launches) {
    TimerStats kernel;
    TimerOptions options = {.budget_ms = 50};
    CUDA_CHECK(timing_measure(timing_case, WAY_GPU_KERNEL, &options, &kernel));
    double *launch_ms = malloc(launches * sizeof *launch_ms);
    if (launch_ms == NULL) {
        fprintf(stderr, "no host memory for %zu times\n", launches);
        return false;
    }
    for (size_t i = 0; i < launches; i++) {
        double start_ms = host_clock_ms();
        CUDA_CHECK(timing_run_kernel((void *)timing_case, 0));
        launch_ms[i] = host_clock_ms() - start_ms;
    }
    double start_ms = host_clock_ms();
    CUDA_CHECK(cudaDeviceSynchronize());
    double wait_ms = host_clock_ms() - start_ms;
    size_t full = queue_full_at(launch_ms, launches, kernel.median_ms);
    keep_points(lesson, timing_case->n, launch_ms, launches, kernel.median_ms);

    printf("\n4. The launch queue: %s launches of x + x, n = %s, and no synchronise between.\n",
           text_count(launches), text_count(timing_case->n));
    printf("   %-24s %s\n", "launches", "median host time of one launch");
    for (size_t part = 0; part < PARTS; part++) {
        size_t begin = launches * part / PARTS, end = launches * (part + 1) / PARTS;
        TimerStats stats;
        char range[64];
        timer_stats_from(launch_ms + begin, end - begin, &stats);
        snprintf(range, sizeof range, "%s to %s", text_count(begin + 1), text_count(end));
        printf("   %-24s %s\n", range, text_ms(stats.median_ms));
    }
    printf("   %-24s %s; waiting for the rest at the end: %s\n", "the kernel, by events",
           text_time(&kernel), text_ms(wait_ms));
    if (full < launches) {
        printf(
            "   From launch %s on the queue was full: each launch waits until a kernel ends.\n"
            "   The GPU did not slow down; the host clock began to show what it really takes.\n",
            text_count(full + 1));
        printf("   At the end the wait was as long as %s kernels: so many places the queue has.\n",
               text_count((uint64_t)llround(wait_ms / kernel.median_ms)));
    } else {
        printf("   The queue was never seen to be full. It is when a kernel takes far longer than a\n"
               "   launch, and about a thousand of them are waiting.\n");
    }
    record_count(lesson->record, "queue_launches", launches);
    if (full < launches) record_count(lesson->record, "queue_full_at_launch", full + 1);
    else record_text(lesson->record, "queue_full_at_launch", NULL);
    record_timer(lesson->record, "queue_kernel", &kernel);
    free(launch_ms);
    return true;
}
