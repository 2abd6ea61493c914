/* Only #included: it would not compile by itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_NAME
#error "a .cu file in hdrs must not be compiled by itself"
#endif

__global__ void KERNEL_NAME(int value, int *d_result) { *d_result = scaled(value, value); }

static int run_on_device(int value) {
  int result = -1, *d_result = NULL;
  if (cudaMalloc((void **)&d_result, sizeof *d_result) != cudaSuccess) return -1;
  KERNEL_NAME<<<1, 1>>>(value, d_result);
  if (cudaMemcpy(&result, d_result, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess) result = -1;
  cudaFree(d_result);
  return result;
}
