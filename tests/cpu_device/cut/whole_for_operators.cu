/* No call shows where a constructor or an operator runs: where one may wait, nothing is cut.
 *
 * SPDX-License-Identifier: Apache-2.0 */
namespace of_forced_inline_constructor {
struct S { __device__ __forceinline__ S() { __syncthreads(); } };
// whole: a constructor or operator of the program may wait: the call of '__syncthreads()', at which threads wait
__global__ void forced_inline_constructor(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  S all;
  __syncthreads();
  x[t] = s[n - t];
}
}  // namespace

namespace of_constructor_with_a_barrier {
struct S { int a, b; __device__ S() : a(1), b{2} { __syncthreads(); } };
// whole: a constructor or operator of the program may wait: the call of '__syncthreads()', at which threads wait
__global__ void constructor_with_a_barrier(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  S all;
  __syncthreads();
  x[t] = s[n - t];
}
}  // namespace

namespace of_operator_with_a_barrier {
struct S { __device__ void operator+=(int) { __syncthreads(); } };
// whole: a constructor or operator of the program that may wait
__global__ void operator_with_a_barrier(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  S all;
  all += 1;
  x[t] = s[n - t];
}
}  // namespace
