/* The C++ forms of API calls: typed pointers and kernels in place of void pointers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_API_TEMPLATES_H
#define CPU_DEVICE_API_TEMPLATES_H

#include "cuda_runtime_api.h"

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t size) {
  return ::cudaMalloc((void **)pointer, size);
}

template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void **)pointer, size, flags);
}

template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void **)pointer, size, flags);
}

template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                     unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)pointer, size, flags);
}

template <class T>
inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)pointer, pitch, width, height);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)pointer, size, stream);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device_pointer, void *pointer,
                                            unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)device_pointer, pointer, flags);
}

/* Kernels by name. */
template <class R, class... P>
inline cudaError_t cudaFuncSetAttribute(R (*kernel)(P...), cudaFuncAttribute attribute,
                                        int value) {
  return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class R, class... P>
inline cudaError_t cudaFuncSetCacheConfig(R (*kernel)(P...), cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}

template <class R, class... P>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, R (*kernel)(P...)) {
  return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class R, class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, R (*kernel)(P...),
                                                                 int block_size,
                                                                 size_t dynamic_shared_size) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size,
                                                         dynamic_shared_size);
}

/* The block size at which the most threads fit on a multiprocessor. */
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size,
                                                      Kernel kernel,
                                                      size_t dynamic_shared_size = 0,
                                                      int block_size_limit = 0) {
  if (!min_grid_size || !block_size) return cudaErrorInvalidValue;
  int multiprocessors = 0, best = 0;
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error != cudaSuccess) return error;
  if (block_size_limit <= 0 || block_size_limit > 1024) block_size_limit = 1024;
  for (int size = (block_size_limit + 31) / 32 * 32; size > 0; size -= 32) {
    const int n = size < block_size_limit ? size : block_size_limit;
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, n,
                                                            dynamic_shared_size);
    if (error != cudaSuccess) return error;
    if (blocks * n > best) {
      best = blocks * n;
      *block_size = n;
      *min_grid_size = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}

#endif
