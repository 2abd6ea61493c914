/* N-body forces: float4 bodies, tiles in shared memory, rsqrtf; held against double on the host.
 * Prints: forces of 1024 bodies agree
 * SPDX-License-Identifier: Apache-2.0 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define EPS2 1e-3f

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
  float invDist = rsqrtf(distSqr);
  float s = bj.w * invDist * invDist * invDist;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__device__ float3 tile_calculation(float4 myPosition, float3 accel) {
  extern __shared__ float4 shPosition[];
  for (int i = 0; i < blockDim.x; i++) accel = bodyBodyInteraction(myPosition, shPosition[i], accel);
  return accel;
}

__global__ void calculate_forces(void *devX, void *devA, int N) {
  extern __shared__ float4 shPosition[];
  float4 *globalX = (float4 *)devX;
  float4 *globalA = (float4 *)devA;
  float3 acc = {0.0f, 0.0f, 0.0f};
  int gtid = blockIdx.x * blockDim.x + threadIdx.x;
  float4 myPosition = globalX[gtid];
  for (int i = 0, tile = 0; i < N; i += blockDim.x, tile++) {
    int idx = tile * blockDim.x + threadIdx.x;
    shPosition[threadIdx.x] = globalX[idx];
    __syncthreads();
    acc = tile_calculation(myPosition, acc);
    __syncthreads();
  }
  float4 acc4 = {acc.x, acc.y, acc.z, 0.0f};
  globalA[gtid] = acc4;
}

int main() {
  const int N = 1024, p = 128;
  std::vector<float4> x(N), a(N);
  auto random = [] { return rand() / (float)RAND_MAX * 2 - 1; };
  for (auto &b : x) b = make_float4(random(), random(), random(), 1.0f / N);
  float4 *dx, *da;
  cudaMalloc(&dx, N * sizeof(float4));
  cudaMalloc(&da, N * sizeof(float4));
  cudaMemcpy(dx, x.data(), N * sizeof(float4), cudaMemcpyHostToDevice);
  calculate_forces<<<N / p, p, p * sizeof(float4)>>>(dx, da, N);
  cudaMemcpy(a.data(), da, N * sizeof(float4), cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) {
    double f[3] = {0, 0, 0};
    for (int j = 0; j < N; j++) {
      double d[3] = {(double)x[j].x - x[i].x, (double)x[j].y - x[i].y, (double)x[j].z - x[i].z};
      double s = x[j].w / pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + EPS2, 1.5);
      for (int k = 0; k < 3; k++) f[k] += d[k] * s;
    }
    // 1,024 terms in float32, each a few units in the last place off.
    if (!(fabs(f[0] - a[i].x) < 1e-3 && fabs(f[1] - a[i].y) < 1e-3 && fabs(f[2] - a[i].z) < 1e-3))
      return printf("body %d: %f, not %f\n", i, a[i].x, f[0]), 1;
  }
  printf("forces of %d bodies agree\n", N);
  return 0;
}
