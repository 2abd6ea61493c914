/* Device code of other files: of the same target, and of a library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BUILD_RULES_DEVICE_CODE_PART_CUH
#define TESTS_BUILD_RULES_DEVICE_CODE_PART_CUH

extern __device__ int counted;        /* calls of tripled() */
__device__ int tripled(int x);

extern __device__ int library_offset;
__device__ int of_library(int x);

#endif
