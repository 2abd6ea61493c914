/* An end for what might wait for ever: a program that hangs does not say why.
 *
 * A watchdog is a thread with a clock. It needs nothing of the call that it watches, so it
 * ends even a launch that never returns, as a kernel's first launch can while another kernel
 * spins: see watchdog_lazy_loading. For mains and tests, since it prints and exits.
 *
 *     Watchdog *watchdog = watchdog_start(30, "kernel sum and its copy", NULL, NULL);
 *     sum<<<grid, block>>>(…);
 *     CUDA_CHECK(cudaDeviceSynchronize());
 *     watchdog_stop(watchdog);
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_WATCHDOG_H_
#define COMMON_WATCHDOG_H_

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Watchdog Watchdog;

/* Unless watchdog_stop comes within `limit_s` seconds: says on standard error that `what`
 * (copied) has not ended, and what that may come of; calls release(context), if there is one,
 * so that a kernel which waits for the host can end and leaves the device usable; then ends
 * the process with exit status 1. Null if there is no memory or thread for it: the program
 * then runs unwatched. */
Watchdog *watchdog_start(double limit_s, const char *what, void (*release)(void *), void *context);

/* Ends the watch: the wait is over. Null is harmless. */
void watchdog_stop(Watchdog *watchdog);

/* Waits for what is on the stream, for at most `limit_s` seconds. cudaErrorNotReady when the
 * time is up, with lab_last_message() naming `what`; else the stream's own status. Prints and
 * ends nothing: for a library, and for waits that are known to be the ones that may hang. */
cudaError_t watchdog_stream_wait(cudaStream_t stream, double limit_s, const char *what);

/* Returns what to do where a kernel's first launch hangs while another kernel waits for the host. */
const char *watchdog_lazy_loading(void);

/* Loads kernels' code now, so that no later launch has to: `kernels` are pointers to them.
 * With it no first launch is inside a measured time, and none waits for a running kernel. */
cudaError_t load_kernels(const void *const *kernels, size_t count);

#ifdef __cplusplus
}
#endif

#endif
