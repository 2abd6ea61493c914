/* Dynamic shared memory declared outside of the kernels, used by kernels and device functions.
 * Prints: file scope: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

extern __shared__ float window[];
extern __shared__ __align__(16) unsigned char bytes[];

__device__ float partner() { return window[blockDim.x - 1 - threadIdx.x]; }

__global__ void mirror(float *x) {
  window[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = partner();
}

template <typename T>
__global__ void rotate(T *x) {
  T *s = reinterpret_cast<T *>(bytes);
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

__global__ void other(float *window) { window[threadIdx.x] += 1; }

int main() {
  const int n = 96;
  float h[n], *d;
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  mirror<<<1, n, sizeof h>>>(d);
  rotate<float><<<1, n, sizeof h>>>(d);
  other<<<1, n>>>(d);
  if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < n; i++)
    if (h[i] != n - 1 - (i + 1) % n + 1) return printf("wrong at %d: %f\n", i, h[i]), 1;
  printf("file scope: ok\n");
  return 0;
}
