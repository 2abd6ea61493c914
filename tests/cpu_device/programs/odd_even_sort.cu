/* Odd-even transposition sort inside a block, keys and values, in a struct.
 * Prints: sorted by key: yes
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

struct Pair {
  int key;
  char value;
};

__device__ inline void exchange(Pair &a, Pair &b) {
  Pair t = a;
  a = b;
  b = t;
}

__global__ void oddEven(Pair *data, int n) {
  extern __shared__ Pair s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
  for (int phase = 0; phase < n; ++phase) {
    __syncthreads();
    int left = 2 * threadIdx.x + phase % 2;
    if (left + 1 < n && s[left].key > s[left + 1].key) exchange(s[left], s[left + 1]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

int main() {
  enum { n = 501 };
  Pair h[n], *d;
  for (int i = 0; i < n; i++) {
    h[i].key = (i * 197) % n;
    h[i].value = (char)(h[i].key % 100);
  }
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  oddEven<<<1, (n + 1) / 2, sizeof h>>>(d, n);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int ok = 1;
  for (int i = 0; i < n; i++) ok = ok && h[i].key == i && h[i].value == i % 100;
  printf("sorted by key: %s\n", ok ? "yes" : "no");
  return !ok;
}
