/* Kernels whose parameters are references and objects with constructors and destructors: only
 * the bytes of an object reach the device, each thread has its own, and its destructor runs on
 * the host alone.
 *
 * Prints: copies 1, destroyed 1
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <cuda_runtime.h>

struct Managed {
  void *operator new(size_t size) {
    void *p = nullptr;
    cudaMallocManaged(&p, size);
    return p;
  }
  void operator delete(void *p) { cudaFree(p); }
};

static int copies, destroyed;

struct Counter : Managed {
  int *values;
  int start;
  explicit Counter(int first) : values(nullptr), start(first) { cudaMallocManaged(&values, 64 * sizeof(int)); }
  Counter(const Counter &other) : values(nullptr), start(other.start) {
    cudaMallocManaged(&values, 64 * sizeof(int));
    ++copies;
  }
  ~Counter() {
    cudaFree(values); /* waits for the kernels that use it */
    ++destroyed;
  }
  __host__ __device__ int next() { return start++; }
};

__global__ void by_reference(Counter &c, const int &step) {
  c.values[threadIdx.x] = c.start + step * threadIdx.x;
}

__global__ void by_value(Counter c, int *out) {
  c.values[threadIdx.x] = c.next();             /* a thread's own copy: each gets the first */
  out[threadIdx.x] = c.next() + c.values[threadIdx.x];
}

__global__ void with_defaults(int *out, int a = 3, int *none = nullptr, int b = 4) {
  out[threadIdx.x] = none ? -1 : a * 100 + b;
}

int main() {
  int *step, *out;
  cudaMallocManaged(&step, sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  *step = 2;

  Counter *c = new Counter(10);
  by_reference<<<1, 64>>>(*c, *step);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < 64; ++i)
    if (c->values[i] != 10 + 2 * i) return printf("WRONG: by reference, %d is %d\n", i, c->values[i]), 1;

  copies = destroyed = 0;
  by_value<<<1, 64>>>(*c, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("copies %d, destroyed %d\n", copies, destroyed);
  for (int i = 0; i < 64; ++i)
    if (out[i] != 21) return printf("WRONG: by value, %d is %d\n", i, out[i]), 1;
  if (c->start != 10) return printf("WRONG: the host's object has changed\n"), 1;

  with_defaults<<<1, 64>>>(out, 7, NULL);
  if (cudaDeviceSynchronize() != cudaSuccess || out[63] != 704) return printf("WRONG: defaults\n"), 1;
  delete c;
  cudaFree(step);
  cudaFree(out);
  printf("OK\n");
  return 0;
}
