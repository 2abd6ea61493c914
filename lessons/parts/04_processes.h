/* SPDX-License-Identifier: Apache-2.0 */
/* What is cached between two runs of a program: two processes, two calls of x + x in
 * each, with a cache of compiled kernels on disk that is empty at first. Part of lesson 04.
 *
 * The rule to keep: a process that is forked after the first CUDA call cannot use CUDA, so
 * processes_measure comes before any. */
#ifndef LESSONS_PROCESSES_H_
#define LESSONS_PROCESSES_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One x + x as an array library does it, in milliseconds on the host clock. */
typedef struct CallTimes {
    double allocate_ms; /* memory for the result */
    double load_ms;     /* the kernel's code to the device; compiled first if it is PTX */
    double launch_ms;   /* until the launch returns */
    double wait_ms;     /* from there to the kernel's end */
} CallTimes;

/* A process's two calls. After an error, its times are of no use. */
typedef struct ProcessTimes {
    cudaError_t error;
    bool right;        /* every element of both results has the bits of the host's sum */
    double context_ms; /* driver and context */
    CallTimes call[2];
} ProcessTimes;

typedef struct Processes {
    bool measured;
    size_t n;      /* of x, of --n or the article's smaller matrix */
    char why[256]; /* why not, where they were not */
    ProcessTimes time[2];
} Processes;

/* Runs work(context, result) in a forked process, and copies the `size` bytes that it left at
 * result here. True if it ended well; else `why` says how it ended. */
bool in_fresh_process(void (*work)(void *context, void *result), void *context, void *result,
                      size_t size, char *why, size_t why_size);

/* Measures two processes, one after the other, on the device that --device names. Both ignore
 * the machine code in this program and take its PTX (CUDA_FORCE_PTX_JIT=1), and share a fresh,
 * empty folder for compiled code (CUDA_CACHE_PATH), which is removed at the end. */
void processes_measure(const Options *options, Processes *processes);

/* Prints the table of processes and calls, or why there is none, and records it. True unless a
 * result was wrong. */
bool show_processes(Lesson *lesson, const Processes *processes);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_PROCESSES_H_ */
