/* Overloaded kernels launched through pointers, (*pointer) and a table, each with its own shared
 * arrays; launches as formatters write them, << <...> >>.
 *
 * Prints: 1024 2048
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void turn(const int *in, int *out, int n = 256) {
  __shared__ int s[256];
  extern __shared__ int more[];
  s[threadIdx.x] = in[threadIdx.x];
  more[threadIdx.x] = 1000;
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x] + more[n - 1 - threadIdx.x];
}

__global__ void turn(const int2 *in, int *out, int n) {
  __shared__ int2 s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x].x + s[n - 1 - threadIdx.x].y;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 512 * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  for (int i = 0; i < 512; ++i) in[i] = 3 * i;

  void (*one)(const int *, int *, int) = turn;
  void (*pair)(const int2 *, int *, int) = turn;
  void (*table[2])(const int *, int *, int) = {one, one};
  cudaFuncAttributes first, second;
  if (cudaFuncGetAttributes(&first, *one) != cudaSuccess) return 1;
  if (cudaFuncGetAttributes(&second, pair) != cudaSuccess) return 1;
  printf("%d %d\n", (int)first.sharedSizeBytes, (int)second.sharedSizeBytes);

  for (int way = 0; way < 5; ++way) {
    if (way == 0) (*one)<<<1, 256, 1024>>>(in, out, 256);
    if (way == 1) (*pair)<<<1, 256>>>((const int2 *)in, out, 256);
    if (way == 2) table[1]<<<1, 256, 1024>>>(in, out, 256);
    if (way == 3) turn << <1, 256, 1024 >> > (in, out, 256);
    if (way == 4) turn << < 1, 256 >> >((const int2 *)in, out, 256);
    if (cudaDeviceSynchronize() != cudaSuccess) return printf("WRONG: way %d did not run\n", way), 1;
    for (int i = 0; i < 256; ++i) {
      const int j = 255 - i, want = way == 1 || way == 4 ? in[2 * j] + in[2 * j + 1] : in[j] + 1000;
      if (out[i] != want) return printf("WRONG: way %d, element %d is %d, want %d\n", way, i, out[i], want), 1;
    }
  }
  printf("OK\n");
  return 0;
}
