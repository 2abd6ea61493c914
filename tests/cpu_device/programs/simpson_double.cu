/* Numerical integration in double on the device, functions chosen by a template argument.
 * Prints: sin: 2.0000000000
 * Prints: exp: 1.7182818285
 * SPDX-License-Identifier: Apache-2.0 */
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

struct Sin { __device__ double operator()(double x) const { return sin(x); } };
struct Exp { __device__ double operator()(double x) const { return exp(x); } };

template <typename F>
__global__ void simpson(double a, double h, int n, double *partial) {
  __shared__ double s[128];
  F f;
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
    sum += f(a + i * h) * (i == 0 || i == n ? 1 : (i & 1) ? 4 : 2);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = blockDim.x >> 1; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (!threadIdx.x) partial[blockIdx.x] = s[0];
}

template <typename F>
double integrate(double a, double b, int n) {
  const int blocks = 16;
  double *d;
  std::vector<double> h(blocks);
  cudaMalloc(&d, blocks * sizeof(double));
  simpson<F><<<blocks, 128>>>(a, (b - a) / n, n, d);
  cudaMemcpy(h.data(), d, blocks * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(d);
  return std::accumulate(h.begin(), h.end(), 0.0) * (b - a) / n / 3;
}

int main() {
  double s = integrate<Sin>(0, M_PI, 10000), e = integrate<Exp>(0, 1, 10000);
  printf("sin: %.10f\nexp: %.10f\n", s, e);
  return !(std::fabs(s - 2) < 1e-9 && std::fabs(e - (M_E - 1)) < 1e-9);
}
