// SPDX-License-Identifier: Apache-2.0
#include "stats.cuh"

#define THREADS 256

static __global__ void sums(const float *x, int n, double *out) {
  __shared__ double scratch[THREADS];
  double s = 0, q = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    s += x[i];
    q += squared(x[i]);
  }
  s = block_sum(s, scratch);
  q = block_sum(q, scratch);
  if (threadIdx.x == 0) {
    atomicAdd(&out[0], s);
    atomicAdd(&out[1], q);
  }
}

void launch_sums(const float *d_x, int n, double *d_sums) { sums<<<32, THREADS>>>(d_x, n, d_sums); }
