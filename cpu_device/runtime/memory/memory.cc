/* Device, pinned and managed memory.
 *
 * Device memory lies in one reserved range of addresses, a slice for each device. Allocations
 * of a megabyte and more get pages of their own with unreachable pages behind them; smaller
 * ones share slabs of 2 MB, as on the device. Pages can be touched only while a DeviceAccess
 * lives, that is while the device works: a device pointer that the host follows faults.
 *
 * With --config=check each allocation has pages of its own and ends where they end, and freed
 * addresses are not given out again soon: a kernel that goes past an end, or uses what was
 * freed, faults.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

const size_t kPage = 4096;
const size_t kSlabSize = 2 << 20;
const size_t kLargeSize = 1 << 20; /* from here on an allocation has its own pages */
const size_t kAlignment = 512;
const size_t kMostResting = 1024;
const size_t kPoisonWhole = 512 << 20; /* larger ones are poisoned at both ends only */

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* What pages of an allocation's own are a multiple of, and the gap behind them: whole huge pages
 * change hands fast. */
size_t mapping_unit(size_t size) {
    return kernels_are_checked() && size < kLargeSize ? kPage : kSlabSize;
}

bool has_own_pages(size_t size) { return size >= kLargeSize || kernels_are_checked(); }

/* With checks: how far before the pages' end an allocation begins. As aligned as an array of that
 * size can need, up to cudaMalloc's 256 bytes, and at least for vectors of 16. */
size_t size_at_end(size_t size) {
    const size_t power = size & (~size + 1);
    return round_up(size, std::min<size_t>(256, std::max<size_t>(16, power)));
}

/* Where an allocation's own pages begin. */
uintptr_t first_page(const Allocation &a) {
    if (!kernels_are_checked()) return a.base;
    return a.base + size_at_end(a.size) - round_up(a.size, mapping_unit(a.size));
}

/* A small allocation in a slab, with its unused bytes. */
size_t size_in_slab(size_t size) { return round_up(size + kMinRedZone, kAlignment); }

/* Pages that are mapped for one device. */
struct Region {
    uintptr_t base;
    size_t size;
};

/* Free bytes of a slab, by offset. */
struct Slab {
    uintptr_t base;
    std::map<size_t, size_t> free;
    size_t used;
};

struct Slice {
    uintptr_t base;
    size_t used_bytes;                 /* of the memory size that the device reports */
    std::map<uintptr_t, size_t> holes; /* address ranges to give out, by base */
    std::vector<Slab> slabs;
    std::deque<std::pair<uintptr_t, size_t>> resting; /* freed ranges that wait, with checks */
};

struct Memory {
    std::map<uintptr_t, Allocation> live;
    std::vector<Region> regions;
    std::vector<Slice> slices;
    uintptr_t arena;
    size_t slice_size;
    uint64_t next_id;
    int access_depth;
    std::recursive_mutex mutex;
};

Memory &memory() {
    static Memory &m = *[] {
        Memory *made = new Memory();
        const Settings &s = settings();
        /* Guards and fragments take addresses, not memory. */
        made->slice_size = round_up(s.memory_size * 4 + (64 << 20), kSlabSize);
        const size_t count = std::max(1, s.device_count);
        const size_t size = made->slice_size * count + 2 * kSlabSize;
        void *p =
            mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            say("cannot reserve %zu bytes of addresses; set LAB_CPU_DEVICE_MEMORY to less", size);
            exit(1);
        }
        /* Nothing lies right below: free() of the first allocation looks there. */
        made->arena = round_up((uintptr_t)p + kPage, kSlabSize);
        [[maybe_unused]] const MemoryRange variables = device_variable_pages();
#if !defined(__SANITIZE_ADDRESS__) /* whose search for leaks reads them */
        if (variables.size && mprotect((void *)variables.base, variables.size, PROT_NONE) == 0)
            made->regions.push_back({variables.base, variables.size});
#endif
        for (size_t i = 0; i < count; ++i) {
            Slice slice = {};
            slice.base = made->arena + i * made->slice_size;
            slice.holes[slice.base] = made->slice_size;
            made->slices.push_back(slice);
        }
        return made;
    }();
    return m;
}

