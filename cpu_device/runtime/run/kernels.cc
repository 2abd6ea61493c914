/* The kernels of the program, by their addresses and symbols.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/kernels.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

#include <string.h>

#include <algorithm>

#include "cpu_device/kernel_bodies.h"

namespace cpu_device {
namespace {

struct Body {
    std::string symbol;   /* of a type in the body */
    unsigned max_threads; /* 0: not limited */
};

std::vector<Body> &bodies() {
    static auto &all = *new std::vector<Body>();
    return all;
}

const Body *body_of(const char *symbol) {
    for (const Body &b : bodies())
        if (symbol && is_local_of(b.symbol, symbol)) return &b;
    return nullptr;
}

} // namespace

KernelBody::KernelBody(const char *symbol, unsigned max_threads) {
    bodies().push_back({symbol, max_threads});
}

std::map<const void *, Kernel> &kernels() {
    static auto &table = *new std::map<const void *, Kernel>();
    return table;
}

std::map<const void *, KernelLimits> &kernel_limits() {
    static auto &table = *new std::map<const void *, KernelLimits>();
    return table;
}

const char *symbol_of_kernel(const void *function) {
    auto at = kernels().find(function);
    if (at != kernels().end() && at->second.symbol) return at->second.symbol;
    static auto &found = *new std::map<const void *, std::string>();
    static std::mutex &mutex = *new std::mutex();
    std::lock_guard<std::mutex> lock(mutex);
    auto known = found.emplace(function, "");
    if (known.second)
        for (const std::string &name : names_of_code(function))
            if (known.first->second.empty() || body_of(("L" + name).c_str()))
                known.first->second = "L" + name;
    return known.first->second.empty() ? nullptr : known.first->second.c_str();
}

bool is_kernel(const void *function) {
    if (kernels().count(function)) return true;
    const char *symbol = symbol_of_kernel(function);
    /* Without symbols, in a program that was stripped, any function may be one. */
    return symbol ? body_of(symbol) != nullptr : is_code(function);
}

unsigned max_threads_of(const char *symbol) {
    const Body *body = body_of(symbol);
    return body && body->max_threads ? std::min(body->max_threads, (unsigned)kMaxThreadsPerBlock)
                                     : (unsigned)kMaxThreadsPerBlock;
}

size_t allowed_dynamic_shared(const void *function, size_t static_shared) {
    auto at = kernel_limits().find(function);
    if (at != kernel_limits().end() && at->second.dynamic_shared_set)
        return at->second.dynamic_shared;
    return 48 * 1024 - std::min<size_t>(static_shared, 48 * 1024);
}

int blocks_at_once(uint64_t threads, size_t shared) {
    if (threads > kMaxThreadsPerBlock || shared > kMaxSharedSize) return 0;
    const uint64_t rounded = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    const uint64_t by_threads = std::min<uint64_t>(32, 2048 / rounded);
    return (int)std::min<uint64_t>(by_threads, 228 * 1024 / (shared + 1024));
}

unsigned largest_cluster(const void *function) {
    auto at = kernel_limits().find(function);
    return at != kernel_limits().end() && at->second.large_clusters ? kMaxClusterSize
                                                                    : kPortableClusterSize;
}

} // namespace cpu_device
