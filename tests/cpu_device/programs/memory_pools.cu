/* Memory pools: the device's own with its threshold, one of the program's, allocation from
 * either; a launch by a cudaLaunchConfig_t; what managed memory's hints answer.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError_t e = (call);                                                              \
    if (e != cudaSuccess) {                                                              \
      printf("WRONG: line %d: %s gave %s\n", __LINE__, #call, cudaGetErrorName(e));      \
      return 1;                                                                          \
    }                                                                                    \
  } while (0)

__global__ void scale(float *x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = by * i;
}

int main() {
  int pools = 0;
  CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
  if (!pools) return 1;

  cudaMemPool_t own, mine;
  CHECK(cudaDeviceGetDefaultMemPool(&own, 0));
  uint64_t threshold = ULONG_MAX, got = 0;
  CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &got));
  if (got != threshold) return printf("WRONG: the threshold is %llu\n", (unsigned long long)got), 1;

  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  CHECK(cudaMemPoolCreate(&mine, &props));
  CHECK(cudaDeviceSetMemPool(0, mine));
  cudaMemPool_t current;
  CHECK(cudaDeviceGetMemPool(&current, 0));
  if (current != mine) return printf("WRONG: not the current pool\n"), 1;
  CHECK(cudaDeviceSetMemPool(0, own));

  const int n = 1000;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *a, *b, h[n];
  CHECK(cudaMallocAsync(&a, n * sizeof(float), stream));
  CHECK(cudaMallocFromPoolAsync(&b, n * sizeof(float), mine, stream));

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((n + 255) / 256);
  config.blockDim = dim3(256);
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, scale, a, 2, n)); /* the int becomes a float */
  scale<<<config.gridDim, config.blockDim, 0, stream>>>(b, 3.f, n);
  for (float *x : {a, b}) {
    CHECK(cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
      if (h[i] != (x == a ? 2.f : 3.f) * i) return printf("WRONG: element %d is %g\n", i, h[i]), 1;
  }
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolTrimTo(own, 0));
  CHECK(cudaMemPoolDestroy(mine));

  float *managed;
  CHECK(cudaMallocManaged(&managed, sizeof(float)));
  CHECK(cudaStreamAttachMemAsync(stream, managed));
  CHECK(cudaStreamSynchronize(stream));

  cudaEvent_t event;
  CHECK(cudaEventCreate(&event, cudaEventDisableTiming));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(managed));
  CHECK(cudaStreamDestroy(stream));
  printf("OK\n");
  return 0;
}
