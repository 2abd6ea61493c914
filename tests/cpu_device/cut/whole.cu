/* Kernels that must stay whole, each behind the reason that is given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
namespace of_function_object {
struct F { __device__ float operator()(float a) const { return a + 1; } };
// whole: the type 'F', which is not known to hold plain values
__global__ void function_object(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  x[t] = F()(s[n - t]);
  F f;
  x[t] += f(s[t]);
}
}  // namespace

// whole: 'p', which is not known
__global__ void pointer_to_arrays(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float (*p)[4] = nullptr;
  __syncthreads();
  x[t] = p == nullptr;
}

// whole: a declaration of this form
__global__ void structured_binding(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  int two[2] = {t, 1};
  auto [a, b] = two;
  __syncthreads();
  x[t] = a + b;
}

// whole: a condition that declares a variable
__global__ void declaration_in_a_condition(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = 0;
  if (float w = x[t]) v = w + __shfl_xor_sync(0xffffffff, v, 1);
  x[t] = v;
}

namespace of_operator_without {
struct S { int a; __device__ void operator+=(int b) { a += b; } };
// whole: the type 'S', which is not known to hold plain values
__global__ void operator_without(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  S all;
  all += 1;
  __syncthreads();
  x[t] = s[n - t];
}
}  // namespace

// whole: a barrier in an if of which it is not plain that all threads pass it alike
__global__ void barrier_of_some(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < n) __syncthreads();
}

// whole: a loop with a barrier or warp operation in it, of which it is not plain that all threads go round equally often
__global__ void loop_of_some(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int i = t;
  i < n;
  i += 256) __syncthreads();
}

// whole: a loop with a barrier or warp operation in it, of which it is not plain that all threads go round equally often
__global__ void loop_until_memory_says(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  while (x[0] > 0) { __syncthreads();
  s[t] += 1; }
}

// whole: 'volatile', by which threads may wait for each other
__global__ void volatile(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  volatile float *v = s;
  __syncthreads();
  v[t] += v[t + 1];
}

// whole: a loop with atomic operations whose results are used, by which threads may wait for each other
__global__ void spin(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  while (atomicAdd(x, 0.0f) == 0) {}
}

// whole: 'asm' is no part of the language in which kernels are cut
__global__ void asm(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  asm volatile("membar.gl;");
}

namespace of_unknown_call {
__device__ void g(float *x);
// whole: the call of 'g', which is not known
__global__ void unknown_call(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  g(x);
}
}  // namespace

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void address_of_a_kept_number(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t], *p = &v;
  __syncthreads(); *p = 1;
  x[t] = v;
}

// whole: a reference that may live from one part of the kernel to the next
__global__ void reference_across(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  float &r = v;
  __syncthreads();
  r = 1;
  x[t] = v;
}

// whole: '?', '&&', '||', '++' or '--' in one statement with a warp operation or a call with one
__global__ void shuffle_that_may_not_be(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = t > 3 ? __shfl_xor_sync(0xffffffff, s[t], 1) : 0;
  x[t] = v;
}

// whole: 't' hides another of that name
__global__ void hidden_name(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  int i = t * 2;
  { int t = 5;
  __syncthreads();
  x[i / 2] = t; }
}

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void pointer_to_a_number(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t], *p = &v;
  __syncthreads();
  x[t] = *p;
}

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void pointer_to_an_array(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float a[2] = {1, s[t]}, *p = a + 1;
  __syncthreads();
  x[t] = *p;
}

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void pointer_among_phases(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float a[2] = {1, s[t]}, *p = a + 1;
  float v = *p;
  __syncthreads();
  x[t] = v;
}

// whole: '__shfl_xor_sync' in a statement of which other parts may have to be done before it
__global__ void shuffle_after_a_comma(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t], w;
  v += __shfl_xor_sync(0xffffffff, v, 1), w = __shfl_xor_sync(0xffffffff, v, 2);
  x[t] = w;
}

// whole: '__shfl_xor_sync' in a statement of which other parts may have to be done before it
__global__ void shuffle_of_what_is_declared_with_it(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t], w = __shfl_xor_sync(0xffffffff, v, 2);
  x[t] = w;
}

namespace of_function_after_a_comma {
__device__ float f(float *s) { __syncthreads(); s[1] = 2; __syncthreads(); return s[1]; }
// whole: 'f' in a statement of which other parts may have to be done before it
__global__ void function_after_a_comma(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t], w = f(s);
  x[t] = v + w;
}
}  // namespace

namespace of_function_that_returns_nothing {
__device__ void f(float *s) { __syncthreads(); }
// whole: the call of 'f', of which there are several, or with default arguments
__global__ void function_that_returns_nothing(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  (void)f(s);
  x[t] = s[n - t];
}
}  // namespace

namespace of_shuffle_and_function {
__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 2); }
// whole: a warp operation in one statement with a call that has some
__global__ void shuffle_and_function(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  x[t] = __shfl_xor_sync(0xffffffff, v, 1) + f(v);
}
}  // namespace

// whole: '__shfl_sync' in a statement of which other parts may have to be done before it
__global__ void lane_from_memory_that_is_written(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  s[t] = __shfl_sync(0xffffffff, v, (int)s[3]);
  x[t] = s[t];
}

// whole: operations in both branches of an if that not all threads pass alike
__global__ void operations_in_both_branches(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t % 32 < 16) { s[t] = 1;
  __syncwarp(); } else { __syncwarp();
  s[t] = 2; } x[t] = s[t];
}

// whole: an assignment to this
__global__ void changed_in_parentheses(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  int a = n;
  __syncthreads();
  (a) = t;
  (t & 1 ? a : n) += 1;
  __syncthreads();
  for (int k = 0;
  k < a; ++k) __syncthreads();
}

namespace of_qualified_name {
namespace space { __device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 2); } }
// whole: the name 'space::f', which is not known
__global__ void qualified_name(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  x[t] = space::f(s[t]);
}
}  // namespace

// whole: a lambda
__global__ void lambda(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  auto f = [&](int i) { return s[i]; };
  __syncthreads();
  x[t] = f(t);
}

/* What was cut once, and gave wrong numbers (or did not compile). */
struct Frag { float x[4]; };
typedef float Row[4];

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void pointer_to_a_member_array(float *out) {
  Frag f;
  float *p = f.x;
  p[0] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = p[0];
}

