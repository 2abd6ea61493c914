/* All cores of this computer for one loop: used by the host side of the library
 * and by the fast CPU references.
 *
 * One pool of threads per process, started at first use and kept. A call made
 * while another thread uses the pool, or from inside a body, runs on the calling
 * thread alone: never wrong, never a deadlock.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_PARALLEL_H_
#define COMMON_PARALLEL_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that parallel_run uses at most: the cores that this process may use
 * (affinity and container quota count), or LAB_THREADS from the environment if
 * it holds a number from 1 to 256. At least 1. Read once. */
size_t parallel_threads(void);

/* Calls body(context, worker, workers) once for each worker in [0, workers), at
 * the same time, one of them on the calling thread; returns when all are done.
 * workers is what could be had: at most max_workers (0: no limit), at least 1. */
typedef void (*ParallelBody)(void *context, size_t worker, size_t workers);
void parallel_run(size_t max_workers, ParallelBody body, void *context);

/* Cuts [0, n) into pieces of at least `grain` indices (grain 0 counts as 1), one
 * or a few for each thread, and calls body(context, begin, end) for each piece.
 * Pieces begin at multiples of grain. Returns when all are done. n = 0: no call. */
typedef void (*ParallelRange)(void *context, size_t begin, size_t end);
void parallel_for(size_t n, size_t grain, ParallelRange body, void *context);

#ifdef __cplusplus
}
#endif

#endif
