/* For editors only (see compile_commands.py): what clang expects of a CUDA toolkit before
 * the first line of a .cu file. Kernels may call the C library's and the CPU device's
 * functions, so all of them count as __host__ __device__.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BAZEL_CLANGD_CUDA_H
#define BAZEL_CLANGD_CUDA_H

/* What must stay the host's alone comes before the pragma. */
#include <stdlib.h>

#define __device__ __attribute__((device)) /* clang's own <new> wants it */
#include <exception>
#include <new>

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define __syncthreads __syncthreads_of_the_cpu_device /* clang has its own */
#include <cuda_runtime.h>
#undef __syncthreads
#pragma clang force_cuda_host_device end

/* clang turns kernel<<<grid, block, shared, stream>>>(...) into a call of this. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, void *stream = nullptr);

#endif
