// SPDX-License-Identifier: Apache-2.0
#ifndef STATS_CUH
#define STATS_CUH
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include "host.h"

struct Stats {
  double mean, deviation;
};

__host__ __device__ inline double squared(double x) { return x * x; }

template <typename T>
__device__ __forceinline__ T block_sum(T value, T *scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) scratch[threadIdx.x] += scratch[threadIdx.x + s];
    __syncthreads();
  }
  T sum = scratch[0];
  __syncthreads();
  return sum;
}

Stats compute_stats(Vector v);
void launch_sums(const float *d_x, int n, double *d_sums);
#endif
