/* Heat equation: Jacobi steps on a plate with fixed edges, tiles with halo, residual by atomics
 * on the bits of non-negative floats.
 * Prints: converged
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cmath>
#include <vector>

#define BX 16
#define BY 8

__global__ void jacobi(const float *__restrict__ u, float *__restrict__ v, int nx, int ny, unsigned *worst) {
  __shared__ float s[BY + 2][BX + 2];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  const bool in = x < nx && y < ny, inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
  if (in) {
    s[ly][lx] = u[y * nx + x];
    if (threadIdx.x == 0 && x > 0) s[ly][0] = u[y * nx + x - 1];
    if (threadIdx.x == BX - 1 && x < nx - 1) s[ly][BX + 1] = u[y * nx + x + 1];
    if (threadIdx.y == 0 && y > 0) s[0][lx] = u[(y - 1) * nx + x];
    if (threadIdx.y == BY - 1 && y < ny - 1) s[BY + 1][lx] = u[(y + 1) * nx + x];
  }
  __syncthreads();
  if (!in) return;
  float next = s[ly][lx];
  if (inside) {
    next = 0.25f * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx]);
    atomicMax(worst, __float_as_uint(fabsf(next - s[ly][lx])));
  }
  v[y * nx + x] = next;
}

int main() {
  const int nx = 50, ny = 35;
  std::vector<float> h(nx * ny, 0.0f);
  for (int x = 0; x < nx; x++) h[x] = h[(ny - 1) * nx + x] = x;
  for (int y = 0; y < ny; y++) h[y * nx + nx - 1] = nx - 1;
  float *u, *v;
  unsigned *worst, bits;
  size_t size = h.size() * sizeof(float);
  cudaMalloc(&u, size);
  cudaMalloc(&v, size);
  cudaMalloc(&worst, sizeof bits);
  cudaMemcpy(u, h.data(), size, cudaMemcpyHostToDevice);
  dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);
  float change = 1;
  int steps = 0;
  while (change > 1e-4f && steps < 4000) {
    for (int k = 0; k < 100; k++, steps += 2) {
      cudaMemsetAsync(worst, 0, sizeof bits);
      jacobi<<<grid, block>>>(u, v, nx, ny, worst);
      jacobi<<<grid, block>>>(v, u, nx, ny, worst);
    }
    cudaMemcpy(&bits, worst, sizeof bits, cudaMemcpyDeviceToHost);
    change = *(float *)&bits;
  }
  cudaMemcpy(h.data(), u, size, cudaMemcpyDeviceToHost);
  // The solution is u = x, to which every start converges.
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++)
      if (!(fabsf(h[y * nx + x] - x) < 0.1f)) return printf("u(%d,%d) = %f\n", x, y, h[y * nx + x]), 1;
  printf("%s after %d steps\n", change <= 1e-4f ? "converged" : "stopped", steps);
  return !(change <= 1e-4f);
}
