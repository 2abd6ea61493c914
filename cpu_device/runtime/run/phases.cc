/* Blocks whose kernels are cut at their barriers: their beginning and end, their frames, and
 * what is rare about them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/phases.h"

#include <string.h>

#include <algorithm>

#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

namespace {

enum { kStatementOperations = 4 };

/* Addresses for the frames of the largest block, of which only what is used takes memory. */
const size_t kFrameArea = (size_t)640 * 1024 * 1024;

/* One operating-system thread's. */
struct FrameArea {
    char *begin = nullptr;
    unsigned short order[kMaxThreadsPerBlock];
    uint64_t random = 0;
    ~FrameArea() {
        if (begin) unmap_between_guards(begin, kFrameArea, kStackGuard);
    }
};

FrameArea &frame_area() {
    static thread_local FrameArea area;
    if (!area.begin) area.begin = map_between_guards(kFrameArea, kStackGuard);
    return area;
}

} // namespace

bool is_frame_address(const void *pointer) {
    const char *p = (const char *)pointer, *begin = frame_area().begin;
    return p >= begin && p < begin + kFrameArea;
}

BlockRun::BlockRun() {
    in_loop_ = t_thread.interruptible == kMayYield;
    set_interruptible(kInRuntime);
    FrameArea &area = frame_area();
    dim_ = t_thread.block_dim;
    n_ = dim_.x * dim_.y * dim_.z;
    live_.count = n_;
    for (unsigned w = 0; w * kWarpSize < n_; ++w) {
        live_.bits[w] = n_ - w * kWarpSize >= kWarpSize ? ~0u : (1u << n_ % kWarpSize) - 1;
        missed_[w] = 0;
    }
    met_ = (Met *)area.begin;
    top_ = area.begin + ((sizeof(Met) * kStatementOperations + 63) & ~(size_t)63);
    end_ = area.begin + kFrameArea;
    order_ = nullptr;
    special_ = settings().seed != 0;
    if (special_) {
        order_ = area.order;
        area.random = settings().seed * 0xD1342543DE82EF95u + this_block()->index;
        for (unsigned i = 0; i < n_; ++i) order_[i] = (unsigned short)i;
        shuffle_order(order_, n_, &area.random);
    }
    set_interruptible(kMayEnd);
}

/* Where the runtime called the kernel for the block's first thread, as it does by address, there
 * is nothing left to do for the others. */
BlockRun::~BlockRun() {
    set_interruptible(kInRuntime);
    if (in_loop_) end_whole_block();
    set_interruptible(in_loop_ ? kMayYield : kMayEnd);
}

void BlockRun::frames_are_full() {
    set_interruptible(kInRuntime);
    say("%s: the local variables of the block's %u threads take more than %zu MB",
        where_in_kernel().c_str(), n_, kFrameArea >> 20);
    abort_kernel(cudaErrorMemoryAllocation);
}

void BlockRun::pass_barrier() {
    set_interruptible(kInRuntime);
    for (unsigned w = 0; w * kWarpSize < n_; ++w)
        if (missed_[w] & live_.bits[w])
            report_missed(w, missed_[w] & live_.bits[w], "__syncthreads()");
    if (order_) shuffle_order(order_, n_, &frame_area().random);
    set_interruptible(kMayEnd);
}

void BlockRun::pass_warp_operation(const uint32_t *present) {
    set_interruptible(kInRuntime);
    for (unsigned w = 0; w * kWarpSize < n_; ++w)
        if (missed_[w] & present[w])
            report_missed(w, missed_[w] & present[w], "another warp operation");
    if (order_) shuffle_order(order_, n_, &frame_area().random);
    set_interruptible(kMayEnd);
}

/* The lanes of the mask that came; for a lane that it leaves out all that came, as on an H200,
 * where they name one mask. */
unsigned BlockRun::judge_mask(Met &met, unsigned i, unsigned mask) {
    const unsigned warp = i / kWarpSize, present = met.present[warp];
    if (__builtin_expect(!(mask >> i % kWarpSize & 1), 0)) {
        if (met.outside[warp] && mask && met.outside[warp] != mask) {
            set_interruptible(kInRuntime);
            t_thread.thread_index = index_of(i);
            refuse_mask(mask, i % kWarpSize);
        }
        met.outside[warp] = mask;
        return present;
    }
    /* Lanes that go elsewhere are missed only if they come to wait there: they may end instead. */
    const unsigned missed = mask & live_.bits[warp] & ~present;
    if (__builtin_expect(missed, 0)) {
        missed_[warp] |= missed;
        special_ = true;
    }
    return mask & present;
}

/* All lanes of the warp that came named these. */
void BlockRun::judge_warp(Met *met, unsigned warp, unsigned lanes, size_t stride) {
    const unsigned present = met->present[warp], first = warp * kWarpSize;
    if (!(present & ~lanes)) judge_mask(*met, first + (unsigned)__builtin_ctz(present), lanes);
    for (unsigned left = ~present; left; left &= left - 1)
        memset((char *)met->given + (first + (size_t)__builtin_ctz(left)) * stride, 0, stride);
}

[[noreturn]] void report_missed(unsigned warp, unsigned lanes, const char *where) {
    const LaunchPlace &p = this_worker()->launch->record->place;
    const uint3 b = t_thread.block_index;
    say("kernel %s, launched at %s:%d, cannot go on: in block (%u,%u,%u), lanes of warp %u wait at a warp "
        "operation whose mask names lanes 0x%08x, and these wait at %s",
        p.kernel, p.file, p.line, b.x, b.y, b.z, warp, lanes, where);
    abort_kernel(cudaErrorLaunchTimeout);
}

} // namespace cpu_device
