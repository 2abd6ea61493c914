/* What went wrong, in words: addresses, functions and source lines; signals that become errors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_REPORT_H
#define CPU_DEVICE_RUNTIME_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <string>
#include <vector>

#include "cpu_device/launch.h"
#include "cpu_device/runtime/memory/memory.h"

namespace cpu_device {

/* ---- memory_reports.cc ---- */

enum { kMinRedZone = 256, kMaxRedZone = 1024, kHostGuard = 4096 };

void fill_red_zone(const Allocation &a);

/* To be called before and after a kernel: each reports writes past the end of an allocation, as the
 * host's or as the kernel's. */
void blame_host_for_overruns();
void blame_kernel_for_overruns(const LaunchPlace &place);

/* "byte 8 of the allocation of 400 bytes from program.cu:12" and the like. */
std::string describe_address(const void *pointer);

/* "4 bytes past the end of the allocation ..."; "" where it is far from any. */
std::string describe_past_end(const void *pointer);

/* "2 GB before the allocation ..." or as far past its end, where only a wrong index leads; else "". */
std::string describe_wrapped(const void *pointer);

/* Says why the pointer cannot be given to `call`, cudaFree or the like, which returns there. */
void explain_bad_free(const char *call, const void *pointer, const void *return_address);

/* Remembers allocations, so that an address in freed memory can be reported as such. */
void note_allocated(const Allocation &a);
void note_freed(const Allocation &a);

/* ---- printf.cc ---- */

/* Prints what kernels of the device have printed so far. */
void print_device_text(int device);

/* ---- symbols.cc ---- */

/* What the program calls the function at the address, as compilers encode it; none where the
 * program has no such table. */
std::vector<std::string> names_of_code(const void *function);

/* The address lies in the program's code, or in that of a library. */
bool is_code(const void *address);

/* ---- source_lines.cc ---- */

/* "program.cu:12: ", the program's own line where a signal (its ucontext_t) stopped some code;
 * "" where that is not known. */
std::string line_of_fault(const void *context);

/* The same for a call, by the address to which it returns. */
std::string line_of_call(const void *return_address);

/* The same for the code that goes on at an address, with that frame pointer. */
std::string line_of_code(const void *pc, const void *frame);

/* The same for the code that has called the runtime. */
std::string line_of_caller();

/* ---- assertions.cc ---- */

/* In a kernel, and an assertion of the running thread has failed. */
bool assertion_has_failed();

/* ---- access.cc ---- */

/* Where the instruction of a signal's ucontext_t wanted to go, if no memory can be there; else 0. */
uintptr_t impossible_address(const void *context);

/* ---- faults.cc ---- */

void install_fault_handlers();

/* Gives the calling thread a stack for signals. */
void prepare_thread_for_faults();

} // namespace cpu_device

#endif
