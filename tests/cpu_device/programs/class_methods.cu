/* Classes for both sides: constructors, a base class, static members, const references, a device
 * pointer inside the class, an object passed to a kernel by value.
 * Prints: image mean 127
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstring>

class Shape {
 public:
  __host__ __device__ Shape(int w, int h) : w_(w), h_(h) {}
  __host__ __device__ int width() const { return w_; }
  __host__ __device__ int height() const { return h_; }
  __host__ __device__ int count() const { return w_ * h_; }

 protected:
  int w_, h_;
};

class Image : public Shape {
 public:
  Image(int w, int h) : Shape(w, h) { cudaMalloc(&pixels_, count()); }
  void release() { cudaFree(pixels_); }
  __device__ unsigned char &at(int x, int y) { return pixels_[y * w_ + x]; }
  __device__ const unsigned char &at(int x, int y) const { return pixels_[y * w_ + x]; }
  __host__ __device__ static int clampIndex(int i, int n) { return i < 0 ? 0 : (i >= n ? n - 1 : i); }
  unsigned char *data() { return pixels_; }

 private:
  unsigned char *pixels_;
};

__global__ void gradient(Image image) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < image.width() && y < image.height()) image.at(x, y) = (unsigned char)(x % 256);
}

__global__ void blur(const Image in, Image out) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= in.width() || y >= in.height()) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += in.at(Image::clampIndex(x + dx, in.width()), Image::clampIndex(y + dy, in.height()));
  out.at(x, y) = sum / 9;
}

int main() {
  Image a(256, 100), b(256, 100);
  dim3 block(16, 16), grid(16, 7);
  gradient<<<grid, block>>>(a);
  blur<<<grid, block>>>(a, b);
  static unsigned char h[100][256];
  if (cudaMemcpy(h, b.data(), sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  a.release();
  b.release();
  long sum = 0;
  for (auto &row : h)
    for (int x = 0; x < 256; x++) {
      sum += row[x];
      if (x > 0 && x < 255 && row[x] != x) return printf("wrong at %d: %d\n", x, row[x]), 1;
    }
  printf("image mean %ld\n", sum / b.count());
  return 0;
}
