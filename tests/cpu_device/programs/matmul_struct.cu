/* Matrix product, plain and in tiles of shared memory, with a struct of width, height, stride.
 * Prints: plain product: ok
 * Prints: tiled product: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK_SIZE 16

typedef struct {
  int width;
  int height;
  int stride;
  float *elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
  Matrix Asub;
  Asub.width = BLOCK_SIZE;
  Asub.height = BLOCK_SIZE;
  Asub.stride = A.stride;
  Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
  return Asub;
}

__global__ void MatMulPlain(const Matrix A, const Matrix B, Matrix C) {
  float sum = 0;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int e = 0; e < A.width; ++e) sum += GetElement(A, row, e) * GetElement(B, e, col);
  SetElement(C, row, col, sum);
}

__global__ void MatMulTiled(Matrix A, Matrix B, Matrix C) {
  int blockRow = blockIdx.y, blockCol = blockIdx.x;
  Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
  float Cvalue = 0;
  int row = threadIdx.y, col = threadIdx.x;
  for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
    Matrix Asub = GetSubMatrix(A, blockRow, m);
    Matrix Bsub = GetSubMatrix(B, m, blockCol);
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[row][col] = GetElement(Asub, row, col);
    Bs[row][col] = GetElement(Bsub, row, col);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
    __syncthreads();
  }
  SetElement(Csub, row, col, Cvalue);
}

static Matrix host(int h, int w) {
  Matrix m = {w, h, w, (float *)malloc(sizeof(float) * w * h)};
  for (int i = 0; i < w * h; i++) m.elements[i] = (float)(rand() % 19 - 9) / 4;
  return m;
}
static Matrix device(Matrix h) {
  Matrix d = h;
  size_t size = (size_t)h.width * h.height * sizeof(float);
  cudaMalloc(&d.elements, size);
  cudaMemcpy(d.elements, h.elements, size, cudaMemcpyHostToDevice);
  return d;
}
static int check(const char *name, Matrix A, Matrix B, Matrix C, Matrix dC) {
  cudaMemcpy(C.elements, dC.elements, sizeof(float) * C.width * C.height, cudaMemcpyDeviceToHost);
  for (int i = 0; i < C.height; i++)
    for (int j = 0; j < C.width; j++) {
      double want = 0;
      for (int k = 0; k < A.width; k++) want += A.elements[i * A.width + k] * B.elements[k * B.width + j];
      if (!(fabs(C.elements[i * C.width + j] - want) < 1e-3)) {
        printf("%s product: wrong at %d, %d\n", name, i, j);
        return 1;
      }
    }
  printf("%s product: ok\n", name);
  return 0;
}

int main(int argc, char *argv[]) {
  Matrix A = host(96, 160), B = host(160, 64), C = host(96, 64);
  Matrix dA = device(A), dB = device(B), dC = device(C);
  dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
  dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
  MatMulPlain<<<dimGrid, dimBlock>>>(dA, dB, dC);
  int bad = check("plain", A, B, C, dC);
  cudaMemset(dC.elements, 0, sizeof(float) * C.width * C.height);
  MatMulTiled<<<dimGrid, dimBlock>>>(dA, dB, dC);
  bad += check("tiled", A, B, C, dC);
  cudaFree(dA.elements);
  cudaFree(dB.elements);
  cudaFree(dC.elements);
  return bad;
}
