/* cudaLaunchKernel and cudaLaunchKernelEx-free ways: arguments as an array of pointers.
 * Prints: launched by pointer
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

struct Config {
  float scale;
  int n;
};

__global__ void apply(float *x, Config c, double shift) {
  extern __shared__ float staged[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < c.n ? x[i] : 0;
  __syncthreads();
  if (i < c.n) x[i] = (float)(staged[threadIdx.x] * c.scale + shift);
}

template <typename T>
__global__ void twice(T *x) {
  x[threadIdx.x] *= 2;
}

int main() {
  const int n = 200;
  float h[n], *d;
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  Config c = {3.0f, n};
  double shift = 0.5;
  void *args[] = {&d, &c, &shift};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaError_t e = cudaLaunchKernel((const void *)apply, dim3(4), dim3(64), args, 64 * sizeof(float), stream);
  if (e != cudaSuccess) return printf("%s\n", cudaGetErrorString(e)), 1;
  void *args2[] = {(void *)&d};
  e = cudaLaunchKernel((void *)twice<float>, 1, n, args2, 0, stream);
  if (e != cudaSuccess) return printf("template: %s\n", cudaGetErrorString(e)), 1;
  cudaStreamSynchronize(stream);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (h[i] != 2 * (3.0f * i + 0.5f)) return printf("wrong at %d: %f\n", i, h[i]), 1;
  printf("launched by pointer\n");
  return 0;
}
