/* SPDX-License-Identifier: Apache-2.0 */
/* Rates between host and device: the library's staged copy of ordinary memory
 * against cudaMemcpy of the same and against cudaMemcpy of pinned memory.
 *
 * "Fresh" arrays are allocated anew for every copy: written once by the host on
 * the way to the device, and never touched before on the way back, so that the
 * cost of getting their pages is where a program would meet it; arrays "used just
 * before", and pinned ones, are copied twice, and the second copy counts. to_gpu's time has the allocation on the
 * device in it. The ways take turns, so that a disturbance hits all of them. Every copy is checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ceiling.h"
#include "common/check.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/staged_copy.h"

enum { MAX_REPEATS = 100, DEFAULT_REPEATS = 7 };

typedef enum Way {
    TO_PAGEABLE,
    TO_STAGED,
    TO_STAGED_TOUCHED,
    TO_PINNED,
    FROM_PAGEABLE,
    FROM_STAGED,
    FROM_STAGED_TOUCHED,
    FROM_PINNED,
    WAYS
} Way;

static const char *const NAMES[WAYS] = {"to the device: cudaMemcpy, pageable",
                                        "to the device: to_gpu, fresh pageable array",
                                        "to the device: to_gpu, pageable used just before",
                                        "to the device: cudaMemcpy, pinned",
                                        "to the host: cudaMemcpy, fresh pageable",
                                        "to the host: get, fresh pageable",
                                        "to the host: get, pageable used just before",
                                        "to the host: cudaMemcpy, pinned"};
static const char *const KEYS[WAYS] = {"h2d_pageable",       "h2d_staged",   "h2d_staged_touched",
                                       "h2d_pinned",         "d2h_pageable", "d2h_staged",
                                       "d2h_staged_touched", "d2h_pinned"};

static bool is_staged(Way way) {
    return way == TO_STAGED || way == TO_STAGED_TOUCHED || way == FROM_STAGED ||
           way == FROM_STAGED_TOUCHED;
}

typedef struct Bench {
    size_t n, bytes;
    float *source; /* the numbers, pageable */
    float *pinned; /* the numbers, pinned */
    float *pinned_out;
    float *used; /* pageable, written before */
    float *d_data;
    bool right;
} Bench;

static float *pageable(size_t bytes) {
    float *p = malloc(bytes); /* above 32 MB always fresh pages from the system */
    if (p == NULL) {
        fprintf(stderr, "not enough host memory for %s\n", text_bytes((double)bytes));
        exit(LESSON_WRONG);
    }
    return p;
}

static void expect_same(Bench *bench, const float *got, Way way) {
    const CompareResult result = compare_exact(bench->n, got, bench->source, DTYPE_FLOAT32);
    if (result.wrong == 0) return;
    printf("  %s: %s elements differ, first %s\n", NAMES[way], text_count(result.wrong),
           text_count(result.first_wrong));
    bench->right = false;
}

static bool is_fresh(Way way) {
    return way == TO_PAGEABLE || way == TO_STAGED || way == FROM_PAGEABLE || way == FROM_STAGED;
}

