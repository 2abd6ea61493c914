# SPDX-License-Identifier: Apache-2.0
"""A whole program: kernels, and a main that runs each and prints a line for each.

    program [FIRST [LAST]]      prints "kernel K: HASH" or "kernel K: error CODE"

After an error, which may stick, the program starts itself anew at the next kernel.
"""
import random

from kernel import Kernel, choose_statements

# What is said of in a program, and the header that it needs.
HEADERS = [("cg::", "cooperative_groups.h"), ("cg::memcpy_async", "cooperative_groups/memcpy_async.h"),
           ("cg::reduce", "cooperative_groups/reduce.h"), ("cg::inclusive_scan", "cooperative_groups/scan.h"),
           ("cg::exclusive_scan", "cooperative_groups/scan.h")]

BEFORE = r"""// SPDX-License-Identifier: Apache-2.0
// Written by tests/cpu_device/fuzz: %(command)s
%(headers)s#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FULL 0xffffffffu
#define SYNC() __syncthreads()

// The lane of mask that is number i of its lanes, counted around.
__device__ __forceinline__ int pick(unsigned mask, unsigned i) {
  for (i %%= (unsigned)__popc(mask); i > 0u; --i) mask &= mask - 1u;
  return __ffs((int)mask) - 1;
}

struct Frame {
  unsigned *out, *in, *acc, *tmp;
};

static int first_error;

static void check(cudaError_t status) {
  if (first_error == 0) first_error = (int)status;
}

"""

AFTER = r"""
static uint64_t hash_of(uint64_t hash, const unsigned *words, size_t count) {
  for (size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x100000001b3ull;
  return hash;
}

enum { OUT_WORDS = %(out_words)d, ACC_WORDS = 64, IN_WORDS = 1024, TMP_WORDS = 65536 };

int main(int argc, char **argv) {
  int first = argc > 1 ? atoi(argv[1]) : 0, last = argc > 2 ? atoi(argv[2]) : %(count)d - 1;
  static unsigned in[IN_WORDS], out[OUT_WORDS], acc[ACC_WORDS];
  unsigned x = %(seed)uu * 2654435761u + 12345u;
  for (int i = 0; i < IN_WORDS; ++i) {
    x = x * 1664525u + 1013904223u;
    in[i] = i %% 3 ? x >> 8 : (x >> 8) %% 100u;
  }
  Frame f;
  check(cudaMalloc((void **)&f.out, sizeof out));
  check(cudaMalloc((void **)&f.in, sizeof in));
  check(cudaMalloc((void **)&f.acc, sizeof acc));
  check(cudaMalloc((void **)&f.tmp, TMP_WORDS * sizeof(unsigned)));
  check(cudaMemcpy(f.in, in, sizeof in, cudaMemcpyHostToDevice));
  for (int k = first; k <= last; ++k) {
    check(cudaMemset(f.out, 0xab, sizeof out));
    check(cudaMemset(f.acc, 0x55, sizeof acc));
    check(cudaMemset(f.tmp, 0xcd, TMP_WORDS * sizeof(unsigned)));
    LAUNCHES[k](f);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(out, f.out, sizeof out, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(acc, f.acc, sizeof acc, cudaMemcpyDeviceToHost));
    if (first_error != 0) {
      printf("kernel %%d: error %%d\n", k, first_error);
      fflush(stdout);
      if (k == last) return 0;
      char next[16], end[16];
      snprintf(next, sizeof next, "%%d", k + 1);
      snprintf(end, sizeof end, "%%d", last);
      execl("/proc/self/exe", argv[0], next, end, (char *)NULL);
      return 3;
    }
    uint64_t hash = hash_of(hash_of(0xcbf29ce484222325ull, out, OUT_WORDS), acc, ACC_WORDS);
    printf("kernel %%d: %%016llx\n", k, (unsigned long long)hash);
    fflush(stdout);
  }
  return 0;
}
"""


def write_program(seed, count, unusual, only=(), command=""):
    """(text, the kernels) of the program with that seed."""
    text, launches, kernels = [], [], []
    statements = choose_statements(random.Random("%d/%d" % (seed, unusual)), unusual, only)
    for number in range(count):
        # A random sequence of its own, so that a kernel does not depend on the ones before it.
        kernel = Kernel(random.Random("%d/%d/%d" % (seed, number, unusual)), number, unusual, statements)
        lines = kernel.write()
        text += ["// Kernel %d: %s." % (number, ", ".join(sorted(kernel.used)))] + lines
        text += ["static void launch_%d(const Frame &f) {" % number] + ["  " + l for l in kernel.launch()] + ["}", ""]
        launches.append("launch_%d" % number)
        kernels.append(kernel)
    text.append("static void (*const LAUNCHES[])(const Frame &) = {%s};" % ", ".join(launches))
    after = AFTER % {"out_words": max(k.out_words() for k in kernels), "count": count, "seed": seed}
    body = "\n".join(text)
    groups = "cg::" in body
    headers = [header for sign, header in HEADERS if sign in body]
    before = BEFORE % {"command": command, "headers": "".join("#include <%s>\n" % header for header in headers)}
    return before + ("namespace cg = cooperative_groups;\n\n" if groups else "") + body + "\n" + after, kernels
