/* Function pointers on the device: a table of device functions, a pointer fetched with
 * cudaMemcpyFromSymbol and passed to a kernel; kernels launched through host pointers.
 * Prints: table: ok
 * Prints: symbol: ok
 * Prints: kernel pointers: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

typedef float (*op_t)(float, float);

__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
__device__ float sub(float a, float b) { return a - b; }

__device__ op_t table[3] = {add, mul, sub};
__device__ op_t mul_pointer = mul;

__global__ void by_table(float *out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x, 3.0f); }
__global__ void by_pointer(float *out, op_t op) { out[threadIdx.x] = op(threadIdx.x, 4.0f); }

__global__ void fill_one(int *x) { x[threadIdx.x] = 1; }
__global__ void fill_two(int *x) { x[threadIdx.x] = 2; }

int main() {
  float *d, h[30];
  cudaMalloc(&d, sizeof h);
  by_table<<<1, 30>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 30; i++)
    if (h[i] != (i % 3 == 0 ? i + 3.0f : i % 3 == 1 ? i * 3.0f : i - 3.0f)) return 1;
  printf("table: ok\n");
  op_t host_copy;
  if (cudaMemcpyFromSymbol(&host_copy, mul_pointer, sizeof(op_t)) != cudaSuccess) return 2;
  by_pointer<<<1, 30>>>(d, host_copy);
  if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  for (int i = 0; i < 30; i++)
    if (h[i] != i * 4.0f) return 4;
  printf("symbol: ok\n");
  void (*kernels[])(int *) = {fill_one, fill_two};
  int *x, y;
  cudaMalloc(&x, 32 * sizeof(int));
  for (int k = 0; k < 2; k++) {
    kernels[k]<<<1, 32>>>(x);
    cudaMemcpy(&y, x + 31, sizeof y, cudaMemcpyDeviceToHost);
    if (y != k + 1) return 5;
  }
  printf("kernel pointers: ok\n");
  return 0;
}
