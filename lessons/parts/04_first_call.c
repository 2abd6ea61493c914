/* SPDX-License-Identifier: Apache-2.0 */
/* See first_call.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_first_call.h"

#include <math.h>
#include <stdio.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_pictures.h"
#include "common/staged_copy.h"
#include "common/watchdog.h"
#include "kernels/tuned/elementwise.h"

/* Far more than a first call takes, the compilation of PTX for a new GPU included. */
static const double PATIENCE_S = 300;

void first_call_start(const Lesson *lesson, FirstCall *first) {
    int count = 0, ordinal = 0;
    char message[256];
    *first = (FirstCall){0};
    if (!lesson->on_cpu_device) processes_measure(&lesson->options, &first->processes);
    Watchdog *watchdog = watchdog_start(PATIENCE_S, "starting the device", NULL, NULL);
    double start_ms = host_clock_ms();
    (void)cudaGetDeviceCount(&count);
    double driver_ms = host_clock_ms();
    if (count > 0 && device_find(lesson->options.device, &ordinal, message, sizeof message)) {
        (void)cudaSetDevice(ordinal); /* creates the context since CUDA 12, */
        (void)cudaFree(NULL);         /* and this did before */
    }
    (void)cudaGetLastError();
    first->driver_ms = driver_ms - start_ms;
    first->context_ms = host_clock_ms() - driver_ms;
    watchdog_stop(watchdog);
}

/* One x + x as an array library does it: memory for the result, the kernel's code, the launch,
 * then the wait without which nothing is known to be done. */
static CallTimes call_once(TimingCase *c) {
    double start_ms = host_clock_ms();
    CUDA_CHECK(cudaMalloc((void **)&c->d_out, c->n * sizeof(float)));
    double allocated_ms = host_clock_ms();
    CUDA_CHECK(add_gpu_load());
    double loaded_ms = host_clock_ms();
    CUDA_CHECK(timing_run_kernel(c, 0));
    double launched_ms = host_clock_ms();
    CUDA_CHECK(cudaDeviceSynchronize());
    return (CallTimes){.allocate_ms = allocated_ms - start_ms,
                       .load_ms = loaded_ms - allocated_ms,
                       .launch_ms = launched_ms - loaded_ms,
                       .wait_ms = host_clock_ms() - launched_ms};
}

static double run_ms(const CallTimes *call) {
    return call->launch_ms + call->wait_ms;
}

static double all_ms(const CallTimes *call) {
    return call->allocate_ms + call->load_ms + run_ms(call);
}

static void print_row(const char *step, const char *first, const char *second,
                      const char *steady) {
    printf("   %-36s %12s %12s %12s\n", step, first, second, steady);
}

static void print_table(const FirstCall *first, const CallTimes call[2], const TimerStats *steady,
                        double copy_ms) {
    double before_ms = first->driver_ms + first->context_ms;
    print_row("step", "first call", "second", "steady state");
    print_row("start the driver (first CUDA call)", text_ms(first->driver_ms), "-", "-");
    print_row("create the context (cudaSetDevice)", text_ms(first->context_ms), "-", "-");
    print_row("allocate the result (cudaMalloc)", text_ms(call[0].allocate_ms),
              text_ms(call[1].allocate_ms), "-");
    print_row("load the kernel (or compile its PTX)", text_ms(call[0].load_ms),
              text_ms(call[1].load_ms), "-");
    print_row("launch and run", text_ms(run_ms(&call[0])), text_ms(run_ms(&call[1])),
              text_time(steady));
    print_row("together", text_ms(before_ms + all_ms(&call[0])), text_ms(all_ms(&call[1])),
              text_time(steady));
    printf("   Not counted: x to the device, %s the first time. The second call finds\n"
           "   driver, context and the kernel's code there; its result is computed anew.\n",
           text_ms(copy_ms));
}

static void record_call(Record *record, const CallTimes *call) {
    record_number(record, "allocate_ms", call->allocate_ms);
    record_number(record, "load_ms", call->load_ms);
    record_number(record, "launch_ms", call->launch_ms);
    record_number(record, "wait_ms", call->wait_ms);
}

static ClockRow clock_row(const char *name, double context_ms, const CallTimes *call) {
    return (ClockRow){name,          context_ms,      call->allocate_ms,
                      call->load_ms, call->launch_ms, call->wait_ms};
}

/* The calls of both fresh processes where they were measured, else those of this one. On the CPU
 * device without times. */
static void draw_clock(Lesson *lesson, const FirstCall *first, const CallTimes call[2], size_t n) {
    static const char *const names[] = {"1st process, 1st call", "2nd call",
                                        "2nd process, 1st call", "2nd call"};
    const ProcessTimes *time = first->processes.time;
    ClockRow rows[CLOCK_ROWS];
    ClockPicture drawn = {.device = lesson->device_name, .n = n, .rows = rows};
    if (lesson->on_cpu_device) {
        drawn.device = NULL;
        rows[drawn.count++] = (ClockRow){"a call", NAN, NAN, NAN, NAN, NAN};
    } else if (first->processes.measured) {
        drawn.n = first->processes.n;
        for (int i = 0; i < CLOCK_ROWS; i++)
            rows[drawn.count++] = clock_row(names[i], i % 2 == 0 ? time[i / 2].context_ms : NAN,
                                            &time[i / 2].call[i % 2]);
    } else {
        rows[drawn.count++] = clock_row("first call", first->driver_ms + first->context_ms, &call[0]);
        rows[drawn.count++] = clock_row("second call", NAN, &call[1]);
    }
    lesson_picture(lesson, "clock", picture_clock(&drawn));
}

bool show_first_call(Lesson *lesson, const FirstCall *first, TimingCase *c) {
    CallTimes call[2];
    CUDA_CHECK(cudaMalloc((void **)&c->d_x, c->n * sizeof(float)));
    double start_ms = host_clock_ms();
    CUDA_CHECK(staged_copy_to_device(c->d_x, c->x, c->n * sizeof(float)));
    double copy_ms = host_clock_ms() - start_ms;

    Watchdog *watchdog = watchdog_start(PATIENCE_S, "the first call of x + x", NULL, NULL);
    call[0] = call_once(c);
    watchdog_stop(watchdog);
    CUDA_CHECK(cudaFree(c->d_out));
    call[1] = call_once(c);

    TimerOptions options = *lesson_timer(lesson);
    TimerStats steady;
    if (lesson->options.repeat == 0) options.budget_ms = 100;
    CUDA_CHECK(timing_measure(c, WAY_GPU_KERNEL, &options, &steady));

    Record *record = record_object(lesson->record, "first_call");
    record_count(record, "n", c->n);
    record_number(record, "driver_ms", first->driver_ms);
    record_number(record, "context_ms", first->context_ms);
    record_call(record, &call[0]);
    record_call(record_object(lesson->record, "second_call"), &call[1]);
    record_timer(lesson->record, "steady_state", &steady);

    if (lesson->options.plot_path != NULL) draw_clock(lesson, first, call, c->n);
    if (lesson->on_cpu_device) {
        printf("\n1. Where the first call's time goes: only a GPU can show it. The CPU device has no\n"
               "   driver to start, and nothing to compile or load while the program runs.\n");
        return true;
    }
    printf(
        "\n1. Where the first call's time goes: x + x, n = %s, host clock with synchronise\n\n",
        text_count(c->n));
    print_table(first, call, &steady, copy_ms);
    return show_processes(lesson, &first->processes);
}
