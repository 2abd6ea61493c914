/* What the runtime says of addresses: where one lies, what is wrong with one that is freed, and
 * which kernel has written past the end of an allocation.
 *
 * Behind each allocation lie unused bytes with a pattern in them. When a kernel
 * has run they are looked at. A GPU says nothing of such a write, so it is a report and no error;
 * with --config=check the program does not end with status 0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <set>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

/* As floats and as doubles these are NaN, but signalling ones, which arithmetic changes: x[i] += 1
 * past the end leaves a trace. */
const unsigned char kPattern[8] = {0xFF, 0xFF, 0xBF, 0xFF, 0xFF, 0xFF, 0xF7, 0xFF};

const unsigned char *pattern() {
    static const unsigned char *bytes = [] {
        unsigned char *made = new unsigned char[kMaxRedZone];
        for (size_t i = 0; i < kMaxRedZone; ++i) made[i] = kPattern[i % sizeof kPattern];
        return made;
    }();
    return bytes;
}

/* Bytes of the zone up to the last that was written; puts the pattern back. */
size_t written_bytes(const Allocation &a) {
    unsigned char *zone = (unsigned char *)(a.base + a.size);
    if (memcmp(zone, pattern(), a.red_zone) == 0) return 0;
    size_t n = a.red_zone;
    while (zone[n - 1] == pattern()[n - 1]) --n;
    if (n % 4 == 3) ++n; /* a float that was only made quiet */
    fill_red_zone(a);
    return n;
}

/* "the allocation of 4000 bytes from program.cu:12" */
std::string name_of(const Allocation &a) {
    std::string from = a.made_by ? line_of_call(a.made_by) : "";
    if (!from.empty()) from = " from " + from.substr(0, from.size() - 2);
    return (a.kind == MemoryKind::kDevice    ? "the allocation of "
            : a.kind == MemoryKind::kManaged ? "the managed memory of "
                                             : "the pinned memory of ") +
           std::to_string(a.size) + " bytes" + from;
}

void say_overrun(const std::string &who, const Allocation &a, size_t bytes) {
    say("%s wrote %zu bytes%s past the end of %s: is each index less than the number of elements?",
        who.c_str(), bytes, bytes == a.red_zone ? " or more" : "", name_of(a).c_str());
    note_check_failure();
}

bool is_open_to_host(const Allocation &a) { return a.kind != MemoryKind::kDevice; }

/* ---- what has been freed ---- */

enum { kFreedRemembered = 4096 };

/* Sizes by address. */
std::map<uintptr_t, size_t> &freed() {
    static auto &sizes = *new std::map<uintptr_t, size_t>();
    return sizes;
}

std::mutex &freed_mutex() {
    static std::mutex &mutex = *new std::mutex();
    return mutex;
}

/* The allocation, freed meanwhile, that held the address. */
bool find_freed(uintptr_t p, uintptr_t *base, size_t *size) {
    std::lock_guard<std::mutex> lock(freed_mutex());
    auto at = freed().upper_bound(p);
    if (at == freed().begin() || p - (--at)->first >= at->second) return false;
    *base = at->first;
    *size = at->second;
    return true;
}

} // namespace

void fill_red_zone(const Allocation &a) { memcpy((char *)a.base + a.size, pattern(), a.red_zone); }

void blame_host_for_overruns() {
    for_each_allocation([](const Allocation &a) {
        if (!a.red_zone || !is_open_to_host(a)) return;
        if (const size_t n = written_bytes(a)) say_overrun("the host", a, n);
    });
}

void blame_kernel_for_overruns(const LaunchPlace &place) {
    static auto &told = *new std::set<std::pair<std::string, int>>();
    for_each_allocation([&](const Allocation &a) {
        const size_t n = a.red_zone ? written_bytes(a) : 0;
        if (!n || !told.insert({place.file, place.line}).second) return;
        say_overrun(std::string("kernel ") + place.kernel + ", launched at " + place.file + ":" +
                        std::to_string(place.line) + ",",
                    a, n);
    });
}

