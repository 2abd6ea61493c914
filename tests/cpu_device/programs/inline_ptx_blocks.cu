/* Inline PTX of several instructions: registers and predicates of their own, vectors, carries,
 * conversions, warp operations, and copies into shared memory that need not be waited for at once.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>

enum { kThreads = 64, kValues = 46 };

/* A special register with one percent sign, as compilers take it too. */
__device__ int lane() {
  int r;
  asm("mov.s32 %0, %laneid;" : "=r"(r));
  return r;
}

/* 128-bit sums, the carry from one instruction to the next. */
__device__ void add_wide(uint64_t r[2], const uint64_t a[2], const uint64_t b[2]) {
  asm("{\n\t"
      "add.cc.u64 %0, %2, %4; // low words\n\t"
      "addc.u64   %1, %3, %5;\n\t"
      "}" : "=l"(r[0]), "=l"(r[1]) : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
}

/* The same in pieces: each function is one instruction. */
__device__ uint32_t add_cc(uint32_t a, uint32_t b) {
  uint32_t r;
  asm volatile("add.cc.u32 %0, %1, %2; /* inline */ \n\t" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ uint32_t addc_cc(uint32_t a, uint32_t b) {
  uint32_t r;
  asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ uint32_t addc(uint32_t a, uint32_t b) {
  uint32_t r;
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ float4 load4(const float *p) {
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
  return v;
}

/* Only where the condition holds. */
__device__ void store_if(int *p, int value, bool condition) {
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  setp.ne.b32 p, %2, 0;\n"
               "  @p st.global.s32 [%0], %1;\n"
               "}\n" :: "l"(p), "r"(value), "r"((int)condition) : "memory");
}

/* Older GPUs have neither cp.async nor redux. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
__device__ void copy16(void *shared, const void *global) { *(float4 *)shared = *(const float4 *)global; }
__device__ void copy4(void *shared, const void *global, bool valid) {
  *(float *)shared = valid ? *(const float *)global : 0.0f;
}
__device__ void commit() {}
template <int n>
__device__ void wait_for_all_but() {}
__device__ int sum_of_warp(int v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
#else
__device__ void copy16(void *shared, const void *global) {
  const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" :: "r"(to), "l"(global));
}
__device__ void copy4(void *shared, const void *global, bool valid) {
  const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" :: "r"(to), "l"(global), "r"(valid ? 4 : 0));
}
__device__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int n>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;\n" :: "n"(n));
}
__device__ int sum_of_warp(int v) {
  int sum;
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(v));
  return sum;
}
#endif

__global__ void look(uint32_t *out, const float *in, int *stored) {
  __shared__ __align__(16) float s[kThreads * 4];
  __shared__ float one[kThreads];
  const unsigned t = threadIdx.x;
  uint32_t r[kValues] = {};
  r[0] = lane();

  const uint64_t a[2] = {~0ull - t, 5}, b[2] = {7, 1};
  uint64_t sum[2];
  add_wide(sum, a, b);
  r[1] = (uint32_t)sum[0], r[2] = (uint32_t)sum[1];
  r[3] = add_cc(0xffffffffu, t);
  r[4] = addc_cc(0xffffffffu, 0);
  r[5] = addc(10, 20);
  uint32_t lo = 0x80000001u, hi = 3, x = 4;
  asm("{ sub.cc.u32 %0, %0, %2; subc.u32 %1, %1, 0; }" : "+r"(lo), "+r"(hi) : "r"(x + lo));
  r[6] = lo, r[7] = hi;
  /* An input's variable that an output overwrites keeps its value until the end. */
  uint32_t u = 0x10001, v = 0x30000;
  asm("mul.lo.u32 %0, %2, %3;\n\tmul.hi.u32 %1, %2, %3;" : "=r"(u), "=r"(v) : "r"(u), "r"(v));
  r[8] = u, r[9] = v;
  asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5; }"
      : "=r"(r[10]), "=r"(r[11]) : "r"(0x12345678u), "r"(0x9abcdef0u), "r"(0xffffffffu), "r"(1u));

  const float4 four = load4(in + 4 * t);
  r[12] = four.x == in[4 * t] && four.w == in[4 * t + 3];
  asm volatile("st.shared.v2.f32 [%0 + 8], {%1, %2};"
               :: "r"((uint32_t)__cvta_generic_to_shared(&s[4 * t])), "f"(four.y), "f"(four.x) : "memory");
  r[13] = s[4 * t + 2] == four.y && s[4 * t + 3] == four.x;
  asm("ld.shared.f32 %0, [%1];" : "=f"(*(float *)&r[14])
      : "r"((uint32_t)__cvta_generic_to_shared(&s[4 * t + 2])));
  r[14] = r[14] == __float_as_uint(four.y);

  uint64_t pair;
  asm("mov.b64 %0, {%1, %2};" : "=l"(pair) : "r"(0x11223344), "r"(t));
  r[15] = (uint32_t)pair, r[16] = (uint32_t)(pair >> 32);
  asm("mov.b64 {%0, %1}, %2;" : "=r"(r[17]), "=r"(r[18]) : "d"(-2.0));
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }" : "=r"(r[19]) : "r"(0xaaaabbbb));

  store_if(stored + t, (int)t + 100, t % 3 == 0);
  asm("{ .reg .pred p, q; setp.gt.and.s32 p|q, %1, 10, 1; selp.b32 %0, 7, 8, p; @q add.s32 %0, %0, 100; }"
      : "=r"(r[20]) : "r"((int)t));
  asm("{ .reg .pred p<2>; setp.lt.f32 p0, %1, %2; not.pred p1, p0; selp.u32 %0, 1, 0, p1; }"
      : "=r"(r[21]) : "f"(nanf("")), "f"(1.0f));
  asm("{ .reg .pred p; setp.ltu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(r[22]) : "f"(nanf("")), "f"(1.0f));

  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r[23]) : "f"(-2.5f));
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r[24]) : "f"(5e9f));
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(*(float *)&r[25]) : "r"(-3));
  asm("cvt.u32.u64 %0, %1;" : "=r"(r[26]) : "l"(0x123456789ull));
  float h;
  asm("tanh.approx.f32 %0, %1;" : "=f"(h) : "f"(0.5f));
  r[27] = fabsf(h - 0.46211716f) < 1e-3f;
  asm("add.rz.f32 %0, %1, %2;" : "=f"(*(float *)&r[28]) : "f"(1.0f), "f"(2e-7f));
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(r[29]) : "r"(0x11223344), "r"(0x55667788));

  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(r[30]) : "r"(t));
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x181f, %3;" : "=r"(r[31]) : "r"(t), "r"(2), "r"(-1));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(r[32]) : "r"(t));
  r[33] = (uint32_t)sum_of_warp((int)t);

  asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %2, 3, 0x1000, -1; selp.u32 %1, 1, 0, q; }"
               : "=r"(r[36]), "=r"(r[37]) : "r"(t));
  asm("bfind.s32 %0, %1;" : "=r"(r[38]) : "r"(-2 - (int)(t << 10)));
  asm("bfind.shiftamt.u64 %0, %1;" : "=r"(r[39]) : "l"((uint64_t)t));
  asm("prmt.b32 %0, %1, %2, 0x9470;" : "=r"(r[40]) : "r"(0x12348056), "r"(0x789abcde));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r[41]) : "r"(0x12348056), "r"(0x789abcde), "r"(t));
  asm("prmt.b32.ecl %0, %1, %2, 1;" : "=r"(r[42]) : "r"(0x12348056), "r"(0x789abcde));
  asm("mul24.hi.s32 %0, %1, %2;" : "=r"(r[43]) : "r"(0x1800000), "r"(3 << 16));
  asm("mad24.lo.u32 %0, %1, %2, %3;" : "=r"(r[44]) : "r"(0x1000003), "r"(5), "r"(t));
  asm("mad24.hi.sat.s32 %0, %1, %2, %3;"
      : "=r"(r[45]) : "r"(0x400000), "r"(0x400000), "r"(0x7fffffff - (int)t));

  copy16(&s[4 * t], in + 4 * t);
  commit();
  copy4(&one[t], in + t, t % 2 == 0);
  commit();
  wait_for_all_but<0>();
  asm volatile("bar.sync 0;");
  const unsigned other = kThreads - 1 - t;
  r[34] = s[4 * other + 1] == in[4 * other + 1];
  r[35] = one[other] == (other % 2 == 0 ? in[other] : 0);
  asm volatile("red.shared.add.u32 [%0], %1;"
               :: "r"((uint32_t)__cvta_generic_to_shared(&s[0])), "r"(0u) : "memory");
  asm volatile("prefetch.global.L2 [%0];" :: "l"(in));
  for (int k = 0; k < kValues; ++k) out[t * kValues + k] = r[k];
}

