/* For editors only (see compile_commands.py): what clang expects of a CUDA toolkit before
 * the first line of a .cu file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BAZEL_CLANGD_CUDA_H
#define BAZEL_CLANGD_CUDA_H

/* To the end of the .cu file, what has no attribute counts as __host__ __device__: kernels may
 * call the C library's and the CPU device's functions. */
#pragma clang force_cuda_host_device begin
#include <stdlib.h>
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>
#endif
#pragma clang force_cuda_host_device end

/* Except for operator new, which the compiler itself has declared for the host. */
#define __device__ __attribute__((device)) /* clang's own <new> wants it */
#include <new>

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define __syncthreads \
    __syncthreads_of_the_cpu_device /* clang has its own, which host functions may not call */
#include <cuda_runtime.h>

/* What cu_to_cpp puts calls in place of. */
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;

/* clang turns kernel<<<grid, block, shared, stream>>>(...) into a call of this. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                void *stream = nullptr);

#endif
