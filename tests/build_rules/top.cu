/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/build_rules/top.h"

#include <cuda_runtime.h>
#include <public/scale.cuh>

#include "tests/build_rules/base.h"

#if BASE_DEFINE != 7
#error "defines of deps do not reach their users"
#endif
#if defined(BASE_LOCAL) || defined(FROM_COPTS)
#error "local_defines and copts must not reach users"
#endif

extern "C" int sum_of_squares(int value) { return square_one(value) + square_two(value); }
