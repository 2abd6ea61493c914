/* SPDX-License-Identifier: Apache-2.0 */
/* See 04_first_call.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#define _GNU_SOURCE /* nftw */
#include "lessons/parts/04_first_call.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "common/fresh_process.h"
#include "common/lesson_pictures.h"
#include "common/philox.h"
#include "common/recorded.h"
#include "common/staged_copy.h"
#include "common/watchdog.h"
#include "kernels/add_ptx.h"
#include "kernels/tuned/elementwise.h"

/* Far more than a first call takes, the compilation of PTX for a new GPU included. */
static const double PATIENCE_S = 300;

/* The article's smaller matrix, 12,000 x 1,920: it fits into any GPU's memory. */
enum { MOST_ELEMENTS = 23040000 };

/* --- What each fresh process does --- */

typedef struct Problem {
    const char *device; /* as --device names it */
    const char *cache;  /* folder for compiled code */
    size_t n;
    const float *x;
    float *out;
} Problem;

static cudaError_t begin_device(const char *device) {
    int count = 0, ordinal = 0;
    char message[256];
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) return status;
    if (!device_find(device, &ordinal, message, sizeof message)) return cudaErrorInvalidDevice;
    status = cudaSetDevice(ordinal);                        /* creates the context since CUDA 12, */
    return status == cudaSuccess ? cudaFree(NULL) : status; /* and this did before */
}

static cudaError_t call_from_ptx(size_t n, const float *d_x, float **d_out, CallTimes *times) {
    double start_ms = host_clock_ms();
    cudaError_t status = cudaMalloc((void **)d_out, n * sizeof(float));
    double allocated_ms = host_clock_ms();
    if (status == cudaSuccess) status = add_ptx_gpu_load();
    double loaded_ms = host_clock_ms();
    if (status == cudaSuccess) status = add_ptx_gpu(n, d_x, d_x, *d_out, 0);
    double launched_ms = host_clock_ms();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    *times = (CallTimes){.allocate_ms = allocated_ms - start_ms,
                         .load_ms = loaded_ms - allocated_ms,
                         .launch_ms = launched_ms - loaded_ms,
                         .wait_ms = host_clock_ms() - launched_ms};
    return status;
}

/* True if every element of the result has the bits of the host's sum. */
static bool sums_right(const Problem *problem) {
    for (size_t i = 0; i < problem->n; i++) {
        float want = problem->x[i] + problem->x[i];
        if (memcmp(&want, &problem->out[i], sizeof want) != 0) return false;
    }
    return true;
}

static cudaError_t call_and_check(const Problem *problem, const float *d_x, CallTimes *times,
                                  bool *right) {
    float *d_out = NULL;
    const size_t bytes = problem->n * sizeof(float);
    cudaError_t status = call_from_ptx(problem->n, d_x, &d_out, times);
    if (status == cudaSuccess) {
        memset(problem->out, 0xff, bytes);
        status = cudaMemcpy(problem->out, d_out, bytes, cudaMemcpyDeviceToHost);
        *right = sums_right(problem) && *right;
    }
    (void)cudaFree(d_out);
    return status;
}

static cudaError_t two_calls(const Problem *problem, ProcessTimes *times) {
    float *d_x = NULL;
    const size_t bytes = problem->n * sizeof(float);
    double start_ms = host_clock_ms();
    cudaError_t status = begin_device(problem->device);
    times->context_ms = host_clock_ms() - start_ms;
    times->right = true;
    if (status == cudaSuccess) status = cudaMalloc((void **)&d_x, bytes);
    if (status == cudaSuccess) status = cudaMemcpy(d_x, problem->x, bytes, cudaMemcpyHostToDevice);
    for (int call = 0; call < 2 && status == cudaSuccess; call++) {
        status = call_and_check(problem, d_x, &times->call[call], &times->right);
    }
    (void)cudaFree(d_x);
    return status;
}

