/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/build_rules/device_code/part.cuh"

__device__ int counted;
__device__ int tripled(int x) {
  atomicAdd(&counted, 1);
  return 3 * x + library_offset + of_library(x);
}
