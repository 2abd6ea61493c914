/* Device query: count, properties, attributes, versions, memory.
 * Prints: Maximum number of threads per block: 1024
 * Prints: Warp size: 32
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  printf("%s starting\n", argv[0]);
  int deviceCount = 0;
  cudaError_t error_id = cudaGetDeviceCount(&deviceCount);
  if (error_id != cudaSuccess) {
    printf("cudaGetDeviceCount returned %d\n-> %s\n", static_cast<int>(error_id), cudaGetErrorString(error_id));
    exit(EXIT_FAILURE);
  }
  for (int dev = 0; dev < deviceCount; ++dev) {
    int driverVersion = 0, runtimeVersion = 0;
    cudaSetDevice(dev);
    cudaDeviceProp deviceProp;
    cudaGetDeviceProperties(&deviceProp, dev);
    cudaDriverGetVersion(&driverVersion);
    cudaRuntimeGetVersion(&runtimeVersion);
    printf("Device %d: \"%s\"\n", dev, deviceProp.name);
    printf("  Runtime Version %d.%d\n", runtimeVersion / 1000, (runtimeVersion % 100) / 10);
    printf("  Capability: %d.%d\n", deviceProp.major, deviceProp.minor);
    printf("  Global memory: %.0f MBytes (%llu bytes)\n", (float)deviceProp.totalGlobalMem / 1048576.0f,
           (unsigned long long)deviceProp.totalGlobalMem);
    printf("  Multiprocessors: %d\n", deviceProp.multiProcessorCount);
    printf("  Bus Width: %d-bit, L2 Cache: %d bytes\n", deviceProp.memoryBusWidth, deviceProp.l2CacheSize);
    printf("  Constant memory: %zu bytes\n", deviceProp.totalConstMem);
    printf("  Shared memory per block: %zu bytes, per SM: %zu\n", deviceProp.sharedMemPerBlock,
           deviceProp.sharedMemPerMultiprocessor);
    printf("  Registers per block: %d\n", deviceProp.regsPerBlock);
    printf("  Warp size: %d\n", deviceProp.warpSize);
    printf("  Maximum number of threads per multiprocessor: %d\n", deviceProp.maxThreadsPerMultiProcessor);
    printf("  Maximum number of threads per block: %d\n", deviceProp.maxThreadsPerBlock);
    printf("  Max dimension size of a block (x,y,z): (%d, %d, %d)\n", deviceProp.maxThreadsDim[0],
           deviceProp.maxThreadsDim[1], deviceProp.maxThreadsDim[2]);
    printf("  Max dimension size of a grid (x,y,z): (%d, %d, %d)\n", deviceProp.maxGridSize[0],
           deviceProp.maxGridSize[1], deviceProp.maxGridSize[2]);
    printf("  Memory pitch: %zu, alignment: %zu\n", deviceProp.memPitch, deviceProp.textureAlignment);
    printf("  Copy engines: %d, concurrent kernels: %s\n", deviceProp.asyncEngineCount,
           deviceProp.concurrentKernels ? "Yes" : "No");
    printf("  Integrated: %d, can map: %d, ECC: %d, unified: %d, managed: %d, cooperative: %d\n",
           deviceProp.integrated, deviceProp.canMapHostMemory, deviceProp.ECCEnabled, deviceProp.unifiedAddressing,
           deviceProp.managedMemory, deviceProp.cooperativeLaunch);
    printf("  PCI: %d / %d / %d\n", deviceProp.pciDomainID, deviceProp.pciBusID, deviceProp.pciDeviceID);
    int clock = -1, shared = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, dev);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, dev);
    size_t free_bytes, total_bytes;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    if (shared != (int)deviceProp.sharedMemPerBlock || free_bytes > total_bytes || clock < 0) return 1;
  }
  return deviceCount > 0 ? 0 : 1;
}
