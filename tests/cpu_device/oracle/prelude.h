/* What clang is told before a .cu program that it reads for oracle_test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CPU_DEVICE_ORACLE_PRELUDE_H
#define TESTS_CPU_DEVICE_ORACLE_PRELUDE_H

#include "bazel/clangd_cuda.h"

/* Device functions count as host functions as well (clangd_cuda.h says why), in which clang takes no
 * shared variables. An annotation is all that is needed to know them again. */
#undef __shared__
#define __shared__ __attribute__((annotate("shared")))

/* A keyword of nvcc's, and of clang's from version 15 on. */
#define __noinline__

#endif
