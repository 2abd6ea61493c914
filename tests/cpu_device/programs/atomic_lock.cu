/* A lock by atomicCAS and atomicExch that guards a plain counter; the lock as a class.
 * Prints: counter 512 of 512
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

struct Lock {
  int *mutex;
  Lock(void) {
    cudaMalloc((void **)&mutex, sizeof(int));
    cudaMemset(mutex, 0, sizeof(int));
  }
  void destroy() { cudaFree(mutex); }
  __device__ void lock(void) {
    while (atomicCAS(mutex, 0, 1) != 0)
      ;
    __threadfence();
  }
  __device__ void unlock(void) {
    __threadfence();
    atomicExch(mutex, 0);
  }
};

__global__ void theKernel(Lock myLock, volatile int *counter) {
  for (int lane = 0; lane < warpSize; lane++)
    if (threadIdx.x % warpSize == lane) {
      myLock.lock();
      *counter = *counter + 1;
      myLock.unlock();
    }
}

int main() {
  Lock lock;
  int *counter, h = 0;
  cudaMalloc(&counter, sizeof(int));
  cudaMemcpy(counter, &h, sizeof h, cudaMemcpyHostToDevice);
  theKernel<<<8, 64>>>(lock, counter);
  cudaMemcpy(&h, counter, sizeof h, cudaMemcpyDeviceToHost);
  printf("counter %d of %d\n", h, 8 * 64);
  lock.destroy();
  cudaFree(counter);
  return h != 8 * 64;
}
