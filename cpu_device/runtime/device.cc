/* The devices, and what they answer about themselves: limits and features are an H200's, so
 * that a program meets the bounds it would meet there; sizes and names are this computer's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/order/queue.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

std::vector<Device> &devices() {
    static std::vector<Device> &all = *[] {
        auto *made = new std::vector<Device>();
        for (int i = 0; i < settings().device_count; ++i)
            made->push_back(Device{i, cudaSuccess, 0, {}});
        install_fault_handlers();
        return made;
    }();
    return all;
}

thread_local int t_ordinal = 0;

/* cudaDeviceAttr -> value; what is not listed is 0, and 0 of a clock means not reported. */
const std::map<int, int> &attributes() {
    static const auto &table = *new std::map<int, int>{
        {cudaDevAttrMaxThreadsPerBlock, kMaxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, 1024},
        {cudaDevAttrMaxBlockDimY, 1024},
        {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, INT_MAX},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, 48 * 1024},
        {cudaDevAttrTotalConstantMemory, 64 * 1024},
        {cudaDevAttrWarpSize, kWarpSize},
        {cudaDevAttrMaxPitch, INT_MAX},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrTextureAlignment, 512},
        {cudaDevAttrTexturePitchAlignment, 32},
        {cudaDevAttrSurfaceAlignment, 512},
        {cudaDevAttrGpuOverlap, 1},
        {cudaDevAttrCanMapHostMemory, 1},
        {cudaDevAttrConcurrentKernels, 1},
        {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
        {cudaDevAttrAsyncEngineCount, 1},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrMemoryPoolsSupported, 1},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrStreamPrioritiesSupported, 1},
        {cudaDevAttrGlobalL1CacheSupported, 1},
        {cudaDevAttrLocalL1CacheSupported, 1},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 * 1024},
        {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
        {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
        {cudaDevAttrConcurrentManagedAccess, 1},
        {cudaDevAttrComputePreemptionSupported, 1},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrClusterLaunch, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, kMaxSharedSize},
        {cudaDevAttrHostRegisterSupported, 1},
        {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
        {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
        {cudaDevAttrHostRegisterReadOnlySupported, 1},
    };
    return table;
}

int attribute(cudaDeviceAttr which, int ordinal) {
    if (which == cudaDevAttrMultiProcessorCount) return (int)settings().threads;
    if (which == cudaDevAttrPciDeviceId) return ordinal;
    auto at = attributes().find(which);
    return at == attributes().end() ? 0 : at->second;
}

} // namespace

std::mutex &runtime_mutex() {
    static std::mutex &m = *new std::mutex();
    return m;
}

unsigned multiprocessors() { return settings().threads; }
bool is_device(int ordinal) { return ordinal >= 0 && ordinal < (int)devices().size(); }
Device &device_at(int ordinal) { return devices()[(size_t)ordinal]; }
int current_ordinal() { return t_ordinal; }
Device &current_device() { return device_at(t_ordinal); }

cudaError_t device_status() {
    if (devices().empty()) return cudaErrorNoDevice;
    return current_device().broken;
}

} // namespace cpu_device

using namespace cpu_device;

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return record(cudaErrorInvalidValue);
    *count = settings().device_count;
    return *count ? cudaSuccess : record(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device) {
    if (!device) return record(cudaErrorInvalidValue);
    if (devices().empty()) return record(cudaErrorNoDevice);
    *device = t_ordinal;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (devices().empty()) return record(cudaErrorNoDevice);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    t_ordinal = device;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags) {
    (void)device_flags;
    if (flags & ~1u) return record(cudaErrorInvalidValue);
    return is_device(device) ? cudaSuccess : record(cudaErrorInvalidDevice);
}

