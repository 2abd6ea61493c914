/* Exclusive scan of a long array: work-efficient scan in each block with a macro against bank
 * conflicts, the block sums scanned in turn by recursion on the host, then added.
 * Prints: exclusive scan of 300001 elements: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#define THREADS 256
#define ELEMENTS (THREADS * 2)

__global__ void prescan(int *out, const int *in, int *sums, int n) {
  __shared__ int temp[ELEMENTS + (ELEMENTS >> LOG_NUM_BANKS)];
  int tid = threadIdx.x, base = blockIdx.x * ELEMENTS;
  int ai = tid, bi = tid + THREADS;
  int offA = CONFLICT_FREE_OFFSET(ai), offB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + offA] = base + ai < n ? in[base + ai] : 0;
  temp[bi + offB] = base + bi < n ? in[base + bi] : 0;
  int offset = 1;
  for (int d = ELEMENTS >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (tid == 0) {
    int last = ELEMENTS - 1 + CONFLICT_FREE_OFFSET(ELEMENTS - 1);
    sums[blockIdx.x] = temp[last];
    temp[last] = 0;
  }
  for (int d = 1; d < ELEMENTS; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      int t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n) out[base + ai] = temp[ai + offA];
  if (base + bi < n) out[base + bi] = temp[bi + offB];
}

__global__ void add(int *out, const int *sums, int n) {
  int i = blockIdx.x * ELEMENTS + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
  if (i + THREADS < n) out[i + THREADS] += sums[blockIdx.x];
}

void scan(int *d_out, const int *d_in, int n) {
  int blocks = (n + ELEMENTS - 1) / ELEMENTS;
  int *d_sums, *d_scanned;
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMalloc(&d_scanned, blocks * sizeof(int));
  prescan<<<blocks, THREADS>>>(d_out, d_in, d_sums, n);
  if (blocks > 1) {
    scan(d_scanned, d_sums, blocks);
    add<<<blocks, THREADS>>>(d_out, d_scanned, n);
  }
  cudaFree(d_sums);
  cudaFree(d_scanned);
}

int main() {
  const int n = 300001;
  int *h = (int *)malloc(n * sizeof(int)), *r = (int *)malloc(n * sizeof(int)), *in, *out, sum = 0;
  for (int i = 0; i < n; i++) h[i] = rand() % 50;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
  scan(out, in, n);
  cudaMemcpy(r, out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; sum += h[i++])
    if (r[i] != sum) return printf("wrong at %d\n", i), 1;
  printf("exclusive scan of %d elements: ok\n", n);
  return 0;
}
