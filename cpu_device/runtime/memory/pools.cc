/* Memory that is allocated and freed in a stream's order, and the pools that it comes from;
 * calls that are hints.
 *
 * An allocation is there at once, and freed in its stream's turn. Pools count what was taken
 * from them; what they keep in reserve is a number only: freed memory goes back at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <map>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/order/queue.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

struct CUmemPoolHandle_st {
    int device;
    bool is_default;
    size_t max_size;    /* 0: as much as the device has */
    uint64_t threshold; /* bytes that a synchronise leaves in reserve */
    int reuse[3];
    uint64_t used_high, reserved_high;
};

using namespace cpu_device;

namespace cpu_device {
namespace {

const uint64_t kReserveStep = 32 << 20; /* what a pool takes from the device at a time */

struct Pools {
    std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> live;
    std::map<int, cudaMemPool_t> defaults, current; /* by device */
    struct Taken {
        uint64_t id;
        size_t size;
        cudaMemPool_t pool;
    };
    std::map<void *, Taken> taken;
};

Pools &pools() {
    static Pools &p = *new Pools();
    return p;
}

cudaMemPool_t make_pool(int device, bool is_default, size_t max_size) {
    auto pool = std::make_unique<CUmemPoolHandle_st>(
        CUmemPoolHandle_st{device, is_default, max_size, 0, {1, 1, 1}, 0, 0});
    const cudaMemPool_t handle = pool.get();
    pools().live[handle] = std::move(pool);
    return handle;
}

bool is_pool(cudaMemPool_t pool) { return pools().live.count(pool) != 0; }

cudaMemPool_t default_pool(int device) {
    auto at = pools().defaults.find(device);
    if (at == pools().defaults.end())
        at = pools().defaults.emplace(device, make_pool(device, true, 0)).first;
    return at->second;
}

cudaMemPool_t current_pool(int device) {
    auto at = pools().current.find(device);
    return at == pools().current.end() ? default_pool(device) : at->second;
}

/* Bytes taken from the pool and not freed, by whichever call. */
uint64_t used(cudaMemPool_t pool) {
    uint64_t sum = 0;
    for (auto at = pools().taken.begin(); at != pools().taken.end();) {
        const Allocation *a = find_allocation(at->first);
        if (!a || a->id != at->second.id) {
            at = pools().taken.erase(at);
            continue;
        }
        if (at->second.pool == pool) sum += at->second.size;
        ++at;
    }
    return sum;
}

uint64_t in_steps(uint64_t bytes) {
    return (bytes + kReserveStep - 1) / kReserveStep * kReserveStep;
}

uint64_t reserved(cudaMemPool_t pool) {
    return std::max(in_steps(used(pool)), std::min(in_steps(pool->used_high), pool->threshold));
}

cudaError_t allocate(void **pointer, size_t size, cudaMemPool_t pool) {
    if (pool->max_size && used(pool) + size > pool->max_size) return cudaErrorMemoryAllocation;
    if (cudaError_t e = allocate_device_memory(pointer, size, pool->device)) return e;
    pools().taken[*pointer] = {find_allocation(*pointer)->id, size, pool};
    pool->used_high = std::max(pool->used_high, used(pool));
    pool->reserved_high = std::max(pool->reserved_high, in_steps(pool->used_high));
    return cudaSuccess;
}

/* Into the stream, or from the stream's device's own pool where `pool` is null. */
cudaError_t allocate_in_stream(void **pointer, size_t size, cudaMemPool_t pool,
                               cudaStream_t handle) {
    if (!pointer) return cudaErrorInvalidValue;
    if (cudaError_t e = device_status()) return e;
    Lock lock(runtime_mutex());
    const Stream *stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (cudaError_t e = may_take_work(handle, *stream)) return e;
    if (pool && !is_pool(pool)) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    if (injected_failure("malloc")) return cudaErrorMemoryAllocation;
    if (stream->capture) return capture_allocation(pointer, size, handle);
    return allocate(pointer, size, pool ? pool : current_pool(stream->device));
}

/* Runs `call` with another device as the current one. */
template <class Call>
cudaError_t on_device(int device, const Call &call) {
    const int before = current_ordinal();
    if (cudaError_t e = cudaSetDevice(device)) return e;
    const cudaError_t result = call();
    cudaSetDevice(before);
    return result;
}

} // namespace
} // namespace cpu_device

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    return record(pool ? allocate_in_stream(pointer, size, pool, stream) : cudaErrorInvalidValue);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    return record(allocate_in_stream(pointer, size, nullptr, stream));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    if (cudaError_t e = device_status()) return record(e);
    if (!pointer) return cudaSuccess;
    {
        Lock lock(runtime_mutex());
        if (is_capturing(stream)) return record(capture_free(pointer, stream));
    }
    if (cudaError_t e = check_stream(stream)) return record(e);
    if (const std::shared_ptr<GraphMemory> memory = free_graph_memory(pointer)) {
        Lock lock(runtime_mutex());
        const auto keep = [memory] { return cudaSuccess; };
        return record(enqueue(stream, {Op::kHost, "cudaFreeAsync", keep, {}}));
    }
    const Allocation *a = find_allocation(pointer);
    if (!a || a->base != (uintptr_t)pointer || a->kind != MemoryKind::kDevice) {
        explain_bad_free("cudaFreeAsync", pointer, __builtin_return_address(0));
        return record(cudaErrorInvalidValue);
    }
    Lock lock(runtime_mutex());
    const auto free_it = [pointer, id = a->id] {
        const Allocation *now = find_allocation(pointer);
        if (!now || now->id != id) return cudaErrorInvalidValue;
        release_device_memory(pointer);
        return cudaSuccess;
    };
    return record(enqueue(stream, {Op::kHost, "cudaFreeAsync", free_it, {}}));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    if (!pool) return record(cudaErrorInvalidValue);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    Lock lock(runtime_mutex());
    *pool = default_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    if (!pool) return record(cudaErrorInvalidValue);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    Lock lock(runtime_mutex());
    *pool = current_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    Lock lock(runtime_mutex());
    if (!is_pool(pool) || pool->device != device) return record(cudaErrorInvalidValue);
    pools().current[device] = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return record(cudaErrorInvalidValue);
    if (!is_device(props->location.id)) return record(cudaErrorInvalidDevice);
    if (props->handleTypes != cudaMemHandleTypeNone) {
        say("memory pools that processes share are not supported on the CPU device: set handleTypes "
            "to cudaMemHandleTypeNone");
        return record(cudaErrorNotSupported);
    }
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    *pool = make_pool(props->location.id, false, props->maxSize);
    return cudaSuccess;
}

