/* The old unrolled last warp: volatile shared memory and no warp barrier, as books from before
 * Volta print it. It still gives the right sum on GPUs where the compiler keeps the warp together.
 * Prints: sum of 131072: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

__device__ void warpReduce(volatile float *sdata, unsigned int tid) {
  sdata[tid] += sdata[tid + 32];
  sdata[tid] += sdata[tid + 16];
  sdata[tid] += sdata[tid + 8];
  sdata[tid] += sdata[tid + 4];
  sdata[tid] += sdata[tid + 2];
  sdata[tid] += sdata[tid + 1];
}

__global__ void reduce(const float *in, float *out, int n) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x * 2 + tid;
  sdata[tid] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) warpReduce(sdata, tid);
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

int main() {
  const int n = 1 << 17, threads = 128, blocks = n / threads / 2;
  float *h = (float *)malloc(n * sizeof(float)), part[blocks];
  double want = 0, got = 0;
  for (int i = 0; i < n; i++) want += h[i] = (float)(rand() % 8);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, blocks * sizeof(float));
  cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
  reduce<<<blocks, threads, threads * sizeof(float)>>>(in, out, n);
  cudaMemcpy(part, out, sizeof part, cudaMemcpyDeviceToHost);
  for (int i = 0; i < blocks; i++) got += part[i];
  printf("sum of %d: %s\n", n, got == want ? "ok" : "WRONG");
  return got != want;
}
