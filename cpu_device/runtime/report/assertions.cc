/* assert() in kernels: each thread whose assertion fails says so, as on a GPU, and the kernel ends
 * with 710.
 *
 * Such a thread ends, and the others go on. In a kernel that takes a whole block none can end
 * alone: there it goes on, unheard, until the block has ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_device/printf.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

extern "C" [[noreturn]] void __assert_fail(const char *expression, const char *file,
                                           unsigned int line, const char *function) noexcept;

namespace cpu_device {

bool assertion_has_failed() {
    const Worker *w = this_worker();
    if (w->launch->error.load() != cudaErrorAssert || w->failed_block != w->block->index)
        return false;
    const unsigned i = linear_index(t_thread.thread_index);
    return w->failed_lanes[i / kWarpSize] >> i % kWarpSize & 1;
}

static void note_thread() {
    Worker *w = this_worker();
    const unsigned i = linear_index(t_thread.thread_index);
    if (w->failed_block != w->block->index) memset(w->failed_lanes, 0, sizeof w->failed_lanes);
    w->failed_block = w->block->index;
    w->failed_lanes[i / kWarpSize] |= 1u << i % kWarpSize;
}

/* On a GPU the first one that fails stops its warp, before it comes to another. */
static bool is_first_place(const char *file, unsigned line) {
    const uint64_t place = (uint64_t)(uintptr_t)file * 31 + line;
    uint64_t first = 0;
    return this_worker()->launch->failed_place.compare_exchange_strong(first, place) ||
           first == place;
}

static void fail_in_kernel(const char *expression, const char *file, unsigned line,
                           const char *function, bool may_return) {
    const Interruptible before = (Interruptible)t_thread.interruptible;
    set_interruptible(kInRuntime);
    if (!assertion_has_failed()) {
        note_thread();
        note_check_failure();
        const uint3 b = t_thread.block_index, t = t_thread.thread_index;
        if (note_assertion(cudaErrorAssert) && is_first_place(file, line))
            fprintf(stderr,
                    "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                    file, line, function, b.x, b.y, b.z, t.x, t.y, t.z, expression);
    }
    const KernelKind kind = this_worker()->launch->record->call->kind();
    /* A kernel that was called by its address may take whole blocks too; then nothing may wait in it. */
    if (before == kMayYield || kind == kNeverWaits) end_thread_early();
    if (!may_return) abort_kernel(cudaErrorAssert);
    set_interruptible(before);
}

void assert_failed(const char *expression, const char *file, unsigned line, const char *function) {
    if (!in_kernel()) __assert_fail(expression, file, line, function);
    fail_in_kernel(expression, file, line, function, true);
}

} // namespace cpu_device

/* Where cu_to_cpp has not seen the assertion. */
extern "C" void __assert_fail(const char *expression, const char *file, unsigned int line,
                              const char *function) noexcept {
    using namespace cpu_device;
    if (in_kernel()) {
        fail_in_kernel(expression, file, line, function, false);
        abort();
    }
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
            line, function, expression);
    abort();
}
