/* A graph captured from a stream, launched many times; times with std::chrono.
 * Prints: 20 graph launches: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <chrono>
#include <cstdio>
#include <vector>

#define CHECK(x)                                                                     \
  do {                                                                               \
    cudaError_t e = x;                                                               \
    if (e != cudaSuccess) {                                                          \
      printf("%s:%d %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e));       \
      return 1;                                                                      \
    }                                                                                \
  } while (0)

__global__ void shortKernel(float *out, const float *in, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) out[idx] = in[idx] + 1;
}

int main() {
  const int n = 5000, steps = 20, kernels = 4;
  std::vector<float> h(n, 1.0f);
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 0; k < kernels; k++) {
    shortKernel<<<(n + 255) / 256, 256, 0, stream>>>(b, a, n);
    CHECK(cudaMemcpyAsync(a, b, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  auto t0 = std::chrono::high_resolution_clock::now();
  for (int s = 0; s < steps; s++) {
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  std::chrono::duration<double, std::milli> ms = std::chrono::high_resolution_clock::now() - t0;
  CHECK(cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    if (h[i] != 1.0f + steps * kernels) return printf("wrong at %d: %f\n", i, h[i]), 1;
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  printf("%d graph launches: ok\n", steps);
  return nodes != 2 * kernels || ms.count() < 0;
}
