/* SPDX-License-Identifier: Apache-2.0 */
/* A lesson's table: a row for each kernel, held against a copy within the device.
 *
 *     lesson_table(&lesson, "3. Five steps, beside a copy of x", "step", bytes);
 *     for (…) {
 *         CUDA_CHECK(time_gpu(step->run, &arrays, lesson_timer(&lesson), &time));
 *         …                                      poison, run, fetch, compare
 *         right = lesson_row(&lesson, step->name, bytes, &time, &compared, NULL) && right;
 *     }
 *     lesson_recorded_note(&lesson);
 *
 * Ratios of two rows are for speed_up_text (speed_up.h), which knows when none may be given. */
#ifndef COMMON_LESSON_TABLE_H_
#define COMMON_LESSON_TABLE_H_

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Measures the copy ceiling for arrays of `bytes` (an error ends the program, as CUDA_CHECK
 * does), then prints "title: 4,278 GB/s", the title alone on the CPU device, and the heading,
 * there with the name of the GPU whose recorded figures follow.
 * `row` says what a row is: it heads the first column, and rows are recorded under "rows"
 * ("step": "steps"). It must stay there. */
void lesson_table(Lesson *lesson, const char *title, const char *row, size_t bytes);

/* Prints and records a row: the largest error, bytes moved, median time, rate and share of the
 * copy, as far as they can be believed (a sentence below says why not). On the CPU device all but
 * the error are those of the row of that name in the recorded run (recorded.h), "-" where it has
 * none; its own times are recorded all the same. A wrong result is described below, with
 * `geometry` (may be null) to say which thread it was.
 *
 * True if the result was right. */
bool lesson_row(Lesson *lesson, const char *name, double bytes_moved, const TimerStats *time,
                const CompareResult *compared, const LaunchGeometry *geometry);

/* The same for a result that is judged by the lesson itself, as a sum is by its bound:
 * `error` is what the column says of a right one. */
bool lesson_row_judged(Lesson *lesson, const char *name, double bytes_moved, const TimerStats *time,
                       bool right, const char *error);

/* Prints, on the CPU device only, from which run and of which n recorded figures are. */
void lesson_recorded_note(const Lesson *lesson);

/* Returns `text`, which is of a time or a rate; "-" on the CPU device. */
const char *lesson_timed(const Lesson *lesson, const char *text);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_LESSON_TABLE_H_ */
