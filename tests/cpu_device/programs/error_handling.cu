/* A program about errors: bad launches, bad copies, names and texts, what sticks and what does not.
 * Prints: too many threads: cudaErrorInvalidValue
 * Prints: still usable
 * Prints: illegal access: cudaErrorIllegalAddress
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__global__ void write(int *p) { p[threadIdx.x] = 1; }

int main() {
  int *d, h[32];
  if (cudaSuccess != cudaMalloc((void **)&d, sizeof h)) return 1;
  write<<<1, 2048>>>(d);
  cudaError_t e = cudaGetLastError();
  // Older toolkits say cudaErrorInvalidConfiguration.
  printf("too many threads: %s\n",
         cudaGetErrorName(e == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue : e));
  if (cudaSuccess != cudaGetLastError()) return 2;
  if (cudaMemcpy(d, h, sizeof h + 1, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) return 3;
  if (cudaPeekAtLastError() != cudaErrorInvalidValue || cudaGetLastError() != cudaErrorInvalidValue) return 4;
  if (cudaSetDevice(1000) != cudaErrorInvalidDevice) return 5;
  cudaGetLastError();
  write<<<1, 32>>>(d);
  if (cudaDeviceSynchronize() != cudaSuccess) return 6;
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  if (h[31] == 1) printf("still usable\n");
  write<<<1, 32>>>((int *)NULL);
  if (cudaGetLastError() != cudaSuccess) return 7;
  e = cudaDeviceSynchronize();
  printf("illegal access: %s\n", cudaGetErrorName(e));
  return cudaMalloc(&d, 4) == cudaErrorIllegalAddress ? 0 : 8;
}
