/* Kernel `waiter` spins until the host raises a flag; kernel `other` is launched for the first
 * time meanwhile, in a stream of its own, and the host wants its result before it raises the
 * flag. Where kernels are loaded lazily, as by default since CUDA 12.2, `other` cannot be loaded
 * while `waiter` runs, and all three wait for each other: the watchdog ends that and says why.
 *
 *   lazy_loading [--load-first] [--limit SECONDS]
 *
 * Prints OK and ends with 0 if nothing hung; ends with 1 through the watchdog. See
 * lazy_loading_test.cc.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "common/check.h"
#include "common/watchdog.h"

__global__ void waiter(volatile int *started, volatile int *flag) {
    *started = 1;
    while (*flag == 0) {}
}

__global__ void other(int *d_out) { *d_out = 42; }

static void raise_flag(void *flag) { *(volatile int *)flag = 1; }

int main(int argc, char **argv) {
    bool load_first = false;
    double limit_s = 10;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--load-first") == 0) load_first = true;
        else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc) limit_s = atof(argv[++i]);
        else return fprintf(stderr, "lazy_loading: unknown option %s\n", argv[i]), 2;
    }
    int *host = NULL, *d_host = NULL, *d_out = NULL, out = 0;
    cudaStream_t first, second;
    CUDA_CHECK(cudaHostAlloc((void **)&host, 2 * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer((void **)&d_host, host, 0));
    CUDA_CHECK(cudaMalloc((void **)&d_out, sizeof(int)));
    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    volatile int *started = host, *flag = host + 1;
    *started = *flag = 0;
    if (load_first) {
        const void *kernels[] = {(const void *)waiter, (const void *)other};
        CUDA_CHECK(load_kernels(kernels, 2));
    }

    Watchdog *watchdog = watchdog_start(limit_s, "kernel other, launched while kernel waiter runs,",
                                        raise_flag, (void *)flag);
    waiter<<<1, 1, 0, first>>>(d_host, d_host + 1);
    CUDA_CHECK(cudaGetLastError());
    (void)cudaStreamQuery(first); /* some drivers hand launches over in groups */
    while (*started == 0) {}
    other<<<1, 1, 0, second>>>(d_out); /* the launch itself may not return */
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(second));
    raise_flag((void *)flag);
    CUDA_CHECK(cudaStreamSynchronize(first));
    watchdog_stop(watchdog);

    CUDA_CHECK(cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFreeHost(host));
    CUDA_CHECK(cudaFree(d_out));
    puts(out == 42 ? "OK" : "WRONG");
    return out != 42;
}