/* So that a copy that does nothing is seen: what it should overwrite, or bring, is poison. */
static void poison_device(void *d, size_t bytes) {
    CUDA_CHECK(cudaMemset(d, LAB_POISON_BYTE, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* The memory that the next array will get, if the device gives it out again. */
static void poison_free_memory(size_t bytes) {
    void *d;
    CUDA_CHECK(cudaMalloc(&d, bytes));
    poison_device(d, bytes);
    CUDA_CHECK(cudaFree(d));
}

static double time_to_gpu(Bench *bench, Way way, float *from) {
    const size_t shape[] = {bench->n};
    const HostArray host = host_array_c(from, DTYPE_FLOAT32, 1, shape);
    DeviceArray array = {0};
    if (!is_fresh(way)) {
        CUDA_CHECK(to_gpu(&array, &host));
        CUDA_CHECK(device_array_free(&array));
    }
    poison_free_memory(bench->bytes);
    const double begin = host_clock_ms();
    CUDA_CHECK(to_gpu(&array, &host)); /* allocates on the device too */
    const double end = host_clock_ms();
    CUDA_CHECK(cudaMemcpy(bench->pinned_out, array.data, bench->bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(device_array_free(&array));
    return end - begin;
}

static double time_memcpy_to_device(Bench *bench, Way way, const float *from) {
    if (!is_fresh(way))
        CUDA_CHECK(cudaMemcpy(bench->d_data, from, bench->bytes, cudaMemcpyHostToDevice));
    poison_device(bench->d_data, bench->bytes);
    const double begin = host_clock_ms();
    CUDA_CHECK(cudaMemcpy(bench->d_data, from, bench->bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double end = host_clock_ms();
    CUDA_CHECK(cudaMemcpy(bench->pinned_out, bench->d_data, bench->bytes, cudaMemcpyDeviceToHost));
    return end - begin;
}

/* Time of one copy to the device; its arrival is checked through pinned memory. */
static double time_to_device(Bench *bench, Way way) {
    float *from = way == TO_PINNED ? bench->pinned : bench->source;
    if (is_fresh(way)) {
        from = pageable(bench->bytes);
        memcpy(from, bench->source, bench->bytes);
    }
    const double ms =
        is_staged(way) ? time_to_gpu(bench, way, from) : time_memcpy_to_device(bench, way, from);
    if (is_fresh(way)) free(from);
    expect_same(bench, bench->pinned_out, way);
    return ms;
}

static void copy_to_host(const Bench *bench, Way way, float *to) {
    if (is_staged(way)) CUDA_CHECK(staged_copy_to_host(to, bench->d_data, bench->bytes));
    else CUDA_CHECK(cudaMemcpy(to, bench->d_data, bench->bytes, cudaMemcpyDeviceToHost));
}

static double time_to_host(Bench *bench, Way way) {
    float *to = is_fresh(way)        ? pageable(bench->bytes)
                : way == FROM_PINNED ? bench->pinned_out
                                     : bench->used;
    if (!is_fresh(way)) {
        poison_device(bench->d_data, bench->bytes);
        copy_to_host(bench, way, to);
    }
    CUDA_CHECK(cudaMemcpy(bench->d_data, bench->pinned, bench->bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double begin = host_clock_ms();
    copy_to_host(bench, way, to);
    const double end = host_clock_ms();
    expect_same(bench, to, way);
    if (is_fresh(way)) free(to);
    return end - begin;
}

/* The staged copies beside the copies that they are held against. */
static void print_shares(const TimerStats *stats, Record *const *rows) {
    putchar('\n');
    for (int way = 0; way < WAYS; ++way) {
        if (!is_staged((Way)way)) continue;
        const Way pageable_way = way < FROM_PAGEABLE ? TO_PAGEABLE : FROM_PAGEABLE;
        const Way pinned_way = way < FROM_PAGEABLE ? TO_PINNED : FROM_PINNED;
        const double times = stats[pageable_way].median_ms / stats[way].median_ms;
        const double percent = 100 * stats[pinned_way].median_ms / stats[way].median_ms;
        printf("  %-49s %5.2f x cudaMemcpy, %.0f %% of pinned\n", NAMES[way], times, percent);
        record_number(rows[way], "times_cudamemcpy", times);
        record_number(rows[way], "percent_of_pinned", percent);
    }
}

static bool bench_size(Lesson *lesson, size_t n, int repeats) {
    Bench bench = {.n = n, .bytes = n * sizeof(float), .right = true};
    bench.source = pageable(bench.bytes);
    bench.used = pageable(bench.bytes);
    philox_normal_fill(bench.source, n, lesson->options.seed);
    memset(bench.used, 0, bench.bytes);
    CUDA_CHECK(cudaMallocHost((void **)&bench.pinned, bench.bytes));
    CUDA_CHECK(cudaMallocHost((void **)&bench.pinned_out, bench.bytes));
    memcpy(bench.pinned, bench.source, bench.bytes);
    CUDA_CHECK(cudaMalloc((void **)&bench.d_data, bench.bytes));

    static double samples[WAYS][MAX_REPEATS];
    for (int repeat = -1; repeat < repeats; ++repeat) { /* the first round is a warm-up */
        for (int way = 0; way < WAYS; ++way) {
            const double ms = way < FROM_PAGEABLE ? time_to_device(&bench, (Way)way)
                                                  : time_to_host(&bench, (Way)way);
            if (repeat >= 0) samples[way][repeat] = ms;
        }
    }

    Record *record = record_row(lesson->record, "sizes");
    record_count(record, "n", n);
    record_count(record, "bytes", bench.bytes);
    printf("\n%s float32, %s, median of %d\n\n", text_count(n), text_bytes((double)bench.bytes),
           repeats);
    TimerStats stats[WAYS];
    Record *rows[WAYS];
    for (int way = 0; way < WAYS; ++way) {
        timer_stats_from(samples[way], (size_t)repeats, &stats[way]);
        const double gbps = gbps_from((double)bench.bytes, stats[way].median_ms);
        printf("  %-49s %10s  spread %5.1f %%  %9s", NAMES[way], text_ms(stats[way].median_ms),
               100 * stats[way].spread, text_rate(gbps));
        Record *row = record_row(record, "ways");
        record_text(row, "way", KEYS[way]);
        record_timer(row, "time", &stats[way]);
        record_number(row, "gbps", gbps);
        putchar('\n');
        rows[way] = row;
    }
    if (!lesson->on_cpu_device) print_shares(stats, rows);

    CUDA_CHECK(cudaFree(bench.d_data));
    CUDA_CHECK(cudaFreeHost(bench.pinned));
    CUDA_CHECK(cudaFreeHost(bench.pinned_out));
    free(bench.source);
    free(bench.used);
    return bench.right;
}

int main(int argc, char **argv) {
    const LessonSpec spec = {
        .program = "transfer_bench",
        .about = "Copies between host and device: staged, pageable, pinned.",
        .n = 230400000,
        .cpu_n = 2304000,
    };
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &spec)) return lesson.status;
    const size_t n = lesson.options.n;
    if (!lesson_check_memory(&lesson, n, 2 * sizeof(float), 5 * sizeof(float)))
        return lesson.status;
    int repeats = lesson.options.repeat == 0 ? DEFAULT_REPEATS : lesson.options.repeat;
    if (repeats > MAX_REPEATS) repeats = MAX_REPEATS;

    bool right = bench_size(&lesson, n, repeats);
    if (!lesson.options.sizes_given && n >= 10)
        right = bench_size(&lesson, n / 10, repeats) && right;
    if (lesson.on_cpu_device) printf("\nOn the CPU device these are copies in one memory.\n");
    putchar('\n');
    return lesson_end(&lesson, right);
}
