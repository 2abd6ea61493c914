/* Device variables: what programs declare with __device__, __constant__ and __managed__.
 *
 * cu_to_cpp puts them into sections of their own, so they lie together: cu_device is closed to
 * the host like all device memory, cu_managed is open to both sides. Each device has its own
 * values; those of the device that works stand in the section.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <map>

#include "cpu_device/api_templates.h"
#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/runtime.h"

extern "C" {
extern char __start_cu_device[] __attribute__((visibility("hidden")));
extern char __stop_cu_device[] __attribute__((visibility("hidden")));
extern char __start_cu_managed[] __attribute__((visibility("hidden")));
extern char __stop_cu_managed[] __attribute__((visibility("hidden")));
}

namespace cpu_device {
namespace {

/* The sections exist, begin at a page, and (since this file is linked after a program's own)
 * end at one. */
const size_t kDevicePage = 4096;
__attribute__((section("cu_device"), aligned(4096), used)) char g_device_page[kDevicePage] = {1};
__attribute__((section("cu_managed"), aligned(16), used)) char g_managed_bytes[16] = {1};

/* For the instances of templates, which compilers leave outside of any section. */
const size_t kTemplateBytes = 64 * 1024;
__attribute__((section("cu_device"), aligned(64), used)) char g_device_instances[kTemplateBytes] = {
    1};
__attribute__((section("cu_managed"), aligned(64),
               used)) char g_managed_instances[kTemplateBytes] = {1};

struct Variables {
    std::vector<char> initial;
    std::map<int, std::vector<char>> images; /* of the devices that do not work now */
    int active = 0;
    std::map<uintptr_t, size_t> addresses_taken;
};

size_t section_size() { return (size_t)(__stop_cu_device - __start_cu_device); }

Variables &variables() {
    static Variables &v = *new Variables();
    return v;
}

} // namespace

/* Called before main: the variable is a reference, which this initialises. */
void *place_variable(void *initial, size_t size, size_t alignment, bool managed) {
    static size_t used[2];
    size_t &at = used[managed];
    const size_t begin = (at + alignment - 1) / alignment * alignment;
    if (begin + size > kTemplateBytes) {
        say("the program's templates have more than %zu bytes of __device__ variables: the host cannot use one of "
            "%zu bytes by its name. Make it no template",
            kTemplateBytes, size);
        return initial;
    }
    at = begin + size;
    void *place = (managed ? g_managed_instances : g_device_instances) + begin;
    DeviceAccess access;
    memcpy(place, initial, size);
    Variables &v = variables();
    if (!managed && !v.initial.empty())
        memcpy(v.initial.data() + ((char *)place - __start_cu_device), initial, size);
    return place;
}

MemoryRange device_variable_pages() {
    const uintptr_t begin = (uintptr_t)__start_cu_device;
    Variables &v = variables();
    /* Asked for once, before anything is closed: what resets restore. */
    if (v.initial.empty()) v.initial.assign(__start_cu_device, __stop_cu_device);
    return {begin, section_size() / kDevicePage * kDevicePage};
}

bool has_device_variables() { return section_size() > kDevicePage; }

bool in_device_variables(const void *pointer) {
    const char *p = (const char *)pointer;
    return (p >= __start_cu_device && p < __stop_cu_device) ||
           (p >= __start_cu_managed && p < __stop_cu_managed);
}

bool find_variable(const void *pointer, Allocation *a) {
    const char *p = (const char *)pointer;
    if (p >= __start_cu_device && p < __stop_cu_device)
        *a = {(uintptr_t)__start_cu_device,
              section_size(),
              MemoryKind::kDevice,
              current_ordinal(),
              0,
              0};
    else if (p >= __start_cu_managed && p < __stop_cu_managed)
        *a = {(uintptr_t)__start_cu_managed,
              (size_t)(__stop_cu_managed - __start_cu_managed),
              MemoryKind::kManaged,
              current_ordinal(),
              0,
              0};
    else return false;
    return true;
}

bool variable_address_taken(const void *pointer) {
    const auto &taken = variables().addresses_taken;
    auto at = taken.upper_bound((uintptr_t)pointer);
    if (at == taken.begin()) return false;
    --at;
    return (uintptr_t)pointer - at->first < at->second;
}

void activate_variables(int device) {
    Variables &v = variables();
    if (v.active == device || v.initial.empty()) return;
    v.images[v.active].assign(__start_cu_device, __stop_cu_device);
    const std::vector<char> &image = v.images.count(device) ? v.images[device] : v.initial;
    memcpy(__start_cu_device, image.data(), image.size());
    v.active = device;
}

void reset_variables(int device) {
    Variables &v = variables();
    if (v.initial.empty()) return;
    if (v.active != device) {
        v.images.erase(device);
        return;
    }
    DeviceAccess access;
    memcpy(__start_cu_device, v.initial.data(), v.initial.size());
}

cudaError_t symbol_address(void **pointer, Symbol symbol) {
    if (!pointer) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    if (!in_device_variables(symbol.address)) return record(cudaErrorInvalidSymbol);
    variables().addresses_taken[(uintptr_t)symbol.address] = symbol.size;
    *pointer = const_cast<void *>(symbol.address);
    return cudaSuccess;
}

cudaError_t symbol_size(size_t *size, Symbol symbol) {
    if (!size) return record(cudaErrorInvalidValue);
    if (cudaError_t e = device_status()) return record(e);
    if (!in_device_variables(symbol.address)) return record(cudaErrorInvalidSymbol);
    *size = symbol.size;
    return cudaSuccess;
}

} // namespace cpu_device
