/* Signals: a bad access becomes an error with a sentence.
 *
 * In a kernel it ends the kernel with the code that the device would give, which sticks. In
 * host code that follows a pointer into device memory it ends the program with status 1, as
 * nothing sensible can go on. Everything else is left to whoever handled it before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor.h"

namespace cpu_device {
namespace {

struct sigaction g_before[NSIG];

/* What the address is, in words. */
void describe(const void *address, char *text, size_t size) {
  if (const void *host = host_behind_view(address))
    snprintf(text, size,
             "%p, which is memory of the host: give kernels pointers from cudaMalloc, and copy "
             "with cudaMemcpy first",
             host);
  else if (!address)
    snprintf(text, size, "a null pointer, or an address that is not aligned to its type");
  else if ((uintptr_t)address < 65536)
    snprintf(text, size, "%p, close to a null pointer", address);
  else if (in_device_arena(address))
    snprintf(text, size, "%p, which is device memory that is not allocated (any more)", address);
  else
    snprintf(text, size, "%p, which is no device memory", address);
}

[[noreturn]] void fault_in_kernel(int signal_number, const siginfo_t *info) {
  char what[256];
  describe(info->si_addr, what, sizeof what);
  /* A general protection fault has no address: a vector access that is not aligned. */
  const bool unaligned = signal_number == SIGBUS ||
                         (info->si_code == SI_KERNEL && info->si_addr == nullptr);
  say("%s touched %s", where_in_kernel().c_str(), what);
  abort_kernel(unaligned ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
}

void fault_on_host(const void *address) {
  const Allocation *a = find_allocation(address);
  char text[512];
  int n;
  if (a)
    n = snprintf(text, sizeof text,
                 "CPU device: the host touched device memory: %p is byte %zu of an allocation of "
                 "%zu bytes. Copy it with cudaMemcpy, or use it in a kernel.\n",
                 address, (size_t)((uintptr_t)address - a->base), a->size);
  else
    n = snprintf(text, sizeof text,
                 "CPU device: the host touched %p, which is device memory that is not allocated "
                 "(any more).\n",
                 address);
  fflush(stdout);
  if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(1);
  _exit(1);
}

void on_fault(int signal_number, siginfo_t *info, void *context) {
  if (in_kernel()) fault_in_kernel(signal_number, info);
  if (signal_number == SIGSEGV && in_device_arena(info->si_addr)) fault_on_host(info->si_addr);
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

}  // namespace

void prepare_thread_for_faults() {
  static thread_local bool done = false;
  if (done) return;
  done = true;
  stack_t old;
  if (sigaltstack(nullptr, &old) == 0 && !(old.ss_flags & SS_DISABLE)) return;
  const size_t size = 64 * 1024;
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

}  // namespace cpu_device
