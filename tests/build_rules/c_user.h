/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BUILD_RULES_C_USER_H
#define TESTS_BUILD_RULES_C_USER_H

#ifdef __cplusplus
extern "C"
#endif
int from_c(int value);

#endif
