/* Memory from the stream-ordered allocator: cudaMallocAsync and cudaFreeAsync.
 * Prints: async allocations: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void fill(int *p, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i;
}
__global__ void add(const int *a, const int *b, int *c, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

int main() {
  const int n = 3000;
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *a, *b, *c, *h;
  cudaMallocHost(&h, n * sizeof(int));
  for (int round = 0; round < 3; round++) {
    if (cudaMallocAsync(&a, n * sizeof(int), s) != cudaSuccess) return 1;
    if (cudaMallocAsync((void **)&b, n * sizeof(int), s) != cudaSuccess) return 1;
    if (cudaMallocAsync(&c, n * sizeof(int), s) != cudaSuccess) return 1;
    fill<<<1, 128, 0, s>>>(a, n, round);
    fill<<<1, 128, 0, s>>>(b, n, 5);
    add<<<1, 128, 0, s>>>(a, b, c, n);
    cudaFreeAsync(a, s);
    cudaFreeAsync(b, s);
    cudaMemcpyAsync(h, c, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(c, s);
    if (cudaStreamSynchronize(s) != cudaSuccess) return 2;
    for (int i = 0; i < n; i++)
      if (h[i] != round + 5 + 2 * i) return 3;
  }
  cudaFreeHost(h);
  printf("async allocations: ok\n");
  return 0;
}
