/* Shared memory: each block's window, and which array lies where in it.
 *
 * A window ends at a page that no access may touch. Static arrays lie first, in the order in which
 * the launch meets them, then the dynamic part. All blocks of a launch have an array at the same
 * place: those of a cluster find it in one another's windows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/shared.h"

#include <string.h>

#include <algorithm>

#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/ptx.h"
#include "cpu_device/sync.h"

namespace cpu_device {

namespace {

struct SharedArrayInfo {
    std::string symbol; /* of the function that declares it, as compilers encode it */
    size_t size;
    size_t alignment;
};

std::vector<SharedArrayInfo> &shared_arrays() {
    static std::vector<SharedArrayInfo> &v = *new std::vector<SharedArrayInfo>();
    return v;
}

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

} // namespace

static size_t shared_window(const LaunchRecord &r) {
    return round_up(r.static_shared + r.dynamic_shared, kSharedGranule);
}

void prepare_shared(Launch *l) {
    l->shared.base = l->shared.below = kSharedAreaSize - shared_window(*l->record);
}

void prepare_shared(Block *b, const LaunchRecord &r) {
    const size_t window = shared_window(r);
    b->shared_base = b->shared_area + kSharedAreaSize - window;
    b->shared_arrays.assign(shared_arrays().size(), nullptr);
    b->shared_places = b->shared_arrays.data();
    /* Other blocks of a cluster may write to an array before this one meets it. */
    char *first = b->worker->launch->clusters ? b->shared_area : b->shared_base;
    if (settings().poison) memset(first, 0xFF, (size_t)(b->shared_base + window - first));
}

/* `symbol` names a struct inside a function: "Z", the function, "E", the struct. */
SharedArray::SharedArray(const char *symbol, size_t size, size_t alignment)
    : id((int)shared_arrays().size()) {
    shared_arrays().push_back({symbol, size, alignment});
}

/* A kernel's symbol, as a template argument shows it: ...XadL_Z<function>EE... The local type's name
 * differs, but up to it the encodings are the same. */
bool is_local_of(const std::string &local, const char *kernel_symbol) {
    const char *at = strstr(kernel_symbol, "L_Z");
    if (!at) return false;
    const std::string kernel = at + 2;
    const size_t space = local.rfind("EN10cpu_device");
    const size_t end = space != std::string::npos ? space : local.rfind('E');
    return end != std::string::npos && kernel.compare(0, end, local, 0, end) == 0 &&
           (end == kernel.size() || kernel[end] == 'E');
}

size_t static_shared_size(const char *kernel_symbol) {
    size_t size = 0;
    for (const SharedArrayInfo &a : shared_arrays())
        if (kernel_symbol && is_local_of(a.symbol, kernel_symbol))
            size = round_up(size, a.alignment) + a.size;
    return size;
}

/* Where the array lies in each block of the launch, from the beginning of the shared area. */
static size_t offset_in_launch(Launch *l, int id) {
    SharedLayout &layout = l->shared;
    std::lock_guard<std::mutex> lock(layout.mutex);
    auto known = layout.offsets.find(id);
    if (known != layout.offsets.end()) return known->second;
    const SharedArrayInfo &a = shared_arrays()[(size_t)id];
    size_t offset;
    layout.used = round_up(layout.used, a.alignment);
    if (layout.used + a.size <= l->record->static_shared) {
        offset = layout.base + layout.used;
        layout.used += a.size;
    } else {
        /* A device function's array, or one that stands outside of functions: not counted in the
     * window, it lies below. */
        const size_t size = round_up(a.size, kSharedGranule);
        if (size > layout.below) abort_kernel(cudaErrorIllegalAddress);
        offset = layout.below -= size;
    }
    layout.offsets[id] = offset;
    return offset;
}

void *place_shared_array(int id) {
    const Interruptible before = (Interruptible)t_thread.interruptible;
    set_interruptible(kInRuntime);
    Block *b = this_block();
    char *&place = b->shared_arrays[(size_t)id];
    if (!place) {
        place = b->shared_area + offset_in_launch(b->worker->launch, id);
        if (place < b->shared_base && settings().poison && !b->worker->launch->clusters)
            memset(place, 0xFF, shared_arrays()[(size_t)id].size);
    }
    set_interruptible(before);
    return place;
}

size_t offset_in_shared(const void *pointer) {
    return (size_t)((const char *)pointer - this_block()->shared_area);
}

void *shared_at_offset(size_t offset) { return this_block()->shared_area + (uint32_t)offset; }

bool is_shared_address(const void *pointer) {
    const char *p = (const char *)pointer, *area = this_block()->shared_area;
    return p >= area && p < area + kSharedAreaSize;
}

bool is_local_address(const void *pointer) {
    const char *p = (const char *)pointer;
    for (const Fiber *f : this_block()->worker->fibers)
        if (p >= f->stack && p < f->stack + kFiberStackSize) return true;
    return is_frame_address(pointer);
}

bool is_on_own_stack(const void *pointer) {
    const Fiber *f = t_thread.slot ? t_thread.slot->fiber : this_block()->worker->fiber;
    const char *p = (const char *)pointer;
    return p >= f->stack && p < f->stack + f->stack_size;
}

bool is_global_address(const void *pointer) {
    return pointer && !is_shared_address(pointer) && !is_local_address(pointer);
}

void *dynamic_shared() {
    Block *b = this_block();
    if (!b) return kNoSharedMemory;
    return b->shared_base + b->worker->launch->record->static_shared;
}

} // namespace cpu_device
