/* SPDX-License-Identifier: Apache-2.0 */
/* See 04_timing_ways.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/04_timing_ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/lesson_pictures.h"
#include "common/paragraph.h"
#include "common/recorded.h"
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

/* A microsecond, the unit of columns whose times range widely. */
static const double US = 1e-3;

/* --- Whose times are shown --- */

const char *timing_whose(const Lesson *lesson) {
    return lesson->on_cpu_device ? text_format(" (%s, recorded)", recorded_device()) : "";
}

const char *timing_pictured(const Lesson *lesson) {
    return lesson->on_cpu_device ? recorded_label() : lesson->device_name;
}

size_t timing_shown_n(const Lesson *lesson, const char *path, size_t own) {
    return lesson->on_cpu_device ? recorded_count(lesson->name, path) : own;
}

/* The lesson as it was on the GPU of the recorded run, to word its rates and ratios. */
static Lesson recorded_lesson(const Lesson *lesson, double copy_gbps) {
    Lesson on_gpu = *lesson;
    on_gpu.on_cpu_device = false;
    on_gpu.optimised = true;
    on_gpu.copy_gbps = copy_gbps;
    on_gpu.peak_gbps = 0;
    on_gpu.l2_bytes = 0;
    return on_gpu;
}

/* --- 3. The trap --- */

static TrapTimes recorded_trap(const Lesson *lesson, int i) {
    TrapTimes trap = {.n = recorded_count(lesson->name, text_format("/trap/%d/n", i))};
    recorded_timer(lesson->name, text_format("/trap/%d/launched", i), &trap.launched);
    recorded_timer(lesson->name, text_format("/trap/%d/done", i), &trap.done);
    recorded_timer(lesson->name, text_format("/trap/%d/kernel", i), &trap.kernel);
    return trap;
}

static void record_trap(Lesson *lesson, const TrapTimes times[2], bool launch_only) {
    for (int i = 0; i < 2; i++) {
        Record *row = record_row(lesson->record, "trap");
        record_count(row, "n", times[i].n);
        record_timer(row, "launched", &times[i].launched);
        record_timer(row, "done", &times[i].done);
        record_timer(row, "kernel", &times[i].kernel);
    }
    record_flag(lesson->record, "trap_launch_only", launch_only);
}

/* True, and why it is so, if the first clock has timed the launch alone. */
static bool is_launch_only(const TrapTimes times[2], char *why, size_t size) {
    return timing_is_launch_only((double)times[0].n, times[0].launched.median_ms,
                                 (double)times[1].n, times[1].launched.median_ms, why, size);
}

void show_trap(Lesson *lesson, const TrapTimes own[2]) {
    const TrapTimes recorded[2] = {recorded_trap(lesson, 0), recorded_trap(lesson, 1)};
    const TrapTimes *times = lesson->on_cpu_device ? recorded : own;
    const double copy_gbps = recorded_number(lesson->name, "/copy_ceiling_gbps");
    const Lesson gpu = lesson->on_cpu_device ? recorded_lesson(lesson, copy_gbps) : *lesson;
    char why[256] = "";
    printf("\n3. The trap: a host clock that is stopped too early, in us%s\n\n",
           timing_whose(lesson));
    printf("   %13s %12s %12s %12s %14s\n", "n", "not waiting", "waiting", "by events",
           "1st of 2nd");
    for (int i = 0; i < 2; i++) {
        const TrapTimes *t = &times[i];
        printf("   %13s %12s %12s %12s %12.1f %%\n", text_count(t->n),
               text_digits(1e3 * t->launched.median_ms, 3), text_digits(1e3 * t->done.median_ms, 3),
               text_time_in(&t->kernel, US), 100 * t->launched.median_ms / t->done.median_ms);
    }
    printf("   What the first clock shows is launch time, not run time.\n");
    if (is_launch_only(times, why, sizeof why)) print_paragraph(5, why);
    const double bytes = (double)TIMING_BYTES_EACH * (double)times[1].n;
    print_paragraph(5, lesson_rate_note(&gpu, bytes, times[1].launched.median_ms, (size_t)bytes,
                                        sizeof(float)));
    record_trap(lesson, own, is_launch_only(own, why, sizeof why));
}

/* --- 4. Four ways side by side --- */

enum { COMPARED_WAYS = 4 };

