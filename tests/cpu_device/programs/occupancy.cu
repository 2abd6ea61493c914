/* The occupancy calculator and a kernel's attributes.
 * Prints: occupancy: between 1 and 100 %
 * SPDX-License-Identifier: Apache-2.0 */
#include <iostream>

__global__ void square(int *array, int arrayCount) {
  extern __shared__ int dynamicSmem[];
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < arrayCount) array[idx] *= array[idx];
}

__launch_bounds__(256, 2) __global__ void bounded(int *x) { x[threadIdx.x] = 1; }

int main() {
  int numBlocks = 0, minGridSize = 0, blockSize = 0, device;
  cudaDeviceProp prop;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&prop, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&numBlocks, square, 32, 0);
  double activeWarps = numBlocks * 32 / prop.warpSize, maxWarps = prop.maxThreadsPerMultiProcessor / prop.warpSize;
  double percent = activeWarps / maxWarps * 100;
  cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void *)square, 0, 1000000);
  std::cout << "block of " << blockSize << ", grid of " << minGridSize << std::endl;
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, bounded) != cudaSuccess) return 1;
  std::cout << attributes.numRegs << " registers, at most " << attributes.maxThreadsPerBlock << " threads\n";
  if (blockSize < 32 || blockSize > 1024 || minGridSize < 1) return 2;
  const int n = 5000;
  int *a;
  cudaMallocManaged(&a, n * sizeof(int));
  for (int i = 0; i < n; i++) a[i] = i % 1000;
  square<<<(n + blockSize - 1) / blockSize, blockSize>>>(a, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    if (a[i] != (i % 1000) * (i % 1000)) return 3;
  if (!(percent >= 1 && percent <= 100)) return 4;
  std::cout << "occupancy: between 1 and 100 %" << std::endl;
  return 0;
}
