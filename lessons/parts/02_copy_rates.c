/* SPDX-License-Identifier: Apache-2.0 */
/* See 02_copy_rates.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/02_copy_rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/lesson_table.h"
#include "common/recorded.h"
#include "common/staged_copy.h"

/* A way to copy: a function for each direction, and the host memory it uses. */
typedef struct Way {
    const char *name, *key;
    cudaError_t (*to_device)(void *d_to, const void *from, size_t bytes);
    cudaError_t (*to_host)(void *to, const void *d_from, size_t bytes);
    const void *from;
    void *to, *d_buffer;
    size_t bytes;
} Way;

static cudaError_t plain_to_device(void *d_to, const void *from, size_t bytes) {
    return cudaMemcpy(d_to, from, bytes, cudaMemcpyHostToDevice);
}
static cudaError_t plain_to_host(void *to, const void *d_from, size_t bytes) {
    return cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost);
}
static cudaError_t run_to_device(void *context, cudaStream_t stream) {
    const Way *way = context;
    (void)stream; /* these copies all use the default stream */
    return way->to_device(way->d_buffer, way->from, way->bytes);
}
static cudaError_t run_to_host(void *context, cudaStream_t stream) {
    const Way *way = context;
    (void)stream;
    return way->to_host(way->to, way->d_buffer, way->bytes);
}

/* `there` may be null: not a way of its own. */
static void print_way(const char *name, const TimerStats *there, const TimerStats *back,
                      double bytes, bool same) {
    printf("   %-21s %9s %10s  %9s %10s  %s\n", name, there != NULL ? text_time(there) : "-",
           there != NULL ? text_rate(gbps_from(bytes, there->median_ms)) : "-", text_time(back),
           text_rate(gbps_from(bytes, back->median_ms)), same ? "same bits" : "WRONG BITS");
}

/* The same copies as a GPU took them. */
static void print_recorded_way(const Lesson *lesson, const Way *way, bool same) {
    TimerStats there, back;
    recorded_timer(lesson->name, text_format("/%s/to_device", way->key), &there);
    recorded_timer(lesson->name, text_format("/%s/to_host", way->key), &back);
    print_way(way->name, &there, &back, recorded_number(lesson->name, "/n") * sizeof(float), same);
}

static bool measure_way(Lesson *lesson, Way *way) {
    TimerOptions timer = *lesson_timer(lesson);
    TimerStats there, back;
    if (lesson->options.repeat == 0) timer.repeat = 5; /* hundreds of MB: enough */
    if (lesson->options.warmup < 0) timer.warmup = 1;
    CUDA_CHECK(cudaMemset(way->d_buffer, LAB_POISON_BYTE, way->bytes));
    memset(way->to, LAB_POISON_BYTE, way->bytes);
    CUDA_CHECK(time_gpu_end_to_end(run_to_device, way, &timer, &there));
    CUDA_CHECK(time_gpu_end_to_end(run_to_host, way, &timer, &back));
    bool same = memcmp(way->from, way->to, way->bytes) == 0;

    double bytes = (double)way->bytes;
    if (lesson->on_cpu_device) print_recorded_way(lesson, way, same);
    else print_way(way->name, &there, &back, bytes, same);
    Record *row = record_object(lesson->record, way->key);
    record_timer(row, "to_device", &there);
    record_timer(row, "to_host", &back);
    record_number(row, "to_device_gbps", gbps_from(bytes, there.median_ms));
    record_number(row, "to_host_gbps", gbps_from(bytes, back.median_ms));
    return same;
}

enum { FRESH_COPIES = 5 };

/* To an array that nobody has written to yet: the system gives its pages out during the copy. */
static bool measure_fresh(Lesson *lesson, const Way *pageable) {
    const char *name = "..., to a fresh array";
    double samples_ms[FRESH_COPIES];
    TimerStats back;
    bool same = true;
    for (int i = 0; i < FRESH_COPIES; i++) {
        void *fresh = lesson_host_memory(lesson, pageable->bytes);
        const double start_ms = host_clock_ms();
        CUDA_CHECK(plain_to_host(fresh, pageable->d_buffer, pageable->bytes));
        samples_ms[i] = host_clock_ms() - start_ms;
        same = memcmp(pageable->from, fresh, pageable->bytes) == 0 && same;
        free(fresh);
    }
    timer_stats_from(samples_ms, FRESH_COPIES, &back);
    record_timer(record_object(lesson->record, "fresh"), "to_host", &back);
    if (lesson->on_cpu_device) {
        recorded_timer(lesson->name, "/fresh/to_host", &back);
        print_way(name, NULL, &back, recorded_number(lesson->name, "/n") * sizeof(float), same);
    } else {
        print_way(name, NULL, &back, (double)pageable->bytes, same);
    }
    return same;
}

