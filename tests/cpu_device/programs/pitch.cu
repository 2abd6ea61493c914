/* Pitched two-dimensional memory, cudaMemcpy2D and cudaMemset2D.
 * Prints: pitched image: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void MyKernel(float *devPtr, size_t pitch, int width, int height) {
  for (int r = blockIdx.x; r < height; r += gridDim.x) {
    float *row = (float *)((char *)devPtr + r * pitch);
    for (int c = threadIdx.x; c < width; c += blockDim.x) row[c] = row[c] * 2 + r;
  }
}

int main() {
  const int width = 61, height = 37;
  static float in[height][width], out[height][width];
  for (int r = 0; r < height; r++)
    for (int c = 0; c < width; c++) in[r][c] = r * 100 + c;
  float *devPtr;
  size_t pitch;
  if (cudaMallocPitch(&devPtr, &pitch, width * sizeof(float), height) != cudaSuccess) return 1;
  if (pitch < width * sizeof(float)) return 1;
  cudaMemset2D(devPtr, pitch, 0xff, width * sizeof(float), height);
  cudaMemcpy2D(devPtr, pitch, in, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  MyKernel<<<10, 32>>>(devPtr, pitch, width, height);
  cudaMemcpy2D(out, width * sizeof(float), devPtr, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
  cudaFree(devPtr);
  for (int r = 0; r < height; r++)
    for (int c = 0; c < width; c++)
      if (out[r][c] != in[r][c] * 2 + r) return printf("wrong at %d, %d\n", r, c), 1;
  printf("pitched image: ok\n");
  return 0;
}
