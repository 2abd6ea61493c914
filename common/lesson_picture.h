/* SPDX-License-Identifier: Apache-2.0 */
/* How a lesson ends that draws; a part of lesson.h that mains do not see. */
#ifndef COMMON_LESSON_PICTURE_H_
#define COMMON_LESSON_PICTURE_H_

#include "common/lesson.h"

/* Writes the lesson's pictures and prints their names; none if results were wrong, or if one of
 * them could not be drawn. What only lacks gnuplot is left out, which is said. Frees them all.
 * False after saying why, if one could not be drawn or written. */
bool lesson_write_pictures(Lesson *lesson, bool right);

#endif /* COMMON_LESSON_PICTURE_H_ */
