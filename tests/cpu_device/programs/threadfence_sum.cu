/* One-launch sum: the last block to finish adds up the partial sums (atomicInc, __threadfence).
 * Prints: sum 1: ok
 * Prints: sum 2: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__device__ unsigned int count = 0;
__shared__ bool isLastBlockDone;

__device__ float blockSum(float v) {
  __shared__ float cache[128];
  cache[threadIdx.x] = v;
  __syncthreads();
  for (int s = blockDim.x / 2; s; s /= 2) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  return cache[0];
}

__global__ void sum(const float *array, unsigned int N, volatile float *result) {
  float v = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) v += array[i];
  float partialSum = blockSum(v);
  if (threadIdx.x == 0) {
    result[blockIdx.x] = partialSum;
    __threadfence();
    unsigned int value = atomicInc(&count, gridDim.x);
    isLastBlockDone = (value == (gridDim.x - 1));
  }
  __syncthreads();
  if (isLastBlockDone) {
    float total = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) total += result[i];
    total = blockSum(total);
    if (threadIdx.x == 0) {
      result[0] = total;
      count = 0;
    }
  }
}

int main() {
  const unsigned N = 123456;
  static float h[N];
  double want = 0;
  for (unsigned i = 0; i < N; i++) want += h[i] = i % 5;
  float *d, *r, got;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&r, 64 * sizeof(float));
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  for (int round = 1; round <= 2; round++) {
    sum<<<64, 128>>>(d, N, r);
    cudaMemcpy(&got, r, sizeof got, cudaMemcpyDeviceToHost);
    if (got != want) return printf("sum %d: %f instead of %f\n", round, got, want), 1;
    printf("sum %d: ok\n", round);
  }
  return 0;
}
