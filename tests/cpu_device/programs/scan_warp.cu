/* Inclusive scan by shuffles inside warps, then across warps, in 1,024-thread blocks.
 * Prints: warp scan: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <numeric>
#include <vector>

__device__ __forceinline__ int warpScan(int x) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if ((threadIdx.x & 31) >= d) x += y;
  }
  return x;
}

__global__ __launch_bounds__(1024) void blockScan(int *data) {
  __shared__ int warpSums[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = warpScan(data[i]);
  if (lane == 31) warpSums[warp] = x;
  __syncthreads();
  if (warp == 0) warpSums[lane] = warpScan(warpSums[lane]);
  __syncthreads();
  if (warp > 0) x += warpSums[warp - 1];
  data[i] = x;
}

int main() {
  const int block = 1024, blocks = 8, n = block * blocks;
  std::vector<int> h(n), want(n), got(n);
  for (int i = 0; i < n; ++i) h[i] = i % 11 - 3;
  for (int b = 0; b < blocks; ++b)
    std::partial_sum(h.begin() + b * block, h.begin() + (b + 1) * block, want.begin() + b * block);
  int *d;
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  blockScan<<<blocks, block>>>(d);
  cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d);
  printf("warp scan: %s\n", got == want ? "ok" : "WRONG");
  return got != want;
}
