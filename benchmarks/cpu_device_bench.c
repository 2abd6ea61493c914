/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU device costs: adding two arrays by a kernel with one thread per
 * element and by the library's kernel, against a plain C loop (-O2, the same
 * compiler), on one core and on all.
 *
 * The number of OS threads is fixed when the CPU device starts, so each number
 * is measured in a child process of its own. Loop and kernels take turns within
 * it. Exit status 1 if a sum is wrong, or if --require-ratio is not met on one
 * core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/plain_loop.h"
#include "common/check.h"
#include "common/compare.h"
#include "common/options.h"
#include "common/parallel.h"
#include "common/philox.h"
#include "common/record.h"
#include "common/timer.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/add.h"

enum { MAX_REPEATS = 100, BLOCK = 256 };

typedef enum Way { LOOP, LOOP_SHARED, SIMPLE_KERNEL, LIBRARY_KERNEL, WAYS } Way;

/* The shared loop shows what these cores and this memory allow: two cores are
 * seldom twice as fast as one at adding arrays larger than the cache. */
static const char *const NAMES[WAYS] = {"plain C loop, -O2, one thread",
                                        "the same loop, that many threads",
                                        "kernel, one thread per element", "the library's kernel"};
static const char *const KEYS[WAYS] = {"plain_loop", "shared_loop", "one_per_thread", "library"};

/* What a child sends to its parent. */
typedef struct Result {
    double median_ms[WAYS], spread[WAYS];
    bool right;
} Result;

typedef struct Arrays {
    size_t n, threads;
    float *x, *y, *out, *got;
    float *d_x, *d_y, *d_out;
} Arrays;

static void run_loop_share(void *context, size_t worker, size_t workers) {
    const Arrays *a = context;
    const size_t begin = a->n / workers * worker;
    const size_t end = worker + 1 == workers ? a->n : a->n / workers * (worker + 1);
    add_plain_loop(end - begin, a->x + begin, a->y + begin, a->out + begin);
}

static void run(Arrays *a, Way way) {
    if (way == LOOP) add_plain_loop(a->n, a->x, a->y, a->out);
    else if (way == LOOP_SHARED) parallel_run(a->threads, run_loop_share, a);
    else if (way == SIMPLE_KERNEL)
        CUDA_CHECK(add_one_per_thread_gpu(a->n, a->d_x, a->d_y, a->d_out, BLOCK, 0));
    else CUDA_CHECK(add_gpu(a->n, a->d_x, a->d_y, a->d_out, 0));
    if (way >= SIMPLE_KERNEL) CUDA_CHECK(cudaDeviceSynchronize());
}

static bool is_right(const Arrays *a) {
    memset(a->got, LAB_POISON_BYTE, a->n * sizeof(float));
    CUDA_CHECK(cudaMemcpy(a->got, a->d_out, a->n * sizeof(float), cudaMemcpyDeviceToHost));
    return compare_exact(a->n, a->got, a->out, DTYPE_FLOAT32).wrong == 0;
}

static float *allocate(size_t n) {
    float *p = malloc(n * sizeof *p);
    if (p == NULL) {
        fprintf(stderr, "not enough memory for 7 arrays of %zu floats\n", n);
        exit(1);
    }
    memset(p, 0, n * sizeof *p); /* its pages exist before anything is timed */
    return p;
}