/* Four bytes downwards from the one with number m. */
static uint32_t backwards(uint32_t m) {
  const uint8_t bytes[] = {0x56, 0x80, 0x34, 0x12, 0xde, 0xbc, 0x9a, 0x78};
  uint32_t r = 0;
  for (uint32_t i = 0; i < 4; ++i) r |= (uint32_t)bytes[(m - i) & 7] << 8 * i;
  return r;
}

static uint32_t highest(uint32_t value) { return value ? highest(value / 2) + 1 : ~0u; }

static bool right(const uint32_t *r, uint32_t t) {
  const uint64_t low = ~0ull - t + 7, product = 0x12345678ull * 0x9abcdef0u + 0xffffffffu;
  const uint32_t want[kValues] = {
      t % 32, (uint32_t)low, 6u + (t < 7), t - 1, t > 0 ? 0 : 0xffffffffu, 30u + (t > 0),
      0xfffffffcu, 2, 0x30000, 3, (uint32_t)product, (uint32_t)(product >> 32) + 1, 1, 1, 1,
      0x11223344, t, 0, 0xc0000000u, 0xbbbbaaaa, t > 10 ? 7u : 108u, 1, 1,
      (uint32_t)-2, 0xffffffffu, 0xc0400000u, 0x23456789, 1, 0x3f800001, 0x66778811,
      t ^ 1, t % 8 < 6 ? t + 2 : t, t < 32 ? 0xffffffffu : 0xffu, t < 32 ? 496u : 1520u, 1, 1,
      t % 16 < 3 ? t : t - 3, t % 16 >= 3, highest(1 + (t << 10)), t ? 63 - highest(t) : ~0u,
      0xffde7856, backwards(t % 4), 0x12348080, 0xfe800000, 15 + t, 0x8fffffff - t};
  for (int k = 0; k < kValues; ++k)
    if (r[k] != want[k]) {
      printf("WRONG: value %d of thread %u is %x, want %x\n", k, t, r[k], want[k]);
      return false;
    }
  return true;
}

int main() {
  uint32_t *out;
  float *in;
  int *stored;
  cudaMallocManaged(&out, kThreads * kValues * sizeof *out);
  cudaMallocManaged(&in, 4 * kThreads * sizeof *in);
  cudaMallocManaged(&stored, kThreads * sizeof *stored);
  for (int i = 0; i < 4 * kThreads; ++i) in[i] = 0.25f * i + 1;
  for (int i = 0; i < kThreads; ++i) stored[i] = -1;
  look<<<1, kThreads>>>(out, in, stored);
  if (cudaDeviceSynchronize() != cudaSuccess) return printf("WRONG: did not run\n"), 1;
  for (uint32_t t = 0; t < kThreads; ++t) {
    if (!right(out + t * kValues, t)) return 1;
    const int want = t % 3 == 0 ? (int)t + 100 : -1;
    if (stored[t] != want) return printf("WRONG: stored %d, want %d\n", stored[t], want), 1;
  }
  printf("OK\n");
  return 0;
}
