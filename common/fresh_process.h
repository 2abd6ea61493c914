/* SPDX-License-Identifier: Apache-2.0 */
/* Work in a process of its own, whose result comes back. */
#ifndef COMMON_FRESH_PROCESS_H_
#define COMMON_FRESH_PROCESS_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs work(context, result) in a forked process, and copies the `size` bytes that it left at
 * result here. True if it ended well; else `why` says how it ended.
 *
 * The rule to keep: a process that is forked after the first CUDA call cannot use CUDA. */
bool in_fresh_process(void (*work)(void *context, void *result), void *context, void *result,
                      size_t size, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_FRESH_PROCESS_H_ */
