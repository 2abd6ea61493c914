/* SPDX-License-Identifier: Apache-2.0 */
/* See 04_timing_ways.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_timing_ways.h"

#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/paragraph.h"
#include "common/staged_copy.h"
#include "kernels/tuned/elementwise.h"

static void run_on_cpu(void *context) {
    const TimingCase *c = context;
    if (c->multiply) multiply_fast_cpu(c->n, c->x, c->x, c->out);
    else add_fast_cpu(c->n, c->x, c->x, c->out);
}

cudaError_t timing_run_kernel(void *timing_case, cudaStream_t stream) {
    const TimingCase *c = timing_case;
    return c->multiply ? multiply_gpu(c->n, c->d_x, c->d_x, c->d_out, stream)
                       : add_gpu(c->n, c->d_x, c->d_x, c->d_out, stream);
}

cudaError_t timing_run_transfers(void *timing_case, cudaStream_t stream) {
    const TimingCase *c = timing_case;
    cudaError_t status = staged_copy_to_device(c->d_x, c->x, c->n * sizeof(float));
    if (status == cudaSuccess) status = timing_run_kernel(timing_case, stream);
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess) {
        status = staged_copy_to_host(c->out, c->d_out, c->n * sizeof(float));
    }
    return status;
}

const char *timing_way_name(const Lesson *lesson, TimingWay way) {
    static char name[64];
    const char *device = lesson->on_cpu_device ? "CPU device" : "GPU";
    switch (way) {
    case WAY_CPU_ONE_THREAD: return "CPU, 1 thread";
    case WAY_CPU_ALL_THREADS:
        snprintf(name, sizeof name, "CPU, %s",
                 text_counted(elementwise_fast_cpu_threads(), "thread"));
        return name;
    case WAY_GPU_KERNEL: snprintf(name, sizeof name, "%s, kernel only", device); return name;
    case WAY_GPU_AND_WAIT: snprintf(name, sizeof name, "%s, launch + wait", device); return name;
    case WAY_GPU_TRANSFERS: snprintf(name, sizeof name, "%s + transfers", device); return name;
    case WAY_COUNT: break;
    }
    return "";
}

cudaError_t timing_measure(const TimingCase *timing_case, TimingWay way,
                           const TimerOptions *options, TimerStats *stats) {
    void *context = (void *)timing_case; /* the work functions only read it */
    switch (way) {
    case WAY_CPU_ONE_THREAD:
    case WAY_CPU_ALL_THREADS:
        elementwise_fast_cpu_set_threads(way == WAY_CPU_ONE_THREAD ? 1 : 0);
        time_cpu(run_on_cpu, context, options, stats);
        elementwise_fast_cpu_set_threads(0);
        return cudaSuccess;
    case WAY_GPU_KERNEL: return time_gpu(timing_run_kernel, context, options, stats);
    case WAY_GPU_AND_WAIT: return time_gpu_end_to_end(timing_run_kernel, context, options, stats);
    case WAY_GPU_TRANSFERS:
        return time_gpu_end_to_end(timing_run_transfers, context, options, stats);
    case WAY_COUNT: break;
    }
    return cudaErrorInvalidValue;
}

bool timing_verify(Lesson *lesson, const TimingCase *timing_case, float *want) {
    const TimingCase *c = timing_case;
    if (c->multiply) multiply_cpu(c->n, c->x, c->x, want);
    else add_cpu(c->n, c->x, c->x, want);

    memset(c->out, LAB_POISON_BYTE, c->n * sizeof(float));
    run_on_cpu((void *)timing_case);
    CompareResult cpu = compare_exact(c->n, c->out, want, DTYPE_FLOAT32);

    memset(c->out, LAB_POISON_BYTE, c->n * sizeof(float));
    CUDA_CHECK(cudaMemset(c->d_out, LAB_POISON_BYTE, c->n * sizeof(float)));
    CUDA_CHECK(timing_run_transfers((void *)timing_case, 0));
    CompareResult device = compare_exact(c->n, c->out, want, DTYPE_FLOAT32);

    if (cpu.wrong == 0 && device.wrong == 0) return true;
    if (cpu.wrong > 0) lesson_report(lesson, "the fast CPU version", &cpu, NULL);
    if (device.wrong > 0) {
        const ElementwisePlan plan = elementwise_plan(c->n, c->d_x, c->d_x, c->d_out);
        size_t block = 0;
        unsigned thread = 0;
        elementwise_owner(&plan, device.first_wrong, &block, &thread);
        lesson_report(lesson, c->multiply ? "x * x on the device" : "x + x on the device", &device,
                      NULL);
        printf("     element %s is the work of block %s of %s, thread %u of %u\n",
               text_count(device.first_wrong), text_count(block), text_count(plan.blocks), thread,
               plan.threads);
    }
    return false;
}

