// SPDX-License-Identifier: Apache-2.0
#include "tests/common/bad_launch.h"

__global__ void nothing_kernel() {}

extern "C" void launch_nothing(dim3 grid, dim3 block, size_t shared_bytes) {
    nothing_kernel<<<grid, block, shared_bytes>>>();
}
