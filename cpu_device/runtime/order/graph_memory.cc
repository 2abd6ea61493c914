/* Memory that nodes of graphs allocate and free, and the count of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <map>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/graph.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/runtime.h"

using namespace cpu_device;

namespace cpu_device {
namespace {

/* Memory of graphs by address: all of it, and what stands allocated, which lives on even if its
 * graph does not. */
std::map<void *, std::weak_ptr<GraphMemory>> &memories() {
    static auto &table = *new std::map<void *, std::weak_ptr<GraphMemory>>();
    return table;
}

std::map<void *, std::shared_ptr<GraphMemory>> &standing() {
    static auto &table = *new std::map<void *, std::shared_ptr<GraphMemory>>();
    return table;
}

/* What cudaDeviceGetGraphMemAttribute returns, in bytes. A launch needs as much as stands allocated
 * at once; the device keeps that for the next launches until it is trimmed. */
struct Footprint {
    size_t allocated = 0, kept = 0;
    size_t used_high = 0, reserved_high = 0;
};

Footprint &footprint(int device) {
    static auto &table = *new std::map<int, Footprint>();
    return table[device];
}

/* Devices give memory to graphs in pieces of 32 MiB. */
size_t whole_pages(size_t size) {
    constexpr size_t kPage = size_t(32) << 20;
    return (size + kPage - 1) / kPage * kPage;
}

void count_allocation(const GraphMemory &memory) {
    Footprint &f = footprint(memory.device);
    f.allocated += whole_pages(memory.size);
    f.kept = std::max(f.kept, f.allocated);
    f.used_high = std::max(f.used_high, f.kept);
    f.reserved_high = std::max(f.reserved_high, f.kept);
}

} // namespace

cudaError_t make_graph_memory(size_t size, int device, std::shared_ptr<GraphMemory> *memory) {
    void *pointer = nullptr;
    if (size == 0) return cudaErrorInvalidValue;
    if (cudaError_t e = allocate_device_memory(&pointer, size, device)) return e;
    memory->reset(new GraphMemory{pointer, size, device, false});
    memories()[pointer] = *memory;
    return cudaSuccess;
}

std::shared_ptr<GraphMemory> graph_memory_at(void *pointer) {
    auto at = memories().find(pointer);
    return at == memories().end() ? nullptr : at->second.lock();
}

GraphMemory::~GraphMemory() {
    memories().erase(pointer);
    release_device_memory(pointer);
}

cudaError_t begin_allocation(const std::shared_ptr<GraphMemory> &memory, bool again) {
    if (memory->allocated && !again) return cudaErrorInvalidValue;
    if (!memory->allocated) count_allocation(*memory);
    memory->allocated = true;
    standing()[memory->pointer] = memory;
    return cudaSuccess;
}

cudaError_t end_allocation(const std::shared_ptr<GraphMemory> &memory) {
    if (!memory->allocated) return cudaErrorInvalidValue;
    memory->allocated = false;
    footprint(memory->device).allocated -= whole_pages(memory->size);
    standing().erase(memory->pointer);
    return cudaSuccess;
}

std::shared_ptr<GraphMemory> free_graph_memory(void *pointer) {
    Lock lock(runtime_mutex());
    const auto memory = graph_memory_at(pointer);
    return memory && end_allocation(memory) == cudaSuccess ? memory : nullptr;
}

bool free_graph_memory_now(void *pointer) {
    Lock lock(runtime_mutex());
    auto memory = graph_memory_at(pointer);
    if (!memory || !memory->allocated) return false;
    wait_for_device(lock, current_ordinal());
    return end_allocation(memory) == cudaSuccess;
}

} // namespace cpu_device

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    if (!value) return record(cudaErrorInvalidValue);
    Lock lock(runtime_mutex());
    const Footprint &f = footprint(device);
    uint64_t *number = (uint64_t *)value;
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent: *number = f.kept; return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh: *number = f.used_high; return cudaSuccess;
    case cudaGraphMemAttrReservedMemHigh: *number = f.reserved_high; return cudaSuccess;
    }
    return record(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!high || !value || *(uint64_t *)value)
        return record(cudaErrorInvalidValue); /* only a reset */
    Lock lock(runtime_mutex());
    Footprint &f = footprint(device);
    (attribute == cudaGraphMemAttrUsedMemHigh ? f.used_high : f.reserved_high) = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    if (!is_device(device)) return record(cudaErrorInvalidDevice);
    Lock lock(runtime_mutex());
    Footprint &f = footprint(device);
    f.kept = f.allocated;
    return cudaSuccess;
}

} // extern "C"
