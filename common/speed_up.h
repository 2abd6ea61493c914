/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which lessons say how much faster one thing is than another, and
 * warn of times that are too uncertain to compare. */
#ifndef COMMON_SPEED_UP_H_
#define COMMON_SPEED_UP_H_

#include <stddef.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns slow / fast as it may be shown: "12.3 x"; "about 12 x", two digits as of
 * the times, where one is doubtful; "-" on the CPU device and in a build that is not
 * optimised, where a ratio would say nothing. Valid as the texts of text.h are. */
const char *speed_up_text(const Lesson *lesson, const TimerStats *slow, const TimerStats *fast);

/* Which times of a run are doubtful, for a warning at its end. */
typedef struct Doubts {
    size_t figures, doubtful;
    char worst[128];
    double worst_spread;
    double first_clock_mhz, last_clock_mhz; /* SM clock; 0: not reported */
} Doubts;

/* Counts a time, and keeps it if it is the most doubtful so far. */
void doubts_note(Doubts *doubts, const char *what, const TimerStats *stats);

/* Prints the warning if there is reason for one, and records both counts. On the CPU device,
 * whose times are not shown, it only records. */
void doubts_print(const Doubts *doubts, Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_SPEED_UP_H_ */
