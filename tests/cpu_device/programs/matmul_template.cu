/* A tiled matrix product as a template over the tile's size, called through a switch, with edges.
 * Prints: tile 16: ok
 * Prints: tile 32: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>
#include <vector>

template <int TILE>
__global__ void gemm(int M, int N, int K, const double *A, const double *B, double *C) {
  __shared__ double sA[TILE][TILE + 1], sB[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  double acc = 0.0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    sA[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0;
    sB[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) acc += sA[ty][k] * sB[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

int run(int tile, int M, int N, int K, const double *A, const double *B, double *C) {
  dim3 threads(tile, tile), grid((N - 1) / tile + 1, (M - 1) / tile + 1);
  switch (tile) {
    case 16: gemm<16><<<grid, threads>>>(M, N, K, A, B, C); break;
    case 32: gemm<32><<<grid, threads>>>(M, N, K, A, B, C); break;
    default: return -1;
  }
  return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int main() {
  int M = 101, N = 77, K = 53, bad = 0;
  std::vector<double> a(M * K), b(K * N), c(M * N);
  for (auto &x : a) x = rand() % 100;
  for (auto &x : b) x = rand() % 100;
  double *A, *B, *C;
  cudaMalloc(&A, a.size() * sizeof(double));
  cudaMalloc(&B, b.size() * sizeof(double));
  cudaMalloc(&C, c.size() * sizeof(double));
  cudaMemcpy(A, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int tile : {16, 32}) {
    cudaMemset(C, 0xff, c.size() * sizeof(double));
    if (run(tile, M, N, K, A, B, C) != 0) return 1;
    cudaMemcpy(c.data(), C, c.size() * sizeof(double), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        double want = 0;
        for (int k = 0; k < K; k++) want += a[i * K + k] * b[k * N + j];
        ok = ok && c[i * N + j] == want;
      }
    printf("tile %d: %s\n", tile, ok ? "ok" : "WRONG");
    bad += !ok;
  }
  return bad;
}
