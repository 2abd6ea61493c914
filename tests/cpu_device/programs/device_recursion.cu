/* Recursion in device functions: factorial, Fibonacci, Ackermann with a larger stack.
 * Prints: fib(15) = 610, 10! = 3628800, A(2,3) = 9
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ unsigned factorial(unsigned n) {
  if (n <= 1) return 1;
  return n * factorial(n - 1);
}
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void kernel(int *out) {
  if (threadIdx.x == 0) out[0] = fib(15);
  else if (threadIdx.x == 1) out[1] = factorial(10);
  else if (threadIdx.x == 2) out[2] = ackermann(2, 3);
}

int main() {
  size_t stack = 0;
  if (cudaDeviceSetLimit(cudaLimitStackSize, 16384) != cudaSuccess) return 1;
  if (cudaDeviceGetLimit(&stack, cudaLimitStackSize) != cudaSuccess || stack < 16384) return 2;
  int h[3], *d;
  cudaMalloc(&d, sizeof h);
  kernel<<<1, 32>>>(d);
  if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  printf("fib(15) = %d, 10! = %d, A(2,3) = %d\n", h[0], h[1], h[2]);
  return 0;
}
