/* Cooperative groups: a block, tiles of a warp, the lanes that are together, the whole grid.
 *
 * What a group does comes down to the block's barrier, the warp's meetings and the grid's
 * barrier; tiles of several warps count their threads in shared memory. Multi-device grids are
 * not here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_H
#include "cpu_device/names_begin.h"

#include <type_traits>

#include "cuda_runtime.h"

namespace cooperative_groups {

namespace internal {

inline unsigned rank_in_block() {
    const uint3 &t = ::cpu_device::thread_index();
    const dim3 d = ::cpu_device::block_dim();
    return (t.z * d.y + t.y) * d.x + t.x;
}
inline unsigned threads_of_block() {
    const dim3 d = ::cpu_device::block_dim();
    return d.x * d.y * d.z;
}
inline unsigned long long blocks_of_grid() {
    const dim3 g = ::cpu_device::grid_dim();
    return (unsigned long long)g.x * g.y * g.z;
}
inline unsigned blocks_of_cluster() {
    const dim3 d = ::cpu_device::cluster_dim();
    return d.x * d.y * d.z;
}
inline unsigned long long rank_of_block() {
    const uint3 b = ::cpu_device::block_index();
    const dim3 g = ::cpu_device::grid_dim();
    return ((unsigned long long)b.z * g.y + b.y) * g.x + b.x;
}

/* The bits of `size` lanes, the first of them lane `first`. */
inline unsigned lanes(unsigned first, unsigned size) {
    return (size >= 32 ? ~0u : (1u << size) - 1) << first;
}

/* Lanes of a warp as a group: by their mask. Lanes may be any; ranks count them. */
class Lanes {
  public:
    explicit Lanes(unsigned mask) : mask_(mask) {}

    unsigned long long size() const { return (unsigned)__popc(mask_); }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        return (unsigned)__popc(mask_ & ((1u << ::cpu_device::lane_number()) - 1));
    }
    void sync() const { __syncwarp(mask_); }

    /* Sources are ranks in the group. */
    template <class T>
    T shfl(T value, int source) const {
        return from_rank(value, (unsigned)source % (unsigned)size());
    }
    template <class T>
    T shfl_up(T value, unsigned delta) const {
        const unsigned rank = (unsigned)thread_rank();
        return from_rank(value, rank >= delta ? rank - delta : rank);
    }
    template <class T>
    T shfl_down(T value, unsigned delta) const {
        const unsigned rank = (unsigned)thread_rank();
        return from_rank(value, rank + delta < (unsigned)size() ? rank + delta : rank);
    }
    template <class T>
    T shfl_xor(T value, unsigned lane_mask) const {
        const unsigned rank = (unsigned)thread_rank(), other = rank ^ lane_mask;
        return from_rank(value, other < (unsigned)size() ? other : rank);
    }

    /* Votes: bits by rank. */
    unsigned ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate)); }
    int any(int predicate) const { return __any_sync(mask_, predicate); }
    int all(int predicate) const { return __all_sync(mask_, predicate); }
    template <class T>
    unsigned match_any(T value) const {
        return by_rank(__match_any_sync(mask_, value));
    }
    template <class T>
    unsigned match_all(T value, int &same) const {
        return by_rank(__match_all_sync(mask_, value, &same));
    }

    unsigned lane_mask() const { return mask_; }

  private:
    unsigned lane_of(unsigned rank) const {
        unsigned left = mask_;
        while (rank--) left &= left - 1;
        return (unsigned)__ffs((int)left) - 1;
    }
    unsigned by_rank(unsigned by_lane) const {
        unsigned bits = 0, rank = 0;
        for (unsigned left = mask_; left; left &= left - 1, ++rank)
            if (by_lane & left & (0u - left)) bits |= 1u << rank;
        return bits;
    }
    /* Larger values go in parts, as they do on a GPU. */
    template <class T>
    T from_rank(T value, unsigned rank) const {
        static_assert(sizeof(T) <= 32, "a group's shuffle moves at most 32 bytes");
        const unsigned lane = lane_of(rank);
        if constexpr (sizeof(T) <= 8) {
            return ::cpu_device::shuffle_from(mask_, value, lane);
        } else {
            unsigned long long parts[(sizeof(T) + 7) / 8] = {};
            __builtin_memcpy(parts, &value, sizeof value);
            for (unsigned long long &part : parts)
                part = ::cpu_device::shuffle_from(mask_, part, lane);
            __builtin_memcpy((void *)&value, parts, sizeof value);
            return value;
        }
    }

    unsigned mask_;
};

} // namespace internal

