/* Clusters of blocks: a barrier over several blocks, and their shared memories for one another.
 *
 * A launch with clusters hands out blocks cluster by cluster, a worker's share being whole ones.
 * A block that waits for others of its cluster gives way to them as one that spins on memory does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

#include <map>

#include "cpu_device/cluster.h"
#include "cpu_device/sync.h"

namespace cpu_device {
namespace {

std::map<const void *, dim3> &declared() {
    static auto &dims = *new std::map<const void *, dim3>();
    return dims;
}

/* The running block's cluster; null: the launch has none. */
Cluster *this_cluster() {
    const Block *b = this_block();
    Clusters *all = b->worker->launch->clusters;
    return all ? all->of(b->block_index) : nullptr;
}

unsigned rank_of(const uint3 &block, const dim3 &d) {
    return (block.z % d.z * d.y + block.y % d.y) * d.x + block.x % d.x;
}

void let_pass_if_complete(Cluster *c) {
    if (c->arrived.load() < c->live.load()) return;
    c->arrived = 0;
    c->generation.fetch_add(1);
}

} // namespace

dim3 cluster_in(const cudaLaunchConfig_t &config) {
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        const cudaLaunchAttribute &a = config.attrs[i];
        if (a.id == cudaLaunchAttributeClusterDimension)
            return dim3(a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z);
    }
    return dim3(1, 1, 1);
}

ClusterDims::ClusterDims(const void *kernel, unsigned x, unsigned y, unsigned z) {
    declared()[kernel] = dim3(x, y, z);
}

dim3 declared_cluster(const void *kernel) {
    auto at = declared().find(kernel);
    return at == declared().end() ? dim3(1, 1, 1) : at->second;
}

Clusters::Clusters(const dim3 &grid_, const dim3 &dim_)
    : grid(grid_),
      dim(dim_),
      size(volume(dim_)),
      in_grid(grid_.x / dim_.x, grid_.y / dim_.y, grid_.z / dim_.z),
      all(volume(in_grid)) {
    for (Cluster &c : all) c.live = size;
}

Cluster *Clusters::of(const uint3 &block) {
    const uint64_t x = block.x / dim.x, y = block.y / dim.y, z = block.z / dim.z;
    return &all[(z * in_grid.y + y) * in_grid.x + x];
}

uint64_t Clusters::block_in_order(uint64_t i) const {
    const uint64_t cluster = i / size, rank = i % size;
    const uint64_t x = cluster % in_grid.x * dim.x + rank % dim.x;
    const uint64_t y = cluster / in_grid.x % in_grid.y * dim.y + rank / dim.x % dim.y;
    const uint64_t z = cluster / in_grid.x / in_grid.y * dim.z + rank / dim.x / dim.y;
    return (z * grid.y + y) * grid.x + x;
}

void Clusters::block_ended(const uint3 &block) {
    Cluster *c = of(block);
    std::lock_guard<std::mutex> lock(c->mutex);
    if (c->live.fetch_sub(1) > 1 && c->arrived.load()) let_pass_if_complete(c);
}

dim3 cluster_dim() {
    const Clusters *all = this_block()->worker->launch->clusters;
    return all ? all->dim : dim3(1, 1, 1);
}

dim3 cluster_block_index() {
    const dim3 d = cluster_dim();
    const uint3 &b = this_block()->block_index;
    return dim3(b.x % d.x, b.y % d.y, b.z % d.z);
}

unsigned cluster_block_rank() { return rank_of(this_block()->block_index, cluster_dim()); }

/* The first of a block's threads that is past the block's own barrier arrives for all of them. */
void cluster_barrier() {
    Cluster *c = this_cluster();
    if (!c) return block_barrier();
    /* Before the block's barrier: no block can have passed the cluster's without this one. */
    const unsigned before = c->generation.load();
    block_barrier();
    set_interruptible(kInRuntime);
    {
        const Block *b = this_block();
        std::lock_guard<std::mutex> lock(c->mutex);
        Cluster::Member &me = c->members[cluster_block_rank()];
        if (me.came_to != before + 1) {
            me = {before + 1, b->shared_base, b->shared_area};
            c->arrived.fetch_add(1);
            let_pass_if_complete(c);
        }
    }
    set_interruptible(kMayYield);
    while (c->generation.load() == before) yield_to_others();
}

void *map_shared(const void *address, unsigned rank) {
    set_interruptible(kInRuntime);
    const Cluster *c = this_cluster();
    const unsigned size = volume(cluster_dim());
    const char *own = this_block()->shared_base;
    const bool known = c && rank < size && c->members[rank].shared_base;
    if (rank >= size || (rank != cluster_block_rank() && !known)) {
        say("%s%s asked for shared memory of block %u of its cluster of %u, %s",
            line_of_caller().c_str(), where_in_kernel().c_str(), rank, size,
            rank >= size ? "which there is not"
                         : "which may not have begun: call cluster.sync() first");
        abort_kernel(cudaErrorIllegalAddress);
    }
    void *mapped = known ? c->members[rank].shared_base + ((const char *)address - own)
                         : const_cast<void *>(address);
    set_interruptible(kMayYield);
    return mapped;
}

unsigned shared_rank(const void *address) {
    const Cluster *c = this_cluster();
    const char *p = (const char *)address;
    for (unsigned rank = 0; c && rank < volume(cluster_dim()); ++rank) {
        const char *area = c->members[rank].shared_area;
        if (area && p >= area && p < area + kSharedAreaSize) return rank;
    }
    return cluster_block_rank();
}

} // namespace cpu_device
