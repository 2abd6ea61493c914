/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <public/scale.cuh>

#include "tests/build_rules/base.h"
#include "tests/build_rules/private.h"

#if BASE_LOCAL != 3 || BASE_DEFINE != 7 || PRIVATE_HEADER != 1 || FROM_COPTS != 1
#error "flags or headers of the target do not reach its own files"
#endif

#define KERNEL_NAME square_one_kernel
#include "../textual.cu"

extern "C" int square_one(int value) { return run_on_device(value); }
