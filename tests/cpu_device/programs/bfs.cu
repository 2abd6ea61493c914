/* Breadth-first search by levels: frontier queues and a flag that the host reads after each level.
 * Prints: levels agree with the host
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <queue>
#include <vector>
using namespace std;

__global__ void bfsLevel(const int *starts, const int *edges, int *level, int current, int nodes, bool *more) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  if (tid >= nodes || level[tid] != current) return;
  for (int e = starts[tid]; e < starts[tid + 1]; e++) {
    int next = edges[e];
    if (level[next] == -1) {
      level[next] = current + 1;
      *more = true;
    }
  }
}

int main() {
  const int nodes = 4000;
  vector<int> starts(nodes + 1), edges, want(nodes, -1), got(nodes, -1);
  for (int i = 0; i < nodes; i++) {
    starts[i] = edges.size();
    for (int k = 1; k <= i % 4 + 1; k++) edges.push_back((i * 3 + k * k * 5) % nodes);
  }
  starts[nodes] = edges.size();
  queue<int> q;
  q.push(0);
  want[0] = got[0] = 0;
  while (!q.empty()) {
    int i = q.front();
    q.pop();
    for (int e = starts[i]; e < starts[i + 1]; e++)
      if (want[edges[e]] < 0) want[edges[e]] = want[i] + 1, q.push(edges[e]);
  }
  int *d_starts, *d_edges, *d_level;
  bool *d_more, more;
  cudaMalloc(&d_starts, starts.size() * sizeof(int));
  cudaMalloc(&d_edges, edges.size() * sizeof(int));
  cudaMalloc(&d_level, nodes * sizeof(int));
  cudaMalloc(&d_more, sizeof(bool));
  cudaMemcpy(d_starts, &starts[0], starts.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_edges, &edges[0], edges.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_level, &got[0], nodes * sizeof(int), cudaMemcpyHostToDevice);
  int level = 0;
  do {
    more = false;
    cudaMemcpy(d_more, &more, sizeof(bool), cudaMemcpyHostToDevice);
    bfsLevel<<<(nodes + 511) / 512, 512>>>(d_starts, d_edges, d_level, level++, nodes, d_more);
    cudaMemcpy(&more, d_more, sizeof(bool), cudaMemcpyDeviceToHost);
  } while (more);
  cudaMemcpy(&got[0], d_level, nodes * sizeof(int), cudaMemcpyDeviceToHost);
  printf("levels %s with the host\n", got == want ? "agree" : "DISAGREE");
  return got != want;
}
