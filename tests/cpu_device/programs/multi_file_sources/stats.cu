// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include "stats.cuh"

Stats compute_stats(Vector v) {
  float *d_x;
  double *d_sums, sums[2];
  cudaMalloc(&d_x, v.count * sizeof(float));
  cudaMalloc(&d_sums, sizeof sums);
  cudaMemcpy(d_x, v.data, v.count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_sums, 0, sizeof sums);
  launch_sums(d_x, v.count, d_sums);
  cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_sums);
  Stats s;
  s.mean = sums[0] / v.count;
  s.deviation = std::sqrt(sums[1] / v.count - squared(s.mean));
  return s;
}