static void run_process(void *context, void *result) {
    const Problem *problem = context;
    ProcessTimes *times = result;
    *times = (ProcessTimes){0};
    setenv("CUDA_CACHE_PATH", problem->cache, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    unsetenv("CUDA_FORCE_PTX_JIT"); /* with it the driver compiles anew in each process */
    Watchdog *watchdog = watchdog_start(PATIENCE_S, "x + x in a fresh process", NULL, NULL);
    times->error = two_calls(problem, times);
    watchdog_stop(watchdog);
}

/* --- Both processes --- */

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static bool make_cache(char *path, size_t size, char *why, size_t why_size) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    if (snprintf(path, size, "%s/lesson_04_cache.XXXXXX", folder) >= (int)size) {
        snprintf(why, why_size, "TMPDIR is too long a path");
        return false;
    }
    if (mkdtemp(path) != NULL) return true;
    snprintf(why, why_size, "no folder for compiled code in %.128s (TMPDIR): %s", folder,
             strerror(errno));
    return false;
}

static bool measure_both(Problem *problem, Processes *processes) {
    for (int i = 0; i < 2; i++) {
        ProcessTimes *times = &processes->time[i];
        if (!in_fresh_process(run_process, problem, times, sizeof *times, processes->why,
                              sizeof processes->why)) {
            return false;
        }
        if (times->error != cudaSuccess) {
            snprintf(processes->why, sizeof processes->why, "%s (error %d)",
                     cudaGetErrorString(times->error), (int)times->error);
            return false;
        }
    }
    return true;
}

