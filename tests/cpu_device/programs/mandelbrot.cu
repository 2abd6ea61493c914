/* Mandelbrot set as a uchar4 image; a complex number as a struct with operators on the device.
 * Prints: inside: 
 * Prints: image agrees with the host
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#define DIM 192

struct Complex {
  double r, i;
  __host__ __device__ Complex(double a, double b) : r(a), i(b) {}
  __host__ __device__ double magnitude2() const { return r * r + i * i; }
  __host__ __device__ Complex operator*(const Complex &a) const {
    return Complex(r * a.r - i * a.i, i * a.r + r * a.i);
  }
  __host__ __device__ Complex operator+(const Complex &a) const { return Complex(r + a.r, i + a.i); }
};

__host__ __device__ int escape(int x, int y) {
  Complex c(-2.0 + 3.0 * x / DIM, -1.5 + 3.0 * y / DIM), z(0, 0);
  for (int k = 0; k < 200; k++) {
    z = z * z + c;
    if (z.magnitude2() > 4.0) return k;
  }
  return -1;
}

__global__ void kernel(uchar4 *ptr) {
  int x = blockIdx.x, y = blockIdx.y;
  int offset = x + y * gridDim.x;
  int k = escape(x, y);
  ptr[offset].x = k < 0 ? 0 : k;
  ptr[offset].y = 0;
  ptr[offset].z = k < 0 ? 255 : 0;
  ptr[offset].w = 255;
}

int main(void) {
  uchar4 *image = (uchar4 *)malloc(DIM * DIM * sizeof(uchar4)), *d_image;
  if (cudaMalloc((void **)&d_image, DIM * DIM * sizeof(uchar4)) != cudaSuccess) return 1;
  dim3 grid(DIM, DIM);
  kernel<<<grid, 1>>>(d_image);
  if (cudaMemcpy(image, d_image, DIM * DIM * sizeof(uchar4), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  int inside = 0, differ = 0;
  for (int y = 0; y < DIM; y++)
    for (int x = 0; x < DIM; x++) {
      uchar4 p = image[y * DIM + x];
      inside += p.z == 255;
      // A GPU fuses multiplications and additions: a point on the edge may come out differently.
      differ += (escape(x, y) < 0) != (p.z == 255);
    }
  printf("inside: %d of %d\n", inside, DIM * DIM);
  if (differ > 10 || inside < 1000) return printf("%d points differ\n", differ), 1;
  printf("image agrees with the host\n");
  return 0;
}
