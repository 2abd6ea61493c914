/* What a kernel's definition says to the runtime where its address alone would say nothing: that
 * it is a kernel, and its __launch_bounds__. cu_to_cpp puts into the body
 *
 *   struct CuKernel7 {};
 *   (void)::cpu_device::KernelBodyOf<CuKernel7, ::cpu_device::bounds(128, 4)>::body;
 *
 * so that each instance of a template says it for itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_KERNEL_BODIES_H
#define CPU_DEVICE_KERNEL_BODIES_H

#include <typeinfo>

namespace cpu_device {

/* Threads a block; 0: as many as the device can. How many blocks a multiprocessor should hold, and
 * how many a cluster, changes nothing here. */
constexpr unsigned bounds(long long threads = 0, long long = 0, long long = 0) {
    return (unsigned)threads;
}

/* Known to the runtime before main; `symbol` is that of a type in the kernel's body. */
struct KernelBody {
    KernelBody(const char *symbol, unsigned max_threads);
};

template <class Local, unsigned max_threads>
struct KernelBodyOf {
    static KernelBody body;
};
template <class Local, unsigned max_threads>
KernelBody KernelBodyOf<Local, max_threads>::body(typeid(Local).name(), max_threads);

} // namespace cpu_device

#endif