void show_trap(Lesson *lesson, const TrapTimes times[2]) {
    printf("\n2. The trap: a host clock that is stopped before the GPU has finished\n\n");
    printf("   %13s %20s %20s %14s %16s\n", "n", "clock, not waiting", "clock and wait", "events",
           "of the true time");
    for (int i = 0; i < 2; i++) {
        const TrapTimes *t = &times[i];
        printf("   %13s %20s %20s %14s %14.1f %%\n", text_count(t->n),
               text_ms(t->launched.median_ms), text_ms(t->done.median_ms), text_time(&t->kernel),
               100 * t->launched.median_ms / t->done.median_ms);
    }
    double bytes = (double)TIMING_BYTES_EACH * (double)times[1].n;
    char why[256] = "";
    bool launch_only =
        timing_is_launch_only((double)times[0].n, times[0].launched.median_ms, (double)times[1].n,
                              times[1].launched.median_ms, why, sizeof why);
    printf("   The first clock was stopped too early: what it shows is launch time, not run "
           "time.\n");
    if (launch_only) print_paragraph(5, why);
    print_paragraph(5, lesson_rate_note(lesson, bytes, times[1].launched.median_ms, (size_t)bytes,
                                        sizeof(float)));
    record_number(lesson->record, "trap_launch_ms", times[1].launched.median_ms);
    record_number(lesson->record, "trap_run_ms", times[1].done.median_ms);
    record_flag(lesson->record, "trap_launch_only", launch_only);
}

/* One size, one operation, four ways. */
static bool compare_ways(Lesson *lesson, const TimingCase *c, float *want, size_t cols,
                         Doubts *doubts) {
    static const TimingWay ways[] = {WAY_CPU_ONE_THREAD, WAY_CPU_ALL_THREADS, WAY_GPU_KERNEL,
                                     WAY_GPU_TRANSFERS};
    double bytes = (double)TIMING_BYTES_EACH * (double)c->n;
    TimerStats stats[4];
    TimerOptions options = *lesson_timer(lesson);
    if (lesson->options.repeat == 0) options.repeat = lesson->on_cpu_device ? 3 : 7;
    if (lesson->options.warmup < 0) options.warmup = 1;
    printf("   %s, %s x %s\n", c->multiply ? "x * x" : "x + x", text_count(lesson->options.rows),
           text_count(cols));
    for (int way = 0; way < 4; way++) {
        CUDA_CHECK(timing_measure(c, ways[way], &options, &stats[way]));
        bool kernel = ways[way] == WAY_GPU_KERNEL;
        printf("     %-26s %10s %10s %6.1f %% %12s %7s %11s\n",
               timing_way_name(lesson, ways[way]), text_time(&stats[way]),
               text_ms(stats[way].min_ms), 100 * stats[way].spread,
               kernel ? lesson_rate(lesson, bytes, stats[way].median_ms, (size_t)bytes)
                      : text_rate(gbps_from(bytes, stats[way].median_ms)),
               kernel ? lesson_share(lesson, bytes, stats[way].median_ms, (size_t)bytes) : "",
               way == 0 ? "-" : speed_up_text(lesson, &stats[0], &stats[way]));
        doubts_note(doubts, timing_way_name(lesson, ways[way]), &stats[way]);
        Record *row = record_row(lesson->record, "comparison");
        record_text(row, "operation", c->multiply ? "x * x" : "x + x");
        record_count(row, "n", c->n);
        record_text(row, "way", timing_way_name(lesson, ways[way]));
        record_timer(row, "time", &stats[way]);
    }
    if (!lesson->on_cpu_device && lesson->optimised) {
        printf("     against all CPU threads: kernel only %s, with transfers %s\n",
               speed_up_text(lesson, &stats[1], &stats[2]),
               speed_up_text(lesson, &stats[1], &stats[3]));
    }
    return timing_verify(lesson, c, want);
}

/* The SM clock at both ends of the comparison: times at different clocks differ. */
static void show_clock(const Doubts *doubts) {
    if (doubts->first_clock_mhz > 0 && doubts->last_clock_mhz > 0) {
        printf("   SM clock: %.0f MHz before the first kernel, %.0f MHz after the last.\n",
               doubts->first_clock_mhz, doubts->last_clock_mhz);
    } else {
        printf("   SM clock before and after: not reported.\n");
    }
}

bool show_comparison(Lesson *lesson, const TimingCase *c, float *want, size_t smaller_cols,
                     Doubts *doubts) {
    const size_t all = lesson->options.cols;
    const size_t cols[2] = {all > smaller_cols ? smaller_cols : all, all};
    bool right = true;
    printf("\n3. CPU and %s, results checked after timing\n\n",
           lesson->on_cpu_device ? "CPU device" : "GPU");
    printf("     %-26s %10s %10s %8s %12s %7s %11s\n", "", "median", "fastest", "spread", "rate",
           "of copy", "to 1 thread");
    for (int size = cols[0] == cols[1] ? 1 : 0; size < 2; size++) {
        TimingCase part = *c;
        part.n = lesson->options.rows * cols[size];
        CUDA_CHECK(lesson_measure_ceiling(lesson, part.n * sizeof(float)));
        for (int multiply = 0; multiply < 2; multiply++) {
            part.multiply = multiply;
            right = compare_ways(lesson, &part, want, cols[size], doubts) && right;
        }
        printf("     (copy, device to device, same bytes: %s)\n", text_rate(lesson->copy_gbps));
    }
    show_clock(doubts);
    if (lesson->on_cpu_device) {
        printf("   No speed-up is given: these times say nothing about a GPU.\n");
    } else if (!lesson->optimised) {
        printf("   No speed-up is given: this is a dbg build. Build with -c opt.\n");
    }
    return right;
}
