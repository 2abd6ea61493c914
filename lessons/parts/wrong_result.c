/* SPDX-License-Identifier: Apache-2.0 */
/* See wrong_result.h. */
#include "lessons/parts/wrong_result.h"

#include <stdio.h>

void report_wrong_result(Lesson *lesson, const char *what, const CompareResult *compared,
                         const ElementwisePlan *plan) {
    size_t block = 0;
    unsigned thread = 0;
    lesson_report(lesson, what, compared, NULL);
    if (compared->first_wrong >= compared->n) return;
    elementwise_owner(plan, compared->first_wrong, &block, &thread);
    printf("     element %s is the work of block %s of %s, thread %u of %u\n",
           text_count(compared->first_wrong), text_count(block), text_count(plan->blocks), thread,
           plan->threads);
}
