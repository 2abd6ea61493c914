/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 01: what is in this computer, and what can it do?
 *
 * You learn:  how a program finds its GPUs and asks for their properties; which limits a
 *             kernel must keep to; what the memory could reach in theory and what it
 *             reaches; why a GPU may be there and not be seen.
 * Run:        bazel run //lessons:01_device_query
 * Prints:     the software, the environment, and a table for each device, --all the whole one;
 *             "not reported" for what it does not tell. Exit status 0: every device answered; 3: there is none. */
#include <stdio.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson.h"
#include "kernels/tuned/random.h"
#include "lessons/parts/01_device_facts.h"
#include "lessons/parts/01_device_visibility.h"

static const LessonSpec SPEC = {
    .program = "01_device_query",
    .about = "Lists the devices and what each can do; --device K: only that one.",
    .n = 64 << 20, /* floats of the measured copy: several times any L2 cache */
    .cpu_n = 16 << 20,
    .has_all = true,
};

typedef struct Copy {
    float *d_from, *d_to;
    size_t bytes;
} Copy;
static cudaError_t run_copy(void *context, cudaStream_t stream) {
    const Copy *copy = context;
    return cudaMemcpyAsync(copy->d_to, copy->d_from, copy->bytes, cudaMemcpyDeviceToDevice, stream);
}

/* Copies n normal numbers within the device. A device that cannot do it now (no
 * memory left, prohibited) still has facts to show, so failure is an answer. */
static cudaError_t measure_copy(const Lesson *lesson, int device, TimerStats *stats) {
    size_t n = lesson->options.n;
    Copy copy = {NULL, NULL, n * sizeof(float)};
    TimerOptions timer = *lesson_timer(lesson);
    timer.budget_ms = 100;
    cudaError_t status = cudaSetDevice(device);
    if (status == cudaSuccess) status = cudaMalloc((void **)&copy.d_from, copy.bytes);
    if (status == cudaSuccess) status = cudaMalloc((void **)&copy.d_to, copy.bytes);
    if (status == cudaSuccess) status = philox_normal_gpu(n, lesson->options.seed, copy.d_from, 0);
    if (status == cudaSuccess) status = time_gpu(run_copy, &copy, &timer, stats);
    cudaFree(copy.d_from);
    cudaFree(copy.d_to);
    cudaGetLastError(); /* reported by the caller, once */
    return status;
}

static void show_device(const Lesson *lesson, const DeviceFacts *facts, const char *visible) {
    Record *record = record_row(lesson->record, "devices");
    TimerStats stats;
    cudaError_t status = measure_copy(lesson, facts->device, &stats);
    char measured[128];
    if (status != cudaSuccess) {
        snprintf(measured, sizeof measured, "not measured: %s", cudaGetErrorString(status));
    } else {
        double bytes = 2.0 * (double)lesson->options.n * sizeof(float), peak_gbps = 0;
        double gbps = gbps_from(bytes, stats.median_ms);
        bool known = device_facts_bandwidth_gbps(facts, &peak_gbps);
        const char *cached = known && gbps > peak_gbps ? ": from the cache, not memory" : "";
        const char *share = text_format(", %.0f %% of theory%s", 100 * gbps / peak_gbps, cached);
        snprintf(measured, sizeof measured, "%s%s", text_rate(gbps), known ? share : "");
        record_number(record, "bandwidth_measured_gbps", gbps);
    }
    printf("\n");
    device_facts_print(stdout, facts, visible, lesson->options.all);
    printf("  %-38s %s\n", "bandwidth measured by a copy", measured);
    device_facts_record(record, facts, visible);
}

/* No device: why, what to do, and a record that says so too. */
static int end_without_device(const Lesson *lesson, const DeviceVisibility *found) {
    char why[1024], message[512];
    device_visibility_explain_none(found, why, sizeof why);
    printf("%s: no device.\n%s\n", SPEC.program, why);
    device_visibility_print(found, lesson->record);
    record_count(lesson->record, "device_count", 0);
    record_text(lesson->record, "reason", why);
    if (lesson->record != NULL &&
        !record_write(lesson->record, lesson->options.json_path, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
    }
    record_free(lesson->record);
    return LESSON_NO_DEVICE;
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_options(&lesson, argc, argv, &SPEC)) return lesson.status;

    /* 1. How many devices does CUDA see, and if none: why? */
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    const DeviceVisibility found = device_visibility_find(status, count);
    if (found.visible_count == 0) return end_without_device(&lesson, &found);
    if (!lesson_start(&lesson)) return lesson.status;

    /* 2. The software, and what hides devices or orders them. */
    device_visibility_print(&found, lesson.record);
    printf("  %-38s %d\n", "devices", count);
    record_count(lesson.record, "device_count", (uint64_t)count);

    /* 3. Each device, or the one that was asked for: its facts, and a copy within it. */
    for (int device = 0; device < count; device++) {
        if (lesson.options.device_given && device != lesson.device) continue;
        DeviceFacts facts;
        CUDA_CHECK(device_facts_read(device, &facts));
        show_device(&lesson, &facts, found.visible);
    }
    device_facts_print_end(lesson.options.all, lesson.on_cpu_device);
    return lesson_end(&lesson, true);
}
