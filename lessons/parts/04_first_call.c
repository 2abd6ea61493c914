/* SPDX-License-Identifier: Apache-2.0 */
/* See first_call.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_first_call.h"

#include <stdio.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/staged_copy.h"
#include "common/watchdog.h"

/* Far more than a first call takes, the compilation of PTX for a new GPU included. */
static const double PATIENCE_S = 300;

void first_call_start(const char *device, FirstCall *first) {
    int count = 0, ordinal = 0;
    char message[256];
    Watchdog *watchdog = watchdog_start(PATIENCE_S, "starting the device", NULL, NULL);
    double start_ms = host_clock_ms();
    (void)cudaGetDeviceCount(&count);
    double driver_ms = host_clock_ms();
    if (count > 0 && device_find(device, &ordinal, message, sizeof message)) {
        (void)cudaSetDevice(ordinal); /* creates the context since CUDA 12, */
        (void)cudaFree(NULL);         /* and this did before */
    }
    (void)cudaGetLastError();
    first->driver_ms = driver_ms - start_ms;
    first->context_ms = host_clock_ms() - driver_ms;
    watchdog_stop(watchdog);
}

/* One x + x as an array library does it: memory for the result, then the kernel,
 * then the wait without which nothing is known to be done. */
static void call_once(TimingCase *c, double *allocate_ms, double *run_ms) {
    double start_ms = host_clock_ms();
    CUDA_CHECK(cudaMalloc((void **)&c->d_out, c->n * sizeof(float)));
    double allocated_ms = host_clock_ms();
    CUDA_CHECK(timing_run_kernel(c, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    *allocate_ms = allocated_ms - start_ms;
    *run_ms = host_clock_ms() - allocated_ms;
}

static void print_row(const char *step, const char *first, const char *second,
                      const char *steady) {
    printf("   %-44s %12s %12s  %12s\n", step, first, second, steady);
}

void show_first_call(Lesson *lesson, const FirstCall *first, TimingCase *c) {
    double copy_ms, allocate_ms[2], run_ms[2];
    CUDA_CHECK(cudaMalloc((void **)&c->d_x, c->n * sizeof(float)));
    double start_ms = host_clock_ms();
    CUDA_CHECK(staged_copy_to_device(c->d_x, c->x, c->n * sizeof(float)));
    copy_ms = host_clock_ms() - start_ms;

    Watchdog *watchdog = watchdog_start(PATIENCE_S, "the first call of x + x", NULL, NULL);
    call_once(c, &allocate_ms[0], &run_ms[0]);
    watchdog_stop(watchdog);
    CUDA_CHECK(cudaFree(c->d_out));
    call_once(c, &allocate_ms[1], &run_ms[1]);

    TimerOptions options = *lesson_timer(lesson);
    TimerStats steady;
    if (lesson->options.repeat == 0) options.budget_ms = 100;
    CUDA_CHECK(timing_measure(c, WAY_GPU_KERNEL, &options, &steady));

    double before_ms = first->driver_ms + first->context_ms;
    printf(
        "\n1. Where the first call's time goes: x + x, n = %s, host clock with synchronise\n\n",
        text_count(c->n));
    print_row("step", "first call", "second", "steady state");
    print_row("start the driver (first CUDA call)", text_ms(first->driver_ms), "-", "-");
    print_row("create the context (cudaSetDevice)", text_ms(first->context_ms), "-", "-");
    print_row("allocate the result (cudaMalloc)", text_ms(allocate_ms[0]),
              text_ms(allocate_ms[1]), "-");
    print_row("load the kernel (or compile its PTX) and run", text_ms(run_ms[0]), "-", "-");
    print_row("launch and run", "-", text_ms(run_ms[1]), text_time(&steady));
    print_row("together", text_ms(before_ms + allocate_ms[0] + run_ms[0]),
              text_ms(allocate_ms[1] + run_ms[1]), text_time(&steady));
    printf("   Not counted: x to the device, %s the first time.", text_ms(copy_ms));
    if (lesson->on_cpu_device) {
        printf(" The CPU device has no driver to\n"
               "   start, no context to create and no kernel to load: on a GPU these are most of it.\n");
    } else {
        printf(" The second call finds\n"
               "   driver, context and the kernel's code there; its result is computed anew.\n");
    }

    Record *record = record_object(lesson->record, "first_call");
    record_number(record, "driver_ms", first->driver_ms);
    record_number(record, "context_ms", first->context_ms);
    record_number(record, "allocate_ms", allocate_ms[0]);
    record_number(record, "load_and_run_ms", run_ms[0]);
    record = record_object(lesson->record, "second_call");
    record_number(record, "allocate_ms", allocate_ms[1]);
    record_number(record, "run_ms", run_ms[1]);
    record_timer(lesson->record, "steady_state", &steady);
}