static void measure_with_memory(Problem *problem, Processes *processes, float *x, float *out) {
    char cache[512];
    if (x == NULL || out == NULL) {
        snprintf(processes->why, sizeof processes->why, "no host memory for 2 arrays of %s",
                 text_bytes(4.0 * (double)problem->n));
        return;
    }
    if (!make_cache(cache, sizeof cache, processes->why, sizeof processes->why)) return;
    problem->cache = cache;
    processes->measured = measure_both(problem, processes);
    nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void processes_measure(const Options *options, Processes *processes) {
    *processes = (Processes){0};
    Problem problem = {.device = options->device, .n = options->n};
    if (problem.n > MOST_ELEMENTS) problem.n = MOST_ELEMENTS;
    float *x = malloc(problem.n * sizeof *x), *out = malloc(problem.n * sizeof *out);
    if (x != NULL) philox_normal_fill(x, problem.n, options->seed);
    problem.x = x;
    processes->n = problem.n;
    problem.out = out;
    measure_with_memory(&problem, processes, x, out);
    free(x), free(out);
}

/* --- This process --- */

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

static double run_ms(const CallTimes *call) { return call->launch_ms + call->wait_ms; }

static double all_ms(const CallTimes *call) {
    return call->allocate_ms + call->load_ms + run_ms(call);
}

static void print_step(const char *step, const char *first, const char *second,
                       const char *steady) {
    printf("   %-32s %11s %11s %11s\n", step, first, second, steady);
}

static const char *in_ms(double ms) { return text_digits(ms, 3); }

static void print_first_call(const FirstCall *first) {
    const CallTimes *call = first->call;
    const double before_ms = first->driver_ms + first->context_ms;
    print_step("step, in ms", "first call", "second", "steady");
    print_step("start the driver (1st CUDA call)", in_ms(first->driver_ms), "-", "-");
    print_step("create the context", in_ms(first->context_ms), "-", "-");
    print_step("allocate the result (cudaMalloc)", in_ms(call[0].allocate_ms),
               in_ms(call[1].allocate_ms), "-");
    print_step("load the kernel's code", in_ms(call[0].load_ms), in_ms(call[1].load_ms), "-");
    print_step("launch and run", in_ms(run_ms(&call[0])), in_ms(run_ms(&call[1])),
               text_time_in(&first->steady, 1));
    print_step("together", in_ms(before_ms + all_ms(&call[0])), in_ms(all_ms(&call[1])),
               text_time_in(&first->steady, 1));
    printf(
        "   Not counted: x to the device, %s the first time. The second call finds\n"
        "   driver, context and code there; its result is computed anew.\n",
        text_ms(first->copy_ms));
}

static void record_call(Record *record, const CallTimes *call) {
    record_number(record, "allocate_ms", call->allocate_ms);
    record_number(record, "load_ms", call->load_ms);
    record_number(record, "launch_ms", call->launch_ms);
    record_number(record, "wait_ms", call->wait_ms);
}

static double recorded_in(const Lesson *lesson, const char *where, const char *key) {
    return recorded_number(lesson->name, text_format("%s/%s", where, key));
}

static CallTimes recorded_call(const Lesson *lesson, const char *where) {
    return (CallTimes){.allocate_ms = recorded_in(lesson, where, "allocate_ms"),
                       .load_ms = recorded_in(lesson, where, "load_ms"),
                       .launch_ms = recorded_in(lesson, where, "launch_ms"),
                       .wait_ms = recorded_in(lesson, where, "wait_ms")};
}

static FirstCall recorded_first_call(const Lesson *lesson) {
    FirstCall first = {.driver_ms = recorded_in(lesson, "/first_call", "driver_ms"),
                       .context_ms = recorded_in(lesson, "/first_call", "context_ms"),
                       .copy_ms = recorded_in(lesson, "/first_call", "copy_to_device_ms")};
    first.call[0] = recorded_call(lesson, "/first_call");
    first.call[1] = recorded_call(lesson, "/second_call");
    recorded_timer(lesson->name, "/steady_state", &first.steady);
    return first;
}

static void measure_first_call(Lesson *lesson, FirstCall *first, TimingCase *c) {
    CUDA_CHECK(cudaMalloc((void **)&c->d_x, c->n * sizeof(float)));
    double start_ms = host_clock_ms();
    CUDA_CHECK(staged_copy_to_device(c->d_x, c->x, c->n * sizeof(float)));
    first->copy_ms = host_clock_ms() - start_ms;

    Watchdog *watchdog = watchdog_start(PATIENCE_S, "the first call of x + x", NULL, NULL);
    first->call[0] = call_once(c);
    watchdog_stop(watchdog);
    CUDA_CHECK(cudaFree(c->d_out));
    first->call[1] = call_once(c);

    TimerOptions options = *lesson_timer(lesson);
    if (lesson->options.repeat == 0) options.budget_ms = 100;
    CUDA_CHECK(timing_measure(c, WAY_GPU_KERNEL, &options, &first->steady));
}

void show_first_call(Lesson *lesson, FirstCall *first, TimingCase *c) {
    measure_first_call(lesson, first, c);
    Record *record = record_object(lesson->record, "first_call");
    record_number(record, "driver_ms", first->driver_ms);
    record_number(record, "context_ms", first->context_ms);
    record_number(record, "copy_to_device_ms", first->copy_ms);
    record_call(record, &first->call[0]);
    record_call(record_object(lesson->record, "second_call"), &first->call[1]);
    record_timer(lesson->record, "steady_state", &first->steady);

    const FirstCall on_gpu = recorded_first_call(lesson);
    printf("\n1. Where the first call's time goes: x + x, n = %s%s\n\n",
           text_count(timing_shown_n(lesson, "/n", c->n)), timing_whose(lesson));
    print_first_call(lesson->on_cpu_device ? &on_gpu : first);
}

/* --- The table of processes --- */

enum { CELLS = 4 }; /* two calls of the first process, two of the second */

static const CallTimes *cell(const Processes *processes, int i) {
    return &processes->time[i / 2].call[i % 2];
}

static void print_cells(const char *step, const double ms[CELLS]) {
    printf("   %-24s", step);
    for (int i = 0; i < CELLS; i++) printf(" %11s", isnan(ms[i]) ? "-" : in_ms(ms[i]));
    printf("\n");
}

static void print_processes(const Processes *processes) {
    double load[CELLS], allocate[CELLS], launch[CELLS], wait[CELLS], article[CELLS];
    const double context[CELLS] = {processes->time[0].context_ms, NAN,
                                   processes->time[1].context_ms, NAN};
    for (int i = 0; i < CELLS; i++) {
        const CallTimes *times = cell(processes, i);
        load[i] = times->load_ms;
        allocate[i] = times->allocate_ms;
        launch[i] = times->launch_ms;
        wait[i] = times->wait_ms;
        article[i] = load[i] + allocate[i] + launch[i];
    }
    printf("   %-24s %23s %23s\n", "", "1st process", "2nd process");
    printf("   %-24s %11s %11s %11s %11s\n", "step, in ms", "1st call", "2nd call", "1st call",
           "2nd call");
    print_cells("driver and context", context);
    print_cells("allocate the result", allocate);
    print_cells("compile, load the code", load);
    print_cells("launch", launch);
    print_cells("wait for its end", wait);
    print_cells("in the article's clock", article);
    if (load[2] < load[0] / 2) {
        printf(
            "   The 1st process compiled the kernel, the 2nd found it on disk: code is\n"
            "   cached, no result. The article's clock starts after the context and does\n"
            "   not wait.\n");
    } else {
        printf("   The 2nd process loaded the kernel no faster: the cache was not used.\n");
    }
}

static void record_processes(Record *record, const Processes *processes) {
    record_count(record, "processes_n", processes->n);
    for (int i = 0; i < CELLS; i++) {
        Record *row = record_row(record, "processes");
        record_count(row, "process", (uint64_t)(i / 2 + 1));
        record_count(row, "call", (uint64_t)(i % 2 + 1));
        if (i % 2 == 0) record_number(row, "context_ms", processes->time[i / 2].context_ms);
        record_call(row, cell(processes, i));
    }
}

static Processes recorded_processes(const Lesson *lesson) {
    Processes processes = {.measured = recorded_rows(lesson->name, "/processes") == CELLS};
    if (!processes.measured) {
        snprintf(processes.why, sizeof processes.why, "the recorded run has none");
        return processes;
    }
    processes.n = recorded_count(lesson->name, "/processes_n");
    for (int i = 0; i < CELLS; i++) {
        char where[32];
        snprintf(where, sizeof where, "/processes/%d", i);
        ProcessTimes *time = &processes.time[i / 2];
        if (i % 2 == 0) time->context_ms = recorded_in(lesson, where, "context_ms");
        time->call[i % 2] = recorded_call(lesson, where);
        time->right = true;
    }
    return processes;
}

static ClockRow clock_row(const char *name, double context_ms, const CallTimes *call) {
    return (ClockRow){name,          context_ms,      call->allocate_ms,
                      call->load_ms, call->launch_ms, call->wait_ms};
}

/* The calls of both fresh processes where they were measured, else those of this one. */
static void draw_clock(Lesson *lesson, const FirstCall *first, const Processes *processes) {
    static const char *const names[] = {"1st process, 1st call", "2nd call",
                                        "2nd process, 1st call", "2nd call"};
    const ProcessTimes *time = processes->time;
    ClockRow rows[CLOCK_ROWS];
    ClockPicture drawn = {.device = timing_pictured(lesson), .rows = rows};
    if (processes->measured) {
        drawn.n = processes->n;
        for (int i = 0; i < CELLS; i++)
            rows[drawn.count++] =
                clock_row(names[i], i % 2 == 0 ? time[i / 2].context_ms : NAN, cell(processes, i));
    } else {
        drawn.n = lesson->options.n;
        rows[drawn.count++] =
            clock_row("first call", first->driver_ms + first->context_ms, &first->call[0]);
        rows[drawn.count++] = clock_row("second call", NAN, &first->call[1]);
    }
    lesson_picture(lesson, "clock", picture_clock(&drawn));
}

bool show_processes(Lesson *lesson, const FirstCall *first) {
    const Processes shown = lesson->on_cpu_device ? recorded_processes(lesson) : first->processes;
    printf(
        "\n2. The article's riddle: two runs of a program%s.\n"
        "   The driver compiles the kernel from its PTX; CUDA keeps the outcome in a\n"
        "   folder, empty at first, that both share.\n\n",
        timing_whose(lesson));
    if (lesson->options.plot_path != NULL) draw_clock(lesson, first, &shown);
    if (!shown.measured) {
        printf("   Not measured: %s.\n", shown.why);
        return true;
    }
    print_processes(&shown);
    if (!lesson->on_cpu_device) record_processes(lesson->record, &shown);
    if (shown.time[0].right && shown.time[1].right) return true;
    printf("   WRONG: a result of these calls is not x + x.\n");
    return false;
}