/* One operation at one size. */
typedef struct Compared {
    char operation[8], names[COMPARED_WAYS][64];
    size_t rows, cols;
    double copy_gbps;
    TimerStats time[COMPARED_WAYS];
} Compared;

static Compared measure_ways(Lesson *lesson, const TimingCase *c, size_t cols, Doubts *doubts) {
    static const TimingWay ways[COMPARED_WAYS] = {WAY_CPU_ONE_THREAD, WAY_CPU_ALL_THREADS,
                                                  WAY_GPU_KERNEL, WAY_GPU_TRANSFERS};
    Compared compared = {
        .rows = lesson->options.rows, .cols = cols, .copy_gbps = lesson->copy_gbps};
    snprintf(compared.operation, sizeof compared.operation, "%s", c->multiply ? "x * x" : "x + x");
    TimerOptions options = *lesson_timer(lesson);
    if (lesson->options.repeat == 0) options.repeat = lesson->on_cpu_device ? 3 : 7;
    if (lesson->options.warmup < 0) options.warmup = 1;
    for (int way = 0; way < COMPARED_WAYS; way++) {
        CUDA_CHECK(timing_measure(c, ways[way], &options, &compared.time[way]));
        snprintf(compared.names[way], sizeof compared.names[way], "%s",
                 timing_way_name(lesson, ways[way]));
        doubts_note(doubts, compared.names[way], &compared.time[way]);
    }
    return compared;
}

static void record_compared(Record *record, const Compared *compared) {
    for (int way = 0; way < COMPARED_WAYS; way++) {
        Record *row = record_row(record, "comparison");
        record_text(row, "operation", compared->operation);
        record_count(row, "n", compared->rows * compared->cols);
        record_count(row, "rows", compared->rows);
        record_count(row, "cols", compared->cols);
        record_text(row, "way", compared->names[way]);
        record_number(row, "copy_gbps", compared->copy_gbps);
        record_timer(row, "time", &compared->time[way]);
    }
}

/* The k-th of the recorded run, in the order of record_compared. */
static Compared recorded_compared(const Lesson *lesson, size_t k) {
    Compared compared = {0};
    for (int way = 0; way < COMPARED_WAYS; way++) {
        char row[64];
        snprintf(row, sizeof row, "/comparison/%zu", COMPARED_WAYS * k + (size_t)way);
        const char *operation = recorded_text(lesson->name, text_format("%s/operation", row));
        const char *name = recorded_text(lesson->name, text_format("%s/way", row));
        snprintf(compared.operation, sizeof compared.operation, "%s", operation ? operation : "?");
        snprintf(compared.names[way], sizeof compared.names[way], "%s", name ? name : "?");
        compared.rows = recorded_count(lesson->name, text_format("%s/rows", row));
        compared.cols = recorded_count(lesson->name, text_format("%s/cols", row));
        compared.copy_gbps = recorded_number(lesson->name, text_format("%s/copy_gbps", row));
        recorded_timer(lesson->name, text_format("%s/time", row), &compared.time[way]);
    }
    return compared;
}

static void print_compared(const Lesson *lesson, const Compared *compared) {
    enum { KERNEL = 2, TRANSFERS = 3 };
    const TimerStats *time = compared->time;
    const size_t n = compared->rows * compared->cols;
    const double bytes = (double)TIMING_BYTES_EACH * (double)n;
    printf("   %s, %s x %s\n", compared->operation, text_count(compared->rows),
           text_count(compared->cols));
    for (int way = 0; way < COMPARED_WAYS; way++) {
        const double ms = time[way].median_ms;
        const bool kernel = way == KERNEL;
        printf("     %-20s %9s %7.1f %% %11s %8s %12s\n", compared->names[way],
               text_time(&time[way]), 100 * time[way].spread,
               kernel ? lesson_rate(lesson, bytes, ms, (size_t)bytes)
                      : text_rate(gbps_from(bytes, ms)),
               kernel ? lesson_share(lesson, bytes, ms, (size_t)bytes) : "",
               way == 0 ? "-" : speed_up_text(lesson, &time[0], &time[way]));
    }
    if (!lesson->optimised) {
        printf("   No speed-up is given: this is a dbg build. Build with -c opt.\n");
    } else {
        printf("   To all CPU threads: the kernel alone %s, with transfers %s.\n",
               speed_up_text(lesson, &time[1], &time[KERNEL]),
               speed_up_text(lesson, &time[1], &time[TRANSFERS]));
    }
    printf("   A copy of the same bytes within the device: %s.\n", text_rate(compared->copy_gbps));
}

