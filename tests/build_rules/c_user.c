/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/build_rules/c_user.h"

#include "tests/build_rules/top.h"

int from_c(int value) { return sum_of_squares(value) + BASE_DEFINE; }
