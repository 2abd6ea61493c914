/* Bitonic sort: global steps launched from two host loops.
 * Prints: 65536 values in order
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define THREADS 512
#define BLOCKS 128
#define NUM_VALS THREADS *BLOCKS

__global__ void bitonic_sort_step(float *dev_values, int j, int k) {
  unsigned int i, ixj;
  i = threadIdx.x + blockDim.x * blockIdx.x;
  ixj = i ^ j;
  if ((ixj) > i) {
    if ((i & k) == 0) {
      if (dev_values[i] > dev_values[ixj]) {
        float temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
    if ((i & k) != 0) {
      if (dev_values[i] < dev_values[ixj]) {
        float temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
  }
}

int main(void) {
  float *values = (float *)malloc(NUM_VALS * sizeof(float)), *dev_values;
  float *want = (float *)malloc(NUM_VALS * sizeof(float));
  for (int i = 0; i < NUM_VALS; ++i) want[i] = values[i] = (float)rand() / (float)RAND_MAX;
  size_t size = NUM_VALS * sizeof(float);
  cudaMalloc((void **)&dev_values, size);
  cudaMemcpy(dev_values, values, size, cudaMemcpyHostToDevice);
  dim3 blocks(BLOCKS, 1);
  dim3 threads(THREADS, 1);
  for (int k = 2; k <= NUM_VALS; k <<= 1)
    for (int j = k >> 1; j > 0; j = j >> 1) bitonic_sort_step<<<blocks, threads>>>(dev_values, j, k);
  cudaMemcpy(values, dev_values, size, cudaMemcpyDeviceToHost);
  cudaFree(dev_values);
  std::sort(want, want + NUM_VALS);
  if (!std::equal(values, values + NUM_VALS, want)) return printf("not sorted\n"), 1;
  printf("%d values in order\n", NUM_VALS);
  return 0;
}
