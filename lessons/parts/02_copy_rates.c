/* SPDX-License-Identifier: Apache-2.0 */
/* See copy_rates.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/02_copy_rates.h"

#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
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
    printf("   %-36s %11s %11s   %11s %11s%s\n", way->name, text_time(&there),
           text_rate(gbps_from(bytes, there.median_ms)), text_time(&back),
           text_rate(gbps_from(bytes, back.median_ms)), same ? "" : "  WRONG BITS");
    Record *row = record_object(lesson->record, way->key);
    record_timer(row, "to_device", &there);
    record_timer(row, "to_host", &back);
    record_number(row, "to_device_gbps", gbps_from(bytes, there.median_ms));
    record_number(row, "to_host_gbps", gbps_from(bytes, back.median_ms));
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
        {"pageable (malloc), cudaMemcpy", "pageable", plain_to_device, plain_to_host, x, out,
         d_buffer, bytes},
        {"pinned (cudaMallocHost), cudaMemcpy", "pinned", plain_to_device, plain_to_host,
         pinned_from, pinned_to, d_buffer, bytes},
        {"pageable, staged through pinned", "staged", staged_copy_to_device, staged_copy_to_host,
         x, out, d_buffer, bytes},
    };
    bool right = true;
    printf("\n3. Rates of copying %s, median of %s:\n", text_bytes((double)bytes),
           lesson->options.repeat > 0 ? text_count((uint64_t)lesson->options.repeat) : "5");
    printf("   %-36s %23s   %23s\n", "", "host to device", "device to host");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        right = measure_way(lesson, &ways[i]) && right;
    }
    printf("   Pinning the two arrays took %s: worth it for memory that is used again.\n",
           text_ms(pin_ms));
    record_number(lesson->record, "pin_ms", pin_ms);
    CUDA_CHECK(cudaFreeHost(pinned_from));
    CUDA_CHECK(cudaFreeHost(pinned_to));
    return right;
}
