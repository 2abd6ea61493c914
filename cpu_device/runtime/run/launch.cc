/* Launches: the checks that the device makes, then a place in the queue.
 *
 * A launch that does not fit is refused as a whole, with an error for cudaGetLastError and a
 * sentence that says which number is at fault; nothing sticks, and the next launch works.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/kernels.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

bool fits_at_once(const LaunchShape &s, size_t static_shared) {
    const uint64_t blocks = (uint64_t)s.grid.x * s.grid.y * s.grid.z;
    const int each =
        blocks_at_once((uint64_t)s.block.x * s.block.y * s.block.z, static_shared + s.shared_size);
    return blocks <= (uint64_t)each * settings().threads;
}

/* For programs that repeat a launch a GPU's number of times: LAB_CPU_DEVICE_REPEAT_LIMIT. */
bool repeated_too_often(const LaunchPlace &place) {
    static auto &counts = *new std::map<std::pair<const char *, int>, uint64_t>();
    const uint64_t limit = settings().repeat_limit;
    if (limit == 0) return false;
    Lock lock(runtime_mutex());
    const uint64_t n = ++counts[{place.file, place.line}];
    if (n == limit + 1)
        say("kernel %s, launched at %s:%d, has run %llu times, the limit that "
            "LAB_CPU_DEVICE_REPEAT_LIMIT sets: further launches there are skipped",
            place.kernel, place.file, place.line, (unsigned long long)limit);
    return n > limit;
}

/* What the launch asks for, else what the kernel's declaration does. */
dim3 cluster_of(const LaunchShape &s, const void *function) {
    return volume(s.cluster) > 1 ? s.cluster : declared_cluster(function);
}

/* The same for its clusters, with the error. */
cudaError_t cluster_refusal(const LaunchShape &s, const void *function, std::string *why) {
    const dim3 c = cluster_of(s, function);
    const auto text = [](const dim3 &d) {
        return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) +
               ")";
    };
    const unsigned most = largest_cluster(function);
    if (!c.x || !c.y || !c.z || (uint64_t)c.x * c.y * c.z > most) {
        *why = "a cluster of " + text(c) + " blocks must have 1 to " + std::to_string(most) +
               " blocks (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)";
        return cudaErrorInvalidClusterSize;
    }
    if (s.grid.x % c.x == 0 && s.grid.y % c.y == 0 && s.grid.z % c.z == 0) return cudaSuccess;
    *why = "the grid must be a multiple of its cluster of " + text(c) + " blocks";
    return cudaErrorInvalidValue;
}

/* Why the device would refuse the launch; empty: it would not. */
std::string refusal(const LaunchShape &s, size_t static_shared, const void *function,
                    const char *symbol) {
    char text[256] = "";
    const auto bad = [&](const char *what, unsigned value, unsigned low, unsigned high) {
        if (text[0] || (value >= low && value <= high)) return;
        snprintf(text, sizeof text, "%s is %u, and must be %u to %u%s", what, value, low, high,
                 value == 0 ? " (was a division rounded down to 0? use (n + block - 1) / block)"
                            : "");
    };
    bad("grid.x", s.grid.x, 1, 2147483647);
    bad("grid.y", s.grid.y, 1, 65535);
    bad("grid.z", s.grid.z, 1, 65535);
    bad("block.x", s.block.x, 1, 1024);
    bad("block.y", s.block.y, 1, 1024);
    bad("block.z", s.block.z, 1, 64);
    const uint64_t threads = (uint64_t)s.block.x * s.block.y * s.block.z;
    if (!text[0] && threads > kMaxThreadsPerBlock)
        snprintf(text, sizeof text,
                 "a block of %u x %u x %u is %llu threads, and must have at most %d", s.block.x,
                 s.block.y, s.block.z, (unsigned long long)threads, kMaxThreadsPerBlock);
    if (!text[0] && threads > max_threads_of(symbol))
        snprintf(text, sizeof text,
                 "a block has %llu threads, and the kernel is made for at most %u: its "
                 "__launch_bounds__ says so",
                 (unsigned long long)threads, max_threads_of(symbol));
    if (text[0]) return text;

    const size_t total = static_shared + s.shared_size;
    if (static_shared > 48 * 1024)
        snprintf(
            text, sizeof text,
            "its __shared__ arrays take %zu bytes, and may take 49152 (nvcc does not build it): "
            "more must be `extern __shared__`, with cudaFuncAttributeMaxDynamicSharedMemorySize",
            static_shared);
    else if (total > kMaxSharedSize)
        snprintf(
            text, sizeof text,
            "%zu bytes of shared memory (%zu static, %zu dynamic) are more than the device has "
            "for a block: %d",
            total, static_shared, s.shared_size, kMaxSharedSize);
    else if (s.shared_size > allowed_dynamic_shared(function, static_shared))
        snprintf(text, sizeof text,
                 "%zu bytes of dynamic shared memory beside %zu of static need opt-in beyond %zu: "
                 "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, %zu)",
                 s.shared_size, static_shared, allowed_dynamic_shared(function, static_shared),
                 s.shared_size);
    return text;
}

} // namespace

