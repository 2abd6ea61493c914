/* Tiles with shuffles, ballots and cg::reduce; coalesced_threads for an aggregated atomic.
 * Prints: tiles: ok
 * Prints: filter kept 3334
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

template <int Size>
__global__ void tileSums(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Size>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  int again = cg::reduce(tile, in[i], cg::plus<int>());
  int positive = __popc(tile.ballot(in[i] > 0));
  bool any = tile.any(in[i] > 1000000);
  v = tile.shfl(v, 0);
  if (tile.thread_rank() == 0) out[i / Size] = (v == again && !any) ? v + positive : -1;
}

__device__ int atomicAggInc(int *counter) {
  auto g = cg::coalesced_threads();
  int base = 0;
  if (g.thread_rank() == 0) base = atomicAdd(counter, g.size());
  return g.shfl(base, 0) + g.thread_rank();
}

__global__ void filter(const int *in, int *out, int *counter, int n) {
  int i = cg::this_grid().thread_rank();
  if (i < n && in[i] % 3 == 0) out[atomicAggInc(counter)] = in[i];
}

int main() {
  const int n = 10000, whole = 9984;
  std::vector<int> h(n), got(n);
  for (int i = 0; i < n; i++) h[i] = i;
  int *in, *out, *counter, kept = 0;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMalloc(&counter, 4);
  cudaMemset(counter, 0, 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  auto check = [&](int size) {
    cudaMemcpy(got.data(), out, whole / size * 4, cudaMemcpyDeviceToHost);
    for (int t = 0; t < whole / size; t++) {
      int want = 0;
      for (int i = t * size; i < (t + 1) * size; i++) want += h[i] + (h[i] > 0);
      if (got[t] != want) return printf("tile %d of %d: %d, not %d\n", t, size, got[t], want), false;
    }
    return true;
  };
  tileSums<32><<<whole / 128, 128>>>(in, out);
  if (!check(32)) return 1;
  tileSums<8><<<whole / 128, 128>>>(in, out);
  if (!check(8)) return 1;
  printf("tiles: ok\n");
  filter<<<(n + 255) / 256, 256>>>(in, out, counter, n);
  cudaMemcpy(&kept, counter, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(got.data(), out, kept * 4, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < kept; i++) sum += got[i];
  printf("filter kept %d\n", kept);
  return sum != 3L * 3333 * 3334 / 2;
}
