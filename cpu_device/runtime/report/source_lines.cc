/* Source lines of machine code, for reports: what the compiler wrote into the program, read by
 * libdw when the first report needs it.
 *
 * A report wants the program's own line. Where the code is a function of the kit's or of the C
 * library's, such as an atomicAdd that was inlined, that is the line that calls it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

enum { kMaxFrames = 32, kMaxFrameSize = 1 << 20, kMaxWordsOnStack = 24 };

/* The program's file, its place in memory and its lines. */
struct Program {
    Dwarf *lines; /* null: none */
    uintptr_t bias, code, code_end;
};

int note_code(struct dl_phdr_info *info, size_t, void *program) {
    Program *p = static_cast<Program *>(program);
    p->bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
        p->code = info->dlpi_addr + part.p_vaddr;
        p->code_end = p->code + part.p_memsz;
    }
    return 1; /* the first is the program, and holds all kernels */
}

const Program &program() {
    static const Program &p = *[] {
        Program *made = new Program();
        dl_iterate_phdr(note_code, made);
        const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (file >= 0) made->lines = dwarf_begin(file, DWARF_C_READ);
        return made;
    }();
    return p;
}

/* What a frame pointer leads to: code without frames uses that register for other things. */
bool read_frame(uintptr_t frame, uintptr_t record[2]) {
    if (!frame || frame % sizeof(uintptr_t)) return false;
    const iovec to = {record, 2 * sizeof(uintptr_t)}, from = {(void *)frame, 2 * sizeof(uintptr_t)};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)to.iov_len;
}

bool is_program_code(uintptr_t pc) { return pc >= program().code && pc < program().code_end; }

/* The compilation that the address belongs to. */
bool find_unit(Dwarf *lines, Dwarf_Addr address, Dwarf_Die *unit) {
    if (dwarf_addrdie(lines, address, unit)) return true;
    Dwarf_Off offset = 0, next;
    size_t header;
    for (; dwarf_nextcu(lines, offset, &next, &header, nullptr, nullptr, nullptr) == 0;
         offset = next)
        if (dwarf_offdie(lines, offset + header, unit) && dwarf_haspc(unit, address) > 0)
            return true;
    return false;
}

/* Not the kit's own, nor the system's. */
bool is_users(const char *file) {
    static const std::string kit(__FILE__,
                                 strlen(__FILE__) - strlen("runtime/report/source_lines.cc"));
    return file && strncmp(file, "/usr/", 5) != 0 && !strstr(file, (kit + "runtime/").c_str()) &&
           !strstr(file, (kit + "include").c_str()) && /* include/, include_forward/ */
           !strstr(file, "/_cpu_device/"); /* what cu_to_cpp wrote, before its first #line */
}

/* As the compiler was given it. */
std::string place_text(Dwarf_Die *unit, const char *file, long line) {
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    const size_t n = folder ? strlen(folder) : 0;
    if (n && strncmp(file, folder, n) == 0 && file[n] == '/') file += n + 1;
    while (strncmp(file, "./", 2) == 0) file += 2;
    return std::string(file) + ":" + std::to_string(line) + ": ";
}

/* The line where a function that was inlined here is called; false: it was not inlined. */
bool call_of(Dwarf_Die *unit, Dwarf_Die *scope, const char **file, Dwarf_Word *line) {
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine) return false;
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Files *files;
    if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &index) != 0 ||
        dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), line) != 0 ||
        dwarf_getsrcfiles(unit, &files, nullptr) != 0)
        return false;
    *file = dwarf_filesrc(files, index, nullptr, nullptr);
    return *file != nullptr;
}

/* The user's line of the address, from the innermost inlined function outwards. */
std::string line_of(uintptr_t pc) {
    const Dwarf_Addr address = pc - program().bias;
    Dwarf_Die unit;
    if (!find_unit(program().lines, address, &unit)) return "";
    Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
    int row_line = 0;
    const char *file = row ? dwarf_linesrc(row, nullptr, nullptr) : nullptr;
    if (row && dwarf_lineno(row, &row_line) == 0 && row_line && is_users(file))
        return place_text(&unit, file, row_line);
    /* dwarf_getscopes goes on from an inlined function to the scopes around its definition; those
     around the place where it was put are its parents. */
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    int n = dwarf_getscopes(&unit, address, &innermost);
    if (n > 0) n = dwarf_getscopes_die(&innermost[0], &scopes);
    std::string found;
    Dwarf_Word line;
    for (int i = 0; i < n && found.empty(); ++i)
        if (call_of(&unit, &scopes[i], &file, &line) && line && is_users(file))
            found = place_text(&unit, file, (long)line);
    free(scopes);
    free(innermost);
    return found;
}

/* The first user's line from `pc` outwards, over the callers that the frame pointers lead to.
 * `exact`: pc is an instruction's own address, not where a call returns to. */
std::string line_from(uintptr_t pc, bool exact, uintptr_t frame) {
    static std::mutex &mutex = *new std::mutex();
    std::lock_guard<std::mutex> lock(mutex);
    if (!program().lines) return "";
    for (int i = 0; i < kMaxFrames; ++i) {
        if (is_program_code(pc)) {
            const std::string found = line_of(exact ? pc : pc - 1);
            if (!found.empty()) return found;
        }
        uintptr_t record[2];
        if (!read_frame(frame, record)) return "";
        const uintptr_t outer = record[0];
        frame = outer > frame && outer - frame < kMaxFrameSize ? outer : 0;
        pc = record[1];
        exact = false;
    }
    return "";
}

} // namespace

__attribute__((noinline)) std::string line_of_caller() {
    const uintptr_t outer = *(const uintptr_t *)__builtin_frame_address(0);
    return line_from((uintptr_t)__builtin_return_address(0), false, outer);
}

std::string line_of_code(const void *pc, const void *frame) {
    return line_from((uintptr_t)pc, true, (uintptr_t)frame);
}

std::string line_of_call(const void *return_address) {
    return line_from((uintptr_t)return_address, false, 0);
}

std::string line_of_fault([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
    const greg_t *r = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t pc = (uintptr_t)r[REG_RIP], frame = (uintptr_t)r[REG_RBP];
    if (is_program_code(pc)) return line_from(pc, true, frame);
    /* The C library has no frames, and its short functions little on the stack: where memcpy or
     free return to is the first that looks like it. */
    const uintptr_t *stack = (const uintptr_t *)r[REG_RSP];
    const uintptr_t *end = stack + kMaxWordsOnStack;
    const uintptr_t *at = std::find_if(stack, end, is_program_code);
    return line_from(at == end ? pc : *at, false, frame);
#elif defined(__aarch64__)
    const auto &m = ((const ucontext_t *)context)->uc_mcontext;
    if (is_program_code(m.pc)) return line_from(m.pc, true, m.regs[29]);
    return line_from(m.regs[30], false, m.regs[29]);
#else
    return "";
#endif
}

} // namespace cpu_device
