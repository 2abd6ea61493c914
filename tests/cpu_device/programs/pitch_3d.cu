/* A 3D box: cudaMalloc3D, cudaMemcpy3D with extents, a three-dimensional block and grid.
 * Prints: box 20 x 12 x 9: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void fill(cudaPitchedPtr p, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= w || y >= h || z >= d) return;
  char *slice = (char *)p.ptr + z * p.pitch * h;
  int *row = (int *)(slice + y * p.pitch);
  row[x] += x + 100 * y + 10000 * z;
}

int main() {
  const int w = 20, h = 12, d = 9;
  static int box[d][h][w];
  for (auto &slice : box) for (auto &row : slice) for (int &v : row) v = 7;
  cudaExtent extent = make_cudaExtent(w * sizeof(int), h, d);
  cudaPitchedPtr dev;
  if (cudaMalloc3D(&dev, extent) != cudaSuccess) return 1;
  cudaMemcpy3DParms copy = {0};
  copy.srcPtr = make_cudaPitchedPtr(box, w * sizeof(int), w, h);
  copy.dstPtr = dev;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  if (cudaMemcpy3D(&copy) != cudaSuccess) return 2;
  dim3 block(8, 4, 2), grid((w + 7) / 8, (h + 3) / 4, (d + 1) / 2);
  fill<<<grid, block>>>(dev, w, h, d);
  copy.dstPtr = copy.srcPtr;
  copy.srcPtr = dev;
  copy.kind = cudaMemcpyDeviceToHost;
  if (cudaMemcpy3D(&copy) != cudaSuccess) return 3;
  cudaFree(dev.ptr);
  for (int z = 0; z < d; z++) for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)
    if (box[z][y][x] != 7 + x + 100 * y + 10000 * z) return printf("wrong at %d %d %d\n", x, y, z), 4;
  printf("box %d x %d x %d: ok\n", w, h, d);
  return 0;
}
