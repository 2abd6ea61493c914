/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

__global__ void kernel(int *d_values) { d_values[threadIdx.x] = 1; }

int main(void) {
  kernle<<<1, 1>>>(NULL);
  return 0;
}
