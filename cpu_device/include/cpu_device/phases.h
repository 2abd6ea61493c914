/* Kernels that take a whole block: cut at their barriers into phases, each a loop over the
 * block's threads. What cu_to_cpp (translator/cut/phases.h) makes of a kernel such as
 *
 *   s[t] = x[i];
 *   __syncthreads();
 *   if (t < 128) s[t] += s[t + 128];
 *
 * is, in short,
 *
 *   BlockRun cu_b;
 *   for (Each cu_t(cu_b, cu_m); cu_t.next();) s[t] = x[i];
 *   cu_b.barrier();
 *   for (Each cu_t(cu_b, cu_m); cu_t.next();) if (t < 128) s[t] += s[t + 128];
 *
 * No thread has a stack then, and a barrier costs next to nothing. What a thread keeps from one
 * phase to another lies in a frame of its own. Warp operations are cut likewise: in one phase
 * each lane brings its value, in the next it takes what it asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_PHASES_H
#define CPU_DEVICE_PHASES_H

#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "cpu_device/thread.h"
#include "cpu_device/warp.h"

namespace cpu_device {

/* Some of a block's threads. */
struct Mask {
    uint32_t bits[kMaxWarps];
    unsigned count;

    bool has(unsigned i) const { return bits[i / 32] >> i % 32 & 1; }
    void add(unsigned i) {
        bits[i / 32] |= 1u << i % 32;
        ++count;
    }
    bool any() const { return count != 0; }
};

class Each;
template <bool judged, size_t stride = sizeof(uint64_t)>
class Exchange;

/* The block on its way through a kernel's phases. */
class BlockRun {
  public:
    BlockRun();
    ~BlockRun();
    BlockRun(const BlockRun &) = delete;

    /* A frame for each of the block's threads, until the function's FrameMark goes. */
    template <class T>
    T *frames() {
        static_assert(alignof(T) <= 64, "frames are aligned to 64 bytes");
        char *const first = top_;
        top_ += (sizeof(T) * ((n_ + 31) & ~31u) + 63) & ~(size_t)63; /* whole warps' */
        if (__builtin_expect(top_ > end_, 0)) frames_are_full();
        return (T *)first;
    }

    /* The thread has returned. */
    void end(unsigned i) {
        live_.bits[i / 32] &= ~(1u << i % 32);
        --live_.count;
    }

    const Mask &live() const { return live_; }

    void barrier() {
        if (__builtin_expect(special_, 0)) pass_barrier();
    }

    /* Threads of `mask` come to a warp operation; `slot` tells those of one statement apart. With
   * `lanes`, the mask that all of them name, all is judged here, and nothing later; with `first`,
   * a member of the first of `frames`, that is what all of them bring. */
    Exchange<false> meet(unsigned slot, const Mask &mask);
    Exchange<true> meet(unsigned slot, const Mask &mask, unsigned lanes);
    template <class Frame, class T>
    auto meet(unsigned slot, const Mask &mask, unsigned lanes, const Frame *frames, const T &first);

  private:
    friend class Each;
    friend class Lanes;
    template <bool judged, size_t stride>
    friend class Exchange;
    friend struct FrameMark;
    struct Met {
        uint32_t present[kMaxWarps];
        uint32_t votes[kMaxWarps];
        uint32_t outside[kMaxWarps]; /* the mask of lanes that it leaves out; 0: none came yet */
        uint64_t given[kMaxThreadsPerBlock];
    };

    [[noreturn]] void frames_are_full();
    void pass_barrier();
    void pass_warp_operation(const uint32_t *present);
    unsigned judge_mask(Met &met, unsigned i, unsigned mask);
    void judge_warp(Met *met, unsigned warp, unsigned lanes, size_t stride);
    void judge(Met *met, unsigned lanes, size_t stride) {
        for (unsigned w = 0; w * kWarpSize < n_; ++w)
            if (met->present[w] && (lanes & met->present[w]) != ~0u)
                judge_warp(met, w, lanes, stride);
    }

