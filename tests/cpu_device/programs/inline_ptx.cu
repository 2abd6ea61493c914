/* Inline PTX as teaching programs have it: special registers, arithmetic, bits, loads and stores
 * with cache operators, atomics, a barrier and fences.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>

enum { kThreads = 96, kBlocks = 3, kValues = 24 };

__device__ __forceinline__ unsigned lane() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}

__device__ float load(const float *p) {
  float v;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}

__global__ void look(unsigned *out, const float *in, float *stored, int *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned r[kValues] = {};
  int a = -7, b = (int)threadIdx.x, c;
  r[0] = lane();
  asm("mov.u32 %0, %%tid.x;" : "=r"(r[1]));
  asm("mov.u32 %0, %%ctaid.x;\n\t" : "=r"(r[2]));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(r[3]) :: "memory");
  unsigned sm, sms;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
  r[4] = sm < sms;
  unsigned long long t0, t1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t1));
  r[5] = t0 > 0 && t1 > 0;

  asm("add.s32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  r[6] = c;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(c) : "r"(a), "r"(b), "r"(5));
  r[7] = c;
  asm("shl.b32 %0, %1, 3;" : "=r"(r[8]) : "r"(b));
  asm("shr.s32 %0, %1, 40;" : "=r"(r[9]) : "r"(a));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[10]) : "r"(0x12345678), "r"(8), "r"(12));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[11]) : "r"(b), "r"(0x0ff0), "r"(a));
  asm("prmt.b32 %0, %1, %2, 0x0123;" : "=r"(r[12]) : "r"(0x44332211), "r"(0));
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[13]) : "r"(0x80000000u), "r"(6u));
  asm("min.s32 %0, %1, %2;" : "=r"(r[14]) : "r"(a), "r"(b));
  float f = load(in + threadIdx.x), g;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(g) : "f"(f), "f"(2.0f), "f"(1.0f));
  asm volatile("st.global.cg.f32 [%0], %1;" :: "l"(stored + i), "f"(g) : "memory");
  asm("mov.b32 %0, %1;" : "=r"(r[15]) : "f"(1.5f)); /* the bits */
  uint64_t wide;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(0x80000001u), "r"(4u));
  r[16] = (unsigned)(wide >> 32);
  asm volatile("membar.gl;");
  asm volatile("red.global.add.s32 [%0], %1;" :: "l"(sum), "r"(1) : "memory");
  __shared__ unsigned s[kThreads];
  s[threadIdx.x] = r[1];
  asm volatile("bar.sync 0;");
  r[17] = s[kThreads - 1 - threadIdx.x];
  asm volatile("" ::: "memory");
  for (int k = 0; k < kValues; ++k) out[i * kValues + k] = r[k];
}

static bool right(const unsigned *r, unsigned block, unsigned t) {
  const int a = -7, b = (int)t;
  const unsigned want[kValues] = {t % 32, t, block, (1u << t % 32) - 1, 1, 1, (unsigned)(a + b), (unsigned)(a * b + 5),
                                  t << 3, 0xffffffffu, 0x456, (unsigned)(b ^ 0x0ff0 ^ a), 0x11223344, 3,
                                  (unsigned)a, 0x3fc00000, 2, kThreads - 1 - t};
  for (int k = 0; k < kValues; ++k)
    if (r[k] != want[k]) {
      printf("WRONG: value %d of thread %u is %x, want %x\n", k, t, r[k], want[k]);
      return false;
    }
  return true;
}

int main() {
  const int n = kBlocks * kThreads;
  unsigned *out;
  float *in, *stored;
  int *sum;
  cudaMallocManaged(&out, n * kValues * sizeof *out);
  cudaMallocManaged(&in, kThreads * sizeof *in);
  cudaMallocManaged(&stored, n * sizeof *stored);
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  for (int i = 0; i < kThreads; ++i) in[i] = 0.25f * i;
  look<<<kBlocks, kThreads>>>(out, in, stored, sum);
  if (cudaDeviceSynchronize() != cudaSuccess) return printf("WRONG: did not run\n"), 1;
  for (int i = 0; i < n; ++i) {
    if (!right(out + i * kValues, i / kThreads, i % kThreads)) return 1;
    if (stored[i] != 0.5f * (i % kThreads) + 1) return printf("WRONG: stored %g\n", stored[i]), 1;
  }
  if (*sum != n) return printf("WRONG: sum %d\n", *sum), 1;
  printf("OK\n");
  return 0;
}