// whole: the type 'Row', which is not known to hold plain values
__global__ void pointer_to_an_array_by_an_alias(float *out) {
  Row f;
  float *p = f;
  p[0] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = p[0];
}

// whole: a reference that may live from one part of the kernel to the next
__global__ void reference_to_a_member(float *out) {
  Frag f;
  float &r = f.x[1];
  r = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = r;
}

// whole: the address of a local variable as a number
__global__ void address_as_a_number(unsigned long long *out) {
  int own = threadIdx.x;
  unsigned long long where = (unsigned long long)&own;
  __syncthreads();
  out[threadIdx.x] = *(int *)where;
}

// whole: the address of a local variable is stored, and may be used in another part of the kernel
__global__ void address_in_shared_memory(int *out) {
  __shared__ int *places[64];
  int own = threadIdx.x;
  places[threadIdx.x] = &own;
  __syncthreads();
  out[threadIdx.x] = *places[threadIdx.x];
}

// whole: a pointer to a local variable, which may live from one part of the kernel to the next
__global__ void address_through_a_ternary(int *out, int n) {
  int a[2] = {1, 2}, *p = n > 3 ? a : out;
  __syncthreads();
  out[threadIdx.x] = *p;
}

struct Self {
  int value, *mine;
};

// whole: the address of a local variable is stored, and may be used in another part of the kernel
__global__ void structure_that_points_at_itself(int *out) {
  Self s;
  s.value = threadIdx.x;
  s.mine = &s.value;
  __syncthreads();
  out[threadIdx.x] = *s.mine;
}

__device__ int *first_of(int *a) { return a; }

// whole: the address of a local variable for 'first_of', which may keep it
__global__ void function_that_returns_its_argument(int *out) {
  int a[2] = {(int)threadIdx.x, 2};
  int *p = first_of(a);
  __syncthreads();
  out[threadIdx.x] = *p;
}

__device__ void keep_in(int **place, int *a) { *place = a; }

// whole: the address of a local variable for 'keep_in', which may keep it
__global__ void function_that_stores_its_argument(int *out) {
  __shared__ int *places[64];
  int a[2] = {(int)threadIdx.x, 2};
  keep_in(&places[threadIdx.x], a);
  __syncthreads();
  out[threadIdx.x] = *places[threadIdx.x];
}

__device__ float fabsf_of(float x) { return x; }
__device__ float min(float a, float b, float c) { __syncthreads(); return a + b + c; }

// whole: the call of 'min', which waits and is not cut: line 404: it bears the name of one of CUDA's own, so that a call may be of either
__global__ void intrinsic_of_the_programs_own(float *x) {
  __syncthreads();
  float v = min(x[0], x[1], x[2]);
  x[threadIdx.x] = v > 0 ? min(v, v, v) : 0;
}

// whole: 'Frag' means something else elsewhere in the function
__global__ void name_with_two_meanings(int *out) {
  int a = warpSize;
  __syncthreads();
  {
    int Frag = a;
    out[threadIdx.x] = Frag;
  }
  Frag f;
  f.x[0] = 1;
  out[threadIdx.x] += f.x[0];
}

// whole: a declaration that begins with 'typedef'
__global__ void local_type(int *out) {
  typedef int Number;
  Number own = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = own;
}

// whole: a barrier or warp operation in a switch
__global__ void switch_with_a_barrier(int *out, int n) {
  switch (n) {
    case 1: __syncthreads(); break;
    default: break;
  }
  out[threadIdx.x] = n;
}

// whole: the call of '__syncthreads_count()', at which threads wait
__global__ void counting_barrier(int *out) { out[threadIdx.x] = __syncthreads_count(threadIdx.x > 3); }

struct Word {
  unsigned *s, t, v;
};
__device__ unsigned __brev(Word w) {
  w.s[w.t] = w.v;
  __syncthreads();
  return w.s[w.t ^ 1];
}
template <class T>
using Four = T[4];

// whole: the call of '__brev()', which may wait: the call of '__syncthreads()', at which threads wait
__global__ void overload_of_an_intrinsic(unsigned *x) {
  __shared__ unsigned s[64];
  const unsigned t = threadIdx.x;
  unsigned a = __brev(t), b = __brev(Word{s, t, t});
  Four<unsigned> f = {1u, 2u};
  x[t] = a + b + f[t % 4];
}
