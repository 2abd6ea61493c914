/* Unified memory with advice and prefetches, in the spelling of the toolkit at hand.
 * Prints: prefetched: 0 errors
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <iostream>

__global__ void init(float *x, int n, float v) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) x[i] = v + i;
}
__global__ void addInto(float *result, const float *a, const float *b, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) result[i] = a[i] + b[i];
}

static cudaError_t prefetch(void *p, size_t bytes, int device) {
#if CUDART_VERSION >= 13000
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(p, bytes, place, 0, 0);
#else
  return cudaMemPrefetchAsync(p, bytes, device);
#endif
}

int main() {
  int deviceId, numberOfSMs;
  cudaGetDevice(&deviceId);
  cudaDeviceGetAttribute(&numberOfSMs, cudaDevAttrMultiProcessorCount, deviceId);
  const int N = 2 << 17;
  size_t size = N * sizeof(float);
  float *a, *b, *c;
  cudaMallocManaged(&a, size);
  cudaMallocManaged(&b, size);
  cudaMallocManaged(&c, size, cudaMemAttachGlobal);
  prefetch(a, size, deviceId);
  prefetch(b, size, deviceId);
  prefetch(c, size, deviceId);
  size_t threadsPerBlock = 256, numberOfBlocks = 2 * numberOfSMs;
  init<<<numberOfBlocks, threadsPerBlock>>>(a, N, 3);
  init<<<numberOfBlocks, threadsPerBlock>>>(b, N, 4);
  addInto<<<numberOfBlocks, threadsPerBlock>>>(c, a, b, N);
  cudaError_t launch = cudaGetLastError(), async = cudaDeviceSynchronize();
  if (launch != cudaSuccess || async != cudaSuccess) {
    std::cerr << cudaGetErrorString(launch) << ", " << cudaGetErrorString(async) << "\n";
    return 1;
  }
  prefetch(c, size, cudaCpuDeviceId);
  cudaDeviceSynchronize();
  int errors = 0;
  for (int i = 0; i < N; i++) errors += c[i] != 7.0f + 2.0f * i;
  std::cout << "prefetched: " << errors << " errors\n";
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return errors != 0;
}
