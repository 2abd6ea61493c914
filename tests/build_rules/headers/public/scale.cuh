/* Found as <public/scale.cuh>, through base's includes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BUILD_RULES_SCALE_CUH
#define TESTS_BUILD_RULES_SCALE_CUH

__device__ static inline int scaled(int value, int factor) { return value * factor; }

#endif
