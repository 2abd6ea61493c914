/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of elementwise.h: what the kernels are checked against. One
 * plain loop each; nothing here is clever, so that it can be seen to be right.
 * The build adds no fast-math and no contraction to this file. */
#include "kernels/tuned/elementwise.h"

void add_cpu(size_t n, const float *x, const float *y, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

void multiply_cpu(size_t n, const float *x, const float *y, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

void square_cpu(size_t n, const float *x, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
}

void cube_cpu(size_t n, const float *x, float *out) {
    for (size_t i = 0; i < n; ++i) {
        const double value = x[i];
        out[i] = (float)(value * value * value);
    }
}

/* In double, a power of a float overflows or underflows only where its
 * reciprocal, as a float, is 0 or infinite anyway: no second form is needed. */
static double power_of(double x, unsigned exponent) {
    double power = 1.0;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1u) power *= x;
        x *= x;
    }
    return power;
}

void pow_int_cpu(size_t n, const float *x, int exponent, float *out) {
    const unsigned size = exponent < 0 ? 0u - (unsigned)exponent : (unsigned)exponent;
    for (size_t i = 0; i < n; ++i) {
        const double power = power_of(x[i], size);
        out[i] = (float)(exponent < 0 ? 1.0 / power : power);
    }
}

void saxpy_cpu(size_t n, float a, const float *x, float *y) {
    for (size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void fill_cpu(size_t n, float value, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = value;
}
