/* Game of life on a torus: two buffers that swap, a glider that must come back shifted.
 * Prints: glider moved by (8, 8) after 32 steps
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <utility>

#define W 64
#define H 48

typedef unsigned char ubyte;

__global__ void step(const ubyte *now, ubyte *next, unsigned w, unsigned h) {
  unsigned cells = w * h;
  for (unsigned cell = blockIdx.x * blockDim.x + threadIdx.x; cell < cells; cell += blockDim.x * gridDim.x) {
    unsigned x = cell % w, y = cell - x;
    unsigned left = (x + w - 1) % w, right = (x + 1) % w;
    unsigned up = (y + cells - w) % cells, down = (y + w) % cells;
    unsigned alive = now[left + up] + now[x + up] + now[right + up] + now[left + y] + now[right + y] +
                     now[left + down] + now[x + down] + now[right + down];
    next[x + y] = alive == 3 || (alive == 2 && now[x + y]) ? 1 : 0;
  }
}

int main() {
  static ubyte start[H][W], end[H][W], want[H][W];
  const int glider[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  for (auto &g : glider) {
    start[(g[0] + 42) % H][(g[1] + 60) % W] = 1;
    want[(g[0] + 42 + 8) % H][(g[1] + 60 + 8) % W] = 1;
  }
  ubyte *now, *next;
  cudaMalloc(&now, sizeof start);
  cudaMalloc(&next, sizeof start);
  cudaMemcpy(now, start, sizeof start, cudaMemcpyHostToDevice);
  for (int i = 0; i < 32; i++) {
    step<<<4, 128>>>(now, next, W, H);
    std::swap(now, next);
  }
  cudaMemcpy(end, now, sizeof end, cudaMemcpyDeviceToHost);
  cudaFree(now);
  cudaFree(next);
  if (memcmp(end, want, sizeof end) != 0) return puts("the glider is elsewhere"), 1;
  printf("glider moved by (8, 8) after 32 steps\n");
  return 0;
}
