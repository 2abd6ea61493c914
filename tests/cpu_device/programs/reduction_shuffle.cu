/* Block sum by warp shuffles, then by a second launch; templates over the type.
 * Prints: int: ok
 * Prints: double: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <vector>

template <typename T>
__inline__ __device__ T warpReduceSum(T val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

template <typename T>
__inline__ __device__ T blockReduceSum(T val) {
  static __shared__ T shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

template <typename T>
__global__ void deviceReduceKernel(T *in, T *out, int N) {
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <typename T>
int test(const char *name) {
  const int N = 100003;
  std::vector<T> h(N);
  T want = 0, got = -1;
  for (int i = 0; i < N; i++) want += h[i] = (T)((i * 31) % 17);
  T *in, *out;
  cudaMalloc(&in, N * sizeof(T));
  cudaMalloc(&out, 1024 * sizeof(T));
  cudaMemcpy(in, h.data(), N * sizeof(T), cudaMemcpyHostToDevice);
  int threads = 512, blocks = min((N + threads - 1) / threads, 1024);
  deviceReduceKernel<<<blocks, threads>>>(in, out, N);
  deviceReduceKernel<T><<<1, 1024>>>(out, out, blocks);
  cudaMemcpy(&got, out, sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  printf("%s: %s\n", name, got == want ? "ok" : "WRONG");
  return got != want;
}

int main() { return test<int>("int") + test<double>("double") + test<unsigned long long>("64 bits"); }
