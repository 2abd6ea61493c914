/* Clusters of blocks: what a kernel asks of them. cooperative_groups.h has the names that programs
 * use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CLUSTER_H
#define CPU_DEVICE_CLUSTER_H

#include "cpu_device/thread.h"

namespace cpu_device {

/* __cluster_dims__(x, y, z) of a kernel; known before main. */
struct ClusterDims {
    ClusterDims(const void *kernel, unsigned x, unsigned y = 1, unsigned z = 1);
};

/* In blocks; (1,1,1) where the launch said nothing. */
dim3 cluster_dim();

/* Of the running block, in its cluster. */
dim3 cluster_block_index();
unsigned cluster_block_rank();

/* Waits until every thread of the cluster's blocks that has not ended waits here too. */
void cluster_barrier();

/* An address in the running block's shared memory, as the same place in that of another block of
 * the cluster, which has been at a cluster_barrier. */
void *map_shared(const void *address, unsigned rank);

/* Whose shared memory of the cluster's blocks the address lies in. */
unsigned shared_rank(const void *address);

} // namespace cpu_device

#endif
