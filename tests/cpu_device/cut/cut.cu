/* Kernels that are cut at their barriers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>

__global__ void barrier(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  x[t] = s[n - t];
}

__global__ void barrier_in_a_loop(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1;
  d < n;
  d *= 2) { __syncthreads();
  s[t] += d; } x[t] = s[t];
}

__global__ void loop_over_block_dim(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (unsigned d = blockDim.x / 2;
  d;
  d >>= 1) { __syncthreads();
  s[t] += 1; }
}

namespace of_loop_of_a_constant {
const int N = 5;
__global__ void loop_of_a_constant(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 0;
  d < N; ++d) __syncthreads();
}
}  // namespace

__global__ void barrier_in_an_if(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  if (n > 5) __syncthreads();
  x[t] = s[t];
}

__global__ void early_return(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t >= n) return;
  __syncthreads();
  x[t] = s[t];
}

__global__ void shuffle(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  v += __shfl_xor_sync(0xffffffff, v, 1);
  x[t] = v;
}

__global__ void shuffle_in_a_branch(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  if (t < 32) v += __shfl_xor_sync(0xffffffff, v, 1);
  x[t] = v;
}

namespace of_barrier_in_a_function {
__device__ float f(float *s) { __syncthreads(); return s[1]; }
__global__ void barrier_in_a_function(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  x[t] = f(s);
}
}  // namespace

__global__ void atomics_in_a_loop(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int i = t;
  i < n;
  i += 256) atomicAdd(&s[i], 1.0f);
  __syncthreads();
  x[t] = s[t];
}

__global__ void static_constant(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  static constexpr int k = 8;
  __shared__ int w[k];
  w[t % k] = 0;
  __syncthreads();
  x[t] = w[k - 1];
}

__global__ void mixed_declaration(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  int i = t * 2, half = n / 2, own = (int)x[t];
  __syncthreads();
  x[t] = s[i / 2] + half + own;
}

namespace of_forced_inline {
__device__ __forceinline__ float inlined(float *s) { __syncthreads(); return s[1]; }
__global__ void forced_inline(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  x[t] = inlined(s);
}
}  // namespace

__global__ void pointer_in_one_phase(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float a[2] = {1, s[t]}, v = 0;
  { float *p = a + 1;
  v = *p; } __syncthreads();
  x[t] = v;
}

__global__ void shuffles_declared_together(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float a = s[t];
  float v = __shfl_xor_sync(0xffffffff, a, 1), w = __shfl_xor_sync(0xffffffff, a, 2);
  x[t] = v + w;
}

__global__ void lane_from_memory(float *x, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  float v = s[t];
  v = __shfl_sync(0xffffffff, v, (int)s[3]);
  x[t] = v;
}

/* Textbook forms. */
__device__ void make_tile(float *s, const float *x) {
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
}

__global__ void function_named_like_an_intrinsic(float *x) {
  __shared__ float s[64];
  make_tile(s, x);
  x[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void stores_through_a_restricted_pointer(float *__restrict__ out, int n) {
  float total = threadIdx.x;
  if (threadIdx.x > 32) out += 64;
  __syncthreads();
  *out = total;
}

__global__ void comparisons_between_commas(int *out, int i, int n) {
  bool in = i < n, edge = i > (n - 2);
  __syncthreads();
  out[threadIdx.x] = in + edge;
}

template <class T, int block>
__global__ void reduce(const T *x, T *sums, size_t n) {
  extern __shared__ unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  const unsigned t = threadIdx.x;
  T sum = T(0);
  for (size_t i = blockIdx.x * (size_t)block + t; i < n; i += (size_t)block * gridDim.x) sum += x[i];
  s[t] = sum;
  __syncthreads();
  if (block >= 128) {
    if (t < 64) s[t] = sum = sum + s[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    sum += s[t + 32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  }
  if (t == 0) sums[blockIdx.x] = sum;
}

__global__ void tiled_product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += 16) {
    as[threadIdx.y][threadIdx.x] = row < n && first + threadIdx.x < n ? a[row * n + first + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = col < n && first + threadIdx.y < n ? b[(first + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

__global__ void scan_in_two_buffers(const int *x, int *out, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x, now = 0, before = 1;
  temp[t] = t > 0 ? x[t - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    now = 1 - now;
    before = 1 - now;
    if (t >= offset) temp[now * n + t] = temp[before * n + t] + temp[before * n + t - offset];
    else temp[now * n + t] = temp[before * n + t];
    __syncthreads();
  }
  out[t] = temp[now * n + t];
}

__global__ void work_efficient_scan(int *out, const int *in, int n) {
  extern __shared__ int work[];
  int t = threadIdx.x, offset = 1;
  work[2 * t] = in[2 * t];
  work[2 * t + 1] = in[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      work[bi] += work[ai];
    }
    offset *= 2;
  }
  if (t == 0) work[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1, kept = work[ai];
      work[ai] = work[bi];
      work[bi] += kept;
    }
  }
  __syncthreads();
  out[2 * t] = work[2 * t];
  out[2 * t + 1] = work[2 * t + 1];
}

namespace cg = cooperative_groups;

__global__ void transposed(float *out, const float *in, int n) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  cg::sync(block);
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  block.sync();
}

__global__ void unnamed_block(int *x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  cg::this_thread_block().sync();
  x[threadIdx.x] = s[63 - threadIdx.x];
  cg::sync(cg::this_thread_block());
  x[threadIdx.x] += s[0];
}