/* Any group, where a function takes all kinds. */
class thread_group {
  public:
    enum Kind { kBlock, kLanes, kGrid, kCluster };
    thread_group(Kind kind, unsigned mask) : kind_(kind), lanes_(mask) {}

    unsigned long long size() const {
        if (kind_ == kGrid) return internal::blocks_of_grid() * internal::threads_of_block();
        if (kind_ == kCluster) return internal::blocks_of_cluster() * internal::threads_of_block();
        return kind_ == kBlock ? internal::threads_of_block() : lanes_.size();
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        const unsigned in_block = internal::rank_in_block();
        if (kind_ == kGrid)
            return internal::rank_of_block() * internal::threads_of_block() + in_block;
        if (kind_ == kCluster)
            return ::cpu_device::cluster_block_rank() * internal::threads_of_block() + in_block;
        return kind_ == kBlock ? in_block : lanes_.thread_rank();
    }
    void sync() const {
        if (kind_ == kGrid) ::cpu_device::grid_barrier();
        else if (kind_ == kCluster) ::cpu_device::cluster_barrier();
        else if (kind_ == kBlock) __syncthreads();
        else lanes_.sync();
    }
    bool is_valid() const { return true; }
    const internal::Lanes &as_lanes() const { return lanes_; }

  private:
    Kind kind_;
    internal::Lanes lanes_;
};

class thread_block : public thread_group {
  public:
    thread_block() : thread_group(kBlock, 0) {}
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return internal::rank_in_block(); }
    static unsigned size() { return internal::threads_of_block(); }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return dim3(::cpu_device::block_index()); }
    static dim3 thread_index() { return dim3(::cpu_device::thread_index()); }
    static dim3 group_dim() { return ::cpu_device::block_dim(); }
    static dim3 dim_threads() { return ::cpu_device::block_dim(); }
    /* In two halves: wait() returns once all threads have called it. */
    struct arrival_token {};
    static arrival_token barrier_arrive() { return arrival_token(); }
    static void barrier_wait(arrival_token &&) { sync(); }
};

class grid_group : public thread_group {
  public:
    grid_group() : thread_group(kGrid, 0) {}
    static void sync() { ::cpu_device::grid_barrier(); }
    static dim3 group_dim() { return ::cpu_device::grid_dim(); }
    static dim3 dim_blocks() { return ::cpu_device::grid_dim(); }
    static dim3 block_index() { return dim3(::cpu_device::block_index()); }
    static unsigned long long num_blocks() { return internal::blocks_of_grid(); }
    static unsigned long long block_rank() { return internal::rank_of_block(); }
    static dim3 dim_clusters() {
        const dim3 g = dim_blocks(), c = ::cpu_device::cluster_dim();
        return dim3(g.x / c.x, g.y / c.y, g.z / c.z);
    }
    static unsigned long long num_clusters() {
        return num_blocks() / internal::blocks_of_cluster();
    }
    static dim3 cluster_index() {
        const dim3 b = block_index(), c = ::cpu_device::cluster_dim();
        return dim3(b.x / c.x, b.y / c.y, b.z / c.z);
    }
    static unsigned long long cluster_rank() {
        const dim3 i = cluster_index(), d = dim_clusters();
        return ((unsigned long long)i.z * d.y + i.y) * d.x + i.x;
    }
};

