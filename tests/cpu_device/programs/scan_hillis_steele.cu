/* Inclusive scan in one block with two buffers in dynamic shared memory.
 * Prints: scan of 1024: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__global__ void scan(float *g_odata, float *g_idata, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout * n + thid] = g_idata[thid];
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset)
      temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
    else
      temp[pout * n + thid] = temp[pin * n + thid];
    __syncthreads();
  }
  g_odata[thid] = temp[pout * n + thid];
}

int main() {
  const int n = 1024;
  float h[n], r[n], *in, *out;
  for (int i = 0; i < n; i++) h[i] = (i * 7) % 10;
  cudaMalloc((void **)&in, sizeof(h));
  cudaMalloc((void **)&out, sizeof(h));
  cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
  scan<<<1, n, 2 * n * sizeof(float)>>>(out, in, n);
  cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; i++) {
    sum += h[i];
    if (r[i] != sum) {
      printf("wrong at %d: %g, not %g\n", i, r[i], sum);
      return 1;
    }
  }
  printf("scan of %d: ok\n", n);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
