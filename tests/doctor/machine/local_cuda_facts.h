/* What Bazel found on the machine that the tests pretend: see ../BUILD.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define FACT_NVCC "/usr/local/cuda/bin/nvcc"
#define FACT_NVCC_FOUND_BY "PATH"
#define FACT_VERSION "13.0"
#define FACT_TOP "/usr/local/cuda"
#define FACT_KNOWN_ARCHS "compute_75\ncompute_80\ncompute_90"
#define FACT_OWN_CCBIN 0
#define FACT_HOST_COMPILER "/usr/bin/gcc"
#define FACT_HOST_COMPILER_NAMED_BY ""
#define FACT_HOST_COMPILER_VERSION "gcc 12.2"
#define FACT_NEWEST_HOST_COMPILER "gcc 15"
#define FACT_HAS_GPU 1
#define FACT_GPUS "NVIDIA H200, compute capability 9.0"
#define FACT_GPU_FOUND_BY "nvidia-smi"
#define FACT_TRIED ""
#define FACT_WRONG_VARIABLE ""
#define FACT_COMPILER_PROBLEM ""
