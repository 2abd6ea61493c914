/* Several arrays carved from one dynamic shared buffer; a templated wrapper for its type; more
 * than 48 KB after opting in.
 * Prints: carved: ok
 * Prints: wrapper: ok
 * Prints: 96 KB: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void carved(int *out, int n) {
  extern __shared__ unsigned char buffer[];
  double *d = reinterpret_cast<double *>(buffer);
  int *i = (int *)&d[n];
  char *c = (char *)&i[n];
  int t = threadIdx.x;
  d[t] = t * 0.5;
  i[t] = t * 3;
  c[t] = t % 100;
  __syncthreads();
  int o = n - 1 - t;
  out[t] = (int)(d[o] * 2) + i[o] + c[o];
}

// One name for extern arrays of every type, as samples have it.
template <class T>
struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
  __device__ inline operator const T *() const {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
};

template <class T>
__global__ void reverse(T *x) {
  T *s = SharedMemory<T>();
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void large(int *out, int words) {
  extern __shared__ int big[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) big[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = big[words - 1] + big[0];
}

int main() {
  const int n = 128;
  int *d, h[n];
  cudaMalloc(&d, n * sizeof(double));
  carved<<<1, n, n * (sizeof(double) + sizeof(int) + sizeof(char))>>>(d, n);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < n; t++) {
    int o = n - 1 - t;
    if (h[t] != o + o * 3 + o % 100) return 1;
  }
  printf("carved: ok\n");
  double f[n];
  for (int i = 0; i < n; i++) f[i] = i;
  cudaMemcpy(d, f, sizeof f, cudaMemcpyHostToDevice);
  reverse<double><<<1, n, n * sizeof(double)>>>((double *)d);
  cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (f[i] != n - 1 - i) return 2;
  printf("wrapper: ok\n");
  int bytes = 96 * 1024;
  if (cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return 3;
  large<<<1, 256, bytes>>>(d, bytes / 4);
  if (cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess || h[0] != bytes / 4 - 1) return 4;
  printf("96 KB: ok\n");
  return 0;
}
