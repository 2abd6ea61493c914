/* Work on every device there is; with two or more, copies between them and peer access.
 * Prints: all devices: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <vector>

__global__ void scale(float *x, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= f;
}

int main() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  const int n = 1000;
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = i;
  std::vector<float *> d(devices);
  for (int k = 0; k < devices; k++) {
    cudaSetDevice(k);
    cudaMalloc(&d[k], n * sizeof(float));
  }
  cudaSetDevice(0);
  cudaMemcpy(d[0], h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int k = 0; k < devices; k++) {
    cudaSetDevice(k);
    if (k > 0) {
      int can = 0;
      cudaDeviceCanAccessPeer(&can, k, k - 1);
      if (can && cudaDeviceEnablePeerAccess(k - 1, 0) != cudaSuccess) return 1;
      if (cudaMemcpyPeer(d[k], k, d[k - 1], k - 1, n * sizeof(float)) != cudaSuccess) return 2;
      if (can) cudaDeviceDisablePeerAccess(k - 1);
    }
    scale<<<(n + 127) / 128, 128>>>(d[k], n, 2.0f);
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  }
  std::vector<float> got(n);
  cudaMemcpy(got.data(), d.back(), n * sizeof(float), cudaMemcpyDefault);
  for (int k = 0; k < devices; k++) cudaFree(d[k]);
  for (int i = 0; i < n; i++)
    if (got[i] != i * (float)(1 << devices)) return printf("wrong at %d\n", i), 4;
  printf("all devices: ok\n");
  return 0;
}