/* The SM clock at both ends of the comparison: times at different clocks differ. */
static void print_clock(const Doubts *doubts) {
    if (doubts->first_clock_mhz > 0 && doubts->last_clock_mhz > 0) {
        printf("   SM clock: %.0f MHz before the first kernel, %.0f MHz after the last.\n",
               doubts->first_clock_mhz, doubts->last_clock_mhz);
    } else {
        printf("   SM clock before and after: not reported.\n");
    }
}

/* What this computer's CPU took: the only times here that the CPU device may show. */
static void print_own_cpu(const Compared *compared) {
    printf("   This computer's CPU, n = %s: %s with 1 thread, %s with all.\n",
           text_count(compared->rows * compared->cols), text_time(&compared->time[0]),
           text_time(&compared->time[1]));
}

bool show_comparison(Lesson *lesson, const TimingCase *c, float *want, size_t smaller_cols,
                     Doubts *doubts) {
    const size_t all = lesson->options.cols;
    const size_t cols[2] = {all > smaller_cols ? smaller_cols : all, all};
    const size_t recorded = recorded_rows(lesson->name, "/comparison") / COMPARED_WAYS;
    bool right = true;
    Compared own = {0};
    printf("\n4. CPU and GPU; results checked after timing%s\n\n", timing_whose(lesson));
    printf("     %-20s %9s %9s %11s %8s %12s\n", "", "median", "spread", "rate", "of copy",
           "to 1 thread");
    for (int size = cols[0] == cols[1] ? 1 : 0; size < 2; size++) {
        TimingCase part = *c;
        part.n = lesson->options.rows * cols[size];
        CUDA_CHECK(lesson_measure_ceiling(lesson, part.n * sizeof(float)));
        for (int multiply = 0; multiply < 2; multiply++) {
            part.multiply = multiply;
            const Compared compared = measure_ways(lesson, &part, cols[size], doubts);
            record_compared(lesson->record, &compared);
            right = timing_verify(lesson, &part, want) && right;
            const bool first_choice = size == 1 && !multiply;
            if (first_choice) own = compared;
            if (!lesson->on_cpu_device && (lesson->options.all || first_choice))
                print_compared(lesson, &compared);
        }
    }
    if (lesson->on_cpu_device) {
        /* The larger size's x + x is the last but one. */
        const size_t from = lesson->options.all || recorded < 2 ? 0 : recorded - 2;
        const size_t to = lesson->options.all || recorded < 2 ? recorded : recorded - 1;
        for (size_t k = from; k < to; k++) {
            const Compared compared = recorded_compared(lesson, k);
            const Lesson gpu = recorded_lesson(lesson, compared.copy_gbps);
            print_compared(&gpu, &compared);
        }
        print_own_cpu(&own);
    } else {
        print_clock(doubts);
    }
    if (!lesson->options.all) printf("   --all shows x * x and the smaller matrix, too.\n");
    return right;
}

/* --- 5. The launch queue --- */

enum { PARTS = 6, WAITS = 8, KERNEL_TO_LAUNCH = 4 };

/* Returns the first launch of WAITS in a row that took at least half the kernel's time:
 * each was a wait for a free place in the queue. `launches` if there is none. */
static size_t first_wait(const double *launch_ms, size_t launches, double kernel_ms) {
    size_t waits = 0;
    for (size_t i = 0; i < launches; i++) {
        waits = launch_ms[i] > kernel_ms / 2 ? waits + 1 : 0;
        if (waits == WAITS) return i + 1 - WAITS;
    }
    return launches;
}

size_t queue_full_at(const double *launch_ms, size_t launches, double kernel_ms) {
    if (launches < PARTS) return launches;
    double *first = malloc(launches / PARTS * sizeof *first);
    if (first == NULL) return launches;
    TimerStats stats;
    memcpy(first, launch_ms, launches / PARTS * sizeof *first);
    timer_stats_from(first, launches / PARTS, &stats);
    free(first);
    if (kernel_ms < KERNEL_TO_LAUNCH * stats.median_ms) return launches;
    return first_wait(launch_ms, launches, kernel_ms);
}

