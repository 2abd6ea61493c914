/* SPDX-License-Identifier: Apache-2.0 */
/* One operation, x + x or x * x, timed in the ways that lesson 04 compares, and the tables
 * that show what comes of it. On the CPU device, whose times say nothing, the tables show the
 * recorded run's (recorded.h); its own are taken and recorded all the same. */
#ifndef LESSONS_TIMING_WAYS_H_
#define LESSONS_TIMING_WAYS_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "common/lesson.h"
#include "common/speed_up.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operation and its arrays: n floats each, x on the host and the same
 * numbers in d_x. out and d_out are overwritten. */
typedef struct TimingCase {
    size_t n;
    bool multiply; /* x * x, else x + x */
    const float *x;
    float *out;
    float *d_x, *d_out;
} TimingCase;

/* Read once and written once: x is one array, though it is both operands. */
enum { TIMING_BYTES_EACH = 2 * sizeof(float) };

typedef enum TimingWay {
    WAY_CPU_ONE_THREAD,
    WAY_CPU_ALL_THREADS,
    WAY_GPU_KERNEL,    /* run time on the device, the data there already */
    WAY_GPU_AND_WAIT,  /* the same as the host sees it: launch and wait */
    WAY_GPU_TRANSFERS, /* from host arrays to host arrays */
    WAY_COUNT
} TimingWay;

/* "CPU, 16 threads", "GPU, kernel only" ...; the word GPU is the device's own
 * name for it ("CPU device, kernel only"). Valid until the next call. */
const char *timing_way_name(const Lesson *lesson, TimingWay way);

/* Work functions for time_gpu: the kernel alone, and with its transfers. */
cudaError_t timing_run_kernel(void *timing_case, cudaStream_t stream);
cudaError_t timing_run_transfers(void *timing_case, cudaStream_t stream);

/* Times the case in one way. The result of the last run is left in out, or in
 * d_out where the way does not copy back. */
cudaError_t timing_measure(const TimingCase *timing_case, TimingWay way,
                           const TimerOptions *options, TimerStats *stats);

/* Runs the case once more on poisoned outputs, on CPU and device, and compares
 * all elements of both with the reference. True if all have the same bits. */
bool timing_verify(Lesson *lesson, const TimingCase *timing_case, float *want);

/* Returns " (H200, recorded)" on the CPU device, for a heading; "" on a GPU. */
const char *timing_whose(const Lesson *lesson);

/* Returns whose times a picture shows: the device's name, or the recorded run's. */
const char *timing_pictured(const Lesson *lesson);

/* Returns own, or on the CPU device the number at `path` of the recorded run. */
size_t timing_shown_n(const Lesson *lesson, const char *path, size_t own);

/* The same launch on n elements by a host clock that was stopped at once, by one that waited
 * for the kernel, and by events. */
typedef struct TrapTimes {
    size_t n;
    TimerStats launched, done, kernel;
} TrapTimes;

/* 3. Prints and records the three times of a small n and a large one, and why the first clock
 * shows the launch alone. */
void show_trap(Lesson *lesson, const TrapTimes times[2]);

/* 4. Times both operations in four ways, at lesson->options.cols columns and at `smaller_cols`
 * where that is less, beside a copy of the same bytes. The case's arrays, and want, have room
 * for the larger size. Records it all; prints x + x at the larger size, or with --all all. True
 * if all results were right. */
bool show_comparison(Lesson *lesson, const TimingCase *timing_case, float *want,
                     size_t smaller_cols, Doubts *doubts);

/* 5. Launches the case's kernel `launches` times without waiting, reads the host clock round
 * each, prints the median time of a launch along the way beside the kernel's own time, which
 * stays as it is, and draws it for --plot. False if a launch failed. */
bool show_launch_queue(Lesson *lesson, const TimingCase *timing_case, size_t launches);

/* Returns the first launch (from 0) that had to wait for a place in the queue; `launches` if
 * none did, or if the kernel is too short to tell a wait from a launch. launch_ms: host times. */
size_t queue_full_at(const double *launch_ms, size_t launches, double kernel_ms);

/* 6. Times x + x at n = 1,000, 4,000, 16,000, ... up to n_max (or at n_max alone where it is
 * smaller, n_max > 0) on one CPU thread, on all, on the device with the data there, and with
 * transfers; checks the results at each n; prints the table and from where the GPU wins, and
 * draws it for --plot. The case's arrays have room for n_max; want too. False if a result was
 * wrong. */
bool show_crossover(Lesson *lesson, const TimingCase *arrays, float *want, size_t n_max,
                    Doubts *doubts);

/* Returns the smallest k with fast[i] < slow[i] for every i >= k; count if there is none. One
 * lucky point in the middle is no crossover. */
size_t crossover_index(const double *slow_ms, const double *fast_ms, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_TIMING_WAYS_H_ */
