/* SPDX-License-Identifier: Apache-2.0 */
/* A launch with a shape of the test's choice, unchecked. */
#ifndef TESTS_COMMON_BAD_LAUNCH_H
#define TESTS_COMMON_BAD_LAUNCH_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

void launch_nothing(dim3 grid, dim3 block, size_t shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
