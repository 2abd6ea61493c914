/* Least-significant-digit radix sort, one bit a pass: flags, scan, scatter.
 * Prints: radix sort of 10000: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

const int kBlock = 256;

__global__ void flag_zeros(const unsigned *keys, unsigned *flags, int n, int bit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = !(keys[i] >> bit & 1u);
}

// Exclusive scan of each block; the total of each goes to sums.
__global__ void scan_blocks(unsigned *data, unsigned *sums, int n) {
  __shared__ unsigned s[2][kBlock];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, now = 0;
  unsigned own = i < n ? data[i] : 0;
  s[0][t] = own;
  __syncthreads();
  for (int d = 1; d < kBlock; d *= 2, now ^= 1) {
    s[now ^ 1][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
    __syncthreads();
  }
  if (i < n) data[i] = s[now][t] - own;
  if (t == kBlock - 1) sums[blockIdx.x] = s[now][t];
}

__global__ void scan_sums(unsigned *sums, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    unsigned x = sums[i];
    sums[i] = sum;
    sum += x;
  }
  sums[n] = sum;
}

__global__ void scatter(const unsigned *in, unsigned *out, const unsigned *scan, const unsigned *sums,
                        int n, int bit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned zeros_before = scan[i] + sums[blockIdx.x], zeros = sums[gridDim.x];
  unsigned place = in[i] >> bit & 1u ? zeros + i - zeros_before : zeros_before;
  out[place] = in[i];
}

int main() {
  const int n = 10000, blocks = (n + kBlock - 1) / kBlock;
  std::vector<unsigned> h(n), got(n);
  for (auto &x : h) x = (unsigned)rand() * 2654435761u;
  unsigned *a, *b, *flags, *sums;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&flags, n * 4);
  cudaMalloc(&sums, (blocks + 1) * 4);
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  for (int bit = 0; bit < 32; ++bit) {
    flag_zeros<<<blocks, kBlock>>>(a, flags, n, bit);
    scan_blocks<<<blocks, kBlock>>>(flags, sums, n);
    scan_sums<<<1, 1>>>(sums, blocks);
    scatter<<<blocks, kBlock>>>(a, b, flags, sums, n, bit);
    std::swap(a, b);
  }
  cudaMemcpy(got.data(), a, n * 4, cudaMemcpyDeviceToHost);
  std::sort(h.begin(), h.end());
  printf("radix sort of %d: %s\n", n, got == h ? "ok" : "WRONG");
  return got != h;
}
