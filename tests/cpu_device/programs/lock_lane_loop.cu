/* The lock that works inside a warp: a flag in a loop, the critical section inside the branch.
 * Prints: total: 4096
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__device__ int mutex = 0;
__device__ volatile int total = 0;

__global__ void add_one() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&mutex, 0, 1) == 0) {
      total = total + 1;
      __threadfence();
      atomicExch(&mutex, 0);
      done = true;
    }
  }
}

int main() {
  add_one<<<16, 256>>>();
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int h = 0;
  cudaMemcpyFromSymbol(&h, (const void *)&total, sizeof h);
  int *p = nullptr;
  if (cudaGetSymbolAddress((void **)&p, total) == cudaSuccess) cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
  cudaGetLastError();
  printf("total: %d\n", h);
  return h != 4096;
}
