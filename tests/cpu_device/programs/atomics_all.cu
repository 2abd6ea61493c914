/* Every read-modify-write of the classic list, with wrap-around; results that do not depend on order.
 * Prints: atomics: PASSED
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#define min(a, b) (a) < (b) ? (a) : (b)
#define max(a, b) (a) > (b) ? (a) : (b)

__global__ void testKernel(int *g_odata) {
  const unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
  atomicAdd(&g_odata[0], 10);
  atomicSub(&g_odata[1], 10);
  atomicExch(&g_odata[2], tid);
  atomicMax(&g_odata[3], tid);
  atomicMin(&g_odata[4], tid);
  atomicInc((unsigned int *)&g_odata[5], 17);
  atomicDec((unsigned int *)&g_odata[6], 137);
  atomicCAS(&g_odata[7], tid - 1, tid);
  atomicAnd(&g_odata[8], 2 * tid + 7);
  atomicOr(&g_odata[9], 1 << tid % 32);
  atomicXor(&g_odata[10], tid);
}

int main() {
  const int blocks = 64, threads = 256, len = blocks * threads;
  int h[11] = {0}, *d;
  h[8] = h[10] = 0xff;
  cudaMalloc((void **)&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  testKernel<<<blocks, threads>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  unsigned inc = 0, dec = 0;
  int biggest = 0, smallest = 1 << 8, exclusive = 0xff, all = 0xff;
  for (int i = 0; i < len; i++) {
    inc = inc >= 17 ? 0 : inc + 1;
    dec = dec == 0 || dec > 137 ? 137 : dec - 1;
    biggest = max(biggest, i);
    smallest = min(smallest, i);
    exclusive ^= i;
    all &= 2 * i + 7;
  }
  bool ok = h[0] == 10 * len && h[1] == -10 * len && h[2] >= 0 && h[2] < len && h[3] == biggest && h[4] == 0 &&
            (unsigned)h[5] == inc && (unsigned)h[6] == dec && h[7] >= 0 && h[7] < len && h[8] == all &&
            h[9] == -1 && h[10] == exclusive;
  printf("atomics: %s\n", ok ? "PASSED" : "FAILED");
  for (int i = 0; i < 11 && !ok; i++) printf("%d: %d\n", i, h[i]);
  return !ok;
}
