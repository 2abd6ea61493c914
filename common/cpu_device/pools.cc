/* Memory pools, launches with attributes, and calls that are hints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <map>
#include <set>

#include "runtime.h"

struct CUmemPoolHandle_st {
  int device;
  int reuse[3];
  uint64_t release_threshold;
};

using namespace cpu_device;

namespace {

struct Pools {
  std::mutex mutex;
  std::set<cudaMemPool_t> live;
  std::map<int, cudaMemPool_t> own, current; /* by device */
};

Pools &pools() {
  static Pools *all = new Pools; /* never destroyed: programs free memory until the very end */
  return *all;
}

cudaMemPool_t make_pool(Pools &p, int device) {
  cudaMemPool_t pool = new CUmemPoolHandle_st{device, {1, 1, 1}, 0};
  p.live.insert(pool);
  return pool;
}

cudaMemPool_t own_pool(Pools &p, int device) {
  cudaMemPool_t &pool = p.own[device];
  if (!pool) pool = make_pool(p, device);
  return pool;
}

bool is_pool(Pools &p, cudaMemPool_t pool) { return p.live.count(pool) != 0; }

/* Runs `call` with another device as the current one. */
template <class Call>
cudaError_t on_device(int device, const Call &call) {
  const int before = current_ordinal();
  if (cudaError_t e = cudaSetDevice(device)) return e;
  const cudaError_t result = call();
  cudaSetDevice(before);
  return result;
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool) return record(cudaErrorInvalidValue);
  if (!is_device(device)) return record(cudaErrorInvalidDevice);
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  *pool = own_pool(p, device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  if (!pool) return record(cudaErrorInvalidValue);
  if (!is_device(device)) return record(cudaErrorInvalidDevice);
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  *pool = p.current.count(device) ? p.current[device] : own_pool(p, device);
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  if (!is_device(device)) return record(cudaErrorInvalidDevice);
  if (!is_pool(p, pool) || pool->device != device) return record(cudaErrorInvalidValue);
  p.current[device] = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
      props->location.type != cudaMemLocationTypeDevice)
    return record(cudaErrorInvalidValue);
  if (!is_device(props->location.id)) return record(cudaErrorInvalidDevice);
  if (props->handleTypes != cudaMemHandleTypeNone) return record(cudaErrorNotSupported);
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  *pool = make_pool(p, props->location.id);
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  if (!is_pool(p, pool) || p.own[pool->device] == pool) return record(cudaErrorInvalidValue);
  auto current = p.current.find(pool->device);
  if (current != p.current.end() && current->second == pool) p.current.erase(current);
  p.live.erase(pool);
  delete pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  return record(is_pool(p, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  if (!is_pool(p, pool) || !value) return record(cudaErrorInvalidValue);
  if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
      attribute <= cudaMemPoolReuseAllowInternalDependencies)
    pool->reuse[attribute - 1] = *static_cast<int *>(value);
  else if (attribute == cudaMemPoolAttrReleaseThreshold)
    pool->release_threshold = *static_cast<uint64_t *>(value);
  else
    return record(attribute <= cudaMemPoolAttrUsedMemHigh ? cudaErrorNotSupported
                                                          : cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  Pools &p = pools();
  const std::lock_guard<std::mutex> guard(p.mutex);
  if (!is_pool(p, pool) || !value) return record(cudaErrorInvalidValue);
  if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
      attribute <= cudaMemPoolReuseAllowInternalDependencies)
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
  else if (attribute == cudaMemPoolAttrReleaseThreshold)
    *static_cast<uint64_t *>(value) = pool->release_threshold;
  else
    return record(attribute <= cudaMemPoolAttrUsedMemHigh ? cudaErrorNotSupported
                                                          : cudaErrorInvalidValue);
  return cudaSuccess;
}

/* Other devices' access to a pool is as to all memory: by cudaDeviceEnablePeerAccess. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count) {
  Pools &p = pools();
  {
    const std::lock_guard<std::mutex> guard(p.mutex);
    if (!is_pool(p, pool) || (count && !list)) return record(cudaErrorInvalidValue);
  }
  for (size_t i = 0; i < count; ++i) {
    if (list[i].location.type != cudaMemLocationTypeDevice || !is_device(list[i].location.id))
      return record(cudaErrorInvalidDevice);
    if (list[i].location.id == pool->device || list[i].flags == cudaMemAccessFlagsProtNone) continue;
    on_device(list[i].location.id, [&] {
      const cudaError_t e = cudaDeviceEnablePeerAccess(pool->device, 0);
      if (e == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
      return e;
    });
  }
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  Pools &p = pools();
  {
    const std::lock_guard<std::mutex> guard(p.mutex);
    if (!is_pool(p, pool)) return record(cudaErrorInvalidValue);
  }
  if (cudaError_t e = check_stream(stream)) return record(e);
  return on_device(pool->device, [&] { return cudaMalloc(pointer, size); });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
  if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
      attribute > cudaDevP2PAttrCudaArrayAccessSupported)
    return record(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer) || device == peer) return record(cudaErrorInvalidDevice);
  *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
  return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return record(cudaErrorInvalidValue);
  if (cudaError_t e = check_stream(stream)) return record(e);
  const Allocation *a = find_allocation(pointer);
  return record(a && a->kind == MemoryKind::kManaged ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return record(device_status()); }

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue *value) {
  if (!value) return record(cudaErrorInvalidValue);
  return record(check_stream(stream));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int block_size,
                                                                   size_t dynamic_shared_size,
                                                                   unsigned int flags) {
  if (flags > 1) return record(cudaErrorInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size, dynamic_shared_size);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
  if (!config) return record(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &a = config->attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) cooperative = a.val.cooperative != 0;
    if (a.id == cudaLaunchAttributeClusterDimension &&
        (uint64_t)a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z > 1) {
      say("clusters of blocks are not supported on the CPU device: see docs/cpu_device.md, "
          "\"What is supported\"");
      return record(cudaErrorNotSupported);
    }
  }
  return cooperative ? ::cudaLaunchCooperativeKernel(kernel, config->gridDim, config->blockDim, arguments,
                                                     config->dynamicSmemBytes, config->stream)
                     : ::cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments,
                                          config->dynamicSmemBytes, config->stream);
}

/* Layer by layer: a layer's rows are ysize apart. */
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent) {
  for (size_t z = 0; z < extent.depth; ++z)
    if (cudaError_t e = cudaMemset2D((char *)pitched.ptr + z * pitched.ysize * pitched.pitch,
                                     pitched.pitch, value, extent.width, extent.height))
      return e;
  return cudaSuccess;
}