using MemoryLock = std::lock_guard<std::recursive_mutex>;

int protection(const Memory &m) { return m.access_depth ? PROT_READ | PROT_WRITE : PROT_NONE; }

/* Takes `size` addresses of a slice and maps pages there; 0: none left. */
uintptr_t map_pages(Memory &m, Slice &slice, size_t size) {
    const size_t unit = mapping_unit(size), wanted = round_up(size, unit) + unit; /* one as a gap */
    for (auto hole = slice.holes.begin(); hole != slice.holes.end(); ++hole) {
        const uintptr_t first = hole->first, end = first + hole->second,
                        base = round_up(first, unit);
        if (base + wanted > end) continue;
        slice.holes.erase(hole);
        if (base > first) slice.holes[first] = base - first;
        if (base + wanted < end) slice.holes[base + wanted] = end - base - wanted;
        const size_t mapped = round_up(size, unit);
        if (mprotect((void *)base, mapped, protection(m)) != 0) return 0;
#ifdef MADV_HUGEPAGE
        if (unit == kSlabSize) madvise((void *)base, mapped, MADV_HUGEPAGE);
#endif
        m.regions.push_back({base, mapped});
        return base;
    }
    return 0;
}

/* Addresses that may be given out again. */
void add_hole(Slice &slice, uintptr_t base, size_t size) {
    auto hole = slice.holes.emplace(base, size).first;
    auto next = std::next(hole);
    if (next != slice.holes.end() && hole->first + hole->second == next->first) {
        hole->second += next->second;
        slice.holes.erase(next);
    }
    if (hole == slice.holes.begin()) return;
    auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
        before->second += hole->second;
        slice.holes.erase(hole);
    }
}

void unmap_pages(Memory &m, Slice &slice, uintptr_t base, size_t size) {
    const size_t unit = mapping_unit(size), mapped = round_up(size, unit);
    /* Fresh, unreachable pages in place of the old ones. */
    mmap((void *)base, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    m.regions.erase(std::find_if(m.regions.begin(), m.regions.end(),
                                 [&](const Region &r) { return r.base == base; }));
    slice.resting.emplace_back(base, mapped + unit);
    const size_t most = kernels_are_checked() ? kMostResting : 0;
    for (; slice.resting.size() > most; slice.resting.pop_front())
        add_hole(slice, slice.resting.front().first, slice.resting.front().second);
}

uintptr_t take_from_slabs(Memory &m, Slice &slice, size_t size) {
    const size_t wanted = size_in_slab(size);
    for (int tries = 0; tries < 2; ++tries) {
        for (Slab &slab : slice.slabs) {
            for (auto gap = slab.free.begin(); gap != slab.free.end(); ++gap) {
                if (gap->second < wanted) continue;
                const size_t offset = gap->first, rest = gap->second - wanted;
                slab.free.erase(gap);
                if (rest) slab.free[offset + wanted] = rest;
                slab.used += wanted;
                return slab.base + offset;
            }
        }
        if (tries == 1) break;
        const uintptr_t base = map_pages(m, slice, kSlabSize);
        if (!base) return 0;
        slice.slabs.push_back({base, {{0, kSlabSize}}, 0});
    }
    return 0;
}

void give_to_slab(Memory &m, Slice &slice, uintptr_t base, size_t size) {
    const size_t given = size_in_slab(size);
    for (size_t i = 0; i < slice.slabs.size(); ++i) {
        Slab &slab = slice.slabs[i];
        if (base < slab.base || base >= slab.base + kSlabSize) continue;
        slab.used -= given;
        if (slab.used == 0) {
            unmap_pages(m, slice, slab.base, kSlabSize);
            slice.slabs.erase(slice.slabs.begin() + (long)i);
            return;
        }
        auto gap = slab.free.emplace(base - slab.base, given).first;
        auto next = std::next(gap);
        if (next != slab.free.end() && gap->first + gap->second == next->first) {
            gap->second += next->second;
            slab.free.erase(next);
        }
        if (gap != slab.free.begin()) {
            auto before = std::prev(gap);
            if (before->first + before->second == gap->first) {
                before->second += gap->second;
                slab.free.erase(gap);
            }
        }
        return;
    }
}

/* Fresh memory holds no zeros that a program could count on. */
void poison(const Allocation &a) {
    DeviceAccess access;
    fill_red_zone(a);
    if (!settings().poison) return;
    const size_t end = a.size <= kPoisonWhole ? a.size : kPoisonWhole / 8;
    memset((char *)a.base, 0xFF, end);
    if (end < a.size) memset((char *)a.base + a.size - end, 0xFF, end);
}

cudaError_t allocate_device(void **pointer, size_t size, int device, const void *made_by) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    Slice &slice = m.slices[(size_t)device];
    const size_t total = settings().memory_size;
    if (size > total || slice.used_bytes > total - size) return cudaErrorMemoryAllocation;
    uintptr_t base =
        has_own_pages(size) ? map_pages(m, slice, size) : take_from_slabs(m, slice, size);
    if (!base) return cudaErrorMemoryAllocation;
    slice.used_bytes += size;
    size_t place = has_own_pages(size) ? round_up(size, mapping_unit(size)) : size_in_slab(size);
    if (kernels_are_checked()) {
        base += place - size_at_end(size);
        place = size_at_end(size);
    }
    const Allocation a = {base,
                          size,
                          MemoryKind::kDevice,
                          device,
                          0,
                          ++m.next_id,
                          std::min<size_t>(place - size, kMaxRedZone),
                          made_by};
    m.live[base] = a;
    note_allocated(a);
    poison(a);
    *pointer = (void *)base;
    return cudaSuccess;
}

