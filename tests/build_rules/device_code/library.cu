/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/build_rules/device_code/part.cuh"

__device__ int library_offset = 100;
__device__ int of_library(int x) { return 1000 * x; }