static Result measure(size_t n, size_t threads, int repeats) {
    Arrays a = {n, threads, allocate(n), allocate(n), allocate(n), allocate(n), NULL, NULL, NULL};
    const size_t bytes = n * sizeof(float);
    philox_normal_fill(a.x, n, 1);
    philox_normal_fill(a.y, n, 2);
    CUDA_CHECK(cudaMalloc((void **)&a.d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&a.d_y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&a.d_out, bytes));
    CUDA_CHECK(cudaMemcpy(a.d_x, a.x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(a.d_y, a.y, bytes, cudaMemcpyHostToDevice));

    Result result = {.right = true};
    static double samples[WAYS][MAX_REPEATS];
    for (int repeat = -2; repeat < repeats; ++repeat) { /* two rounds to warm up */
        for (int way = 0; way < WAYS; ++way) {
            const double begin = host_clock_ms();
            run(&a, (Way)way);
            if (repeat >= 0) samples[way][repeat] = host_clock_ms() - begin;
        }
    }
    for (int way = SIMPLE_KERNEL; way < WAYS; ++way) {
        CUDA_CHECK(cudaMemset(a.d_out, LAB_POISON_BYTE, bytes));
        run(&a, (Way)way);
        result.right = is_right(&a) && result.right;
    }
    for (int way = 0; way < WAYS; ++way) {
        TimerStats stats;
        timer_stats_from(samples[way], (size_t)repeats, &stats);
        result.median_ms[way] = stats.median_ms;
        result.spread[way] = stats.spread;
    }
    return result;
}

/* measure() in a child process whose CPU device has `threads` OS threads. */
static bool measure_with_threads(size_t threads, size_t n, int repeats, Result *result) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        char text[32];
        snprintf(text, sizeof text, "%zu", threads);
        setenv("LAB_CPU_DEVICE_THREADS", text, 1);
        const Result measured = measure(n, threads, repeats);
        const bool sent = write(ends[1], &measured, sizeof measured) == sizeof measured;
        _exit(sent ? 0 : 1); /* what main had allocated is main's to release */
    }
    close(ends[1]);
    const bool received = read(ends[0], result, sizeof *result) == sizeof *result;
    close(ends[0]);
    int status;
    return waitpid(child, &status, 0) == child && status == 0 && received;
}

int main(int argc, char **argv) {
    size_t percent = 0;
    const OptionExtra extra[] = {
        {"require-ratio", "PERCENT", "fail if a kernel on one core takes more of the loop's time",
         OPTION_SIZE, &percent, 0, 100000},
    };
    const LessonSpec spec = {.program = "cpu_device_bench",
                             .about = "The CPU device against a plain C loop.",
                             .n = 23040000,
                             .no_seed = true,
                             .extra = extra,
                             .extra_count = 1};
    Options options;
    char message[4096];
    const OptionsStatus status =
        options_parse(argc, argv, &spec, true, &options, message, sizeof message);
    if (status != OPTIONS_OK) {
        fprintf(status == OPTIONS_HELP ? stdout : stderr, "%s\n", message);
        return status == OPTIONS_HELP ? 0 : 2;
    }
    int repeats = options.repeat == 0 ? 15 : options.repeat;
    if (repeats > MAX_REPEATS) repeats = MAX_REPEATS;

    Record *record = options.json_path != NULL ? record_new("cpu_device_bench") : NULL;
    record_count(record, "n", options.n);
    printf("Adding two arrays of %zu float32, median of %d.\n\n", options.n, repeats);
    fflush(stdout); /* or the children print it again */

    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool right = true, fast_enough = true;
    double one_core_ms[WAYS] = {0};
    for (size_t threads = 1; threads <= (size_t)cores; threads *= 2) {
        Result result;
        if (!measure_with_threads(threads, options.n, repeats, &result)) {
            fprintf(stderr, "the measurement with %zu threads failed\n", threads);
            record_free(record);
            return 1;
        }
        right = right && result.right;
        Record *row = record_row(record, "threads");
        record_count(row, "threads", threads);
        record_flag(row, "right", result.right);
        printf("CPU device with %zu thread%s: %s\n", threads, threads == 1 ? "" : "s",
               result.right ? "every element right" : "WRONG");
        for (int way = 0; way < WAYS; ++way) {
            const double ratio = result.median_ms[way] / result.median_ms[LOOP];
            if (threads == 1) one_core_ms[way] = result.median_ms[way];
            const bool judged = percent > 0 && threads == 1 && way >= SIMPLE_KERNEL;
            if (judged && 100 * ratio > (double)percent) fast_enough = false;
            printf("  %-32s %8.2f ms  spread %5.1f %%  %5.2f times the loop", NAMES[way],
                   result.median_ms[way], 100 * result.spread[way], ratio);
            if (threads > 1 && way != LOOP)
                printf(", %.2f times as fast as on one", one_core_ms[way] / result.median_ms[way]);
            putchar('\n');
            Record *entry = record_object(row, KEYS[way]);
            record_number(entry, "median_ms", result.median_ms[way]);
            record_number(entry, "spread", result.spread[way]);
            record_number(entry, "times_the_loop", ratio);
        }
        fflush(stdout);
    }
    if (record != NULL && !record_write(record, options.json_path, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        record_free(record);
        return 1;
    }
    record_free(record);
    if (!fast_enough) printf("A kernel took more than %zu %% of the loop's time.\n", percent);
    return right && fast_enough ? 0 : 1;
}
