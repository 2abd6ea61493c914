/* The one place through which errors pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

thread_local cudaError_t t_last_error = cudaSuccess;

struct ErrorText {
    cudaError_t code;
    const char *name;
    const char *text;
};

const ErrorText kErrors[] = {
#define X(name, value, text) {name, #name, text},
#include "cpu_device/error_codes.inc"
};

bool g_checked; /* kernels were built with --config=check */

const ErrorText *find(cudaError_t error) {
    for (const ErrorText &e : kErrors)
        if (e.code == error) return &e;
    return nullptr;
}

} // namespace

cudaError_t record(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) t_last_error = error;
    return error;
}

void say(const char *format, ...) {
    if (settings().quiet) return;
    /* One write, so that lines of several threads do not mix. */
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "CPU device: %s\n", line);
}

void note_checked_kernels() { g_checked = true; }
bool kernels_are_checked() { return g_checked; }

void note_check_failure() {
    static std::atomic<bool> noted{false};
    if (!g_checked || noted.exchange(true)) return;
    on_exit(
        [](int status, void *) {
            fflush(nullptr);
            if (status == 0) _exit(1);
        },
        nullptr);
}

} // namespace cpu_device

using namespace cpu_device;

/* Without a device even these two say so. */
cudaError_t cudaGetLastError(void) {
    if (settings().device_count == 0) return cudaErrorNoDevice;
    const cudaError_t error = t_last_error;
    t_last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    return settings().device_count == 0 ? cudaErrorNoDevice : t_last_error;
}

const char *cudaGetErrorName(cudaError_t error) {
    const ErrorText *e = find(error);
    return e ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    const ErrorText *e = find(error);
    return e ? e->text : "unrecognized error code";
}
