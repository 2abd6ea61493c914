/* Sparse matrix times vector in CSR: a thread for each row, then a warp for each row.
 * Prints: scalar: ok
 * Prints: vector: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <vector>

__global__ void spmv_scalar(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    int start = ptr[row], end = ptr[row + 1];
    for (int j = start; j < end; j++) dot += val[j] * __ldg(&x[col[j]]);
    y[row] += dot;
  }
}

__global__ void spmv_vector(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
  int thread = blockDim.x * blockIdx.x + threadIdx.x, row = thread / 32, lane = thread & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32) sum += val[j] * x[col[j]];
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] += sum;
}

template <class T>
T *toDevice(const std::vector<T> &v) {
  T *p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

int main() {
  const int rows = 1003;
  std::vector<int> ptr(1, 0), col;
  std::vector<float> val, x(rows), y(rows, 1.0f), want(rows, 1.0f);
  for (int r = 0; r < rows; r++) {
    x[r] = r % 7 - 3;
    for (int k = 0; k < r % 50; k++) {
      col.push_back((r * 31 + k * 17) % rows);
      val.push_back((k * r) % 5 - 2);
    }
    ptr.push_back((int)col.size());
  }
  for (int r = 0; r < rows; r++)
    for (int j = ptr[r]; j < ptr[r + 1]; j++) want[r] += val[j] * x[col[j]];
  int *d_ptr = toDevice(ptr), *d_col = toDevice(col);
  float *d_val = toDevice(val), *d_x = toDevice(x);
  int bad = 0;
  for (int k = 0; k < 2; k++) {
    float *d_y = toDevice(std::vector<float>(rows, 1.0f));
    if (k == 0) spmv_scalar<<<(rows + 255) / 256, 256>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
    else spmv_vector<<<(rows * 32 + 255) / 256, 256>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    printf("%s: %s\n", k ? "vector" : "scalar", y == want ? "ok" : "WRONG");
    bad += y != want;
  }
  return bad;
}
