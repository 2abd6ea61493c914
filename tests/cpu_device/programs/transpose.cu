/* Matrix transpose: a copy, the plain way, through a tile, and through a padded tile; event times.
 * Prints: naive          ok
 * Prints: tile           ok
 * Prints: padded tile    ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <assert.h>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;
const int NX = 512, NY = 256;

inline cudaError_t checkCuda(cudaError_t result) {
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
    assert(result == cudaSuccess);
  }
  return result;
}

__global__ void transposeNaive(float *odata, const float *idata, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[x * height + (y + j)] = idata[(y + j) * width + x];
}

template <int PAD>
__global__ void transposeTile(float *odata, const float *__restrict__ idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

static float in[NX * NY], out[NX * NY];

static int finish(const char *name, const float *d_out, float ms) {
  checkCuda(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++)
      if (out[x * NY + y] != in[y * NX + x]) {
        printf("%-14s FAILED\n", name);
        return 1;
      }
  printf("%-14s ok\n", name);
  return ms < 0;
}

int main() {
  dim3 dimGrid(NX / TILE_DIM, NY / TILE_DIM, 1), dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  for (int i = 0; i < NX * NY; i++) in[i] = (float)i;
  float *d_in, *d_out, ms;
  checkCuda(cudaMalloc(&d_in, sizeof in));
  checkCuda(cudaMalloc(&d_out, sizeof out));
  checkCuda(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  cudaEvent_t startEvent, stopEvent;
  checkCuda(cudaEventCreate(&startEvent));
  checkCuda(cudaEventCreate(&stopEvent));
  int bad = 0;
#define TRY(name, launch)                                              \
  checkCuda(cudaMemset(d_out, 0, sizeof out));                         \
  checkCuda(cudaEventRecord(startEvent, 0));                           \
  launch;                                                              \
  checkCuda(cudaEventRecord(stopEvent, 0));                            \
  checkCuda(cudaEventSynchronize(stopEvent));                          \
  checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));         \
  bad += finish(name, d_out, ms)
  TRY("naive", (transposeNaive<<<dimGrid, dimBlock>>>(d_out, d_in, NX, NY)));
  TRY("tile", (transposeTile<0><<<dimGrid, dimBlock>>>(d_out, d_in, NX, NY)));
  TRY("padded tile", (transposeTile<1><<<dimGrid, dimBlock>>>(d_out, d_in, NX, NY)));
  checkCuda(cudaEventDestroy(startEvent));
  checkCuda(cudaEventDestroy(stopEvent));
  checkCuda(cudaFree(d_in));
  checkCuda(cudaFree(d_out));
  return bad;
}
