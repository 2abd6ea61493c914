/* SPDX-License-Identifier: Apache-2.0
 * Floats that become double: lines 8, 13 and 21 in device code, for which a warning is wanted.
 * All others are meant. */
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__device__ float half_of(float v) { return v * 0.5; }

template <typename T>
__global__ void scale(size_t n, T *d_x) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d_x[i] = d_x[i] * 0.25; /* wanted for float, not for double */
}

__global__ void float_only(size_t n, float *d_x) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  d_x[i] = 0.0;
  if (i == 1) printf("%f\n", half_of(d_x[i]));
  if (i > 1) d_x[i] += M_PI * d_x[0];
  const float third = 1.0 / 3;
  d_x[i] = 0.5f * d_x[i] + third;
}

/* A sum in double of floats says so. */
__global__ void sum(size_t n, const float *d_x, double *d_sum) {
  double total = 0;
  for (size_t i = 0; i < n; ++i) total += d_x[i];
  *d_sum = total;
}

int main(void) {
  float *d_x = nullptr, x = 3;
  double *d_y = nullptr;
  scale<<<1, 32>>>(0, d_x);
  scale<<<1, 32>>>(0, d_y);
  float_only<<<1, 32>>>(0, d_x);
  sum<<<1, 1>>>(0, d_x, d_y);
  printf("%f %f\n", x, x * 0.5);
  return 0;
}