/* Part i of the launches, and the median host time of one. */
typedef struct QueuePart {
    size_t first, last; /* from 1 */
    double median_ms;
} QueuePart;

typedef struct Queue {
    size_t n, launches, full; /* full: as queue_full_at says */
    double wait_ms;           /* for the rest at the end */
    TimerStats kernel;
    QueuePart part[PARTS];
    QueuePoint points[QUEUE_POINTS];
    size_t point_count;
} Queue;

/* False if there is no memory for the times. */
static bool measure_queue(const TimingCase *timing_case, size_t launches, Queue *queue) {
    *queue = (Queue){.n = timing_case->n, .launches = launches};
    TimerOptions options = {.budget_ms = 50};
    CUDA_CHECK(timing_measure(timing_case, WAY_GPU_KERNEL, &options, &queue->kernel));
    double *launch_ms = malloc(launches * sizeof *launch_ms);
    if (launch_ms == NULL) return false;
    for (size_t i = 0; i < launches; i++) {
        double start_ms = host_clock_ms();
        CUDA_CHECK(timing_run_kernel((void *)timing_case, 0));
        launch_ms[i] = host_clock_ms() - start_ms;
    }
    double start_ms = host_clock_ms();
    CUDA_CHECK(cudaDeviceSynchronize());
    queue->wait_ms = host_clock_ms() - start_ms;
    queue->full = queue_full_at(launch_ms, launches, queue->kernel.median_ms);
    queue->point_count = queue_points(launch_ms, launches, queue->points);
    for (size_t i = 0; i < PARTS; i++) { /* last: timer_stats_from sorts the times in place */
        const size_t begin = launches * i / PARTS, end = launches * (i + 1) / PARTS;
        TimerStats stats;
        timer_stats_from(launch_ms + begin, end - begin, &stats);
        queue->part[i] = (QueuePart){begin + 1, end, stats.median_ms};
    }
    free(launch_ms);
    return true;
}

static void record_queue(Record *record, const Queue *queue) {
    record_count(record, "queue_n", queue->n);
    record_count(record, "queue_launches", queue->launches);
    if (queue->full < queue->launches)
        record_count(record, "queue_full_at_launch", queue->full + 1);
    else record_text(record, "queue_full_at_launch", NULL);
    record_number(record, "queue_wait_ms", queue->wait_ms);
    record_timer(record, "queue_kernel", &queue->kernel);
    for (int i = 0; i < PARTS; i++) {
        Record *row = record_row(record, "queue");
        record_count(row, "first", queue->part[i].first);
        record_count(row, "last", queue->part[i].last);
        record_number(row, "median_ms", queue->part[i].median_ms);
    }
    for (size_t i = 0; i < queue->point_count; i++) {
        Record *row = record_row(record, "queue_points");
        record_number(row, "launch", queue->points[i].launch);
        record_number(row, "host_ms", queue->points[i].ms);
    }
}

static Queue recorded_queue(const char *lesson) {
    Queue queue = {.n = recorded_count(lesson, "/queue_n"),
                   .launches = recorded_count(lesson, "/queue_launches"),
                   .wait_ms = recorded_number(lesson, "/queue_wait_ms")};
    const double full = recorded_number(lesson, "/queue_full_at_launch");
    queue.full = isnan(full) ? queue.launches : (size_t)full - 1;
    recorded_timer(lesson, "/queue_kernel", &queue.kernel);
    for (int i = 0; i < PARTS; i++) {
        const size_t first = recorded_count(lesson, text_format("/queue/%d/first", i));
        const size_t last = recorded_count(lesson, text_format("/queue/%d/last", i));
        queue.part[i] = (QueuePart){first, last,
                                    recorded_number(lesson, text_format("/queue/%d/median_ms", i))};
    }
    queue.point_count = recorded_rows(lesson, "/queue_points");
    if (queue.point_count > QUEUE_POINTS) queue.point_count = QUEUE_POINTS;
    for (size_t i = 0; i < queue.point_count; i++) {
        queue.points[i].launch =
            recorded_number(lesson, text_format("/queue_points/%zu/launch", i));
        queue.points[i].ms = recorded_number(lesson, text_format("/queue_points/%zu/host_ms", i));
    }
    return queue;
}