    unsigned n_; /* threads in the block */
    dim3 dim_;
    Mask live_;        /* those that have not returned */
    char *top_, *end_; /* of the memory for frames */
    Met *met_;
    unsigned short *order_;      /* in which threads run; null: ascending */
    bool special_;               /* barriers have more to do than nothing */
    bool in_loop_;               /* the runtime called for one thread: see ~BlockRun */
    uint32_t missed_[kMaxWarps]; /* lanes that others waited for at a warp operation, elsewhere */
};

/* The type of a value that is not there. */
template <class T>
struct Typed {};

/* A warp operation: what lanes bring, and what each gets. A local value of the kernel's, so that
 * stores in between do not seem to change it. judged: masks have been looked at; stride: from one
 * lane's value to the next. */
template <bool judged, size_t stride>
class Exchange {
  public:
    template <class T>
    void give(unsigned i, const T &value) const {
        static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
        memcpy(&met_->given[i], &value, sizeof value);
    }
    void vote(unsigned i, bool predicate) const {
        met_->votes[i / kWarpSize] |= (unsigned)predicate << i % kWarpSize;
    }

    template <class T>
    std::decay_t<T> shuffle(unsigned i, unsigned mask, Typed<T>, int source, int width = 32) const {
        return taken<std::decay_t<T>>(i, mask,
                                      source_lane(i % kWarpSize, source, width) % kWarpSize);
    }
    template <class T>
    std::decay_t<T> shuffle_up(unsigned i, unsigned mask, Typed<T>, unsigned delta,
                               int width = 32) const {
        return taken<std::decay_t<T>>(i, mask, source_up(i % kWarpSize, delta, width));
    }
    template <class T>
    std::decay_t<T> shuffle_down(unsigned i, unsigned mask, Typed<T>, unsigned delta,
                                 int width = 32) const {
        return taken<std::decay_t<T>>(i, mask, source_down(i % kWarpSize, delta, width));
    }
    template <class T>
    std::decay_t<T> shuffle_xor(unsigned i, unsigned mask, Typed<T>, int lane_mask,
                                int width = 32) const {
        return taken<std::decay_t<T>>(i, mask,
                                      source_xor(i % kWarpSize, lane_mask, width) % kWarpSize);
    }
    template <class T>
    unsigned ballot(unsigned i, unsigned mask, Typed<T>) const {
        return met_->votes[i / kWarpSize] & lanes(i, mask);
    }
    template <class T>
    int any(unsigned i, unsigned mask, Typed<T> type) const {
        return ballot(i, mask, type) != 0;
    }
    template <class T>
    int all(unsigned i, unsigned mask, Typed<T>) const {
        return (lanes(i, mask) & ~met_->votes[i / kWarpSize]) == 0;
    }
    void barrier(unsigned i, unsigned mask = ~0u) const { lanes(i, mask); }

  private:
    friend class BlockRun;
    Exchange(BlockRun *block, BlockRun::Met *met, size_t offset = 0)
        : block_(block), met_(met), values_((char *)met->given + offset) {}

    /* Those of the mask that came; where it leaves the lane out, all that came. */
    unsigned lanes(unsigned i, unsigned mask) const {
        return judged ? met_->present[i / kWarpSize] : block_->judge_mask(*met_, i, mask);
    }
    /* A lane that did not come gives 0. */
    template <class T>
    T taken(unsigned i, unsigned mask, unsigned source) const {
        if (!judged && !(lanes(i, mask) >> source & 1)) return T{};
        T value;
        memcpy(&value, values_ + (i / kWarpSize * kWarpSize + source) * stride, sizeof value);
        return value;
    }

    BlockRun *block_;
    BlockRun::Met *met_;
    const char *values_;
};

