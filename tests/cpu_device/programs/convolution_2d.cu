/* Image convolution: mask in constant memory, tile with halo loaded in two steps.
 * Prints: convolution 5 x 5: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define MASK_WIDTH 5
#define O_TILE_WIDTH 12
#define BLOCK_WIDTH (O_TILE_WIDTH + MASK_WIDTH - 1)

static __constant__ float M[MASK_WIDTH][MASK_WIDTH];

__global__ void convolution_2D(const float *__restrict__ data, float *output, int height, int width) {
  __shared__ float Ns[BLOCK_WIDTH][BLOCK_WIDTH];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row_o = blockIdx.y * O_TILE_WIDTH + ty, col_o = blockIdx.x * O_TILE_WIDTH + tx;
  int row_i = row_o - MASK_WIDTH / 2, col_i = col_o - MASK_WIDTH / 2;
  if ((row_i >= 0) && (row_i < height) && (col_i >= 0) && (col_i < width))
    Ns[ty][tx] = data[row_i * width + col_i];
  else
    Ns[ty][tx] = 0.0f;
  __syncthreads();
  if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH) {
    float value = 0.0f;
    for (int i = 0; i < MASK_WIDTH; i++)
      for (int j = 0; j < MASK_WIDTH; j++) value += M[i][j] * Ns[i + ty][j + tx];
    if (row_o < height && col_o < width) output[row_o * width + col_o] = value;
  }
}

int main() {
  const int h = 75, w = 130, r = MASK_WIDTH / 2;
  float mask[MASK_WIDTH][MASK_WIDTH], *in = new float[h * w], *out = new float[h * w];
  for (int i = 0; i < MASK_WIDTH; i++)
    for (int j = 0; j < MASK_WIDTH; j++) mask[i][j] = (float)(i * 2 - j);
  for (int i = 0; i < h * w; i++) in[i] = rand() % 9;
  float *d_in, *d_out;
  cudaMalloc(&d_in, sizeof(float) * h * w);
  cudaMalloc(&d_out, sizeof(float) * h * w);
  cudaMemcpy(d_in, in, sizeof(float) * h * w, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(M, mask, sizeof(mask), 0, cudaMemcpyHostToDevice);
  dim3 block(BLOCK_WIDTH, BLOCK_WIDTH);
  dim3 grid((w - 1) / O_TILE_WIDTH + 1, (h - 1) / O_TILE_WIDTH + 1, 1);
  convolution_2D<<<grid, block>>>(d_in, d_out, h, w);
  cudaMemcpy(out, d_out, sizeof(float) * h * w, cudaMemcpyDeviceToHost);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float want = 0;
      for (int i = -r; i <= r; i++)
        for (int j = -r; j <= r; j++)
          if (y + i >= 0 && y + i < h && x + j >= 0 && x + j < w)
            want += mask[i + r][j + r] * in[(y + i) * w + x + j];
      if (fabs(want - out[y * w + x]) > 1e-4) return printf("wrong at %d, %d\n", y, x), 1;
    }
  printf("convolution %d x %d: ok\n", MASK_WIDTH, MASK_WIDTH);
  delete[] in;
  delete[] out;
  return 0;
}
