/* SPDX-License-Identifier: Apache-2.0 */
/* The launch queue: why a loop of launches that never waits seems fast at first
 * and slow after a while. Part of lesson 04. */
#ifndef LESSONS_LAUNCH_QUEUE_H_
#define LESSONS_LAUNCH_QUEUE_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/lesson.h"
#include "lessons/parts/04_timing_ways.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches the case's kernel `launches` times without waiting, reads the host
 * clock round each, and prints the median time of a launch along the way beside
 * the kernel's own time, which stays as it is. False if a launch failed. */
bool show_launch_queue(Lesson *lesson, const TimingCase *timing_case, size_t launches);

/* Returns the first launch (from 0) that had to wait for a place in the queue; `launches` if
 * none did, or if the kernel is too short to tell a wait from a launch. launch_ms: host times. */
size_t queue_full_at(const double *launch_ms, size_t launches, double kernel_ms);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_LAUNCH_QUEUE_H_ */