/* Pinned and managed memory: ordinary pages that both sides may touch, between two that nobody
 * may. */
size_t pages_of(size_t size) {
    return round_up(kernels_are_checked() ? size : size + kMinRedZone, kPage);
}

cudaError_t allocate_host(void **pointer, size_t size, MemoryKind kind, unsigned flags,
                          const void *made_by) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    if (size > (size_t)1 << 46) return cudaErrorMemoryAllocation;
    const size_t pages = pages_of(size);
    char *p =
        (char *)mmap(nullptr, pages + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return cudaErrorMemoryAllocation;
    p += kPage;
    if (mprotect(p, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(p - kPage, pages + 2 * kPage);
        return cudaErrorMemoryAllocation;
    }
    const size_t place = kernels_are_checked() ? size_at_end(size) : pages;
    p += pages - place;
    const Allocation a = {(uintptr_t)p,
                          size,
                          kind,
                          current_ordinal(),
                          flags,
                          ++m.next_id,
                          std::min<size_t>(place - size, kMaxRedZone),
                          made_by};
    m.live[a.base] = a;
    fill_red_zone(a);
    *pointer = p;
    return cudaSuccess;
}

void release(Memory &m, std::map<uintptr_t, Allocation>::iterator at) {
    const Allocation a = at->second;
    m.live.erase(at);
    if (a.kind == MemoryKind::kDevice) note_freed(a);
    if (a.kind == MemoryKind::kDevice) {
        Slice &slice = m.slices[(size_t)a.device];
        slice.used_bytes -= a.size;
        if (has_own_pages(a.size)) unmap_pages(m, slice, first_page(a), a.size);
        else give_to_slab(m, slice, a.base, a.size);
    } else if (a.kind != MemoryKind::kRegistered) {
        munmap((char *)(a.base / kPage * kPage) - kPage, pages_of(a.size) + 2 * kPage);
    }
}

/* Host addresses have these bits clear: set, an address that no access survives. */
const uintptr_t kViewBits = 0xffff800000000000u;

cudaError_t checked_malloc(void **pointer, size_t size,
                           const std::function<cudaError_t()> &allocate) {
    if (!pointer) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    if (cudaError_t e = unseen_call_unlocked()) return record(e);
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    if (injected_failure("malloc")) return record(cudaErrorMemoryAllocation);
    return record(allocate());
}

} // namespace

