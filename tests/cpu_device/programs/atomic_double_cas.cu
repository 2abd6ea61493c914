/* Atomic addition of doubles and maximum of floats by atomicCAS, next to the built-in one.
 * Prints: sum 8386560.0 8386560.0, max 4095.5
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__device__ double atomicAddByCas(double *address, double val) {
  unsigned long long int *address_as_ull = (unsigned long long int *)address;
  unsigned long long int old = *address_as_ull, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ static float atomicMax(float *address, float val) {
  int *address_as_i = (int *)address;
  int old = *address_as_i, assumed;
  do {
    assumed = old;
    old = ::atomicCAS(address_as_i, assumed, __float_as_int(::fmaxf(val, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void kernel(double *sums, float *biggest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAddByCas(&sums[0], (double)i);
  atomicAdd(&sums[1], (double)i);
  atomicMax(biggest, i + 0.5f);
}

int main() {
  double h[2], *d;
  float m, *dm;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&dm, sizeof m);
  cudaMemset(d, 0, sizeof h);
  cudaMemset(dm, 0, sizeof m);
  kernel<<<32, 128>>>(d, dm);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&m, dm, sizeof m, cudaMemcpyDeviceToHost);
  printf("sum %.1f %.1f, max %.1f\n", h[0], h[1], m);
  return h[0] != h[1];
}
