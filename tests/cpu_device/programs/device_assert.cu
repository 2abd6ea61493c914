/* A device assert that fails: its message, and error 710 from then on.
 * Prints: Assertion `x[threadIdx.x] < 10` failed.
 * Prints: cudaErrorAssert
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>

__global__ void check(const int *x) { assert(x[threadIdx.x] < 10); }

int main() {
  int h[8] = {1, 2, 3, 4, 5, 99, 7, 8}, *d;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  check<<<1, 8>>>(d);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  check<<<1, 8>>>(d);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
  return e == cudaErrorAssert ? 0 : 1;
}
