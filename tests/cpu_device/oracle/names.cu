/* Names of many kinds, for oracle_test: the reader takes every function here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <stdint.h>

enum Side { LEFT, RIGHT = 3 };
typedef enum { COLD, HOT } Heat;
typedef float Real;
using Index = unsigned int;
typedef struct {
  int x, y;
} Point;
struct Body {
  float mass, place[3], turn[3][3];
  const float *next;
  Side side;
};
template <class T, int length>
__global__ void named_as_members(T *x, int y, const Point *points) {
  __shared__ T s[length];
  Point p = points[threadIdx.x];
  s[threadIdx.x] = x[p.x] + T(p.y + y);
  __syncthreads();
  int other = p.x;
  x[other] = s[(threadIdx.x + y) % length];
}
void launch(float *x, const Point *points) { named_as_members<float, 64><<<1, 64>>>(x, 5, points); }

__constant__ float scale[4];
__device__ int total;

/* File-scope names, which parameters and locals of others bear. */
__global__ void file_scope(float *out) {
  int t = threadIdx.x;
  out[t] = scale[t % 4];
  __syncthreads();
  total = t;
}

__global__ void hides_file_scope(const float *scale, float *total) {
  int t = threadIdx.x;
  float kept = scale[t];
  __syncthreads();
  total[t] = kept;
}

/* One name in blocks that stand beside each other, of a type of its own in each. */
__global__ void beside_each_other(float *out, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = out[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    float v = s[i];
    __syncthreads();
    s[threadIdx.x] += v;
  }
  if (n > 3) {
    unsigned i = threadIdx.x, v = i / 2;
    s[v] = s[i];
  } else {
    float4 v = make_float4(1, 2, 3, 4);
    double i[2] = {v.x, v.y};
    s[threadIdx.x] = i[0] + v.w;
  }
  __syncthreads();
  for (Index i = 0, last = n; i < last; ++i) out[i] = s[i];
}

__global__ void types(Real *out, size_t n, uint8_t *bytes, const half *h) {
  Side side = n > 5 ? LEFT : RIGHT;
  Heat heat = n > 6 ? HOT : COLD;
  Index row = blockIdx.y, col = blockIdx.x;
  const unsigned long long big = n * sizeof(row);
  __half one = h[0];
  float2 pair = make_float2(1, 2), pairs[2] = {pair, pair};
  dim3 shape = blockDim;
  int64_t wide[2][3] = {{1, 2, 3}, {4, 5, 6}};
  const Real *const from = out + 1, *to = out;
  __shared__ Real grid[4][8];
  __shared__ int2 twos[16];
  __shared__ const Real *ends[2];
  __shared__ Body body;
  grid[threadIdx.y][threadIdx.x] = from[0] + to[0] + __half2float(one);
  twos[0].x = (int)big + (int)wide[0][1];
  body.mass = pairs[1].x + pair.y;
  body.turn[1][2] = grid[0][0];
  if (threadIdx.x == 0) ends[0] = out;
  __syncthreads();
  out[row + col] = grid[0][threadIdx.x] + side + heat + shape.x + bytes[0] + twos[0].x + body.turn[1][2] + ends[0][0] + wide[1][0];
}

/* One that is cut, and others that run within a phase. */
__device__ float gathered(const float *from, float *room, int length) {
  room[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  float from_other = room[length - 1 - (int)threadIdx.x];
  __syncthreads();
  return from_other;
}

__device__ void split(float value, int &whole, float *part) {
  whole = (int)value;
  part[0] = value - whole;
}

template <typename T>
__device__ T larger(const T a, const T b) {
  const T difference = a - b;
  return difference > T(0) ? a : b;
}

__device__ float weight(const Body &body, Point at, float table[][4]) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += body.place[i] * body.turn[i][at.x] * body.mass;
  do {
    auto half_of = sum / 2;
    sum = half_of;
  } while (sum > 100);
  switch (at.y) {
    case 0: {
      float *row = table[0];
      sum += row[at.x];
      break;
    }
    default: sum += table[1][at.x];
  }
  return sum;
}

namespace cg = cooperative_groups;

__global__ void calls(const float *from, float *to, int length) {
  __shared__ float room[64];
  auto block = cg::this_thread_block();
  float value = gathered(from, room, length);
  {
    int whole;
    float part[1];
    split(value, whole, part);
    value = larger(part[0], (float)whole);
  }
  block.sync();
  const int rank = block.thread_rank();
  to[rank] = value;
  cg::sync(block);
  value += __shfl_xor_sync(0xffffffff, value, 1);
  to[rank] += value;
}