std::string describe_address(const void *pointer) {
    const uintptr_t p = (uintptr_t)pointer;
    char text[200];
    if (in_device_variables(pointer)) return "a __device__ or __constant__ variable";
    if (const Allocation *a = find_allocation(pointer)) {
        snprintf(text, sizeof text, "byte %zu of %s", (size_t)(p - a->base), name_of(*a).c_str());
        return text;
    }
    if (!in_device_arena(pointer)) return "memory of the host";
    uintptr_t base;
    size_t size;
    if (find_freed(p, &base, &size)) {
        snprintf(text, sizeof text, "byte %zu of an allocation of %zu bytes that has been freed",
                 (size_t)(p - base), size);
        return text;
    }
    const std::string past = describe_past_end(pointer);
    return past.empty() ? "device memory that is not allocated" : past;
}

std::string describe_past_end(const void *pointer) {
    const Allocation *below = nearest_allocation_below(pointer);
    if (!below) return "";
    const size_t distance = (size_t)((uintptr_t)pointer - below->base - below->size) + 1;
    if (!in_device_arena(pointer) && distance > kHostGuard) return "";
    return std::to_string(distance) + " bytes past the end of " + name_of(*below);
}

/* In words, to one digit behind the point where there is one. */
static std::string in_gb(uint64_t bytes) {
    char text[40];
    snprintf(text, sizeof text, "%.3g GB", (double)(bytes >> 20) / 1024);
    return text;
}

std::string describe_wrapped(const void *pointer) {
    enum : uint64_t { kFar = (uint64_t)1 << 30, kFarthest = (uint64_t)16 << 32 };
    const uintptr_t p = (uintptr_t)pointer;
    if (find_allocation(pointer)) return "";
    const Allocation *below = nearest_allocation_below(pointer);
    const uint64_t past = below ? p - (below->base + below->size) : ~(uint64_t)0;
    uint64_t before = ~(uint64_t)0;
    Allocation above = {};
    for_each_allocation([&](const Allocation &a) {
        if (a.base <= p || a.base - p >= before) return;
        before = a.base - p;
        above = a;
    });
    if (past < kFar) return "";
    if (before >= kFar && before <= kFarthest && before <= past)
        return in_gb(before) + " before " + name_of(above);
    return past <= kFarthest && before > past ? in_gb(past) + " past the end of " + name_of(*below)
                                              : "";
}

void note_allocated(const Allocation &a) {
    std::lock_guard<std::mutex> lock(freed_mutex());
    auto &sizes = freed();
    auto at = sizes.lower_bound(a.base);
    while (at != sizes.end() && at->first < a.base + a.size) at = sizes.erase(at);
    if (at != sizes.begin() && std::prev(at)->first + std::prev(at)->second > a.base)
        sizes.erase(std::prev(at));
}

void note_freed(const Allocation &a) {
    std::lock_guard<std::mutex> lock(freed_mutex());
    if (freed().size() < kFreedRemembered) freed()[a.base] = a.size;
}

void explain_bad_free(const char *call, const void *pointer, const void *return_address) {
    const Allocation *a = find_allocation(pointer);
    const char *advice = "give it the pointer that cudaMalloc gave";
    if (in_device_variables(pointer)) advice = "variables are not freed";
    else if (!a && in_device_arena(pointer)) advice = "free each allocation once";
    else if (!a) advice = "free() is for what malloc gave, delete for what new gave";
    else if (a->base != (uintptr_t)pointer)
        advice = "give it the pointer that the allocation began with";
    else if (a->kind == MemoryKind::kPinned) advice = "use cudaFreeHost";
    else if (a->kind == MemoryKind::kRegistered) advice = "use cudaHostUnregister";
    else advice = "use cudaFree";
    say("%s%s was given %p, which is %s: %s", line_of_call(return_address).c_str(), call, pointer,
        describe_address(pointer).c_str(), advice);
}

} // namespace cpu_device
