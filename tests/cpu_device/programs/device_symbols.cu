/* Device and constant variables of several types, read and written from the host by symbol.
 * Prints: symbols: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

struct Params {
  float scale;
  int offset[3];
};

__device__ float devData;
__device__ int counters[4] = {1, 2, 3, 4};
__device__ float *devPointer;
__constant__ Params params;
__constant__ float table[64];
__device__ __managed__ int shared_by_both = 5;
static __device__ unsigned long long total;

__global__ void work(int n) {
  int i = threadIdx.x;
  if (i < n) devPointer[i] = params.scale * table[i] + params.offset[i % 3] + devData;
  if (i < 4) counters[i] *= 10;
  atomicAdd(&total, (unsigned long long)i);
  if (i == 0) shared_by_both += 37;
}

int main() {
  const int n = 64;
  float value = 3.14f, t[n], h[n], *d;
  Params p = {2.0f, {10, 20, 30}};
  for (int i = 0; i < n; i++) t[i] = i;
  cudaMalloc(&d, n * sizeof(float));
  cudaError_t e = cudaMemcpyToSymbol(devData, &value, sizeof(float));
  if (e == cudaSuccess) e = cudaMemcpyToSymbol(devPointer, &d, sizeof(d));
  if (e == cudaSuccess) e = cudaMemcpyToSymbol(params, &p, sizeof p);
  if (e == cudaSuccess) e = cudaMemcpyToSymbol(table, t, sizeof(float) * 32);
  if (e == cudaSuccess) e = cudaMemcpyToSymbol(table, t + 32, sizeof(float) * 32, sizeof(float) * 32);
  if (e != cudaSuccess) return printf("%s\n", cudaGetErrorString(e)), 1;
  work<<<1, n>>>(n);
  int c[4];
  unsigned long long sum;
  cudaMemcpyFromSymbol(c, counters, sizeof c);
  cudaMemcpyFromSymbol(&sum, total, sizeof sum, 0, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  size_t size = 0;
  cudaGetSymbolSize(&size, counters);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    if (h[i] != 2.0f * i + p.offset[i % 3] + value) return printf("wrong at %d: %f\n", i, h[i]), 1;
  if (c[0] != 10 || c[3] != 40 || sum != 63 * 64 / 2 || size != sizeof c || shared_by_both != 42) return 2;
  printf("symbols: ok\n");
  return 0;
}
