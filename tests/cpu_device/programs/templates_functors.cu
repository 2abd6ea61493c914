/* A transform and a reduction as templates over functors; class members on host and device.
 * Prints: axpy: ok
 * Prints: max: 96
 * Prints: packs: ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <climits>

template <typename T>
struct Axpy {
  T a;
  explicit Axpy(T a_) : a(a_) {}
  __host__ __device__ T operator()(const T &x, const T &y) const { return a * x + y; }
};

struct Max {
  static constexpr int identity = INT_MIN;
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <class F, class T>
__global__ void transform(size_t n, const T *x, const T *y, T *out, F f) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(x[i], y[i]);
}

template <typename Op, int BLOCK = 128>
__global__ void reduce(const int *x, int n, int *result, Op op = Op()) {
  __shared__ int s[BLOCK];
  int v = Op::identity;
  for (int i = threadIdx.x; i < n; i += BLOCK) v = op(v, x[i]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = BLOCK / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = s[0];
}

/* Launched as sums<int>: what follows of the template's arguments is deduced. */
template <typename T, typename... Rest>
__global__ void sums(T *out, Rest... rest) {
  out[threadIdx.x] = (T(threadIdx.x) + ... + T(rest));
}

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) { cudaMalloc(&p_, n * sizeof(T)); }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cudaFree(p_); }
  void put(const T *h) { cudaMemcpy(p_, h, n_ * sizeof(T), cudaMemcpyHostToDevice); }
  void get(T *h) const { cudaMemcpy(h, p_, n_ * sizeof(T), cudaMemcpyDeviceToHost); }
  T *data() { return p_; }

 private:
  T *p_ = nullptr;
  size_t n_;
};

int main() {
  const int n = 1001;
  int x[n], y[n], out[n];
  for (int i = 0; i < n; i++) x[i] = i % 97, y[i] = -i;
  Buffer<int> dx(n), dy(n), dout(n);
  dx.put(x);
  dy.put(y);
  transform<<<(n + 255) / 256, 256>>>(n, dx.data(), dy.data(), dout.data(), Axpy<int>(5));
  dout.get(out);
  for (int i = 0; i < n; i++)
    if (out[i] != 5 * x[i] + y[i]) return 1;
  printf("axpy: ok\n");
  reduce<Max><<<1, 128>>>(dx.data(), n, dout.data());
  dout.get(out);
  printf("max: %d\n", out[0]);
  if (out[0] != 96) return 1;
  sums<int><<<1, 64>>>(dout.data(), 1, 2.5f, (char)3);
  sums<int><<<1, 1>>>(dout.data());
  dout.get(out);
  if (out[0] != 0 || out[63] != 63 + 6) return 1;
  printf("packs: ok\n");
  return 0;
}
