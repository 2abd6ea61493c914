/* A program as students bring it: headers beside it, kernel in a .cuh, C and C++ files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "helper.h"
#include "kernels.cuh"

int main(void) {
  const int n = 5;
  int values[n], *d_values;
  for (int i = 0; i < n; i++) values[i] = i + 1;
  if (cudaMalloc(&d_values, sizeof values) != cudaSuccess) return 1;
  cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
  square<<<1, n>>>(d_values, n);
  if (cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(d_values);
  print_values(values, count_of(values, sizeof values));
  return 0;
}
