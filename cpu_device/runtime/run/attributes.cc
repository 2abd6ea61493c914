/* What programs ask of kernels and set: attributes and occupancy. Threads and shared memory bound
 * how many blocks run at once; registers are not modelled.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <algorithm>

#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/kernels.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

/* Success, or what such a call gives for an address that is no kernel's. */
static cudaError_t check_kernel(const void *kernel) {
    if (cudaError_t e = device_status()) return e;
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    return is_kernel(kernel) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static size_t static_shared_of(const void *kernel) {
    return static_shared_size(symbol_of_kernel(kernel));
}

/* __launch_bounds__ changes nothing here, nor does it on a GPU. */
static int blocks_of(const void *kernel, uint64_t threads, size_t dynamic_shared) {
    const size_t fixed = static_shared_of(kernel);
    if (dynamic_shared > allowed_dynamic_shared(kernel, fixed)) return 0;
    return blocks_at_once(threads, fixed + dynamic_shared);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
    if (cudaError_t e = check_kernel(kernel)) return record(e);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return record(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        kernel_limits()[kernel].large_clusters = value != 0;
        return cudaSuccess;
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value + static_shared_of(kernel) > kMaxSharedSize)
        return record(cudaErrorInvalidValue);
    kernel_limits()[kernel].dynamic_shared_set = true;
    kernel_limits()[kernel].dynamic_shared = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
    if (cudaError_t e = check_kernel(kernel)) return record(e);
    return record(config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                     : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    if (!attributes) return record(cudaErrorInvalidValue);
    if (cudaError_t e = check_kernel(kernel)) return record(e);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = (int)max_threads_of(symbol_of_kernel(kernel));
    attributes->numRegs = 32;
    attributes->sharedSizeBytes = static_shared_of(kernel);
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes =
        (int)allowed_dynamic_shared(kernel, attributes->sharedSizeBytes);
    attributes->preferredShmemCarveout = -1;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_shared_size) {
    if (!blocks || block_size <= 0) return record(cudaErrorInvalidValue);
    if (cudaError_t e = check_kernel(kernel)) return record(e);
    *blocks = blocks_of(kernel, (uint64_t)block_size, dynamic_shared_size);
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, const void *kernel, int blocks,
                                                      int block_size) {
    if (!size || blocks <= 0 || block_size <= 0) return record(cudaErrorInvalidValue);
    if (cudaError_t e = check_kernel(kernel)) return record(e);
    const size_t each = 228 * 1024 / (size_t)blocks, fixed = static_shared_of(kernel),
                 used = fixed + 1024;
    *size = each > used ? std::min(each - used, allowed_dynamic_shared(kernel, fixed)) : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel,
                                                 const cudaLaunchConfig_t *config) {
    if (!size || !config) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    *size = (int)largest_cluster(kernel);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config) {
    if (!clusters || !config) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    const unsigned size = volume(cluster_in(*config));
    const int blocks =
        blocks_of(kernel, (uint64_t)volume(config->blockDim), config->dynamicSmemBytes);
    *clusters = size ? blocks * (int)settings().threads / (int)size : 0;
    return cudaSuccess;
}
