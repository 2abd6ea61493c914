/* Math functions and intrinsics in float and double against the host's, within their stated errors.
 * Prints: math: all close
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <math.h>

#define COUNT 24

__global__ void math(float *f, double *d) {
  float x = 0.7f;
  int k = 0;
  f[k++] = __sinf(x); f[k++] = __cosf(x); f[k++] = __expf(x); f[k++] = __logf(x);
  f[k++] = __powf(x, 3.0f); f[k++] = __fdividef(x, 3.0f); f[k++] = rsqrtf(x); f[k++] = rcbrtf(x);
  f[k++] = fmaf(x, 2.0f, 1.0f); f[k++] = __fmul_rn(x, x); f[k++] = hypotf(3, 4); f[k++] = sinpif(0.5f);
  f[k++] = erff(x); f[k++] = exp10f(x); f[k++] = log2f(x); f[k++] = atan2f(x, -x);
  f[k++] = __int2float_rn(7); f[k++] = (float)__float2int_rn(2.5f); f[k++] = (float)__float2int_rz(-2.9f);
  f[k++] = truncf(-1.5f) + rintf(2.5f) + floorf(-0.5f); f[k++] = copysignf(2.0f, -0.0f); f[k++] = fminf(1, NAN);
  f[k++] = tanhf(x); f[k++] = __frcp_rn(4.0f);
  float s, c;
  sincosf(x, &s, &c);
  d[0] = s * s + c * c;
  d[1] = rsqrt(2.0); d[2] = pow(2.0, 0.5); d[3] = normcdf(0.0); d[4] = fmod(7.5, 2.0); d[5] = lgamma(4.0);
  d[6] = cbrt(27.0); d[7] = isnan(NAN) && isinf(INFINITY) && !isfinite(NAN) ? 1 : 0;
  d[8] = max(3, 4) + min(2.5, 1.5) + abs(-3) + fabs(-0.5);
}

int main() {
  float f[COUNT], *df;
  double d[9], *dd;
  cudaMalloc(&df, sizeof f);
  cudaMalloc(&dd, sizeof d);
  math<<<1, 1>>>(df, dd);
  cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost);
  if (cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  const double x = 0.7f;
  const double want_f[COUNT] = {sin(x), cos(x), exp(x), log(x), pow(x, 3), x / 3, 1 / sqrt(x), 1 / cbrt(x),
                                2 * x + 1, x * x, 5, 1, erf(x), pow(10, x), log2(x), atan2(x, -x), 7, 2, -2,
                                0, -2, 1, tanh(x), 0.25};
  const double want_d[9] = {1, sqrt(0.5), sqrt(2), 0.5, 1.5, log(6), 3, 1, 4 + 1.5 + 3 + 0.5};
  int bad = 0;
  for (int i = 0; i < COUNT; i++)
    if (!(fabs(f[i] - want_f[i]) < 2e-6)) bad++, printf("float %d: %g, not %g\n", i, f[i], want_f[i]);
  for (int i = 0; i < 9; i++)
    if (!(fabs(d[i] - want_d[i]) < 1e-6)) bad++, printf("double %d: %g, not %g\n", i, d[i], want_d[i]);
  if (!bad) printf("math: all close\n");
  return bad;
}