namespace {

/* Makes the checks, and the work of a launch that passes them. */
cudaError_t make_launch(const LaunchPlace &place, const void *function, const LaunchShape &shape,
                        std::unique_ptr<KernelCall> call, bool cooperative, Work *work) {
    if (cudaError_t e = device_status()) return e;
    const size_t static_shared = static_shared_size(place.symbol);
    std::string why = refusal(shape, static_shared, function, place.symbol);
    cudaError_t error = cudaErrorInvalidValue;
    if (why.empty()) error = cluster_refusal(shape, function, &why);
    if (!why.empty() || injected_failure("launch")) {
        say("kernel %s, launched at %s:%d with grid (%u,%u,%u) and block (%u,%u,%u), does not run: %s",
            place.kernel, place.file, place.line, shape.grid.x, shape.grid.y, shape.grid.z,
            shape.block.x, shape.block.y, shape.block.z,
            why.empty() ? "LAB_CPU_DEVICE_FAIL asked for it" : why.c_str());
        if (!why.empty()) note_check_failure();
        return why.empty() ? cudaErrorInvalidValue : error;
    }
    if (cooperative && !fits_at_once(shape, static_shared)) {
        say("cooperative kernel %s has more blocks than the device can run at once: ask "
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor and multiply by the multiprocessors",
            place.kernel);
        note_check_failure();
        return cudaErrorCooperativeLaunchTooLarge;
    }
    auto launch = std::make_shared<LaunchRecord>();
    launch->grid = shape.grid;
    launch->block = shape.block;
    launch->cluster = cluster_of(shape, function);
    launch->static_shared = (static_shared + 15) & ~(size_t)15;
    launch->dynamic_shared = shape.shared_size;
    launch->place = place;
    launch->call = std::move(call);
    launch->device = current_ordinal();
    launch->function = function;
    char name[300];
    snprintf(name, sizeof name, "%s at %s:%d", place.kernel, place.file, place.line);
    *work = {Op::kKernel, name, [launch] { return run_kernel(*launch); }, launch};
    return cudaSuccess;
}

cudaError_t check_and_queue(const LaunchPlace &place, const void *function,
                            const LaunchShape &shape, std::unique_ptr<KernelCall> call,
                            bool cooperative) {
    Work work;
    if (cudaError_t e = make_launch(place, function, shape, std::move(call), cooperative, &work))
        return e;
    if (repeated_too_often(place)) return cudaSuccess;
    Lock lock(runtime_mutex());
    const cudaError_t queued = enqueue(shape.stream, std::move(work));
    keep_queue_short(lock);
    return queued;
}

} // namespace

cudaError_t launch_work(const cudaKernelNodeParams &p, const LaunchRecord *before, Work *work) {
    LaunchShape shape(p.gridDim, p.blockDim, p.sharedMemBytes);
    if (before) shape.cluster = before->cluster;
    if (p.extra) {
        say("cudaKernelNodeParams::extra is not supported on the CPU device: give the arguments in "
            "kernelParams");
        return cudaErrorNotSupported;
    }
    if (before && before->function == p.func) {
        const auto *call = static_cast<const RebindableCall *>(before->call.get());
        if (call->argument_count() && !p.kernelParams) return cudaErrorInvalidValue;
        return make_launch(before->place, p.func, shape, call->with(p.kernelParams, before->place),
                           false, work);
    }
    auto at = kernels().find(p.func);
    if (at == kernels().end() || !at->second.bind) return cudaErrorInvalidDeviceFunction;
    const LaunchPlace place = {at->second.name, "cudaGraphAddKernelNode", 0,
                               symbol_of_kernel(p.func)};
    return make_launch(place, p.func, shape, at->second.bind(p.func, p.kernelParams, place), false,
                       work);
}

