// SPDX-License-Identifier: Apache-2.0
// Inputs that kernel tests share: sizes around the borders of warps and blocks,
// seeded normal numbers, and the special values of float32.
#ifndef TESTS_KERNELS_INPUTS_H
#define TESTS_KERNELS_INPUTS_H

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/philox.h"

// Borders of a warp, a block and a chunk; and one that is no multiple of anything.
inline const std::vector<size_t> &sizes() {
    static const std::vector<size_t> all = {0,    1,    2,    3,    4,    5,    7,    31,
                                            32,   33,   255,  256,  257,  1000, 1023, 1024,
                                            1025, 2047, 2049, 4095, 4096, 4097, 8193, 1000003};
    return all;
}

inline const std::vector<uint64_t> &seeds() {
    static const std::vector<uint64_t> all = {1, 42, 0x9E3779B97F4A7C15u};
    return all;
}

inline std::vector<float> normals(size_t n, uint64_t seed) {
    std::vector<float> values(n);
    philox_normal_fill(values.data(), n, seed);
    return values;
}

// NaN, infinities, zeros, subnormals and the borders of the range, both signs.
inline std::vector<float> specials() {
    const float positive[] = {
        std::numeric_limits<float>::quiet_NaN(),
        std::numeric_limits<float>::infinity(),
        0.0f,
        FLT_TRUE_MIN,                   // smallest subnormal, 1.4e-45
        1e-40f,                         // a subnormal in the middle
        std::nextafterf(FLT_MIN, 0.0f), // largest subnormal
        FLT_MIN,
        1e-20f, // its square is subnormal
        1e-13f, // its cube is subnormal
        0.5f,
        1.0f,
        std::nextafterf(1.0f, 2.0f),
        3.0f,
        1e13f, // its cube overflows
        1e20f, // its square overflows
        FLT_MAX / 2,
        FLT_MAX,
    };
    std::vector<float> all;
    for (float value : positive) {
        all.push_back(value);
        all.push_back(-value);
    }
    return all;
}

// All pairs of special values: pair (i, j) at element i * k + j.
inline void special_pairs(std::vector<float> *x, std::vector<float> *y) {
    const std::vector<float> all = specials();
    for (float a : all) {
        for (float b : all) {
            x->push_back(a);
            y->push_back(b);
        }
    }
}

#endif // TESTS_KERNELS_INPUTS_H
