/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

int count_of(const int *values, size_t size_bytes) { return (int)(size_bytes / sizeof *values); }
