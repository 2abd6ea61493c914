/* A matrix sum on a two-dimensional grid, sizes that no block divides, dim3 variables.
 * Prints: matrix sum 1000 x 700: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void matAdd(const int *a, const int *b, int *c, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    int idx = row * cols + col;
    c[idx] = a[idx] + b[idx];
  }
}

int main() {
  const int rows = 700, cols = 1000, n = rows * cols;
  std::vector<int> a(n), b(n), c(n, -1);
  for (int i = 0; i < n; i++) {
    a[i] = i * 7 % 1001;
    b[i] = i * 13 % 997;
  }
  int *da, *db, *dc;
  cudaMalloc(&da, n * sizeof(int));
  cudaMalloc(&db, n * sizeof(int));
  cudaMalloc(&dc, n * sizeof(int));
  cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y, 1);
  matAdd <<< grid, block >>> (da, db, dc, rows, cols);
  if (cudaSuccess != cudaGetLastError()) {
    printf("launch failed\n");
    return 1;
  }
  cudaMemcpy(c.data(), dc, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) return printf("wrong at %d\n", i), 1;
  cudaFree(da), cudaFree(db), cudaFree(dc);
  printf("matrix sum %d x %d: ok\n", cols, rows);
  return 0;
}
