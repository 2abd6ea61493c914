/* Histogram of bytes: global atomics, then shared atomics flushed by each block.
 * Prints: histogram_global ok
 * Prints: histogram_shared ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 256
#define SIZE (1024 * 1024)

static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

__global__ void histogram_global(unsigned char *buffer, long size, unsigned int *histo) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&(histo[buffer[i]]), 1);
    i += stride;
  }
}

__global__ void histogram_shared(unsigned char *buffer, long size, unsigned int *histo) {
  __shared__ unsigned int temp[BINS];
  temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int offset = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

int main(void) {
  unsigned char *buffer = (unsigned char *)malloc(SIZE);
  unsigned int want[BINS] = {0}, got[BINS];
  for (int i = 0; i < SIZE; i++) want[buffer[i] = (unsigned char)(rand() * rand() >> 7)]++;
  cudaDeviceProp prop;
  HANDLE_ERROR(cudaGetDeviceProperties(&prop, 0));
  int blocks = prop.multiProcessorCount;
  unsigned char *dev_buffer;
  unsigned int *dev_histo;
  HANDLE_ERROR(cudaMalloc((void **)&dev_buffer, SIZE));
  HANDLE_ERROR(cudaMemcpy(dev_buffer, buffer, SIZE, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMalloc((void **)&dev_histo, BINS * sizeof(int)));
  for (int round = 0; round < 2; round++) {
    HANDLE_ERROR(cudaMemset(dev_histo, 0, BINS * sizeof(int)));
    if (round == 0) histogram_global<<<blocks * 2, 256>>>(dev_buffer, SIZE, dev_histo);
    else histogram_shared<<<blocks * 2, 256>>>(dev_buffer, SIZE, dev_histo);
    HANDLE_ERROR(cudaMemcpy(got, dev_histo, sizeof got, cudaMemcpyDeviceToHost));
    if (memcmp(got, want, sizeof got)) {
      printf("round %d is wrong\n", round);
      return 1;
    }
    printf("%s ok\n", round ? "histogram_shared" : "histogram_global");
  }
  return 0;
}
