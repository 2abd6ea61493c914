/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BUILD_RULES_TOP_H
#define TESTS_BUILD_RULES_TOP_H

#ifdef __cplusplus
extern "C"
#endif
int sum_of_squares(int value); /* both of base's squares, added */

#endif
