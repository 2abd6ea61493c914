/* Names of functions by their addresses, from the symbol table of the file that the code came
 * from: of a kernel that is a template's instance, only the address is known at times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

/* The program or library that holds some code. */
struct CodeFile {
    uintptr_t address;
    uintptr_t bias;
    std::string path; /* "" for the program itself */
    bool found;
};

int find_file(struct dl_phdr_info *info, size_t, void *wanted) {
    CodeFile *file = static_cast<CodeFile *>(wanted);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X) ||
            file->address - begin >= part.p_memsz)
            continue;
        file->bias = info->dlpi_addr;
        file->path = info->dlpi_name;
        file->found = true;
        return 1;
    }
    return 0;
}

CodeFile file_of(const void *code) {
    CodeFile file = {(uintptr_t)code, 0, "", false};
    dl_iterate_phdr(find_file, &file);
    return file;
}

/* The functions that a symbol table says begin at `value`. */
void find_names(const char *file, const ElfW(Shdr) & table, const ElfW(Shdr) & strings,
                uintptr_t value, std::vector<std::string> *names) {
    const auto *symbols = (const ElfW(Sym) *)(file + table.sh_offset);
    for (size_t i = 0; i < table.sh_size / sizeof *symbols; ++i)
        if ((symbols[i].st_info & 0xf) == STT_FUNC && symbols[i].st_value == value)
            names->push_back(file + strings.sh_offset + symbols[i].st_name);
}

} // namespace

bool is_code(const void *address) { return file_of(address).found; }

std::vector<std::string> names_of_code(const void *function) {
    std::vector<std::string> names;
    const CodeFile code = file_of(function);
    const int descriptor =
        open(code.path.empty() ? "/proc/self/exe" : code.path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (!code.found || descriptor < 0 || fstat(descriptor, &status) != 0) {
        if (descriptor >= 0) close(descriptor);
        return names;
    }
    const size_t size = (size_t)status.st_size;
    const char *file = (const char *)mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (file == MAP_FAILED) return names;
    const auto *head = (const ElfW(Ehdr) *)file;
    const auto *sections = (const ElfW(Shdr) *)(file + head->e_shoff);
    for (unsigned i = 0; head->e_shoff && i < head->e_shnum; ++i)
        if (sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM)
            find_names(file, sections[i], sections[sections[i].sh_link], code.address - code.bias,
                       &names);
    munmap((void *)file, size);
    return names;
}

} // namespace cpu_device
