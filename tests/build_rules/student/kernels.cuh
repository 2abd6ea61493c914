/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

__global__ void square(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= values[i];
}
