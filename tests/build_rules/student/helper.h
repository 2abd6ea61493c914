/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
int count_of(const int *values, size_t size_bytes); /* helper.c */
#ifdef __cplusplus
}
void print_values(const int *values, int n); /* report.cpp */
#endif
