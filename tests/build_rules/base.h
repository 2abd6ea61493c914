/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BUILD_RULES_BASE_H
#define TESTS_BUILD_RULES_BASE_H

#ifdef __cplusplus
extern "C" {
#endif

/* value * value, computed by a kernel; -1 if the device failed. */
int square_one(int value); /* one/square.cu */
int square_two(int value); /* two/square.cu */

#ifdef __cplusplus
}
#endif

#endif
