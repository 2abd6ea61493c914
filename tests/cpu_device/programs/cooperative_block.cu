/* Cooperative groups: thread_block, tiles of several sizes, a sum through a templated tile.
 * Prints: Sum of all ranks 0..63 is 2016 (expected 2016)
 * Prints: Sum of all ranks 0..15 in this tile of 16 is 120 (expected 120)
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <stdio.h>

using namespace cooperative_groups;

__device__ int sumReduction(thread_group g, int *x, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    x[lane] = val;
    g.sync();
    if (lane < i) val += x[lane + i];
    g.sync();
  }
  return g.thread_rank() == 0 ? val : -1;
}

__global__ void cgkernel() {
  thread_block threadBlockGroup = this_thread_block();
  int threadBlockGroupSize = threadBlockGroup.size();
  extern __shared__ int workspace[];
  int input = threadBlockGroup.thread_rank();
  int expectedOutput = (threadBlockGroupSize - 1) * threadBlockGroupSize / 2;
  int output = sumReduction(threadBlockGroup, workspace, input);
  if (threadBlockGroup.thread_rank() == 0)
    printf("Sum of all ranks 0..%d is %d (expected %d)\n", (int)threadBlockGroup.size() - 1, output, expectedOutput);
  threadBlockGroup.sync();
  thread_block_tile<16> tiledPartition16 = tiled_partition<16>(threadBlockGroup);
  int workspaceOffset = threadBlockGroup.thread_rank() - tiledPartition16.thread_rank();
  input = tiledPartition16.thread_rank();
  output = sumReduction(tiledPartition16, workspace + workspaceOffset, input);
  if (tiledPartition16.thread_rank() == 0)
    printf("Sum of all ranks 0..15 in this tile of 16 is %d (expected %d)\n", output, 15 * 16 / 2);
}

int main() {
  cgkernel<<<1, 64, 64 * sizeof(int)>>>();
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) printf("error: %s\n", cudaGetErrorString(err));
  return err != cudaSuccess;
}
