/* The host calls its own variables, parameters and members blockDim and gridDim; shared arrays
 * stand before, between and after their types; programs ask for the toolkit's header guards.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__) || !defined(__CUDACC__)
#error "helper headers of the toolkit's samples look for these"
#endif

struct Shape {
  dim3 gridDim, blockDim;
  int threads() const { return gridDim.x * blockDim.x; }
};

__device__ unsigned place() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void shift(int *out, const int *in, int n) {
  extern int __shared__ window[];
  float __shared__ half[64];
  int *s = window;
  const unsigned i = place();
  s[threadIdx.x] = i < n ? in[i] : 0;
  half[threadIdx.x] = 0.5f * s[threadIdx.x];
  __syncthreads();
  const unsigned next = (threadIdx.x + 1) % blockDim.x;
  if (i < n) out[i] = s[next] + (int)half[next];
}

static void run(dim3 gridDim, dim3 blockDim, int *out, const int *in, int n) {
  shift<<<gridDim, blockDim, blockDim.x * sizeof(int)>>>(out, in, n);
}

int main() {
  const int n = 250;
  int h[n];
  for (int i = 0; i < n; ++i) h[i] = 2 * i;
  int *in, *out;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);

  dim3 blockDim(64, 1, 1);
  dim3 gridDim((n + blockDim.x - 1) / blockDim.x);
  Shape shape = {gridDim, blockDim};
  if (shape.threads() != 256) return 1;
  for (int way = 0; way < 3; ++way) {
    cudaMemset(out, 0xFF, sizeof h);
    if (way == 0) shift<<<gridDim, blockDim, 256>>>(out, in, n);
    if (way == 1) run(shape.gridDim, shape.blockDim, out, in, n);
    if (way == 2) {
      unsigned gridDim = 4, blockDim = 64;
      shift<<<gridDim, blockDim, sizeof(int) * blockDim>>>(out, in, n);
    }
    int got[n];
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
      const int from = i / 64 * 64 + (i % 64 + 1) % 64, want = from < n ? 3 * from : 0;
      if (got[i] != want) {
        printf("WRONG: way %d, element %d is %d, want %d\n", way, i, got[i], want);
        return 1;
      }
    }
  }
  cudaFree(in);
  cudaFree(out);
  printf("OK\n");
  return 0;
}
