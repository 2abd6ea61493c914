/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp's request costs, by counting: the 32-byte sectors that its 32 lanes touch. Part of
 * lesson 06. */
#ifndef LESSONS_SECTORS_H_
#define LESSONS_SECTORS_H_

#include <stddef.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LANES = 32, SECTOR_BYTES = 32 };

/* One request of a warp: lane t touches `width` bytes from byte first + t * step on. */
typedef struct Request {
    const char *pattern;
    size_t first, step, width;
} Request;

/* Counts the sectors that the request touches: what travels is that many times 32 bytes. */
size_t sectors_touched(const Request *request);

/* 1. Prints and records, for each of the lesson's patterns, bytes used, sectors touched, bytes that
 * travel and how many times the useful ones they are; draws them for --plot. */
void show_sectors(Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_SECTORS_H_ */