bool show_copy_rates(Lesson *lesson, const float *x, float *out, float *d_buffer) {
    size_t bytes = lesson->options.n * sizeof(float);
    void *pinned_from = NULL, *pinned_to = NULL;
    double start_ms = host_clock_ms();
    CUDA_CHECK(cudaMallocHost(&pinned_from, bytes));
    CUDA_CHECK(cudaMallocHost(&pinned_to, bytes));
    double pin_ms = host_clock_ms() - start_ms;
    memcpy(pinned_from, x, bytes);

    Way ways[] = {
        {"pageable, cudaMemcpy", "pageable", plain_to_device, plain_to_host, x, out, d_buffer,
         bytes},
        {"pinned, cudaMemcpy", "pinned", plain_to_device, plain_to_host, pinned_from, pinned_to,
         d_buffer, bytes},
        {"pageable, staged", "staged", staged_copy_to_device, staged_copy_to_host, x, out, d_buffer,
         bytes},
    };
    bool right = true;
    if (lesson->on_cpu_device) {
        printf("\n3. Copying %s in three ways, and what an %s took for %s:\n",
               text_bytes((double)bytes), recorded_device(),
               text_bytes(recorded_number(lesson->name, "/n") * sizeof(float)));
    } else {
        printf("\n3. Copying %s in three ways, median of %s:\n", text_bytes((double)bytes),
               lesson->options.repeat > 0 ? text_count((uint64_t)lesson->options.repeat) : "5");
    }
    printf("   %-21s %20s  %20s\n", "", "host to device", "device to host");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        right = measure_way(lesson, &ways[i]) && right;
        if (i == 0) right = measure_fresh(lesson, &ways[i]) && right;
    }
    lesson_recorded_note(lesson);
    if (!lesson->on_cpu_device) /* where nothing is pinned */
        printf("   Pinning the two arrays took %s: worth it for memory that is used again.\n",
               text_ms(pin_ms));
    record_number(lesson->record, "pin_ms", pin_ms);
    CUDA_CHECK(cudaFreeHost(pinned_from));
    CUDA_CHECK(cudaFreeHost(pinned_to));
    return right;
}

static void print_made(double n, double host_ms, double copy_ms, const TimerStats *device) {
    printf("   %-33s %9s %9s %14s\n", text_format("%s normal numbers", text_count((uint64_t)n)),
           "to make", "to copy", "over the bus");
    printf("   %-33s %9s %9s %14s\n", "on the host's cores, then copied", text_ms(host_ms),
           text_ms(copy_ms), text_bytes(n * sizeof(float)));
    printf("   %-33s %9s %9s %14s\n", "on the device", text_time(device), "-", "0 bytes");
}

void show_made(Lesson *lesson, double host_ms, double copy_ms, const TimerStats *device) {
    printf("\n4. Must data pass through the host? Not if the device can make it:\n");
    if (lesson->on_cpu_device) {
        TimerStats on_gpu;
        recorded_timer(lesson->name, "/made_on_device", &on_gpu);
        print_made(recorded_number(lesson->name, "/n"),
                   recorded_number(lesson->name, "/made_on_host_ms"),
                   recorded_number(lesson->name, "/made_on_host_copy_ms"), &on_gpu);
        lesson_recorded_note(lesson);
    } else {
        print_made((double)lesson->options.n, host_ms, copy_ms, device);
    }
    printf("   Only seed and n travelled, as the kernel's arguments.\n");
    record_timer(lesson->record, "made_on_device", device);
    record_number(lesson->record, "made_on_host_ms", host_ms);
    record_number(lesson->record, "made_on_host_copy_ms", copy_ms);
}
