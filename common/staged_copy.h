/* Copies between ordinary (pageable) host memory and the device, at nearly the
 * rate of pinned memory.
 *
 * cudaMemcpy of pageable memory goes through one small pinned buffer of the
 * driver's, filled by one thread. Here all cores fill pinned buffers while the
 * former ones are on the bus. Buffers and threads are made once enough has been
 * copied to pay for them, which takes some 15 ms, and kept; staged_copy_release
 * gives them back. Any thread may call; calls at the same
 * time take turns.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_STAGED_COPY_H_
#define COMMON_STAGED_COPY_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As cudaMemcpy in that direction: ordered after earlier work on the default
 * stream (and on streams that wait for it), complete on return.
 *
 * Shapes: d_to or d_from: `bytes` bytes on the current device; the other side
 *         on the host, any alignment. bytes = 0 is a no-op.
 * Errors: cudaErrorInvalidValue if a pointer is null, or if the pointers are of
 *         the wrong kind (direction reversed); the runtime's own else. Nothing is
 *         left behind on error, and lab_last_message() explains.
 * Small copies and memory that is pinned already go straight to cudaMemcpy. */
cudaError_t staged_copy_to_device(void *d_to, const void *from, size_t bytes);
cudaError_t staged_copy_to_host(void *to, const void *d_from, size_t bytes);

/* The same for host data that is not one run of bytes: instead of a host pointer,
 * a function that packs bytes [offset, offset + bytes) of the logical contiguous
 * data into `pinned`, or takes them from there. Called from several threads at
 * the same time, for pieces that do not overlap, with offset and bytes multiples
 * of `unit` (1 to 4,096 bytes). */
typedef void (*StagedFill)(void *context, void *pinned, size_t offset, size_t bytes);
typedef void (*StagedDrain)(void *context, const void *pinned, size_t offset, size_t bytes);
cudaError_t staged_fill_to_device(void *d_to, size_t bytes, size_t unit, StagedFill fill,
                                  void *context);
cudaError_t staged_drain_to_host(const void *d_from, size_t bytes, size_t unit, StagedDrain drain,
                                 void *context);

/* Settings, for tests and for tuning. Zero fields mean the default. */
typedef struct StagedCopyConfig {
    size_t threads;      /* that fill or empty buffers; 0: one per core, 8 at most; at most 16 */
    size_t slot_bytes;   /* one pinned buffer; 0: 4 MiB; at least 4,096 */
    size_t slots;        /* buffers per thread; 0: 2 */
    size_t direct_below; /* smaller copies go to cudaMemcpy; 0: 512 KiB; 1: none do */
    size_t stage_after;  /* bytes to be copied before buffers are made; 0: 32 MiB; 1: at once */
    bool plain_stores;   /* do not use non-temporal stores */
} StagedCopyConfig;

/* Takes effect with the next copy; gives the present buffers back. Null: defaults. */
cudaError_t staged_copy_configure(const StagedCopyConfig *config);

/* True if the current device has its buffers: the next large copy makes none. */
bool staged_copy_is_ready(void);

/* Gives the pinned buffers, streams and events back. Harmless when there are
 * none, and twice. The next copy makes new ones. */
cudaError_t staged_copy_release(void);

#ifdef __cplusplus
}
#endif

#endif
