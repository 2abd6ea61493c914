/* Sum of integers in the classic steps: interleaved, strided, sequential, first add on load,
 * last warp by hand (volatile, with warp barriers), everything unrolled by a template.
 * Prints: 0 interleaved: ok
 * Prints: 5 unrolled: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>

__global__ void reduce0(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__global__ void reduce1(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  sdata[tid] = g_idata[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__global__ void reduce2(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  sdata[tid] = g_idata[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__global__ void reduce3(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__device__ void warpReduce(volatile int *sdata, int tid) {
  int v = sdata[tid];
  for (int s = 32; s > 0; s >>= 1) {
    v += sdata[tid + s];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
}

__global__ void reduce4(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) warpReduce(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <unsigned int blockSize>
__device__ void warpReduceT(volatile int *sdata, int tid) {
  int v = sdata[tid];
  if (blockSize >= 64) { v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 32) { v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 16) { v += sdata[tid + 8]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 8) { v += sdata[tid + 4]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 4) { v += sdata[tid + 2]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 2) { v += sdata[tid + 1]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
}

template <unsigned int blockSize>
__global__ void reduce5(int *g_idata, int *g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
  if (tid < 32) warpReduceT<blockSize>(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main() {
  const int n = 1 << 18, threads = 256;
  int *h = (int *)malloc(n * sizeof(int)), *partial = (int *)malloc(n), want = 0, bad = 0;
  for (int i = 0; i < n; i++) want += h[i] = rand() & 0xff;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int) / threads);
  cudaMemcpy(d_in, h, n * sizeof(int), cudaMemcpyHostToDevice);
  const char *name[] = {"interleaved", "strided", "sequential", "first add", "last warp", "unrolled"};
  for (int which = 0; which < 6; which++) {
    int blocks = which < 3 ? n / threads : n / threads / 2;
    size_t smem = (threads + 32) * sizeof(int);
    cudaMemset(d_out, 0x7f, blocks * sizeof(int));
    switch (which) {
      case 0: reduce0<<<blocks, threads, smem>>>(d_in, d_out); break;
      case 1: reduce1<<<blocks, threads, smem>>>(d_in, d_out); break;
      case 2: reduce2<<<blocks, threads, smem>>>(d_in, d_out); break;
      case 3: reduce3<<<blocks, threads, smem>>>(d_in, d_out); break;
      case 4: reduce4<<<blocks, threads, smem>>>(d_in, d_out); break;
      case 5:
        switch (threads) {
          case 512: reduce5<512><<<blocks, threads, smem>>>(d_in, d_out); break;
          case 256: reduce5<256><<<blocks, threads, smem>>>(d_in, d_out); break;
          case 128: reduce5<128><<<blocks, threads, smem>>>(d_in, d_out); break;
        }
        break;
    }
    cudaMemcpy(partial, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    int got = 0;
    for (int i = 0; i < blocks; i++) got += partial[i];
    printf("%d %s: %s\n", which, name[which], got == want ? "ok" : "WRONG");
    bad += got != want;
  }
  cudaFree(d_in);
  cudaFree(d_out);
  return bad;
}
