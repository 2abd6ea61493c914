/* One-dimensional stencil with a halo in shared memory, coefficients in constant memory.
 * Prints: stencil radius 3: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <math.h>

#define RADIUS 3
#define BLOCK 128
#define N (BLOCK * 40)

__constant__ float coef[2 * RADIUS + 1];

__global__ void stencil_1d(const float *in, float *out) {
  __shared__ float temp[BLOCK + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK] = in[gindex + BLOCK];
  }
  __syncthreads();
  float result = 0;
#pragma unroll
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += coef[offset + RADIUS] * temp[lindex + offset];
  out[gindex - RADIUS] = result;
}

int main() {
  static float in[N + 2 * RADIUS], out[N];
  const float c[] = {0.5f, -1, 2, 4, 2, -1, 0.25f};
  for (int i = 0; i < N + 2 * RADIUS; i++) in[i] = (float)(i * i % 37);
  float *d_in, *d_out;
  cudaMalloc((void **)&d_in, sizeof in);
  cudaMalloc((void **)&d_out, sizeof out);
  cudaMemcpyToSymbol(coef, c, sizeof c);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  stencil_1d<<<N / BLOCK, BLOCK>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) {
    float want = 0;
    for (int j = 0; j <= 2 * RADIUS; j++) want += c[j] * in[i + j];
    if (fabsf(want - out[i]) > 1e-3f) return printf("wrong at %d\n", i), 1;
  }
  printf("stencil radius %d: ok\n", RADIUS);
  return 0;
}