static void print_queue(const Queue *queue) {
    printf("   %-24s %s\n", "launches", "host time of one, median, in us");
    for (int i = 0; i < PARTS; i++) {
        char range[64];
        snprintf(range, sizeof range, "%s to %s", text_count(queue->part[i].first),
                 text_count(queue->part[i].last));
        printf("   %-24s %s\n", range, text_digits(1e3 * queue->part[i].median_ms, 3));
    }
    printf("   %-24s %s; waiting for the rest at the end: %s\n", "the kernel, by events",
           text_time_in(&queue->kernel, US), text_ms(queue->wait_ms));
    if (queue->full < queue->launches) {
        printf(
            "   From launch %s on the queue was full: a launch waits until a kernel ends.\n"
            "   The GPU did not slow down; the host clock began to show what it takes.\n",
            text_count(queue->full + 1));
        printf("   At the end the wait was as long as %s kernels: so many places there are.\n",
               text_count((uint64_t)llround(queue->wait_ms / queue->kernel.median_ms)));
    } else {
        printf(
            "   The queue was never seen to be full. It is when a kernel takes far longer\n"
            "   than a launch, and about a thousand of them are waiting.\n");
    }
}

bool show_launch_queue(Lesson *lesson, const TimingCase *timing_case, size_t launches) {
    Queue own;
    if (!measure_queue(timing_case, launches, &own)) {
        fprintf(stderr, "no host memory for %zu times\n", launches);
        return false;
    }
    record_queue(lesson->record, &own);
    const Queue queue = lesson->on_cpu_device ? recorded_queue(lesson->name) : own;
    printf(
        "\n5. The launch queue: %s launches and no wait between%s\n"
        "   x + x, n = %s\n\n",
        text_count(queue.launches), timing_whose(lesson), text_count(queue.n));
    print_queue(&queue);
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "queue",
                       picture_queue(&(QueuePicture){.device = timing_pictured(lesson),
                                                     .n = queue.n,
                                                     .count = queue.point_count,
                                                     .points = queue.points,
                                                     .kernel_ms = queue.kernel.median_ms}));
    return true;
}

/* --- 6. The crossover --- */

enum { POINTS_MAX = 16, SHOWN_WAYS = CROSSOVER_WAYS };

static const TimingWay SHOWN[SHOWN_WAYS] = {WAY_CPU_ONE_THREAD, WAY_CPU_ALL_THREADS,
                                            WAY_GPU_AND_WAIT, WAY_GPU_TRANSFERS};
static const char *const SHOWN_KEYS[SHOWN_WAYS] = {
    "cpu_one_thread", "cpu_all_threads", "device_launch_and_wait", "device_with_transfers"};
enum { ONE_THREAD = 0, ALL_THREADS = 1, AND_WAIT = 2, TRANSFERS = 3 }; /* indices into SHOWN */

size_t crossover_index(const double *slow_ms, const double *fast_ms, size_t count) {
    size_t index = count;
    while (index > 0 && fast_ms[index - 1] < slow_ms[index - 1]) index--;
    return index;
}

/* The times, one array for each way shown. */
typedef struct Curves {
    char names[SHOWN_WAYS][64];
    size_t count;
    double n[POINTS_MAX];
    TimerStats time[SHOWN_WAYS][POINTS_MAX];
} Curves;

static bool measure_point(Lesson *lesson, TimingCase *c, float *want, Curves *curves,
                          Doubts *doubts) {
    TimerOptions options = *lesson_timer(lesson);
    Record *row = record_row(lesson->record, "crossover");
    const size_t point = curves->count++;
    if (lesson->options.repeat == 0) options.budget_ms = lesson->on_cpu_device ? 20 : 50;
    curves->n[point] = (double)c->n;
    record_count(row, "n", c->n);
    for (int way = 0; way < SHOWN_WAYS; way++) {
        TimerStats *stats = &curves->time[way][point];
        CUDA_CHECK(timing_measure(c, SHOWN[way], &options, stats));
        snprintf(curves->names[way], sizeof curves->names[way], "%s",
                 timing_way_name(lesson, SHOWN[way]));
        doubts_note(doubts, curves->names[way], stats);
        record_timer(row, SHOWN_KEYS[way], stats);
    }
    return timing_verify(lesson, c, want);
}

