/* A grid-wide barrier: cudaLaunchCooperativeKernel with a grid from the occupancy calculator.
 * Prints: grid sync: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void smooth(float *a, float *b, int n, int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < rounds; r++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = b[i] - a[i];
    grid.sync();
  }
}

int main() {
  int dev = 0, supports = 0, perSm = 0;
  cudaDeviceGetAttribute(&supports, cudaDevAttrCooperativeLaunch, dev);
  if (!supports) return printf("no cooperative launch\n"), 1;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, dev);
  int threads = 128, n = 3000, rounds = 5;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, smooth, threads, 0);
  int blocks = prop.multiProcessorCount * perSm;
  if (blocks > 24) blocks = 24;
  static float h[3000], want[3000], next[3000];
  for (int i = 0; i < n; i++) want[i] = h[i] = i % 13;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++) next[i] = want[(i + n - 1) % n] + want[(i + 1) % n];
    for (int i = 0; i < n; i++) want[i] = next[i] - want[i];
  }
  float *a, *b;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  void *kernelArgs[] = {&a, &b, &n, &rounds};
  dim3 dimBlock(threads, 1, 1), dimGrid(blocks, 1, 1);
  cudaError_t e = cudaLaunchCooperativeKernel((void *)smooth, dimGrid, dimBlock, kernelArgs, 0, NULL);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e != cudaSuccess) return printf("%s\n", cudaGetErrorString(e)), 1;
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (h[i] != want[i]) return printf("wrong at %d\n", i), 1;
  printf("grid sync: ok\n");
  return 0;
}