cudaError_t cudaSetValidDevices(int *list, int count) {
    if (count < 0 || (count && !list)) return record(cudaErrorInvalidValue);
    for (int i = 0; i < count; ++i)
        if (!is_device(list[i])) return record(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    if (!device || !prop) return record(cudaErrorInvalidValue);
    if (devices().empty()) return record(cudaErrorNoDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device) {
    if (!value) return record(cudaErrorInvalidValue);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    if (which < 1 || which >= cudaDevAttrMax) return record(cudaErrorInvalidValue);
    *value = attribute(which, device);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    if (!p) return record(cudaErrorInvalidValue);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    const auto get = [device](cudaDeviceAttr which) { return attribute(which, device); };
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "CPU device (%u core%s, emulated)", settings().threads,
             settings().threads == 1 ? "" : "s");
    memcpy(p->uuid.bytes, "CPU-device-emul", 15);
    p->uuid.bytes[15] = (char)device;
    p->totalGlobalMem = settings().memory_size;
    p->sharedMemPerBlock = (size_t)get(cudaDevAttrMaxSharedMemoryPerBlock);
    p->regsPerBlock = get(cudaDevAttrMaxRegistersPerBlock);
    p->warpSize = get(cudaDevAttrWarpSize);
    p->memPitch = (size_t)get(cudaDevAttrMaxPitch);
    p->maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
    for (int i = 0; i < 3; ++i) {
        p->maxThreadsDim[i] = get((cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        p->maxGridSize[i] = get((cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
    p->totalConstMem = (size_t)get(cudaDevAttrTotalConstantMemory);
    p->major = get(cudaDevAttrComputeCapabilityMajor);
    p->minor = get(cudaDevAttrComputeCapabilityMinor);
    p->textureAlignment = (size_t)get(cudaDevAttrTextureAlignment);
    p->texturePitchAlignment = (size_t)get(cudaDevAttrTexturePitchAlignment);
    p->surfaceAlignment = (size_t)get(cudaDevAttrSurfaceAlignment);
    p->multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
    p->canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
    p->concurrentKernels = get(cudaDevAttrConcurrentKernels);
    p->pciDeviceID = get(cudaDevAttrPciDeviceId);
    p->asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
    p->unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
    p->maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
    p->streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
    p->globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
    p->localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
    p->sharedMemPerMultiprocessor = (size_t)get(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    p->regsPerMultiprocessor = get(cudaDevAttrMaxRegistersPerMultiprocessor);
    p->managedMemory = get(cudaDevAttrManagedMemory);
    p->concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
    p->computePreemptionSupported = get(cudaDevAttrComputePreemptionSupported);
    p->canUseHostPointerForRegisteredMem = get(cudaDevAttrCanUseHostPointerForRegisteredMem);
    p->cooperativeLaunch = get(cudaDevAttrCooperativeLaunch);
    p->clusterLaunch = get(cudaDevAttrClusterLaunch);
    p->sharedMemPerBlockOptin = (size_t)get(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    p->maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
    p->reservedSharedMemPerBlock = (size_t)get(cudaDevAttrReservedSharedMemoryPerBlock);
    p->hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
    p->memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
    p->hostRegisterReadOnlySupported = get(cudaDevAttrHostRegisterReadOnlySupported);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    p->deviceOverlap = get(cudaDevAttrGpuOverlap);
    p->singleToDoublePrecisionPerfRatio = get(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#pragma GCC diagnostic pop
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    if (!text || size < 13) return record(cudaErrorInvalidValue);
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    snprintf(text, (size_t)size, "0000:00:%02X.0", (unsigned)device & 0xFF);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    if (!device || !text) return record(cudaErrorInvalidValue);
    for (int i = 0; is_device(i); ++i) {
        char own[16];
        cudaDeviceGetPCIBusId(own, sizeof own, i);
        if (strcasecmp(own, text) == 0 || strcasecmp(own + 5, text) == 0) {
            *device = i;
            return cudaSuccess;
        }
    }
    return record(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize(void) {
    if (cudaError_t e = device_status()) return record(e);
    Lock lock(runtime_mutex());
    if (cudaError_t e = may_wait_for_all(current_ordinal())) return record(e);
    return record(wait_for_device(lock, current_ordinal()));
}

/* After a sticky error the reset itself succeeds, and the device is lost to the process. */
cudaError_t cudaDeviceReset(void) {
    if (devices().empty()) return record(cudaErrorNoDevice);
    Device &d = current_device();
    Lock lock(runtime_mutex());
    wait_for_device(lock, d.ordinal);
    forget_queue(d.ordinal);
    lock.unlock();
    free_all_memory(d.ordinal);
    reset_variables(d.ordinal);
    d.broken = d.broken ? cudaErrorDevicesUnavailable : cudaSuccess;
    d.flags = 0;
    d.peers.clear();
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    if (devices().empty()) return record(cudaErrorNoDevice);
    if (flags & ~(unsigned)cudaDeviceMask || (flags & cudaDeviceScheduleMask) == 3 ||
        (flags & cudaDeviceScheduleMask) > 4)
        return record(cudaErrorInvalidValue);
    current_device().flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    if (!flags) return record(cudaErrorInvalidValue);
    if (devices().empty()) return record(cudaErrorNoDevice);
    *flags = current_device().flags | cudaDeviceMapHost;
    return cudaSuccess;
}

static std::mutex &limits_mutex() {
    static std::mutex &m = *new std::mutex();
    return m;
}
static std::map<int, size_t> &limits() {
    static auto &table = *new std::map<int, size_t>{
        {cudaLimitStackSize, 1024},           {cudaLimitPrintfFifoSize, 7340032},
        {cudaLimitMallocHeapSize, 8 << 20},   {cudaLimitDevRuntimePendingLaunchCount, 2048},
        {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0},
    };
    return table;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    if (cudaError_t e = device_status()) return record(e);
    auto at = limits().find(limit);
    if (at == limits().end()) return record(cudaErrorUnsupportedLimit);
    std::lock_guard<std::mutex> lock(limits_mutex());
    at->second = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    if (!value) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    auto at = limits().find(limit);
    if (at == limits().end()) return record(cudaErrorUnsupportedLimit);
    *value = at->second;
    return cudaSuccess;
}

size_t cpu_device::printf_buffer_size() {
    std::lock_guard<std::mutex> lock(limits_mutex());
    return limits()[cudaLimitPrintfFifoSize];
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return record(device_status()); }

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    if (!config) return record(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return record(device_status());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (cudaError_t e = device_status()) return record(e);
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (!version) return record(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can) return record(cudaErrorInvalidValue);
    if (!is_device(device) || !is_device(peer)) return record(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    if (cudaError_t e = device_status()) return record(e);
    if (flags) return record(cudaErrorInvalidValue);
    if (!is_device(peer)) return record(cudaErrorInvalidDevice);
    Device &d = current_device();
    if (peer == d.ordinal) return record(cudaErrorPeerAccessUnsupported);
    if (std::count(d.peers.begin(), d.peers.end(), peer))
        return record(cudaErrorPeerAccessAlreadyEnabled);
    d.peers.push_back(peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    if (cudaError_t e = device_status()) return record(e);
    if (!is_device(peer)) return record(cudaErrorInvalidDevice);
    Device &d = current_device();
    auto at = std::find(d.peers.begin(), d.peers.end(), peer);
    if (at == d.peers.end()) return record(cudaErrorPeerAccessNotEnabled);
    d.peers.erase(at);
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return record(device_status()); }
cudaError_t cudaProfilerStop(void) { return record(device_status()); }