inline Exchange<false> BlockRun::meet(unsigned slot, const Mask &mask) {
    Met &m = met_[slot];
    for (unsigned w = 0; w * kWarpSize < n_; ++w) {
        m.present[w] = mask.bits[w] & live_.bits[w];
        m.votes[w] = m.outside[w] = 0;
    }
    if (__builtin_expect(special_, 0)) pass_warp_operation(m.present);
    return {this, &m};
}

inline Exchange<true> BlockRun::meet(unsigned slot, const Mask &mask, unsigned lanes) {
    const Exchange<false> e = meet(slot, mask);
    judge(e.met_, lanes, sizeof(uint64_t));
    return {this, e.met_};
}

template <class Frame, class T>
inline auto BlockRun::meet(unsigned slot, const Mask &mask, unsigned lanes, const Frame *frames,
                           const T &first) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    const Exchange<false> e = meet(slot, mask);
    const size_t offset = (size_t)((const char *)&first - (const char *)frames);
    if constexpr (sizeof(Frame) <= sizeof(uint64_t)) {
        /* Whole warps: behind the last thread there are only frames that are never read. */
        for (unsigned w = 0; w * kWarpSize < n_; ++w)
            if (e.met_->present[w])
                memcpy((char *)e.met_->given + w * kWarpSize * sizeof(Frame),
                       frames + w * kWarpSize, kWarpSize * sizeof(Frame));
        judge(e.met_, lanes, sizeof(Frame));
        return Exchange<true, sizeof(Frame)>(this, e.met_, offset);
    } else {
        for (unsigned i = 0; i < n_; ++i)
            if (e.met_->present[i / kWarpSize])
                memcpy(&e.met_->given[i], (const char *)&frames[i] + offset, sizeof(T));
        judge(e.met_, lanes, sizeof(uint64_t));
        return Exchange<true>(this, e.met_);
    }
}

/* A function's frames go when it ends. */
struct FrameMark {
    BlockRun &block;
    char *const top;
    explicit FrameMark(BlockRun &b) : block(b), top(b.top_) {}
    ~FrameMark() { block.top_ = top; }
};

/* The threads that are in both masks, one after another. What a thread does to itself when its
 * turn has come no longer matters to it. */
class Chosen {
  public:
    Chosen(const Mask &mask, const Mask &live) : mask_(mask), live_(live) {}

    /* The next one; `n` if none is. */
    unsigned next(unsigned n) {
        while (__builtin_expect(bits_ == 0, 0)) {
            first_ += 32;
            if (first_ >= n) return n;
            bits_ = mask_.bits[first_ / 32] & live_.bits[first_ / 32];
        }
        const unsigned i = first_ + (unsigned)__builtin_ctz(bits_);
        bits_ &= bits_ - 1;
        return i;
    }

  private:
    const Mask &mask_, &live_;
    unsigned first_ = ~0u - 31;
    uint32_t bits_ = 0;
};

/* Threads of a row from this one on fail `threadIdx.x < end`, and those after it `threadIdx.x == one`:
 * an upper bound, ~0u if there is none. */
template <class T>
inline unsigned first_idle_from(T end) {
    if constexpr (std::is_integral_v<T>)
        return end < T() || (unsigned long long)end > ~0u ? ~0u : (unsigned)end;
    else return ~0u;
}
template <class T>
inline unsigned first_idle_after(T one) {
    const unsigned from = first_idle_from(one);
    return from == ~0u ? from : from + 1;
}

/* A phase: the threads of a mask, one after another. first_idle: in a block of one row, threads from
 * this one on have nothing to do. */
class Each {
  public:
    uint3 index; /* threadIdx */
    unsigned linear;

    Each(const BlockRun &b, const Mask &mask, unsigned first_idle = ~0u)
        : index{~0u, 0, 0},
          linear(~0u),
          some_(mask.count != b.n_ || b.live_.count != b.n_ || b.order_),
          n_(!some_ && first_idle < b.n_ && b.dim_.x == b.n_ ? first_idle : b.n_),
          width_(b.dim_.x),
          height_(b.dim_.y),
          block_(b),
          mask_(mask),
          chosen_(mask, b.live_) {
        t_thread.thread_index.y = t_thread.thread_index.z = 0;
    }

