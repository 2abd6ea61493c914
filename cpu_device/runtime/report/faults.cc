/* Signals: a bad access becomes an error with a sentence.
 *
 * In a kernel it ends the kernel with the code that the device would give, which sticks. In
 * host code that follows a pointer into device memory it ends the program with status 1, as
 * nothing sensible can go on. Everything else is left to whoever handled it before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

struct sigaction g_before[NSIG];

/* In the guard below some thread's stack. */
bool below_a_stack(const void *address) {
    const char *p = (const char *)address;
    for (const Fiber *f : this_worker()->fibers)
        if (p < f->stack && p >= f->stack - kStackGuard) return true;
    return false;
}

bool beyond_shared_memory(const void *address) {
    const char *p = (const char *)address, *area = this_block()->shared_area;
    return p >= area - kSharedGuard && p < area + kSharedAreaSize + kSharedGuard;
}

/* What the address is, in words. */
void describe(const void *address, bool unaligned, char *text, size_t size) {
    if (unaligned)
        snprintf(text, size,
                 "an address that is not aligned to its type, such as a float4 that begins at no "
                 "multiple of 16 bytes");
    else if (const void *host = host_behind_view(address); host && in_device_variables(host))
        snprintf(
            text, size,
            "%p, which the host calls a __device__ or __constant__ variable: give kernels what "
            "cudaGetSymbolAddress returns, or let them use the variable by its name",
            host);
    else if (const void *host = host_behind_view(address))
        snprintf(text, size,
                 "%p, which is memory of the host: give kernels pointers from cudaMalloc, and copy "
                 "with cudaMemcpy first",
                 host);
    else if (!address) snprintf(text, size, "a null pointer");
    else if ((uintptr_t)address < 65536)
        snprintf(text, size, "%p, close to a null pointer", address);
    else if (beyond_shared_memory(address))
        snprintf(text, size, "%p, which is outside of its block's shared memory", address);
    else if (below_a_stack(address))
        snprintf(
            text, size,
            "%p, which is beyond its stack of %d KB: it calls itself too deep, or its arrays are "
            "too large",
            address, kFiberStackSize / 1024);
    else if (const std::string wrapped = describe_wrapped(address); !wrapped.empty())
        snprintf(text, size, "%p, which is %s: did a 32-bit index wrap?", address, wrapped.c_str());
    else if (in_device_arena(address))
        snprintf(text, size, "%p, which is %s", address, describe_address(address).c_str());
    else if (const std::string past = describe_past_end(address); !past.empty())
        snprintf(text, size, "%p, which is %s", address, past.c_str());
    else snprintf(text, size, "%p, which is no device memory", address);
}

/* The device divides by zero without a fault: the quotient has all bits set, the remainder is
 * the dividend. Puts that into the registers of a division that stopped; false: it was none. */
bool finish_division([[maybe_unused]] void *context) {
#if defined(__x86_64__)
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)r[REG_RIP], *p = code;
    bool wide = false, half = false;
    for (;; ++p) {
        if (*p == 0x66) half = true;
        else if ((*p & 0xF0) == 0x40) wide = *p & 8;
        else break;
    }
    const unsigned char opcode = *p++, modrm = *p++;
    const int operation = modrm >> 3 & 7, mode = modrm >> 6, base = modrm & 7;
    if (opcode != 0xF7 || operation < 6) return false;
    if (mode != 3) {
        if (base == 4) {
            if (mode == 0 && (*p & 7) == 5) p += 4;
            ++p;
        }
        if (mode == 1) p += 1;
        if (mode == 2 || (mode == 0 && base == 5)) p += 4;
    }
    const uint64_t mask = wide ? ~0ull : half ? 0xFFFFull : 0xFFFFFFFFull;
    const uint64_t dividend = (uint64_t)r[REG_RAX] & mask;
    const uint64_t lowest = mask ^ mask >> 1;
    /* The other division that stops is the lowest number by -1, which wraps. */
    const bool wraps =
        operation == 7 && dividend == lowest && ((uint64_t)r[REG_RDX] & mask) == mask;
    /* A dividend of 64 bits that fits 32 is divided as one of 32 there. */
    const uint64_t all_set = wide && dividend >> 32 == 0 ? 0xFFFFFFFFull : mask;
    const uint64_t quotient = wraps ? lowest : all_set, rest = wraps ? 0 : dividend;
    const uint64_t kept = half ? ~mask : 0;
    r[REG_RAX] = (greg_t)(((uint64_t)r[REG_RAX] & kept) | quotient);
    r[REG_RDX] = (greg_t)(((uint64_t)r[REG_RDX] & kept) | rest);
    r[REG_RIP] += p - code;
    return true;
#else
    return false;
#endif
}

[[noreturn]] void end_misaligned(const std::string &line, const void *address, size_t alignment) {
    note_check_failure();
    say("%s%s touched %p, which is no multiple of %zu, its type's alignment", line.c_str(),
        where_in_kernel().c_str(), address, alignment);
    abort_kernel(cudaErrorMisalignedAddress);
}

