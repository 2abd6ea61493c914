/* Device variables that are templates: each instance is a variable of its own, which the host writes and
 * reads by its name.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>

template <class T> __device__ T sum;
template <class T, int N> __constant__ T table[N];
template <class T = int, class = void> __device__ T starts_at_three = 3;
template <> __device__ double starts_at_three<double> = 2.5;
namespace numbers { template <int> __device__ int pair[2] = {4, 5}; }
template <class T> __managed__ T seen;

template <class T> __global__ void use(T *out) {
  sum<T> += 1;
  out[0] = sum<T>;
  out[1] = table<T, 2>[1];
  out[2] = starts_at_three<T>;
  out[3] = numbers::pair<1>[1];
  starts_at_three<T> = 6;
  seen<T> = 9;
}

static int wrong;

static void want(const char *what, double got, double expected) {
  if (got != expected) printf("WRONG: %s is %g, want %g\n", what, got, expected), ++wrong;
}

template <class T> static void try_with(T begin, T three) {
  T out[4], *d, after = 0;
  const T values[2] = {7, 8};
  want("copy of a variable", cudaMemcpyToSymbol(sum<T>, &begin, sizeof begin), cudaSuccess);
  want("copy of an array", cudaMemcpyToSymbol(table<T, 2>, values, sizeof values), cudaSuccess);
  want("allocation", cudaMalloc(&d, sizeof out), cudaSuccess);
  use<<<1, 1>>>(d);
  want("copy back", cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  want("sum", out[0], begin + 1);
  want("table", out[1], 8);
  want("starts_at_three", out[2], three);
  want("pair", out[3], 5);
  want("copy from a variable", cudaMemcpyFromSymbol(&after, starts_at_three<T>, sizeof after), cudaSuccess);
  want("starts_at_three afterwards", after, 6);
  want("seen", seen<T>, 9);
  size_t size = 0;
  void *address = nullptr;
  want("size", cudaGetSymbolSize(&size, table<T, 2>), cudaSuccess);
  want("size", size, 2 * sizeof(T));
  want("address", cudaGetSymbolAddress(&address, sum<T>), cudaSuccess);
  want("copy to the address", cudaMemcpy(address, &begin, sizeof begin, cudaMemcpyHostToDevice), cudaSuccess);
  cudaFree(d);
}

int main() {
  try_with<int>(41, 3);
  try_with<float>(1.5f, 3);
  try_with<double>(2.5, 2.5);
  int pair[2] = {0, 0};
  want("copy", cudaMemcpyFromSymbol(pair, numbers::pair<2>, sizeof pair), cudaSuccess);
  want("pair", pair[0] * 10 + pair[1], 45);
  if (!wrong) printf("OK\n");
  return wrong != 0;
}
