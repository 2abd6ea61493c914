/* The part of lesson_begin that fits and checks sizes. For lesson.c and its test.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_LESSON_MEMORY_H_
#define COMMON_LESSON_MEMORY_H_

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if the arrays that lesson->spec describes fit lesson->options.n elements, after
 * making a default size (never a given one) smaller. Else false, after one line. */
bool lesson_fit_memory(Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_LESSON_MEMORY_H_ */
