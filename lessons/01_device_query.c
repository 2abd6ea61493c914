/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 01: what is in this computer, and what can it do?
 *
 * You learn: how a program finds its GPUs and asks for their properties; which
 *            limits a kernel must keep to; what the memory could reach in theory
 *            and what it reaches; why a GPU may be there and not be seen.
 * Run:       bazel run //lessons:01_device_query
 * Prints:    the software, the environment, and a table for each device. What a
 *            device does not tell is "not reported". Exit status 0: every device
 *            answered; 3: there is no device, and the reason. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/lesson.h"
#include "kernels/tuned/random.h"
#include "lessons/parts/01_device_facts.h"
#include "lessons/parts/01_device_visibility.h"

static const LessonSpec SPEC = {
    .program = "01_device_query",
    .about = "Lists the devices and what each can do; --device K: only that one.",
    .n = 64 << 20, /* floats of the measured copy: several times any L2 cache */
    .cpu_n = 16 << 20,
};

/* The library gives --device a default, and this lesson shows all without it. */
static bool device_was_given(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--device") == 0 || strncmp(argv[i], "--device=", 9) == 0)
            return true;
    }
    return false;
}

static void print_version(Record *record, const char *label, const char *key, int version) {
    char text[32] = "not reported";
    if (version > 0) snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    printf("  %-38s %s\n", label, text);
    record_text(record, key, version > 0 ? text : NULL);
}

/* Text of one or more lines: the first beside the label, the others below it. */
static void print_text(const char *label, const char *text) {
    for (const char *line = text; line != NULL; label = "") {
        size_t length = strcspn(line, "\n");
        printf("  %-38s %.*s\n", label, (int)length, line);
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
}

static void print_environment(Record *record, const DeviceVisibility *found) {
    char text[512];
    printf("\nSoftware and environment\n");
    print_version(record, "driver: supports CUDA up to", "driver_version", found->driver_version);
    print_version(record, "runtime: this program was built with", "runtime_version",
                  found->runtime_version);
    device_visibility_describe(found, text, sizeof text);
    print_text("CUDA_VISIBLE_DEVICES", text);
    device_visibility_describe_order(found, text, sizeof text);
    print_text("CUDA_DEVICE_ORDER", text);
    record_text(record, "cuda_visible_devices", found->visible);
    record_text(record, "cuda_device_order", found->order);
}

typedef struct Copy {
    float *d_from, *d_to;
    size_t bytes;
} Copy;

static cudaError_t run_copy(void *context, cudaStream_t stream) {
    const Copy *copy = context;
    return cudaMemcpyAsync(copy->d_to, copy->d_from, copy->bytes, cudaMemcpyDeviceToDevice,
                           stream);
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
    if (status == cudaSuccess)
        status = philox_normal_gpu(n, lesson->options.seed, copy.d_from, 0);
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
        int used = snprintf(measured, sizeof measured, "%s (%s copied)", text_rate(gbps),
                            text_bytes(bytes / 2));
        if (known && used > 0 && (size_t)used < sizeof measured) {
            snprintf(measured + used, sizeof measured - (size_t)used, ", %.0f %% of theory%s",
                     100 * gbps / peak_gbps,
                     gbps > peak_gbps ? ": from the cache, not memory" : "");
        }
        record_number(record, "bandwidth_measured_gbps", gbps);
    }
    printf("\n");
    device_facts_print(stdout, facts, visible);
    printf("  %-38s %s\n", "bandwidth measured by a copy", measured);
    device_facts_record(record, facts, visible);
}

/* No device: why, what to do, and a record that says so too. */
static int end_without_device(const Lesson *lesson, const DeviceVisibility *found) {
    char why[1024], message[512];
    device_visibility_explain_none(found, why, sizeof why);
    printf("%s: no device.\n%s\n", SPEC.program, why);
    print_environment(lesson->record, found);
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
    DeviceVisibility found;
    if (!lesson_options(&lesson, argc, argv, &SPEC)) return lesson.status;
    device_visibility_find(&found);
    if (found.visible_count == 0) return end_without_device(&lesson, &found);
    if (!lesson_start(&lesson)) return lesson.status;

    print_environment(lesson.record, &found);
    printf("  %-38s %d\n", "devices", found.visible_count);
    record_count(lesson.record, "device_count", (uint64_t)found.visible_count);

    bool only_one = device_was_given(argc, argv);
    int first = only_one ? lesson.device : 0;
    int last = only_one ? lesson.device : found.visible_count - 1;
    for (int device = first; device <= last; device++) {
        DeviceFacts facts;
        CUDA_CHECK(device_facts_read(device, &facts));
        show_device(&lesson, &facts, found.visible);
    }
    if (lesson.on_cpu_device) {
        printf("\nThe CPU device keeps to an H200's limits, so that kernels meet the same ones;\n"
               "its rates are this computer's and say nothing about a GPU.\n");
    }
    return lesson_end(&lesson, true);
}
