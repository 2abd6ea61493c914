/* What programs ask about memory, and tell about it as hints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned int flags) {
    if (!device_pointer || !pointer || flags) return record(cudaErrorInvalidValue);
    const Allocation *a = find_allocation(pointer);
    if (!a || (a->kind != MemoryKind::kPinned && a->kind != MemoryKind::kRegistered))
        return record(cudaErrorInvalidValue);
    *device_pointer = pointer;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer) {
    const Allocation *a = pointer ? find_allocation(pointer) : nullptr;
    if (!flags || !a || a->kind != MemoryKind::kPinned) return record(cudaErrorInvalidValue);
    *flags = a->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    if (!free_bytes || !total_bytes) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    *total_bytes = settings().memory_size;
    *free_bytes = *total_bytes - used_device_memory(current_ordinal());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    if (!attributes) return record(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    const Allocation *a = pointer ? find_allocation(pointer) : nullptr;
    if (!a) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = in_device_arena(pointer) ? nullptr : (void *)pointer;
        return cudaSuccess;
    }
    attributes->type = a->kind == MemoryKind::kDevice    ? cudaMemoryTypeDevice
                       : a->kind == MemoryKind::kManaged ? cudaMemoryTypeManaged
                                                         : cudaMemoryTypeHost;
    attributes->device = a->device;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = a->kind == MemoryKind::kDevice ? nullptr : (void *)pointer;
    return cudaSuccess;
}

static cudaError_t check_managed_range(const void *pointer, size_t size) {
    if (cudaError_t e = device_status()) return e;
    const Allocation *a = find_allocation(pointer);
    if (!a || a->kind != MemoryKind::kManaged || size == 0 ||
        size > a->base + a->size - (uintptr_t)pointer)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
    if (flags || (location.type == cudaMemLocationTypeDevice && !is_device(location.id)))
        return record(cudaErrorInvalidValue);
    if (cudaError_t e = check_stream(stream)) return record(e);
    return record(check_managed_range(pointer, size));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        (location.type == cudaMemLocationTypeDevice && !is_device(location.id)))
        return record(cudaErrorInvalidValue);
    return record(check_managed_range(pointer, size));
}
