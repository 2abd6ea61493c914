/* Host callbacks in a stream: the older cudaStreamAddCallback and cudaLaunchHostFunc.
 * Prints: callback 0 after its kernel
 * Prints: host function after its copy
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

struct Work {
  int id;
  int *data;
  int ok;
};

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

void CUDART_CB MyCallback(cudaStream_t stream, cudaError_t status, void *data) {
  Work *w = (Work *)data;
  w->ok = status == cudaSuccess && w->data[5] == 10;
  printf("callback %d %s its kernel\n", w->id, w->ok ? "after" : "BEFORE");
}

void CUDART_CB hostFn(void *data) {
  Work *w = (Work *)data;
  w->ok += w->data[5] == 20;
  printf("host function %s its copy\n", w->data[5] == 20 ? "after" : "BEFORE");
}

int main() {
  int *h, *d;
  cudaMallocHost(&h, 32 * sizeof(int));
  cudaMalloc(&d, 32 * sizeof(int));
  for (int i = 0; i < 32; i++) h[i] = i;
  Work w = {0, h, 0};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(d, h, 32 * sizeof(int), cudaMemcpyHostToDevice, stream);
  twice<<<1, 32, 0, stream>>>(d);
  cudaMemcpyAsync(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamAddCallback(stream, MyCallback, &w, 0);
  twice<<<1, 32, 0, stream>>>(d);
  cudaMemcpyAsync(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, hostFn, &w);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(h);
  cudaFree(d);
  return w.ok == 2 ? 0 : 1;
}