void queue_launch(const LaunchPlace &given, const void *function, const LaunchShape &shape,
                  std::unique_ptr<KernelCall> call) {
    LaunchPlace place = given;
    if (function) {
        kernels().emplace(function, Kernel{place.kernel, place.symbol, nullptr});
        if (!place.symbol)
            place.symbol = symbol_of_kernel(function); /* launched through a pointer */
    }
    record(check_and_queue(place, function, shape, std::move(call), false));
}

void queue_pointer_launch(const LaunchPlace &given, const void *function, const LaunchShape &shape,
                          std::unique_ptr<KernelCall> call) {
    if (cudaError_t e = device_status()) return (void)record(e);
    auto known = kernels().find(function);
    if (known == kernels().end()) {
        say("%s, launched at %s:%d, is a pointer to a function that is no kernel: it does not run. (On a GPU it "
            "would be called once, on the host.) Launch a __global__ function",
            given.kernel, given.file, given.line);
        record(cudaErrorInvalidDeviceFunction);
        return;
    }
    LaunchPlace place = given;
    place.kernel = known->second.name;
    place.symbol = known->second.symbol;
    record(check_and_queue(place, function, shape, std::move(call), false));
}

void kernel_called(const char *name) {
    say("kernel %s was called as a function is, so it does not run: launch it with <<<grid, block>>>",
        name);
    record(cudaErrorMissingConfiguration);
}

void register_kernel(const char *name, const char *symbol, const void *function,
                     std::unique_ptr<KernelCall> (*bind)(const void *function, void **arguments,
                                                         const LaunchPlace &place)) {
    kernels()[function] = Kernel{name, symbol, bind};
}

void know_kernel(const void *function,
                 std::unique_ptr<KernelCall> (*bind)(const void *function, void **arguments,
                                                     const LaunchPlace &place)) {
    auto at = kernels().emplace(function, Kernel{"of a template", nullptr, bind}).first;
    at->second.bind = bind;
}

cudaError_t launch_by_pointer(const void *function, LaunchShape shape, bool cooperative,
                              std::unique_ptr<KernelCall> call, const LaunchPlace &given) {
    LaunchPlace place = given;
    auto at = kernels().find(function);
    if (at != kernels().end()) {
        place.kernel = at->second.name;
        place.symbol = symbol_of_kernel(function);
    }
    return record(check_and_queue(place, function, shape, std::move(call), cooperative));
}

} // namespace cpu_device

using namespace cpu_device;

/* A pointer that is no kernel of the program gives 400. */
static cudaError_t launch_registered(const void *function, LaunchShape shape, void **arguments,
                                     bool cooperative) {
    if (cudaError_t e = device_status()) return record(e);
    auto at = kernels().find(function);
    if (at == kernels().end() || !at->second.bind) return record(cudaErrorInvalidResourceHandle);
    const LaunchPlace place = {at->second.name, "cudaLaunchKernel", 0, symbol_of_kernel(function)};
    return launch_by_pointer(function, shape, cooperative,
                             at->second.bind(function, arguments, place), place);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_size, cudaStream_t stream) {
    return launch_registered(function, {grid, block, shared_size, stream}, arguments, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t shared_size, cudaStream_t stream) {
    return launch_registered(function, {grid, block, shared_size, stream}, arguments, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments) {
    if (!config) return record(cudaErrorInvalidValue);
    LaunchShape shape(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute &a = config->attrs[i];
        if (a.id == cudaLaunchAttributeCooperative) cooperative = a.val.cooperative != 0;
    }
    shape.cluster = cluster_in(*config);
    return launch_registered(function, shape, arguments, cooperative);
}
