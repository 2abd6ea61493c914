/* SPDX-License-Identifier: Apache-2.0 */
/* See 02_copy_rates.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/02_copy_rates.h"

#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/lesson_table.h"
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
    printf("   %-36s %11s %11s   %11s %11s%s\n", way->name,
           lesson_timed(lesson, text_time(&there)),
           lesson_timed(lesson, text_rate(gbps_from(bytes, there.median_ms))),
           lesson_timed(lesson, text_time(&back)),
           lesson_timed(lesson, text_rate(gbps_from(bytes, back.median_ms))),
           same ? "  same bits" : "  WRONG BITS");
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
    lesson_recorded(lesson, "benchmarks/results/2026-12-01_h200/lessons.log",
                    "3. Rates of copying 921.6 MB, median of 5:\n"
                    "                                                 host to device            device to host\n"
                    "   pageable (malloc), cudaMemcpy             135 ms   6.82 GB/s       80.6 ms   11.4 GB/s\n"
                    "   pinned (cudaMallocHost), cudaMemcpy      16.7 ms   55.3 GB/s       16.7 ms   55.2 GB/s\n"
                    "   pageable, staged through pinned          19.7 ms   46.8 GB/s       27.7 ms   33.2 GB/s\n");
    if (!lesson->on_cpu_device) /* where nothing is pinned */
        printf("   Pinning the two arrays took %s: worth it for memory that is used again.\n",
               text_ms(pin_ms));
    record_number(lesson->record, "pin_ms", pin_ms);
    CUDA_CHECK(cudaFreeHost(pinned_from));
    CUDA_CHECK(cudaFreeHost(pinned_to));
    return right;
}

void show_made(Lesson *lesson, double host_ms, double copy_ms, const TimerStats *device) {
    const size_t n = lesson->options.n;
    printf("\n4. Must data pass through the host? Not if the device can make it:\n");
    printf("   %-36s %11s   %11s  %12s\n", text_format("%s normal numbers", text_count(n)),
           "to make", "to copy", "over the bus");
    printf("   %-36s %11s   %11s   %11s\n", "on the host's cores, then copied",
           lesson_timed(lesson, text_ms(host_ms)), lesson_timed(lesson, text_ms(copy_ms)),
           text_bytes((double)(n * sizeof(float))));
    printf("   %-36s %11s   %11s   %11s\n", "on the device",
           lesson_timed(lesson, text_time(device)), "-", "0 bytes");
    printf("   Only seed and n travelled, as the kernel's arguments.\n");
    lesson_recorded(lesson, "benchmarks/results/2026-12-01_h200/lessons.log",
                    "   230,400,000 normal numbers            to make       to copy    over the bus\n"
                    "   on the host's cores, then copied         36.2 ms       20.1 ms      921.6 MB\n"
                    "   on the device                           0.476 ms             -       0 bytes\n");
    record_timer(lesson->record, "made_on_device", device);
    record_number(lesson->record, "made_on_host_ms", host_ms);
    record_number(lesson->record, "made_on_host_copy_ms", copy_ms);
}
