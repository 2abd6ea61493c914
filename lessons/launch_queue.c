/* SPDX-License-Identifier: Apache-2.0 */
/* See launch_queue.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/launch_queue.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"

enum { PARTS = 6 };

/* A launch that takes at least half the kernel's time was not a launch but a
 * wait for a free place in the queue. The first of two in a row, or `launches`. */
static size_t first_wait(const double *launch_ms, size_t launches, double kernel_ms) {
    for (size_t i = 0; i + 1 < launches; i++) {
        if (launch_ms[i] > kernel_ms / 2 && launch_ms[i + 1] > kernel_ms / 2) return i;
    }
    return launches;
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
    size_t full = first_wait(launch_ms, launches, kernel.median_ms);

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
    } else {
        printf("   The queue never filled: every launch returned before its kernel ran.\n");
    }
    record_count(lesson->record, "queue_launches", launches);
    if (full < launches) record_count(lesson->record, "queue_full_at_launch", full + 1);
    else record_text(lesson->record, "queue_full_at_launch", NULL);
    record_timer(lesson->record, "queue_kernel", &kernel);
    free(launch_ms);
    return true;
}