DeviceAccess::DeviceAccess() {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    if (m.access_depth++ == 0)
        for (const Region &r : m.regions) mprotect((void *)r.base, r.size, PROT_READ | PROT_WRITE);
}

DeviceAccess::~DeviceAccess() {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    if (--m.access_depth == 0)
        for (const Region &r : m.regions) mprotect((void *)r.base, r.size, PROT_NONE);
}

const Allocation *find_allocation(const void *pointer) {
    static thread_local Allocation variable;
    if (find_variable(pointer, &variable)) return &variable;
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    auto at = m.live.upper_bound((uintptr_t)pointer);
    if (at == m.live.begin()) return nullptr;
    --at;
    const Allocation &a = at->second;
    return (uintptr_t)pointer < a.base + a.size ? &a : nullptr;
}

bool in_device_arena(const void *pointer) {
    const Memory &m = memory();
    const uintptr_t p = (uintptr_t)pointer;
    return p >= m.arena - kPage && p < m.arena + m.slices.size() * m.slice_size;
}

const void *host_behind_view(const void *pointer) {
    const uintptr_t p = (uintptr_t)pointer;
    return (p & kViewBits) == kViewBits ? (const void *)(p & ~kViewBits) : nullptr;
}

void *device_view(uintptr_t address, const LaunchPlace &) {
    const void *pointer = (const void *)address;
    if (!pointer) return nullptr;
    const Allocation *a = find_allocation(pointer);
    const Device &device = current_device();
    if (in_device_variables(pointer) && a->kind == MemoryKind::kDevice &&
        !variable_address_taken(pointer))
        a = nullptr; /* the host's name for it, which means nothing to the device */
    const bool reachable = a ? a->kind != MemoryKind::kDevice || a->device == device.ordinal ||
                                   std::count(device.peers.begin(), device.peers.end(), a->device)
                             : in_device_arena(pointer) || ((uintptr_t)pointer & kViewBits);
    return reachable ? const_cast<void *>(pointer) : (void *)((uintptr_t)pointer | kViewBits);
}

cudaError_t allocate_device_memory(void **pointer, size_t size, int device) {
    return allocate_device(pointer, size, device, nullptr);
}

size_t used_device_memory(int device) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    return m.slices[(size_t)device].used_bytes;
}

void for_each_allocation(const std::function<void(const Allocation &)> &visit) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    for (const auto &entry : m.live) visit(entry.second);
}

const Allocation *nearest_allocation_below(const void *pointer) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    auto at = m.live.upper_bound((uintptr_t)pointer);
    return at == m.live.begin() ? nullptr : &std::prev(at)->second;
}

void release_device_memory(void *pointer) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    auto at = m.live.find((uintptr_t)pointer);
    if (at != m.live.end()) release(m, at);
}

void free_all_memory(int device) {
    Memory &m = memory();
    MemoryLock lock(m.mutex);
    for (auto at = m.live.begin(); at != m.live.end();) {
        auto next = std::next(at);
        if (at->second.device == device) release(m, at);
        at = next;
    }
}

} // namespace cpu_device

using namespace cpu_device;

