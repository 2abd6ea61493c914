/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU took, for lessons that run on the CPU device, whose own times would teach the
 * opposite: the records of a whole run of the lessons on a GPU, as benchmarks/pack/run_all.sh
 * writes them, compiled into the program. benchmarks/results/BUILD says which run.
 *
 * A path names a value of a lesson's record: "/operations/3/time/median_ms". */
#ifndef COMMON_RECORDED_H_
#define COMMON_RECORDED_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns "NVIDIA H200, driver 580.159.04, toolkit 13.0, commit cb0a9ed, 2026-12-01". */
const char *recorded_source(void);

/* Returns "H200": the device's name without its maker's, for a column's head. */
const char *recorded_device(void);

/* Returns "NVIDIA H200, recorded 2026-12-01": for a picture. */
const char *recorded_label(void);

/* Returns the number at `path` of that lesson's record; NaN where there is none. */
double recorded_number(const char *lesson, const char *path);

/* Returns the whole number at `path`; 0 where there is none, or one that no size_t holds. */
size_t recorded_count(const char *lesson, const char *path);

/* Returns the text at `path`; null where there is none. It stays valid. */
const char *recorded_text(const char *lesson, const char *path);

/* Counts the elements of the array at `path`; 0 where there is none. */
size_t recorded_rows(const char *lesson, const char *path);

/* Reads median, spread, fastest, samples and doubt of the time at `path`. False, and *stats
 * is {0}, where there is none. */
bool recorded_timer(const char *lesson, const char *path, TimerStats *stats);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_RECORDED_H_ */
