/* Calls device functions and reads device variables of other files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "tests/build_rules/device_code/part.cuh"

__global__ void use(int *out) { out[threadIdx.x] = tripled((int)threadIdx.x) + library_offset; }

int main() {
  int out[4] = {0}, calls = 0, *d = nullptr;
  cudaError_t error = cudaMalloc(&d, sizeof out);
  if (!error) {
    use<<<1, 4>>>(d);
    error = cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
  }
  if (!error) error = cudaMemcpyFromSymbol(&calls, counted, sizeof calls);
  if (error) return printf("%s\n", cudaGetErrorString(error)), 1;
  printf("%d %d %d %d (%d calls)\n", out[0], out[1], out[2], out[3], calls);
  return 0;
}