[[noreturn]] void fault_in_kernel(int signal_number, const siginfo_t *info, const void *context) {
    set_interruptible(kInRuntime);
    if (assertion_has_failed()) abort_kernel(cudaErrorAssert); /* that it went on is our doing */
    /* A general protection fault has no address: a vector access that is not aligned, or one where
   * no memory can be. */
    const bool protection = info->si_code == SI_KERNEL && info->si_addr == nullptr;
    const uintptr_t impossible = protection ? impossible_address(context) : 0;
#if CPU_DEVICE_MARKS_MISALIGNED
    if (impossible >> 52 == kMisalignedMark >> 52)
        end_misaligned(line_of_fault(context), (const void *)(impossible & 0xFFFFFFFFFFFF),
                       (size_t)1 << (impossible >> 48 & 15));
#endif
    const bool unaligned = signal_number == SIGBUS || (protection && !impossible);
    const void *address = impossible ? (const void *)impossible : info->si_addr;
    note_check_failure();
    const std::string who = line_of_fault(context) + where_in_kernel();
    if (signal_number == SIGILL) {
        say("%s stopped at __builtin_trap(), or at the end of a function that returns nothing",
            who.c_str());
        abort_kernel(cudaErrorLaunchFailure);
    }
    char what[512];
    describe(address, unaligned, what, sizeof what);
    say("%s touched %s", who.c_str(), what);
    abort_kernel(unaligned ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
}

/* Says what the host did, whatever LAB_CPU_DEVICE_QUIET says, and ends the program. */
[[noreturn]] void end_program(const std::string &line, const char *format, const void *pointer,
                              const std::string &what) {
    char text[1024];
    int n = snprintf(text, sizeof text, "CPU device: %s", line.c_str());
    n += snprintf(text + n, sizeof text - (size_t)n, format, pointer, what.c_str());
    fflush(stdout);
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
    _exit(1);
}

/* The C library looks up the size of what it is to free right before that; null: it was not in
 * free() or realloc(). */
const void *freed_pointer([[maybe_unused]] const void *address,
                          [[maybe_unused]] const void *context) {
#if defined(__x86_64__)
    const greg_t code = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    Dl_info info;
    if (!dladdr((const void *)code, &info) || !info.dli_sname) return nullptr;
    for (const char *name : {"free", "cfree", "__libc_free", "realloc", "__libc_realloc"})
        if (!strcmp(info.dli_sname, name)) return (const char *)address + sizeof(size_t);
#endif
    return nullptr;
}

/* The memory that free() or delete was given, if it is the runtime's. */
void fault_in_free(const void *pointer, const void *context) {
    const Allocation *a = find_allocation(pointer);
    if (!a && !in_device_arena(pointer) && !in_device_variables(pointer)) return;
    std::string what = describe_address(pointer) + ": ";
    if (a && a->kind == MemoryKind::kPinned) what += "use cudaFreeHost";
    else what += in_device_variables(pointer) ? "variables are not freed" : "use cudaFree";
    end_program(line_of_fault(context), "free() or delete was given %p, which is %s.\n", pointer,
                what);
}

void fault_on_host(const void *address, const void *context) {
    if (in_device_variables(address))
        end_program(line_of_fault(context),
                    "the host touched a __device__ or __constant__ variable at %p. Use "
                    "cudaMemcpyFromSymbol or cudaMemcpyToSymbol%s.\n",
                    address, "");
    if (in_device_arena(address))
        end_program(line_of_fault(context), "the host touched device memory: %p is %s.\n", address,
                    describe_address(address) +
                        (find_allocation(address)
                             ? ". Copy it with cudaMemcpy, or use it in a kernel"
                             : ""));
}

void on_fault(int signal_number, siginfo_t *info, void *context) {
    if (in_kernel()) {
        if (signal_number == SIGFPE && finish_division(context)) return;
        fault_in_kernel(signal_number, info, context);
    }
    if (signal_number == SIGSEGV) {
        if (const void *pointer = freed_pointer(info->si_addr, context))
            fault_in_free(pointer, context);
        fault_on_host(info->si_addr, context);
    }
    const struct sigaction &before = g_before[signal_number];
    if (before.sa_flags & SA_SIGINFO && before.sa_sigaction) {
        before.sa_sigaction(signal_number, info, context);
        return;
    }
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal_number);
        return;
    }
    signal(signal_number, SIG_DFL); /* the access is tried again, and ends the program */
}

} // namespace

[[noreturn]] void trap() {
    set_interruptible(kInRuntime);
    note_check_failure();
    say("%s%s stopped at __trap()", line_of_caller().c_str(), where_in_kernel().c_str());
    abort_kernel(cudaErrorLaunchFailure);
}

#if !CPU_DEVICE_MARKS_MISALIGNED
void misaligned(const void *address, size_t alignment) {
    if (!in_kernel()) return;
    if ((intptr_t)address >> 47 != 0 && !host_behind_view(address))
        return; /* no memory can be there: the access will say so */
    set_interruptible(kInRuntime);
    end_misaligned(line_of_caller(), address, alignment);
}
#endif

void prepare_thread_for_faults() {
    static thread_local bool done = false;
    if (done) return;
    done = true;
    const size_t size = 256 * 1024; /* only touched pages take memory; libdw reads lines on it */
    stack_t old;
    if (sigaltstack(nullptr, &old) == 0 && !(old.ss_flags & SS_DISABLE) && old.ss_size >= size)
        return;
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return;
    stack_t stack = {};
    stack.ss_sp = p;
    stack.ss_size = size;
    sigaltstack(&stack, nullptr);
}

void install_fault_handlers() {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(s, &action, &g_before[s]);
    prepare_thread_for_faults();
}

} // namespace cpu_device
