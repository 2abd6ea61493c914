/* A small ray tracer: operators for float3, spheres in constant memory, device recursion bounded.
 * Prints: centre of the image is hit
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <vector>
#include <math.h>

inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
inline __host__ __device__ float3 operator*(float s, float3 a) { return a * s; }
inline __host__ __device__ void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 normalize(float3 v) { return v * (1.0f / sqrtf(dot(v, v))); }
inline __host__ __device__ float3 reflect(const float3 &i, const float3 &n) { return i - 2.0f * n * dot(n, i); }

struct Sphere {
  float3 centre;
  float radius;
  float3 colour;
  float mirror;
};

#define SPHERES 3
__constant__ Sphere spheres[SPHERES];

__device__ bool hit(const Sphere &s, float3 o, float3 d, float *t) {
  float3 oc = o - s.centre;
  float b = dot(oc, d), c = dot(oc, oc) - s.radius * s.radius, disc = b * b - c;
  if (disc < 0) return false;
  *t = -b - sqrtf(disc);
  return *t > 1e-3f;
}

__device__ float3 trace(float3 o, float3 d, int depth) {
  float nearest = INFINITY;
  int which = -1;
  for (int i = 0; i < SPHERES; i++) {
    float t;
    if (hit(spheres[i], o, d, &t) && t < nearest) nearest = t, which = i;
  }
  if (which < 0) return make_float3(0.2f, 0.2f, 0.3f);
  float3 p = o + d * nearest, n = normalize(p - spheres[which].centre);
  float light = fmaxf(0.1f, dot(n, normalize(make_float3(1, 1, -1))));
  float3 colour = spheres[which].colour * light;
  if (depth > 0 && spheres[which].mirror > 0) colour += trace(p, reflect(d, n), depth - 1) * spheres[which].mirror;
  return colour;
}

__global__ void render(uchar4 *image, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float3 d = normalize(make_float3((x - w / 2) / (float)h, (y - h / 2) / (float)h, 1.0f));
  float3 c = trace(make_float3(0, 0, -3), d, 3);
  image[y * w + x] = make_uchar4(min(255, (int)(c.x * 255)), min(255, (int)(c.y * 255)), min(255, (int)(c.z * 255)), 255);
}

int main() {
  const int w = 120, h = 90;
  Sphere s[SPHERES] = {{{0, 0, 1}, 1, {0.9f, 0.1f, 0.1f}, 0.3f}, {{1.5f, 0, 2}, 0.7f, {0.1f, 0.9f, 0.1f}, 0}, {{-1.5f, 0.5f, 2}, 0.7f, {0.1f, 0.1f, 0.9f}, 0.2f}};
  cudaMemcpyToSymbol(spheres, s, sizeof(Sphere) * SPHERES);
  uchar4 *d;
  cudaMalloc(&d, w * h * sizeof(uchar4));
  render<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h);
  std::vector<uchar4> image(w * h);
  if (cudaMemcpy(image.data(), d, w * h * sizeof(uchar4), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  uchar4 centre = image[h / 2 * w + w / 2], corner = image[0];
  if (!(centre.x > centre.y && centre.w == 255) || corner.z != 76) {
    printf("centre %d %d %d, corner %d\n", centre.x, centre.y, centre.z, corner.z);
    return 1;
  }
  printf("centre of the image is hit\n");
  return 0;
}
