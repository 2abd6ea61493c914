/* Mapped host memory used by a kernel through its device pointer; registered memory as well.
 * Prints: zero copy: PASSED
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

__global__ void sumArraysZeroCopy(float *A, float *B, float *C, const int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}

int main() {
  int dev = 0;
  cudaSetDevice(dev);
  cudaSetDeviceFlags(cudaDeviceMapHost);
  cudaDeviceProp deviceProp;
  cudaGetDeviceProperties(&deviceProp, dev);
  if (!deviceProp.canMapHostMemory) {
    printf("Device %d does not support mapping CPU host memory!\n", dev);
    return EXIT_FAILURE;
  }
  const int n = 1 << 14;
  float *h_A, *h_B, *h_C, *d_A, *d_B, *d_C;
  cudaHostAlloc((void **)&h_A, n * sizeof(float), cudaHostAllocMapped);
  cudaHostAlloc((void **)&h_B, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocWriteCombined);
  h_C = (float *)malloc(n * sizeof(float));
  if (cudaHostRegister(h_C, n * sizeof(float), cudaHostRegisterMapped) != cudaSuccess) return 1;
  for (int i = 0; i < n; i++) h_A[i] = i, h_B[i] = 2 * i, h_C[i] = -1;
  cudaHostGetDevicePointer((void **)&d_A, (void *)h_A, 0);
  cudaHostGetDevicePointer((void **)&d_B, (void *)h_B, 0);
  cudaHostGetDevicePointer((void **)&d_C, (void *)h_C, 0);
  dim3 block(512);
  dim3 grid((n + block.x - 1) / block.x);
  sumArraysZeroCopy<<<grid, block>>>(d_A, d_B, d_C, n);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int i = 0; i < n; i++) bad += h_C[i] != 3.0f * i;
  // With unified addressing the host's own pointers do as well.
  sumArraysZeroCopy<<<grid, block>>>(h_A, h_A, h_B, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) bad += h_B[i] != 2.0f * i;
  cudaHostUnregister(h_C);
  free(h_C);
  cudaFreeHost(h_A);
  cudaFreeHost(h_B);
  printf("zero copy: %s\n", bad ? "FAILED" : "PASSED");
  cudaDeviceReset();
  return bad != 0;
}