/* Blocks that run at the same time and can use one another's shared memory. */
class cluster_group : public thread_group {
  public:
    struct arrival_token {};
    cluster_group() : thread_group(kCluster, 0) {}
    static void sync() { ::cpu_device::cluster_barrier(); }
    /* In two halves: wait() returns once all threads have called it. */
    static arrival_token barrier_arrive() { return arrival_token(); }
    static void barrier_wait() { sync(); }
    static void barrier_wait(arrival_token &&) { sync(); }
    template <class T>
    static T *map_shared_rank(T *address, int rank) {
        return (T *)::cpu_device::map_shared((const void *)address, (unsigned)rank);
    }
    static unsigned query_shared_rank(const void *address) {
        return ::cpu_device::shared_rank(address);
    }
    static dim3 block_index() { return ::cpu_device::cluster_block_index(); }
    static unsigned block_rank() { return ::cpu_device::cluster_block_rank(); }
    static dim3 dim_blocks() { return ::cpu_device::cluster_dim(); }
    static unsigned num_blocks() { return internal::blocks_of_cluster(); }
    static dim3 dim_threads() {
        const dim3 d = dim_blocks(), b = ::cpu_device::block_dim();
        return dim3(d.x * b.x, d.y * b.y, d.z * b.z);
    }
    static dim3 thread_index() {
        const dim3 i = block_index(), b = ::cpu_device::block_dim();
        const uint3 t = ::cpu_device::thread_index();
        return dim3(i.x * b.x + t.x, i.y * b.y + t.y, i.z * b.z + t.z);
    }
    static unsigned thread_rank() {
        return block_rank() * internal::threads_of_block() + internal::rank_in_block();
    }
    static unsigned num_threads() { return num_blocks() * internal::threads_of_block(); }
    static unsigned size() { return num_threads(); }
};

inline cluster_group this_cluster() { return cluster_group(); }
inline thread_block this_thread_block() { return thread_block(); }
inline grid_group this_grid() { return grid_group(); }

/* Some lanes of a warp, whichever they are. */
class coalesced_group : public thread_group, public internal::Lanes {
  public:
    explicit coalesced_group(unsigned mask) : thread_group(kLanes, mask), internal::Lanes(mask) {}
    using internal::Lanes::num_threads;
    using internal::Lanes::size;
    using internal::Lanes::sync;
    using internal::Lanes::thread_rank;
};

namespace internal {

/* `Size` neighbouring lanes. */
template <unsigned Size>
class WarpTile : public coalesced_group {
  public:
    WarpTile() : coalesced_group(mask_of_caller()) {}
    static constexpr unsigned long long size() { return Size; }
    static constexpr unsigned long long num_threads() { return Size; }
    static unsigned long long thread_rank() { return ::cpu_device::lane_number() % Size; }
    static unsigned long long meta_group_rank() { return internal::rank_in_block() / Size; }
    static unsigned long long meta_group_size() {
        return (internal::threads_of_block() + Size - 1) / Size;
    }

  private:
    static unsigned mask_of_caller() {
        const unsigned lane = ::cpu_device::lane_number(), rank = internal::rank_in_block();
        const unsigned first = rank / Size * Size, left = internal::threads_of_block() - first;
        return internal::lanes(lane / Size * Size, left < Size ? left : Size);
    }
};

/* `Size` neighbouring threads, several warps of them. They meet, and hand values to one another,
 * in shared memory that the block has once: its threads make such a tile together. */
template <unsigned Size>
class WideTile {
  public:
    WideTile() {
        ::cpu_device::block_barrier();
        if (rank_in_block() == 0) room() = Room();
        ::cpu_device::block_barrier();
    }
    static constexpr unsigned long long size() { return Size; }
    static constexpr unsigned long long num_threads() { return Size; }
    static unsigned long long thread_rank() { return rank_in_block() % Size; }
    static unsigned long long meta_group_rank() { return rank_in_block() / Size; }
    static unsigned long long meta_group_size() { return (threads_of_block() + Size - 1) / Size; }

    void sync() const {
        const unsigned tile = (unsigned)meta_group_rank(), left = threads_of_block() - tile * Size;
        unsigned *generation = &room().generation[tile], *arrived = &room().arrived[tile];
        const unsigned before = __atomic_load_n(generation, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) == (left < Size ? left : Size)) {
            __atomic_store_n(arrived, 0, __ATOMIC_RELAXED);
            __atomic_store_n(generation, before + 1, __ATOMIC_RELEASE);
        }
        while (__atomic_load_n(generation, __ATOMIC_ACQUIRE) == before)
            ::cpu_device::yield_to_others();
    }

