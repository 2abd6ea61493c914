/* SPDX-License-Identifier: Apache-2.0 */
/* One operation, x + x or x * x, timed in the ways that lesson 04 compares, and the table
 * that compares them. */
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

/* The same launch on n elements by a host clock that was stopped at once, by one that waited
 * for the kernel, and by events. */
typedef struct TrapTimes {
    size_t n;
    TimerStats launched, done, kernel;
} TrapTimes;

/* Prints and records the three times of a small n and a large one, and why the first clock
 * shows the launch alone. */
void show_trap(Lesson *lesson, const TrapTimes times[2]);

/* Times both operations in four ways, at lesson->options.cols columns and at `smaller_cols`
 * where that is less, beside a copy of the same bytes. The case's arrays, and want, have room
 * for the larger size. Prints and records it all. True if all results were right. */
bool show_comparison(Lesson *lesson, const TimingCase *timing_case, float *want,
                     size_t smaller_cols, Doubts *doubts);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_TIMING_WAYS_H_ */
