/* clock() and clock64() in a kernel; the host's clock around it.
 * Prints: clocks went forward
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <time.h>
#include <sys/time.h>

static double seconds() {
  struct timeval tp;
  gettimeofday(&tp, NULL);
  return (double)tp.tv_sec + (double)tp.tv_usec * 1.e-6;
}

__global__ static void timedReduction(const float *input, float *output, clock_t *timer, long long *long_timer) {
  extern __shared__ float shared[];
  const int tid = threadIdx.x, bid = blockIdx.x;
  if (tid == 0) timer[bid] = clock();
  long long before = clock64();
  shared[tid] = input[tid];
  shared[tid + blockDim.x] = input[tid + blockDim.x];
  for (int d = blockDim.x; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) {
      float f0 = shared[tid], f1 = shared[tid + d];
      if (f1 < f0) shared[tid] = f1;
    }
  }
  if (tid == 0) output[bid] = shared[0];
  __syncthreads();
  if (tid == 0) {
    timer[bid + gridDim.x] = clock();
    long_timer[bid] = clock64() - before;
  }
}

int main() {
  const int blocks = 16, threads = 64;
  float in[threads * 2], out[blocks], *d_in, *d_out;
  clock_t timer[blocks * 2], *d_timer;
  long long ticks[blocks], *d_ticks;
  for (int i = 0; i < threads * 2; i++) in[i] = 100 - i;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMalloc(&d_timer, sizeof timer);
  cudaMalloc(&d_ticks, sizeof ticks);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  double t0 = seconds();
  timedReduction<<<blocks, threads, sizeof(float) * 2 * threads>>>(d_in, d_out, d_timer, d_ticks);
  cudaDeviceSynchronize();
  double t1 = seconds();
  cudaMemcpy(timer, d_timer, sizeof timer, cudaMemcpyDeviceToHost);
  cudaMemcpy(ticks, d_ticks, sizeof ticks, cudaMemcpyDeviceToHost);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; b++)
    if (ticks[b] <= 0 || timer[b + blocks] == timer[b] || out[b] != 100 - (threads * 2 - 1)) return 1;
  printf("clocks went forward\n");
  return t1 < t0;
}