    template <class T>
    T shfl(T value, int source) const {
        put(value);
        sync();
        const T result = get<T>((unsigned)source % Size);
        sync();
        return result;
    }
    int any(int predicate) const {
        return reduced(predicate != 0, [](int a, int b) { return a | b; });
    }
    int all(int predicate) const {
        return reduced(predicate != 0, [](int a, int b) { return a & b; });
    }

    /* op over the values of the tile's threads, in the order of their ranks. */
    template <class T, class Op>
    T reduced(T value, Op op) const {
        put(value);
        sync();
        const unsigned first = (unsigned)meta_group_rank() * Size,
                       left = threads_of_block() - first;
        T result = get<T>(0);
        for (unsigned rank = 1; rank < (left < Size ? left : Size); ++rank)
            result = op(result, get<T>(rank));
        sync();
        return result;
    }

  private:
    struct Room {
        unsigned arrived[32] = {}, generation[32] = {};
        struct alignas(16) Value {
            unsigned char bytes[16];
        } values[1024];
    };
    static Room &room() { return ::cpu_device::shared<Room>(); }
    template <class T>
    void put(const T &value) const {
        static_assert(sizeof(T) <= 16,
                      "values of at most 16 bytes pass between the threads of a wide tile");
        __builtin_memcpy(room().values[rank_in_block()].bytes, &value, sizeof value);
    }
    template <class T>
    T get(unsigned rank) const {
        T value;
        __builtin_memcpy(&value, room().values[meta_group_rank() * Size + rank].bytes,
                         sizeof value);
        return value;
    }
};

} // namespace internal

/* Whatever its parent, a tile is a thread_block_tile<Size>. */
template <unsigned Size, class Parent = void>
class thread_block_tile;

template <unsigned Size>
class thread_block_tile<Size, void>
    : public std::conditional_t<(Size <= 32), internal::WarpTile<Size>, internal::WideTile<Size>> {
    static_assert(Size >= 1 && Size <= 512 && (Size & (Size - 1)) == 0,
                  "a tile has a power of two of threads, at most 512");
};

template <unsigned Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {};

template <unsigned Size, class Group>
inline thread_block_tile<Size, Group> tiled_partition(const Group &) {
    return thread_block_tile<Size, Group>();
}

/* Memory that older devices need for wide tiles; this one has its own. */
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    unsigned char unused;
};
template <unsigned MaxBlockSize>
inline thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
    return thread_block();
}

inline thread_group tiled_partition(const thread_group &, unsigned size) {
    const unsigned lane = ::cpu_device::lane_number(), rank = internal::rank_in_block();
    const unsigned left = internal::threads_of_block() - rank / size * size;
    return thread_group(thread_group::kLanes,
                        internal::lanes(lane / size * size, left < size ? left : size));
}

/* The lanes that stand here together. */
__attribute__((noinline)) inline coalesced_group coalesced_threads() {
    return coalesced_group(::cpu_device::active_lanes(__builtin_return_address(0)));
}

/* The lanes of the group that agree on the predicate, or on the label. */
template <class Group>
inline coalesced_group binary_partition(const Group &group, bool predicate) {
    const unsigned yes = __ballot_sync(group.lane_mask(), predicate);
    return coalesced_group(predicate ? yes : group.lane_mask() & ~yes);
}
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group &group, Label label) {
    return coalesced_group(__match_any_sync(group.lane_mask(), label));
}

/* One of the group's threads calls it; the broadcasting form gives its result to all. */
template <class Group, class Function, class... A>
inline void invoke_one(const Group &group, Function &&function, A &&...args) {
    if (group.thread_rank() == 0) function(static_cast<A &&>(args)...);
}
template <class Group, class Function, class... A>
inline auto invoke_one_broadcast(const Group &group, Function &&function, A &&...args)
    -> decltype(function(static_cast<A &&>(args)...)) {
    decltype(function(static_cast<A &&>(args)...)) result{};
    if (group.thread_rank() == 0) result = function(static_cast<A &&>(args)...);
    return group.shfl(result, 0);
}

template <class Group>
inline void sync(const Group &group) {
    group.sync();
}
template <class Group>
inline unsigned long long group_size(const Group &group) {
    return group.size();
}
template <class Group>
inline unsigned long long thread_rank(const Group &group) {
    return group.thread_rank();
}

} // namespace cooperative_groups

#include "cpu_device/names_end.h"

#endif
