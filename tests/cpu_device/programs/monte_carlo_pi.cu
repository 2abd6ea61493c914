/* Pi by random points: each thread its own linear congruential generator, 64-bit atomic count.
 * Prints: same count as on the host
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdint>
#include <iostream>
#include <iomanip>

struct Lcg {
  uint64_t state;
  __host__ __device__ explicit Lcg(uint64_t seed) : state(seed * 6364136223846793005ULL + 1442695040888963407ULL) {}
  __host__ __device__ uint32_t next() {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(state >> 33);
  }
  __host__ __device__ double uniform() { return next() / 2147483648.0; }
};

__host__ __device__ unsigned long long hits(int thread, int points) {
  Lcg random(thread);
  unsigned long long n = 0;
  for (int i = 0; i < points; ++i) {
    // 31 bits each: squares and sum are exact in 64-bit integers.
    uint64_t x = random.next(), y = random.next();
    if (x * x + y * y < (1ULL << 62)) ++n;
  }
  return n;
}

__global__ void count(unsigned long long *total, int points) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total, hits(thread, points));
}

int main() {
  const int blocks = 32, threads = 128, points = 500;
  unsigned long long *d_total, total = 0, want = 0;
  cudaMalloc(&d_total, sizeof *d_total);
  cudaMemset(d_total, 0, sizeof *d_total);
  count<<<blocks, threads>>>(d_total, points);
  cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
  for (int t = 0; t < blocks * threads; ++t) want += hits(t, points);
  std::cout << std::setprecision(6) << "pi is about " << 4.0 * total / (blocks * threads * (double)points) << '\n';
  std::cout << (total == want ? "same count as on the host" : "DIFFERENT") << std::endl;
  return total != want;
}
