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
inline cudaError_t cudaHostGetDevicePointer(T **device_pointer, void *pointer, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)device_pointer, pointer, flags);
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

/* Device variables by name: their size comes along. */
namespace cpu_device {
struct Symbol {
    const void *address;
    size_t size;
};
cudaError_t copy_to_symbol(Symbol symbol, const void *src, size_t size, size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream, bool async);
cudaError_t copy_from_symbol(void *dst, Symbol symbol, size_t size, size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool async);
cudaError_t symbol_address(void **pointer, Symbol symbol);
cudaError_t symbol_size(size_t *size, Symbol symbol);

/* Where the instance of a template's variable lies that begins as `initial`: among the others. */
void *place_variable(void *initial, size_t size, size_t alignment, bool managed);
template <bool managed, class T>
inline T &placed(T &initial) {
    return *(T *)place_variable((void *)&initial, sizeof initial, alignof(T), managed);
}

template <class T>
inline Symbol symbol_of(const T &variable) {
    return {(const void *)&variable, sizeof variable};
}
} // namespace cpu_device

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t size,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cpu_device::copy_to_symbol(::cpu_device::symbol_of(symbol), src, size, offset, kind, 0,
                                        false);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t size, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cpu_device::copy_from_symbol(dst, ::cpu_device::symbol_of(symbol), size, offset, kind,
                                          0, false);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t size,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = 0) {
    return ::cpu_device::copy_to_symbol(::cpu_device::symbol_of(symbol), src, size, offset, kind,
                                        stream, true);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = 0) {
    return ::cpu_device::copy_from_symbol(dst, ::cpu_device::symbol_of(symbol), size, offset, kind,
                                          stream, true);
}
template <class T, class S>
inline cudaError_t cudaGetSymbolAddress(T **pointer, const S &symbol) {
    return ::cpu_device::symbol_address((void **)pointer, ::cpu_device::symbol_of(symbol));
}
template <class S>
inline cudaError_t cudaGetSymbolSize(size_t *size, const S &symbol) {
    return ::cpu_device::symbol_size(size, ::cpu_device::symbol_of(symbol));
}

/* Spellings that toolkit 13 removed, or that took an int where a location stands now. */
#define CPU_DEVICE_OLD_CALL_(modern) \
    __attribute__((deprecated("toolkit 13 removed this spelling: use " modern)))
CPU_DEVICE_OLD_CALL_("cudaDeviceSynchronize")
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
CPU_DEVICE_OLD_CALL_("cudaDeviceReset")
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
CPU_DEVICE_OLD_CALL_("cudaDeviceSetLimit")
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
CPU_DEVICE_OLD_CALL_("cudaDeviceSetCacheConfig")
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
    return cudaDeviceSetCacheConfig(config);
}
CPU_DEVICE_OLD_CALL_("no call: banks are 4 bytes wide")
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
CPU_DEVICE_OLD_CALL_("no call: banks are 4 bytes wide")
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

namespace cpu_device {
inline cudaMemLocation location_of(int device) {
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
} // namespace cpu_device

CPU_DEVICE_OLD_CALL_("a cudaMemLocation in place of the device's number")
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device,
                                        cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync(pointer, size, ::cpu_device::location_of(device), 0u, stream);
}
CPU_DEVICE_OLD_CALL_("a cudaMemLocation in place of the device's number")
inline cudaError_t cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise advice,
                                 int device) {
    return cudaMemAdvise(pointer, size, advice, ::cpu_device::location_of(device));
}
#undef CPU_DEVICE_OLD_CALL_

/* Graphs: symbols by name, and the arguments that toolkits 11 and 12 had. */
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, size_t count,
                                                  const T &symbol, const void *src, size_t size,
                                                  size_t offset, cudaMemcpyKind kind) {
    void *address = nullptr;
    if (cudaError_t e = cudaGetSymbolAddress(&address, symbol)) return e;
    return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, (char *)address + offset, src,
                                    size, kind);
}
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies,
                                                    size_t count, void *dst, const T &symbol,
                                                    size_t size, size_t offset,
                                                    cudaMemcpyKind kind) {
    void *address = nullptr;
    if (cudaError_t e = cudaGetSymbolAddress(&address, symbol)) return e;
    return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, dst, (char *)address + offset,
                                    size, kind);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        cudaGraphNode_t *error_node, char *log, size_t log_size) {
    cudaGraphInstantiateParams params = {};
    const cudaError_t error = cudaGraphInstantiateWithParams(exec, graph, &params);
    if (error_node) *error_node = params.errNode_out;
    if (log && log_size) *log = 0;
    return error;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t *error_node,
                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (error_node) *error_node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     size_t *count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                                size_t *count) {
    return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                                  size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}
inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                               unsigned long long *id = nullptr,
                                               cudaGraph_t *graph = nullptr,
                                               const cudaGraphNode_t **dependencies = nullptr,
                                               size_t *count = nullptr) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                       cudaGraphNode_t *dependencies, size_t count,
                                                       unsigned int flags = 0) {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, count, flags);
}

/* Kernels by name. */
template <class R, class... P>
inline cudaError_t cudaFuncSetAttribute(R (*kernel)(P...), cudaFuncAttribute attribute, int value) {
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

namespace cpu_device {
/* The kernel's own limit, or the program's if that is less; 0 and an error where there is none. */
inline int largest_block(const void *kernel, int limit, cudaError_t *error) {
    cudaFuncAttributes attributes = {};
    if (*error == cudaSuccess) *error = ::cudaFuncGetAttributes(&attributes, kernel);
    const int most = attributes.maxThreadsPerBlock;
    return limit > 0 && limit < most ? limit : most;
}
} // namespace cpu_device

/* The block size at which the most threads fit on a multiprocessor. */
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size,
                                                      Kernel kernel, size_t dynamic_shared_size = 0,
                                                      int block_size_limit = 0) {
    if (!min_grid_size || !block_size) return cudaErrorInvalidValue;
    int multiprocessors = 0, best = 0;
    cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    block_size_limit = ::cpu_device::largest_block((const void *)kernel, block_size_limit, &error);
    if (error != cudaSuccess) return error;
    *min_grid_size = *block_size = 0;
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

/* The same, where shared memory depends on the block's size. */
template <class SizeOf, class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size,
                                                                  int *block_size, Kernel kernel,
                                                                  SizeOf shared_size_of,
                                                                  int block_size_limit = 0) {
    if (!min_grid_size || !block_size) return cudaErrorInvalidValue;
    int multiprocessors = 0, best = 0;
    cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    block_size_limit = ::cpu_device::largest_block((const void *)kernel, block_size_limit, &error);
    for (int size = block_size_limit; error == cudaSuccess && size > 0;
         size -= size % 32 ? size % 32 : 32) {
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, size,
                                                                (size_t)shared_size_of(size));
        if (blocks * size <= best) continue;
        best = blocks * size;
        *block_size = size;
        *min_grid_size = blocks * multiprocessors;
    }
    return error;
}

template <class R, class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, R (*kernel)(P...), int block_size, size_t dynamic_shared_size,
    unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)kernel, block_size, dynamic_shared_size, flags);
}

template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t size = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)pointer, size, flags);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                           cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}

#endif