/* What was taken from it stays the program's. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    Lock lock(runtime_mutex());
    if (!is_pool(pool) || pool->is_default) return record(cudaErrorInvalidValue);
    auto &current = pools().current;
    for (auto at = current.begin(); at != current.end();)
        at = at->second == pool ? current.erase(at) : std::next(at);
    pools().live.erase(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    Lock lock(runtime_mutex());
    if (!is_pool(pool)) return record(cudaErrorInvalidValue);
    pool->used_high = used(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    Lock lock(runtime_mutex());
    if (!value || !is_pool(pool)) return record(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - 1] = *(int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
        if (*(uint64_t *)value) return record(cudaErrorInvalidValue); /* only a reset */
        (attribute == cudaMemPoolAttrUsedMemHigh ? pool->used_high : pool->reserved_high) = 0;
        return cudaSuccess;
    default: return record(cudaErrorInvalidValue);
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    Lock lock(runtime_mutex());
    if (!value || !is_pool(pool)) return record(cudaErrorInvalidValue);
    uint64_t *number = (uint64_t *)value;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - 1];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *number = pool->threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent: *number = reserved(pool); return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh: *number = pool->reserved_high; return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent: *number = used(pool); return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh: *number = pool->used_high; return cudaSuccess;
    }
    return record(cudaErrorInvalidValue);
}

/* Other devices' access to a pool is as to all memory: by cudaDeviceEnablePeerAccess. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count) {
    {
        Lock lock(runtime_mutex());
        if (!is_pool(pool) || (count && !list)) return record(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; ++i) {
        if (list[i].location.type != cudaMemLocationTypeDevice || !is_device(list[i].location.id))
            return record(cudaErrorInvalidDevice);
        if (list[i].location.id == pool->device || list[i].flags == cudaMemAccessFlagsProtNone)
            continue;
        on_device(list[i].location.id, [&] {
            const cudaError_t e = cudaDeviceEnablePeerAccess(pool->device, 0);
            if (e == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
            return e;
        });
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
    Lock lock(runtime_mutex());
    if (!flags || !location || !is_pool(pool) || location->type != cudaMemLocationTypeDevice ||
        !is_device(location->id))
        return record(cudaErrorInvalidValue);
    *flags =
        location->id == pool->device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
    if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrCudaArrayAccessSupported)
        return record(cudaErrorInvalidValue);
    if (!is_device(device) || !is_device(peer) || device == peer)
        return record(cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported ||
             attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t,
                                     unsigned int flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
        return record(cudaErrorInvalidValue);
    if (cudaError_t e = check_stream(stream)) return record(e);
    const Allocation *a = find_allocation(pointer);
    return record(a && a->kind == MemoryKind::kManaged ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return record(device_status()); }

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue *value) {
    if (!value) return record(cudaErrorInvalidValue);
    return record(check_stream(stream));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int block_size,
                                                                   size_t dynamic_shared_size,
                                                                   unsigned int flags) {
    if (flags > 1) return record(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size,
                                                         dynamic_shared_size);
}

/* Layer by layer: a layer's rows are ysize apart. */
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent) {
    for (size_t z = 0; z < extent.depth; ++z)
        if (cudaError_t e = cudaMemset2D((char *)pitched.ptr + z * pitched.ysize * pitched.pitch,
                                         pitched.pitch, value, extent.width, extent.height))
            return e;
    return cudaSuccess;
}
