/* One stream waits for another's event; queries; non-blocking streams; priorities.
 * Prints: consumer saw the producer's work
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>

#define CUDA_CALL(x)                                                       \
  {                                                                        \
    const cudaError_t code = (x);                                           \
    if (code != cudaSuccess) {                                             \
      printf("\nCUDA Error: %s (err_num=%d) \n", cudaGetErrorString(code), code); \
      cudaDeviceReset();                                                   \
      exit(1);                                                             \
    }                                                                      \
  }

__global__ void produce(int *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = i * 3;
}
__global__ void consume(const int *x, int *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[n - 1 - i] + 1;
}

int main() {
  const int n = 10000;
  int *x, *y, *h;
  CUDA_CALL(cudaMalloc(&x, n * sizeof(int)));
  CUDA_CALL(cudaMalloc(&y, n * sizeof(int)));
  CUDA_CALL(cudaHostAlloc(&h, n * sizeof(int), cudaHostAllocDefault));
  cudaStream_t a, b;
  int least, greatest;
  CUDA_CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA_CALL(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CALL(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, greatest));
  cudaEvent_t ready;
  CUDA_CALL(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  produce<<<1, 256, 0, a>>>(x, n);
  CUDA_CALL(cudaEventRecord(ready, a));
  CUDA_CALL(cudaStreamWaitEvent(b, ready, 0));
  consume<<<1, 256, 0, b>>>(x, y, n);
  CUDA_CALL(cudaMemcpyAsync(h, y, n * sizeof(int), cudaMemcpyDeviceToHost, b));
  while (cudaStreamQuery(b) == cudaErrorNotReady) {
  }
  CUDA_CALL(cudaStreamSynchronize(b));
  if (cudaEventQuery(ready) != cudaSuccess) return 1;
  for (int i = 0; i < n; i++)
    if (h[i] != (n - 1 - i) * 3 + 1) return printf("wrong at %d\n", i), 1;
  printf("consumer saw the producer's work\n");
  CUDA_CALL(cudaEventDestroy(ready));
  CUDA_CALL(cudaStreamDestroy(a));
  CUDA_CALL(cudaStreamDestroy(b));
  CUDA_CALL(cudaFreeHost(h));
  CUDA_CALL(cudaFree(x));
  CUDA_CALL(cudaFree(y));
  return 0;
}
