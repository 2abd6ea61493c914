/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp's access to shared memory costs, by counting: how many of its lanes want different
 * words of the same bank. Part of lesson 07. */
#ifndef LESSONS_BANKS_H_
#define LESSONS_BANKS_H_

#include <stddef.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LANES = 32, BANKS = 32 };

/* Counts the steps that an access takes in which lane t touches the word (4 bytes) word[t]: the most
 * different words that one bank has to give. 1 is the best, and no conflict. */
size_t bank_steps(const size_t word[LANES]);

/* 1. Prints and records, for a row and a column of each tile, the sectors of global memory and the
 * steps of shared memory that a warp's access takes. */
void show_banks(Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_BANKS_H_ */