    __attribute__((always_inline)) bool next() {
        if (__builtin_expect(some_, 0)) return next_of_some();
        if (++linear >= n_) return false;
        if (++index.x == width_) {
            index.x = 0;
            if (++index.y == height_) {
                index.y = 0;
                t_thread.thread_index.z = ++index.z;
            }
            t_thread.thread_index.y = index.y;
        }
        t_thread.thread_index.x = index.x;
        return true;
    }

  private:
    bool next_of_some() {
        if (block_.order_) {
            do
                if (++at_ >= n_) return false;
            while (!mask_.has(block_.order_[at_]) || !block_.live_.has(block_.order_[at_]));
            linear = block_.order_[at_];
        } else {
            linear = chosen_.next(n_);
            if (linear >= n_) return false;
        }
        index = linear < width_
                    ? uint3{linear, 0, 0}
                    : uint3{linear % width_, linear / width_ % height_, linear / width_ / height_};
        t_thread.thread_index = index;
        return true;
    }

    const bool some_;
    const unsigned n_, width_, height_;
    const BlockRun &block_;
    const Mask &mask_;
    Chosen chosen_;
    unsigned at_ = ~0u;
};

/* The same for a phase that reads no memory and asks for no threadIdx: nothing in it can fail, so
 * that no code need know which thread is running. */
class Lanes {
  public:
    unsigned linear = ~0u;

    Lanes(const BlockRun &b, const Mask &mask)
        : n_(b.n_), some_(mask.count != b.n_ || b.live_.count != b.n_), chosen_(mask, b.live_) {}

    __attribute__((always_inline)) bool next() {
        linear = __builtin_expect(some_, 0) ? chosen_.next(n_) : linear + 1;
        return linear < n_;
    }

  private:
    const unsigned n_;
    const bool some_;
    Chosen chosen_;
};

/* Numbers, vectors of them, and pointers: what cut kernels may keep in frames whatever the type that
 * a template is given. */
template <class T>
struct IsVector {
    static constexpr bool value = false;
};
#define CPU_DEVICE_VECTOR_(type)            \
    template <>                             \
    struct IsVector<type> {                 \
        static constexpr bool value = true; \
    };
#define CPU_DEVICE_VECTORS_(type) \
    CPU_DEVICE_VECTOR_(type##1)   \
    CPU_DEVICE_VECTOR_(type##2) CPU_DEVICE_VECTOR_(type##3) CPU_DEVICE_VECTOR_(type##4)
CPU_DEVICE_VECTORS_(char)
CPU_DEVICE_VECTORS_(uchar)
CPU_DEVICE_VECTORS_(short)
CPU_DEVICE_VECTORS_(ushort)
CPU_DEVICE_VECTORS_(int)
CPU_DEVICE_VECTORS_(uint)
CPU_DEVICE_VECTORS_(long)
CPU_DEVICE_VECTORS_(ulong)
CPU_DEVICE_VECTORS_(longlong)
CPU_DEVICE_VECTORS_(ulonglong)
CPU_DEVICE_VECTORS_(float)
CPU_DEVICE_VECTORS_(double)
#undef CPU_DEVICE_VECTORS_
#undef CPU_DEVICE_VECTOR_
template <class T>
constexpr bool kPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> || IsVector<T>::value;

/* What a thread keeps for a later phase; it may have no value yet. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
template <class Frame, class T> /* which differ in __restrict__ perhaps */
inline void keep(Frame &frame, const T &local) {
    static_assert(sizeof frame == sizeof local, "one variable's");
    __builtin_memcpy((void *)&frame, (const void *)&local, sizeof frame);
}
#pragma GCC diagnostic pop

} // namespace cpu_device

#endif
