/* Launches as people format them: over lines, in macros, with all four arguments, in templates,
 * in a class's method, after an if without braces, with casts and lambdas among the arguments.
 * Prints: 11 launches, all ran
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <utility>

#define LAUNCH(kernel, blocks, threads, ...)      \
  do {                                            \
    kernel<<<(blocks), (threads)>>>(__VA_ARGS__); \
    if (cudaGetLastError() != cudaSuccess)        \
      failures++;                                 \
  } while (0)
#define KERNEL_ARGS3(grid, block, shared) <<<grid, block, shared>>>

static int failures = 0;

namespace outer {
namespace inner {
__global__ void bump(int *x, int by) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *x += by;
}
}  // namespace inner
}  // namespace outer

template <typename T, int N>
__global__ void bumpT(T *x) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *x += N;
}

using outer::inner::bump;

template <typename T>
void launcher(T *x) {
  bumpT<T, (4 > 3) ? 1 : 2><<<1, 32>>>(x);
}

struct Runner {
  int *x_;
  cudaStream_t stream_;
  void go() const { bump<<<1, 1, 0, stream_>>>(x_, 1); }
};

int main() {
  int *d, h = -1;
  cudaMalloc(&d, sizeof(int));
  cudaMemset(d, 0, sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  LAUNCH(bump, 1, 32, d, 1);
  LAUNCH(outer::inner::bump, dim3(2, 1), dim3(32, 1), d, 1);
  bump
      <<<
          dim3(1, 1, 1),
          dim3(32),
          0,
          nullptr
      >>>
      (
          d,
          1
      );
  bump KERNEL_ARGS3(1, 32, 16 * sizeof(float))(d, 1);
  launcher(d);
  Runner{d, s}.go();
  cudaStreamSynchronize(s);
  if (failures == 0)
    bump<<<(h < 0 ? 1 : 2), 1 << 5, (size_t)(100 >> 2)>>>(d, [] { return 1; }());
  else
    bump<<<1, 1>>>(d, 100);
  for (int i = 0; i < 2; ++i) bumpT<int, 1> <<<i + 1, 32>>> (d);
  auto config = std::make_pair(2, 64);
  ::outer::inner::bump<<<config.first, config.second>>>(reinterpret_cast<int *>(d), static_cast<int>(1.5f));
  void (*pointer)(int *, int) = &bump;
  pointer<<<1, {32, 1, 1}>>>(d, /* a comment with >>> and <<< */ 1);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d launches, all ran\n", h);
  const char *text = "not a launch: k<<<1, 1>>>();";
  return h != 11 || failures || text[0] != 'n';
}
