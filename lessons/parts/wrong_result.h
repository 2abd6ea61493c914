/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong result of one of the kit's elementwise kernels, told to a student. */
#ifndef LESSONS_WRONG_RESULT_H_
#define LESSONS_WRONG_RESULT_H_

#include "common/compare.h"
#include "common/lesson.h"
#include "kernels/tuned/elementwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints and records the comparison's description under `what`, and which block
 * and thread computed the first wrong element. These kernels deal elements out in
 * chunks (see ElementwisePlan), which a LaunchGeometry cannot express. */
void report_wrong_result(Lesson *lesson, const char *what, const CompareResult *compared,
                         const ElementwisePlan *plan);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_WRONG_RESULT_H_ */
