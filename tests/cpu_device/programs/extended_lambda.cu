/* Lambdas for the device passed to a template kernel, captures by value, host-device lambdas.
 * Prints: for_each ok
 * Prints: host-device lambda ok
 * Prints: shared memory in a lambda ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

template <typename F>
__global__ void forEachKernel(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}

template <typename F>
void forEach(int n, F f) {
  forEachKernel<<<(n + 127) / 128, 128>>>(n, f);
}

int main() {
  const int n = 777;
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  float a = 2.5f;
  forEach(n, [=] __device__(int i) { x[i] = a * i; });
  forEach(n, [x, n] __device__(int i) {
    if (i < n / 2) x[i] += 1;
  });
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < n; i++)
    if (x[i] != 2.5f * i + (i < n / 2)) return printf("wrong at %d\n", i), 1;
  printf("for_each ok\n");
  auto square = [] __host__ __device__(int v) { return v * v; };
  forEach(n, [=] __device__(int i) { x[i] = square(i); });
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    if (x[i] != square(i)) return printf("wrong at %d\n", i), 1;
  printf("host-device lambda ok\n");
  forEachKernel<<<1, 128>>>(128, [=] __device__(int i) {
    __shared__ float reversed[128];
    reversed[127 - i] = i;
    __syncthreads();
    x[i] = reversed[i];
  });
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; i++)
    if (x[i] != 127 - i) return printf("wrong at %d\n", i), 1;
  printf("shared memory in a lambda ok\n");
  cudaFree(x);
  return 0;
}
