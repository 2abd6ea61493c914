/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/peers/plain.h"

#include <math.h>

#include "benchmarks/peers/shapes.h"

void plain_vector_add(size_t n, const float *x, const float *y, float *out) {
    for (size_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

void plain_nbody(size_t n, const Body *bodies, Body *out) {
    for (size_t i = 0; i < n; ++i) {
        const Body me = bodies[i];
        Body sum = {0, 0, 0, 0};
        for (size_t j = 0; j < n; ++j) {
            const Body other = bodies[j];
            const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float pull = other.w * inverse * inverse * inverse;
            sum.x += dx * pull;
            sum.y += dy * pull;
            sum.z += dz * pull;
        }
        out[i] = sum;
    }
}

void plain_mandelbrot(size_t n, int *out) {
    for (size_t row = 0; row < n; ++row) {
        for (size_t col = 0; col < n; ++col) {
            const float cx = 3.0f * (float)col / (float)n - 2.0f;
            const float cy = 3.0f * (float)row / (float)n - 1.5f;
            float x = 0, y = 0;
            int steps = 0;
            while (steps < MANDELBROT_LIMIT && x * x + y * y <= 4.0f) {
                const float next = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = next;
                ++steps;
            }
            out[row * n + col] = steps;
        }
    }
}

void plain_black_scholes(size_t n, const float *price, const float *strike, float *out) {
    const float rate = 0.02f, volatility = 0.3f, root_half = 0.70710678f;
    for (size_t i = 0; i < n; ++i) {
        const float d1 =
            (logf(price[i] / strike[i]) + rate + 0.5f * volatility * volatility) / volatility;
        const float d2 = d1 - volatility;
        out[i] = price[i] * 0.5f * erfcf(-d1 * root_half) -
                 strike[i] * expf(-rate) * 0.5f * erfcf(-d2 * root_half);
    }
}

void plain_matrix_product(size_t n, const float *a, const float *b, float *out) {
    for (size_t row = 0; row < n; ++row) {
        for (size_t col = 0; col < n; ++col) {
            float sum = 0;
            for (size_t k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
            out[row * n + col] = sum;
        }
    }
}
