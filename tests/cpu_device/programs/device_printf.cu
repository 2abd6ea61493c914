/* Device printf with several formats; output arrives by the synchronise.
 * Prints: Hello from block 1, thread 3
 * Prints: x=2.50 c=A s=text 0x00ff 9999999999 100%
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__device__ const char *greeting() { return "Hello"; }

__global__ void hello() {
  printf("%s from block %d, thread %d\n", greeting(), blockIdx.x, threadIdx.x);
}

__global__ void formats(double x) {
  if (threadIdx.x == 0) printf("x=%.2f c=%c s=%-s 0x%04x %lld %d%%\n", x, 'A', "text", 255, 9999999999LL, 100);
}

int main() {
  hello<<<2, 4>>>();
  formats<<<1, 32>>>(2.5);
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) printf("%s\n", cudaGetErrorName(err));
  cudaDeviceReset();
  return err;
}
