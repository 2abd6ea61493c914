/* Spellings of older toolkits: where the toolkit at hand has dropped them, the new ones.
 * Prints: old and new
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>

__global__ void f(int *x) {
  // 24-bit products and saturation were the fast way once.
  x[threadIdx.x] = __mul24(threadIdx.x, 3) + __umul24(2, 5) + (int)__saturatef(7.5f);
}

int main() {
  int h[32], *d;
  cudaMalloc((void **)&d, sizeof h);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  f<<<1, 32>>>(d);
#if CUDART_VERSION < 13000
  cudaThreadSynchronize();
#else
  cudaDeviceSynchronize();
#endif
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float elapsed = -1;
  cudaEventElapsedTime(&elapsed, start, stop);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
  for (int i = 0; i < 32; i++)
    if (h[i] != 3 * i + 10 + 1) return 1;
  printf("old and new\n");
  cudaDeviceReset();
  return elapsed < 0;
}
