/* Allocations, and the device's variables: what lies where, and which side may touch it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_MEMORY_H
#define CPU_DEVICE_RUNTIME_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <functional>

#include "cuda_runtime_api.h"

namespace cpu_device {

/* ---- memory.cc ---- */

enum class MemoryKind { kPageable, kDevice, kPinned, kManaged, kRegistered };

struct Allocation {
    uintptr_t base;
    size_t size;
    MemoryKind kind;
    int device;
    unsigned flags;
    uint64_t id;                   /* no two allocations of a run share one */
    size_t red_zone = 0;           /* unused bytes behind it */
    const void *made_by = nullptr; /* the code that the call which made it returns to */
};

/* The live allocation that holds `pointer`, or null: pageable host memory, or none at all. */
const Allocation *find_allocation(const void *pointer);

/* The pointer lies where only device memory can be (perhaps in none that lives). */
bool in_device_arena(const void *pointer);

/* The host address that a pointer made by device_view stands for, or null. */
const void *host_behind_view(const void *pointer);

/* Device memory can be read and written while one of these lives: the host cannot touch it
 * otherwise. Nests. Takes its own lock. */
class DeviceAccess {
  public:
    DeviceAccess();
    ~DeviceAccess();
};

void free_all_memory(int device);

/* Device memory, without the checks of cudaMalloc and cudaFree. */
cudaError_t allocate_device_memory(void **pointer, size_t size, int device);
void release_device_memory(void *pointer);

size_t used_device_memory(int device);

void for_each_allocation(const std::function<void(const Allocation &)> &visit);

/* The last one that begins below the address, or null. */
const Allocation *nearest_allocation_below(const void *pointer);

/* ---- variables.cc ---- */

struct MemoryRange {
    uintptr_t base;
    size_t size;
};

/* The pages that hold nothing but device variables. */
MemoryRange device_variable_pages();
bool in_device_variables(const void *pointer);

/* The program has some. */
bool has_device_variables();

/* As if all variables were one allocation; false: none lies there. */
bool find_variable(const void *pointer, Allocation *a);

/* Whether cudaGetSymbolAddress has given the program an address there. */
bool variable_address_taken(const void *pointer);

/* The device's own values stand in its variables. With device memory open. */
void activate_variables(int device);
void reset_variables(int device);

} // namespace cpu_device

#endif