cudaError_t cudaMalloc(void **pointer, size_t size) {
    const void *made_by = __builtin_return_address(0);
    return checked_malloc(pointer, size, [&] {
        return allocate_device(pointer, size, current_ordinal(), made_by);
    });
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags) {
    if (flags & ~7u) return record(cudaErrorInvalidValue);
    const void *made_by = __builtin_return_address(0);
    return checked_malloc(pointer, size, [&] {
        return allocate_host(pointer, size, MemoryKind::kPinned, flags, made_by);
    });
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return record(cudaErrorInvalidValue);
    const void *made_by = __builtin_return_address(0);
    return checked_malloc(pointer, size, [&] {
        return allocate_host(pointer, size, MemoryKind::kManaged, flags, made_by);
    });
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!pointer || !pitch) return record(cudaErrorInvalidValue);
    *pitch = round_up(width, kAlignment);
    if (height && *pitch > SIZE_MAX / height) return record(cudaErrorMemoryAllocation);
    return cudaMalloc(pointer, width ? *pitch * height : 0);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
    if (!pitched) return record(cudaErrorInvalidValue);
    void *p = nullptr;
    size_t pitch = 0;
    if (extent.depth && extent.height > SIZE_MAX / extent.depth)
        return record(cudaErrorMemoryAllocation);
    const cudaError_t e = cudaMallocPitch(&p, &pitch, extent.width, extent.height * extent.depth);
    if (e == cudaSuccess) *pitched = make_cudaPitchedPtr(p, pitch, extent.width, extent.height);
    return e;
}

cudaError_t cudaFree(void *pointer) {
    if (cudaError_t e = device_status()) return record(e);
    if (cudaError_t e = unseen_call_unlocked()) return record(e);
    if (!pointer) return cudaSuccess;
    if (free_graph_memory_now(pointer)) return cudaSuccess;
    Memory &m = memory();
    int device;
    {
        MemoryLock guard(m.mutex);
        auto at = m.live.find((uintptr_t)pointer);
        if (at == m.live.end() ||
            (at->second.kind != MemoryKind::kDevice && at->second.kind != MemoryKind::kManaged)) {
            explain_bad_free("cudaFree", pointer, __builtin_return_address(0));
            return record(cudaErrorInvalidValue);
        }
        device = at->second.device;
    }
    {
        Lock lock(runtime_mutex());
        if (cudaError_t e = wait_for_device(lock, device)) return record(e);
    }
    MemoryLock guard(m.mutex);
    auto at = m.live.find((uintptr_t)pointer);
    if (at == m.live.end()) return record(cudaErrorInvalidValue);
    release(m, at);
    return cudaSuccess;
}

/* Work that still reads or writes the buffer is not waited for: copy.cc finds out. */
cudaError_t cudaFreeHost(void *pointer) {
    if (!pointer) return cudaSuccess;
    if (cudaError_t e = unseen_call_unlocked()) return record(e);
    Memory &m = memory();
    MemoryLock guard(m.mutex);
    auto at = m.live.find((uintptr_t)pointer);
    if (at == m.live.end() || at->second.kind != MemoryKind::kPinned) {
        explain_bad_free("cudaFreeHost", pointer, __builtin_return_address(0));
        return record(cudaErrorInvalidValue);
    }
    release(m, at);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags) {
    if (cudaError_t e = device_status()) return record(e);
    if (!pointer || !size || (flags & ~15u) || in_device_arena(pointer))
        return record(cudaErrorInvalidValue);
    if (cudaError_t e = unseen_call_unlocked()) return record(e);
    Memory &m = memory();
    MemoryLock guard(m.mutex);
    auto next = m.live.lower_bound((uintptr_t)pointer);
    if (find_allocation(pointer) ||
        (next != m.live.end() && next->first < (uintptr_t)pointer + size))
        return record(cudaErrorHostMemoryAlreadyRegistered);
    m.live[(uintptr_t)pointer] = {(uintptr_t)pointer, size,  MemoryKind::kRegistered,
                                  current_ordinal(),  flags, ++m.next_id};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) {
    Memory &m = memory();
    MemoryLock guard(m.mutex);
    auto at = m.live.find((uintptr_t)pointer);
    if (at == m.live.end() || at->second.kind != MemoryKind::kRegistered)
        return record(pointer ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue);
    release(m, at);
    return cudaSuccess;
}