static Curves recorded_curves(const char *lesson) {
    Curves curves = {.count = recorded_rows(lesson, "/crossover")};
    if (curves.count > POINTS_MAX) curves.count = POINTS_MAX;
    const char *threads = recorded_text(lesson, "/comparison/1/way");
    snprintf(curves.names[ONE_THREAD], 64, "CPU, 1 thread");
    snprintf(curves.names[ALL_THREADS], 64, "%s", threads != NULL ? threads : "CPU, all threads");
    snprintf(curves.names[AND_WAIT], 64, "GPU, launch + wait");
    snprintf(curves.names[TRANSFERS], 64, "GPU + transfers");
    for (size_t i = 0; i < curves.count; i++) {
        curves.n[i] = recorded_number(lesson, text_format("/crossover/%zu/n", i));
        for (int way = 0; way < SHOWN_WAYS; way++)
            recorded_timer(lesson, text_format("/crossover/%zu/%s", i, SHOWN_KEYS[way]),
                           &curves.time[way][i]);
    }
    return curves;
}

static void print_curves(const Curves *curves) {
    static const char *const below[] = {"", "", "launch, wait", "with transfers"};
    printf("   %13s", "n");
    for (int way = 0; way < SHOWN_WAYS; way++)
        printf(" %15s", below[way][0] != '\0' ? below[way] : curves->names[way]);
    printf("\n");
    for (size_t i = 0; i < curves->count; i++) {
        printf("   %13s", text_count((uint64_t)curves->n[i]));
        for (int way = 0; way < SHOWN_WAYS; way++)
            printf(" %15s", text_time_in(&curves->time[way][i], US));
        printf("\n");
    }
}

/* The first n from which on the device beats the CPU, with one thread or all; NaN for none. */
static double wins_from(const Curves *curves, int way) {
    double best_cpu_ms[POINTS_MAX], ms[POINTS_MAX];
    for (size_t i = 0; i < curves->count; i++) {
        best_cpu_ms[i] =
            fmin(curves->time[ONE_THREAD][i].median_ms, curves->time[ALL_THREADS][i].median_ms);
        ms[i] = curves->time[way][i].median_ms;
    }
    const size_t index = crossover_index(best_cpu_ms, ms, curves->count);
    return index < curves->count ? curves->n[index] : NAN;
}

static void print_winner(const Curves *curves, int way, const char *what) {
    const double from = wins_from(curves, way);
    if (isnan(from)) printf("   %s the GPU never beats the CPU at these n.\n", what);
    else
        printf("   %s the GPU beats the CPU, 1 thread or all, from n = %s on.\n", what,
               text_count((uint64_t)from));
}

static Picture draw_crossover(const Lesson *lesson, const Curves *curves) {
    double ms[SHOWN_WAYS][POINTS_MAX];
    CrossoverPicture drawn = {.device = timing_pictured(lesson),
                              .count = curves->count,
                              .n = curves->n,
                              .wins_from = wins_from(curves, AND_WAIT)};
    for (int way = 0; way < SHOWN_WAYS; way++) {
        for (size_t i = 0; i < curves->count; i++) ms[way][i] = curves->time[way][i].median_ms;
        drawn.ways[way] = curves->names[way];
        drawn.ms[way] = ms[way];
    }
    return picture_crossover(&drawn);
}

bool show_crossover(Lesson *lesson, const TimingCase *arrays, float *want, size_t n_max,
                    Doubts *doubts) {
    Curves own = {0};
    TimingCase c = *arrays;
    bool right = true;
    c.multiply = false;
    for (size_t n = n_max < 1000 ? n_max : 1000; n <= n_max && own.count < POINTS_MAX; n *= 4) {
        c.n = n;
        right = measure_point(lesson, &c, want, &own, doubts) && right;
    }
    if (!lesson->on_cpu_device && lesson->optimised) {
        record_number(lesson->record, "gpu_wins_from_n", wins_from(&own, AND_WAIT));
        record_number(lesson->record, "gpu_with_transfers_wins_from_n", wins_from(&own, TRANSFERS));
    }
    const Curves shown = lesson->on_cpu_device ? recorded_curves(lesson->name) : own;
    printf("\n6. From which n on a GPU pays: x + x, times in us%s\n\n", timing_whose(lesson));
    print_curves(&shown);
    if (lesson->on_cpu_device || lesson->optimised) {
        print_winner(&shown, AND_WAIT, "Data there:");
        print_winner(&shown, TRANSFERS, "Transferred:");
    }
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "crossover", draw_crossover(lesson, &shown));
    return right;
}
