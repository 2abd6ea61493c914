/* Kernels, as other rooms see them: what a launch is, how it is run and ended, where a thread is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_RUN_H
#define CPU_DEVICE_RUNTIME_RUN_H

#include <stddef.h>
#include <functional>
#include <memory>
#include <string>

#include "cpu_device/launch.h"
#include "cuda_runtime_api.h"

namespace cpu_device {

/* ---- executor.cc ---- */

struct LaunchRecord {
    dim3 grid;
    dim3 block;
    dim3 cluster; /* in blocks; (1,1,1): none */
    size_t static_shared;
    size_t dynamic_shared;
    LaunchPlace place;
    std::unique_ptr<KernelCall> call;
    int device;
    const void *function; /* null where the launch did not say */
};

/* Runs a kernel on all workers; success, or the error that stopped it. */
cudaError_t run_kernel(const LaunchRecord &launch);

/* Ends the kernels of the device that are running, with that error. Takes no lock of the queue's. */
void stop_kernels(int device, cudaError_t error);

/* Calls part(i) for i in [0, count) on all workers. */
void run_parallel(size_t count, const std::function<void(size_t)> &part);

/* Ends the kernel that the calling fiber belongs to with an error; does not return. */
[[noreturn]] void abort_kernel(cudaError_t error);

/* True while the calling thread runs a kernel's code. */
bool in_kernel();

/* "thread (3,0,0) of block (1,0,0) of kernel add, launched at add.cu:12", for in_kernel(). */
std::string where_in_kernel();

/* The device that runs the calling thread's kernel, for in_kernel(). */
int device_of_kernel();

/* ---- shared.cc ---- */

/* The shared arrays that stand in the kernel's own body, in bytes; 0 for a null symbol. */
size_t static_shared_size(const char *kernel_symbol);

/* The type of that symbol stands in the body of the kernel of this one. */
bool is_local_of(const std::string &local, const char *kernel_symbol);

} // namespace cpu_device

#endif
