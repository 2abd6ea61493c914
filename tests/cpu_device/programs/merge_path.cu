/* Merge of two sorted arrays: each thread finds its piece by binary search on a diagonal.
 * Prints: merged 70000 elements: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <cstdio>
#include <vector>

__host__ __device__ int co_rank(int k, const int *A, int m, const int *B, int n) {
  int i = k < m ? k : m, j = k - i;
  int i_low = 0 > (k - n) ? 0 : k - n, j_low = 0 > (k - m) ? 0 : k - m;
  while (true) {
    if (i > 0 && j < n && A[i - 1] > B[j]) {
      int delta = (i - i_low + 1) >> 1;
      j_low = j;
      j += delta;
      i -= delta;
    } else if (j > 0 && i < m && B[j - 1] >= A[i]) {
      int delta = (j - j_low + 1) >> 1;
      i_low = i;
      i += delta;
      j -= delta;
    } else {
      return i;
    }
  }
}

__device__ void merge_sequential(const int *A, int m, const int *B, int n, int *C) {
  int i = 0, j = 0, k = 0;
  while (i < m && j < n) C[k++] = A[i] <= B[j] ? A[i++] : B[j++];
  while (i < m) C[k++] = A[i++];
  while (j < n) C[k++] = B[j++];
}

__global__ void merge_kernel(const int *A, int m, const int *B, int n, int *C) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int per = (m + n + blockDim.x * gridDim.x - 1) / (blockDim.x * gridDim.x);
  int k_curr = min(tid * per, m + n), k_next = min((tid + 1) * per, m + n);
  int i_curr = co_rank(k_curr, A, m, B, n), i_next = co_rank(k_next, A, m, B, n);
  merge_sequential(A + i_curr, i_next - i_curr, B + (k_curr - i_curr), (k_next - i_next) - (k_curr - i_curr),
                   C + k_curr);
}

int main() {
  std::vector<int> a(40000), b(30000), want(70000), got(70000);
  for (size_t i = 0; i < a.size(); i++) a[i] = (int)(i * 7919 % 100003);
  for (size_t i = 0; i < b.size(); i++) b[i] = (int)(i * 104729 % 100003);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
  int *A, *B, *C;
  cudaMalloc(&A, a.size() * sizeof(int));
  cudaMalloc(&B, b.size() * sizeof(int));
  cudaMalloc(&C, got.size() * sizeof(int));
  cudaMemcpy(A, &a[0], a.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(B, &b[0], b.size() * sizeof(int), cudaMemcpyHostToDevice);
  merge_kernel<<<20, 64>>>(A, (int)a.size(), B, (int)b.size(), C);
  cudaMemcpy(&got[0], C, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  printf("merged %zu elements: %s\n", got.size(), got == want ? "ok" : "WRONG");
  return got != want;
}
