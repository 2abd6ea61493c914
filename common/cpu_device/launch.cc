/* Launches: the checks that the device makes, then a place in the queue.
 *
 * A launch that does not fit is refused as a whole, with an error for cudaGetLastError and a
 * sentence that says which number is at fault; nothing sticks, and the next launch works.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <map>

#include "executor.h"

namespace cpu_device {
namespace {

/* What cudaFuncSetAttribute has said of a kernel. */
struct KernelLimits {
  size_t dynamic_shared;
};

std::map<const void *, KernelLimits> &kernel_limits() {
  static auto &table = *new std::map<const void *, KernelLimits>();
  return table;
}

size_t allowed_dynamic_shared(const void *function) {
  auto at = kernel_limits().find(function);
  return at == kernel_limits().end() ? 0 : at->second.dynamic_shared;
}

/* Why the device would refuse the launch; empty: it would not. */
std::string refusal(const LaunchShape &s, size_t static_shared, const void *function) {
  char text[256] = "";
  const auto bad = [&](const char *what, unsigned value, unsigned low, unsigned high) {
    if (text[0] || (value >= low && value <= high)) return;
    snprintf(text, sizeof text, "%s is %u, and must be %u to %u%s", what, value, low, high,
             value == 0 ? " (was a division rounded down to 0? use (n + block - 1) / block)" : "");
  };
  bad("grid.x", s.grid.x, 1, 2147483647);
  bad("grid.y", s.grid.y, 1, 65535);
  bad("grid.z", s.grid.z, 1, 65535);
  bad("block.x", s.block.x, 1, 1024);
  bad("block.y", s.block.y, 1, 1024);
  bad("block.z", s.block.z, 1, 64);
  const uint64_t threads = (uint64_t)s.block.x * s.block.y * s.block.z;
  if (!text[0] && threads > kMaxThreadsPerBlock)
    snprintf(text, sizeof text, "a block of %u x %u x %u is %llu threads, and must have at most %d",
             s.block.x, s.block.y, s.block.z, (unsigned long long)threads, kMaxThreadsPerBlock);
  if (text[0]) return text;

  const size_t total = static_shared + s.shared_size, opted = allowed_dynamic_shared(function);
  if (total > kMaxSharedSize)
    snprintf(text, sizeof text,
             "%zu bytes of shared memory (%zu static, %zu dynamic) are more than the device has "
             "for a block: %d",
             total, static_shared, s.shared_size, kMaxSharedSize);
  else if (total > 48 * 1024 && s.shared_size > opted)
    snprintf(text, sizeof text,
             "%zu bytes of shared memory (%zu static, %zu dynamic) need opt-in beyond 49152: "
             "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, %zu)",
             total, static_shared, s.shared_size, s.shared_size);
  return text;
}

}  // namespace

void queue_launch(const LaunchPlace &place, const void *function, const LaunchShape &shape,
                  std::unique_ptr<KernelCall> call) {
  if (cudaError_t e = device_status()) {
    record(e);
    return;
  }
  const size_t static_shared = static_shared_size(place.symbol);
  const std::string why = refusal(shape, static_shared, function);
  if (!why.empty() || injected_failure("launch")) {
    say("kernel %s, launched at %s:%d with grid (%u,%u,%u) and block (%u,%u,%u), does not run: %s",
        place.kernel, place.file, place.line, shape.grid.x, shape.grid.y, shape.grid.z,
        shape.block.x, shape.block.y, shape.block.z,
        why.empty() ? "LAB_CPU_DEVICE_FAIL asked for it" : why.c_str());
    record(cudaErrorInvalidValue);
    return;
  }
  auto launch = std::make_shared<LaunchRecord>();
  launch->grid = shape.grid;
  launch->block = shape.block;
  launch->static_shared = static_shared;
  launch->dynamic_shared = shape.shared_size;
  launch->place = place;
  launch->call = std::move(call);
  launch->device = current_ordinal();
  char name[300];
  snprintf(name, sizeof name, "%s at %s:%d", place.kernel, place.file, place.line);
  Lock lock(runtime_mutex());
  record(enqueue(shape.stream, Op::kKernel, name, [launch] { return run_kernel(*launch); }));
  keep_queue_short(lock);
}

}  // namespace cpu_device

using namespace cpu_device;

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
  if (cudaError_t e = device_status()) return record(e);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
    return record(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      value > kMaxSharedSize)
    return record(cudaErrorInvalidValue);
  kernel_limits()[kernel].dynamic_shared = (size_t)value;
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
  if (cudaError_t e = device_status()) return record(e);
  return record(kernel && config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                             : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
  if (!attributes) return record(cudaErrorInvalidValue);
  if (cudaError_t e = device_status()) return record(e);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = kMaxThreadsPerBlock;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  const size_t opted = allowed_dynamic_shared(kernel);
  attributes->maxDynamicSharedSizeBytes = (int)(opted ? opted : 48 * 1024);
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}

/* Threads and shared memory bound the number; registers are not modelled. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_shared_size) {
  if (!blocks || block_size <= 0) return record(cudaErrorInvalidValue);
  if (cudaError_t e = device_status()) return record(e);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  const int rounded = (block_size + kWarpSize - 1) / kWarpSize * kWarpSize;
  int n = block_size > kMaxThreadsPerBlock ? 0 : std::min(32, 2048 / rounded);
  const size_t shared = dynamic_shared_size + 1024;
  if (n) n = (int)std::min<size_t>((size_t)n, 228 * 1024 / shared);
  *blocks = n;
  return cudaSuccess;
}
