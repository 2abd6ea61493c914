/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a program's first GPU call goes, and what two runs of a program share.
 * Part of lesson 04.
 *
 * The rules to keep: first_call_start must be the first code of the process that touches CUDA
 * (it forks, and a process that is forked later cannot use CUDA), and show_first_call the first
 * that runs a kernel of elementwise.cu; else the costs to be shown have been paid elsewhere. */
#ifndef LESSONS_FIRST_CALL_H_
#define LESSONS_FIRST_CALL_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "common/lesson.h"
#include "lessons/parts/04_timing_ways.h"

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
    size_t n;      /* of x: --n, or the article's smaller matrix */
    char why[256]; /* why not, where they were not */
    ProcessTimes time[2];
} Processes;

/* What first_call_start found, and what show_first_call adds. */
typedef struct FirstCall {
    double driver_ms;  /* the first CUDA call of all: the driver starts */
    double context_ms; /* the context on the device */
    double copy_ms;    /* x to the device */
    CallTimes call[2];
    TimerStats steady;
    Processes processes; /* the same in processes of their own; not on the CPU device */
} FirstCall;

/* Measures two processes, one after the other, on the device that --device names, with a kernel
 * that the driver has to compile. They share a fresh, empty folder for compiled code
 * (CUDA_CACHE_PATH), which is removed at the end. */
void processes_measure(const Options *options, Processes *processes);

/* Measures the fresh processes, then starts driver and context here, on the device that
 * --device names. Ignores errors: lesson_begin, which comes next, finds and explains them. */
void first_call_start(const Lesson *lesson, FirstCall *first);

/* Computes x + x on the device a first time, a second time and in the steady state, and prints
 * each step's time; on the CPU device those of the recorded run (recorded.h). c->x, c->out and
 * c->n are given; c->d_x and c->d_out are allocated here, filled, and left to the caller. */
void show_first_call(Lesson *lesson, FirstCall *first, TimingCase *c);

/* Prints the table of processes and calls, or why there is none, records it and draws it for
 * --plot; on the CPU device the recorded run's. True unless a result was wrong. */
bool show_processes(Lesson *lesson, const FirstCall *first);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_FIRST_CALL_H_ */
