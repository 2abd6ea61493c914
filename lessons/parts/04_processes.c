/* SPDX-License-Identifier: Apache-2.0 */
/* See 04_processes.h. */
#define _GNU_SOURCE /* nftw */
#include "lessons/parts/04_processes.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bazel/build_info.h"
#include "common/philox.h"
#include "common/watchdog.h"
#include "kernels/tuned/elementwise.h"

/* The article's smaller matrix, 12,000 x 1,920: it fits into any GPU's memory. */
enum { MOST_ELEMENTS = 23040000 };

/* Far more than the compilation of the kernels' PTX takes. */
static const double PATIENCE_S = 300;

/* --- A process of its own --- */

/* True if all of the bytes were written to, or read from, the file descriptor. */
static bool write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, size -= (size_t)done;
    }
    return true;
}

static bool read_all(int fd, char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = read(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, size -= (size_t)done;
    }
    return true;
}

/* True if the process ended with status 0; else `why` says how it ended. */
static bool wait_for(pid_t process, char *why, size_t why_size) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno == EINTR) continue;
        snprintf(why, why_size, "its process was lost: %s", strerror(errno));
        return false;
    }
    if (WIFSIGNALED(status)) {
        snprintf(why, why_size, "its process was ended by signal %d", WTERMSIG(status));
        return false;
    }
    if (WEXITSTATUS(status) == 0) return true;
    snprintf(why, why_size, "its process ended with status %d", WEXITSTATUS(status));
    return false;
}

bool in_fresh_process(void (*work)(void *context, void *result), void *context, void *result,
                      size_t size, char *why, size_t why_size) {
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(why, why_size, "no pipe to another process: %s", strerror(errno));
        return false;
    }
    fflush(NULL); /* or the other process would hold the same text, to print it again */
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        work(context, result);
        /* Not exit: what main has registered for its end is not this process's. */
        _exit(write_all(ends[1], result, size) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    if (process < 0) {
        snprintf(why, why_size, "no other process could be started: %s", strerror(errno));
        close(ends[0]);
        return false;
    }
    bool whole = read_all(ends[0], result, size);
    close(ends[0]);
    if (!wait_for(process, why, why_size)) return false;
    if (!whole) snprintf(why, why_size, "its process ended without an answer");
    return whole;
}

/* --- What each process does --- */

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
    status = cudaSetDevice(ordinal);                         /* creates the context since CUDA 12, */
    return status == cudaSuccess ? cudaFree(NULL) : status; /* and this did before */
}

static cudaError_t call_once(size_t n, const float *d_x, float **d_out, CallTimes *times) {
    double start_ms = host_clock_ms();
    cudaError_t status = cudaMalloc((void **)d_out, n * sizeof(float));
    double allocated_ms = host_clock_ms();
    if (status == cudaSuccess) status = add_gpu_load();
    double loaded_ms = host_clock_ms();
    if (status == cudaSuccess) status = add_gpu(n, d_x, d_x, *d_out, 0);
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
    cudaError_t status = call_once(problem->n, d_x, &d_out, times);
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
    setenv("CUDA_FORCE_PTX_JIT", "1", 1);
    unsetenv("CUDA_CACHE_DISABLE");
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
    if (BUILD_ARCHS[0] != '\0' && strstr(BUILD_ARCHS, "compute_") == NULL) {
        snprintf(processes->why, sizeof processes->why,
                 "this build holds no PTX that could be compiled; --archs=sm_90,compute_90 adds it");
        return;
    }
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

/* --- The table --- */

enum { CELLS = 4 }; /* two calls of the first process, two of the second */

static const CallTimes *cell(const Processes *processes, int i) {
    return &processes->time[i / 2].call[i % 2];
}

static void print_row(const char *step, const double ms[CELLS]) {
    printf("   %-24s", step);
    for (int i = 0; i < CELLS; i++) printf(" %11s", ms[i] < 0 ? "-" : text_ms(ms[i]));
    printf("\n");
}

static void print_table(const Processes *processes) {
    double load[CELLS], allocate[CELLS], launch[CELLS], wait[CELLS], article[CELLS];
    const double context[CELLS] = {processes->time[0].context_ms, -1,
                                   processes->time[1].context_ms, -1};
    for (int i = 0; i < CELLS; i++) {
        const CallTimes *times = cell(processes, i);
        load[i] = times->load_ms;
        allocate[i] = times->allocate_ms;
        launch[i] = times->launch_ms;
        wait[i] = times->wait_ms;
        article[i] = load[i] + allocate[i] + launch[i];
    }
    printf("   %-24s %23s %23s\n", "", "1st process", "2nd process");
    printf("   %-24s %11s %11s %11s %11s\n", "step", "1st call", "2nd call", "1st call", "2nd call");
    print_row("driver and context", context);
    print_row("allocate the result", allocate);
    print_row("load the kernel", load);
    print_row("launch", launch);
    print_row("wait for its end", wait);
    print_row("in the article's clock", article);
}

static void print_meaning(const Processes *processes) {
    const double first_ms = processes->time[0].call[0].load_ms;
    const double second_ms = processes->time[1].call[0].load_ms;
    if (second_ms < first_ms / 2) {
        printf("   The 1st process compiled the kernel, the 2nd found it on disk: code is cached,\n"
               "   no result. The article's clock starts after the context and does not wait.\n");
    } else {
        printf("   The 2nd process loaded the kernel no faster: the cache on disk was not used.\n");
    }
}

static void record_processes(Record *record, const Processes *processes) {
    record_count(record, "processes_n", processes->n);
    for (int i = 0; i < CELLS; i++) {
        const CallTimes *times = cell(processes, i);
        Record *row = record_row(record, "processes");
        record_count(row, "process", (uint64_t)(i / 2 + 1));
        record_count(row, "call", (uint64_t)(i % 2 + 1));
        if (i % 2 == 0) record_number(row, "context_ms", processes->time[i / 2].context_ms);
        record_number(row, "allocate_ms", times->allocate_ms);
        record_number(row, "load_ms", times->load_ms);
        record_number(row, "launch_ms", times->launch_ms);
        record_number(row, "wait_ms", times->wait_ms);
    }
}

bool show_processes(Lesson *lesson, const Processes *processes) {
    printf("\n   The same in two fresh processes, which compile the kernel from its PTX. They share\n"
           "   the folder where CUDA keeps what it compiled; it is empty at first.\n\n");
    if (!processes->measured) {
        printf("   Not measured: %s.\n", processes->why);
        return true;
    }
    print_table(processes);
    print_meaning(processes);
    record_processes(lesson->record, processes);
    if (processes->time[0].right && processes->time[1].right) return true;
    printf("   WRONG: a result of these calls is not x + x.\n");
    return false;
}
