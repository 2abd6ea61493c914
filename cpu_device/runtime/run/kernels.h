/* The kernels of the program: what is known of each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_KERNELS_H
#define CPU_DEVICE_KERNELS_H

#include <map>
#include <memory>

#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

/* A kernel that the program has: one that was defined as such, or launched. */
struct Kernel {
    const char *name;
    const char *symbol; /* null: not known */
    std::unique_ptr<KernelCall> (*bind)(const void *, void **, const LaunchPlace &);
};

/* By their addresses. */
std::map<const void *, Kernel> &kernels();

/* The kernel at the address as compilers encode it, from the table or the program's file; null
 * where that is not known. */
const char *symbol_of_kernel(const void *function);

/* False where the address surely is no kernel's. */
bool is_kernel(const void *function);

/* Of __launch_bounds__, else what the device can. */
unsigned max_threads_of(const char *symbol);

/* What cudaFuncSetAttribute has said of a kernel. */
struct KernelLimits {
    bool dynamic_shared_set;
    size_t dynamic_shared;
    bool large_clusters; /* more blocks than every device has */
};
std::map<const void *, KernelLimits> &kernel_limits();

/* The most dynamic shared memory that a launch may ask for now, beside so much of static. */
size_t allowed_dynamic_shared(const void *function, size_t static_shared);

/* How many blocks of that shape a multiprocessor holds; registers are not modelled. */
int blocks_at_once(uint64_t threads, size_t shared);

unsigned largest_cluster(const void *function);

} // namespace cpu_device

#endif
