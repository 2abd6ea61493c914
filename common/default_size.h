/* SPDX-License-Identifier: Apache-2.0 */
/* A default size that fits: lessons start with matrices that fill a large GPU,
 * and a laptop's GPU has less memory. A size that the student gave is never
 * changed: it fits or is refused. */
#ifndef COMMON_DEFAULT_SIZE_H_
#define COMMON_DEFAULT_SIZE_H_

#include <stddef.h>

#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where no size was given and rows * cols elements of that many bytes each do
 * not fit the device's or the host's free memory, divides cols by 10, once or
 * more, and says so in one line. Else does nothing. */
void default_size_to_fit(Lesson *lesson, size_t device_bytes_each, size_t host_bytes_each);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_DEFAULT_SIZE_H_ */
