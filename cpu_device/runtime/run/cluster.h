/* Clusters of blocks, as cluster.cc, launch.cc, executor.cc and block.cc share them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CLUSTER_RUNTIME_H
#define CPU_DEVICE_CLUSTER_RUNTIME_H

#include "cpu_device/runtime/run/executor.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

enum { kMaxClusterSize = 16, kPortableClusterSize = 8 };

/* Blocks that wait for one another. */
struct Cluster {
    struct Member {
        unsigned came_to;  /* the last generation that it has arrived for */
        char *shared_base; /* null: it has not been at the barrier yet */
        const char *shared_area;
    };
    std::mutex mutex;                    /* arrivals and ends */
    std::atomic<unsigned> live{0};       /* blocks that have not ended, begun or not */
    std::atomic<unsigned> arrived{0};    /* blocks at the barrier */
    std::atomic<unsigned> generation{0}; /* times that the barrier was passed */
    Member members[kMaxClusterSize] = {};
};

/* Those of one launch. */
struct Clusters {
    Clusters(const dim3 &grid, const dim3 &dim);

    Cluster *of(const uint3 &block);
    /* The linear index of the i-th block where clusters are done one after another. */
    uint64_t block_in_order(uint64_t i) const;
    void block_ended(const uint3 &block);

    const dim3 grid, dim;
    const unsigned size; /* blocks in each */
    const dim3 in_grid;  /* clusters */
    std::vector<Cluster> all;
};

/* How many blocks, or threads, these dimensions hold. */
inline unsigned volume(const dim3 &d) { return d.x * d.y * d.z; }

/* What the configuration's attributes ask for, else (1,1,1). */
dim3 cluster_in(const cudaLaunchConfig_t &config);

/* What __cluster_dims__ says of the kernel, else (1,1,1). */
dim3 declared_cluster(const void *kernel);

} // namespace cpu_device

#endif
