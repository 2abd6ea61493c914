/* What all rooms of the runtime share: settings, the last error, devices, the lock. Nothing outside
 * this folder includes it.
 *
 *   memory/memory.h   allocations and device variables        (memory, memory_queries, pools,
 *                                                              variables, copy, arguments)
 *   order/order.h     streams, captures and graphs            (queue, capture, graph*)
 *   run/run.h         kernels                                 (launch, kernels, attributes, executor,
 *                                                              progress, block, warp, cluster, shared,
 *                                                              phases)
 *   report/report.h   what went wrong, in words               (errors, faults, access, memory_reports,
 *                                                              source_lines, symbols, printf,
 *                                                              assertions, arithmetic_checks)
 *
 * One mutex, runtime_mutex(), guards all state but the executor's. Work that a program queues
 * is done when some host thread waits for it, and only what that wait needs; other
 * work is done by a background thread a moment later. So host code and kernels do not
 * overlap by chance, and a missing synchronise shows every time. Kernels that stand still, as
 * those do that wait for the host or for another stream, let other work go on beside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_H
#define CPU_DEVICE_RUNTIME_H

#include <stdint.h>

#include <mutex>
#include <string>
#include <vector>

#include "cpu_device/launch.h"
#include "cuda_runtime_api.h"

namespace cpu_device {

/* ---- settings.cc ---- */

struct Settings {
    int device_count;
    size_t memory_size;     /* bytes a device */
    unsigned threads;       /* operating-system threads */
    bool quiet;             /* no sentences on standard error */
    bool poison;            /* fill fresh device memory with 0xFF */
    unsigned background_ms; /* how long queued work waits for a host that waits */
    double time_limit_ms;   /* for kernels of which no block ends; 0: none */
    uint64_t repeat_limit;  /* launches from one place; 0: no limit */
    uint64_t seed;          /* of the order of blocks and threads; 0: ascending */
    std::string fail_kind;  /* "malloc", "copy" or "launch": fails the */
    uint64_t fail_at;       /* fail_at-th of its kind, counted from 1; 0: none */
};

/* Read once, at the first call; a value that makes no sense ends the program with status 2. */
const Settings &settings();

/* True where this is the call that LAB_CPU_DEVICE_FAIL names. */
bool injected_failure(const char *kind);

/* ---- errors.cc ---- */

/* Notes `error` as the calling thread's last one (success and not-ready are not) and returns it. */
cudaError_t record(cudaError_t error);

/* One sentence for the person who runs the program, on standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The kernels were built with --config=check, and something was found, or a launch did not run: a program that would end
 * with status 0 ends with 1. Without --config=check nothing happens. */
void note_check_failure();

/* With --config=check. Known before main. */
bool kernels_are_checked();

/* ---- device.cc ---- */

struct Device {
    int ordinal;
    cudaError_t broken; /* the sticky error, else success */
    unsigned flags;
    std::vector<int> peers; /* devices whose memory this one may use */
};

std::mutex &runtime_mutex();

/* The calling thread's device. */
Device &current_device();
Device &device_at(int ordinal);
int current_ordinal();
bool is_device(int ordinal);

/* For calls that need a working device: its sticky error, or success. */
cudaError_t device_status();

/* cudaLimitPrintfFifoSize, in bytes. */
size_t printf_buffer_size();

} // namespace cpu_device

#endif
