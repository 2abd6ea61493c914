/* Host pointers in the structures that kernels are given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

namespace {

/* Code of the program and its libraries: what function pointers point at. */
bool is_code(uintptr_t address) {
    return dl_iterate_phdr(
               [](struct dl_phdr_info *info, size_t, void *wanted) {
                   const uintptr_t at = *static_cast<uintptr_t *>(wanted);
                   for (int i = 0; i < info->dlpi_phnum; ++i) {
                       const ElfW(Phdr) &part = info->dlpi_phdr[i];
                       const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                       if (part.p_type == PT_LOAD && (part.p_flags & PF_X) && at >= begin &&
                           at < begin + part.p_memsz)
                           return 1;
                   }
                   return 0;
               },
               &address) != 0;
}

bool is_mapped(uintptr_t address) {
    static const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    return mincore((void *)(address & ~(page - 1)), 1, &resident) == 0;
}

/* Two small integers side by side are no pointer, though something may lie at that address (the
 * shadow of the address sanitizer does): heap, stacks and mappings lie high. */
bool looks_like_host_pointer(uint64_t word) {
    const uint64_t lowest = (uint64_t)0x5000 << 32;
    return word >= lowest && word < (uint64_t)1 << 47 && is_mapped(word);
}

} // namespace

void close_host_pointers(void *bytes, size_t size, const LaunchPlace &place) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (char *)bytes + at, sizeof word);
        if (!looks_like_host_pointer(word) || is_code(word)) continue;
        word = (uint64_t)device_view((uintptr_t)word, place);
        memcpy((char *)bytes + at, &word, sizeof word);
    }
}

} // namespace cpu_device
