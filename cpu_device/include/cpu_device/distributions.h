/* Uniform, normal, log-normal and Poisson numbers of cuRAND's generators.
 *
 * Part of curand_kernel.h. Uniform numbers lie in (0, 1]: 0 never comes, 1 may. Normal ones are
 * made two at a time by the method of Box and Muller; the second is kept for the next call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_DISTRIBUTIONS_H
#define CPU_DEVICE_DISTRIBUTIONS_H

namespace cpu_device {

inline float uniform_float(uint32_t x) { return (float)x * 0x1p-32f + 0x1p-33f; }
/* From 32 bits, and from 64 of which 53 count. */
inline double uniform_double(uint32_t x) { return x * 0x1p-32 + 0x1p-32; }
inline double uniform_double(uint32_t x, uint32_t y) {
    return (double)((uint64_t)x ^ (uint64_t)y << 21) * 0x1p-53 + 0x1p-54;
}

inline float2 normal_pair(uint32_t x, uint32_t y) {
    const float radius = sqrtf(-2.0f * logf(uniform_float(x)));
    const float angle = uniform_float(y) * 6.2831855f;
    return float2{sinf(angle) * radius, cosf(angle) * radius};
}
inline double2 normal_pair(uint32_t x, uint32_t x2, uint32_t y, uint32_t y2) {
    const double radius = sqrt(-2.0 * log(uniform_double(x, x2)));
    const double angle = uniform_double(y, y2) * (2 * M_PI);
    return double2{sin(angle) * radius, cos(angle) * radius};
}

/* The first number of a new pair, or the one that was kept if it is of that kind. */
template <class T, class Pair>
inline T one_of_two(T *kept, KeptKind *kept_is, KeptKind kind, Pair make_pair) {
    if (*kept_is == kind) {
        *kept_is = KeptKind::kNothing;
        return *kept;
    }
    const auto pair = make_pair();
    *kept = pair.y;
    *kept_is = kind;
    return pair.x;
}

/* Counts how many exponential times of mean 1 fit into lambda. */
template <class State>
inline unsigned int poisson(State *state, double lambda) {
    unsigned int n = 0;
    for (double left = lambda;; ++n) {
        left += log(uniform_double(curand(state)));
        if (left < 0) return n;
    }
}

} // namespace cpu_device

/* ---- what both generators have ---- */

#define CPU_DEVICE_DISTRIBUTIONS_(State)                                                       \
    inline float curand_uniform(State *state) {                                                \
        return ::cpu_device::uniform_float(curand(state));                                     \
    }                                                                                          \
    inline float2 curand_normal2(State *state) {                                               \
        const uint32_t x = curand(state);                                                      \
        return ::cpu_device::normal_pair(x, curand(state));                                    \
    }                                                                                          \
    inline double2 curand_normal2_double(State *state) {                                       \
        const uint32_t x = curand(state), x2 = curand(state), y = curand(state);               \
        return ::cpu_device::normal_pair(x, x2, y, curand(state));                             \
    }                                                                                          \
    inline float curand_normal(State *state) {                                                 \
        return ::cpu_device::one_of_two(&state->kept.single, &state->kept.single_is,           \
                                        ::cpu_device::KeptKind::kNormal,                       \
                                        [state] { return curand_normal2(state); });            \
    }                                                                                          \
    inline double curand_normal_double(State *state) {                                         \
        return ::cpu_device::one_of_two(&state->kept.twice, &state->kept.twice_is,             \
                                        ::cpu_device::KeptKind::kNormal,                       \
                                        [state] { return curand_normal2_double(state); });     \
    }                                                                                          \
    inline float2 curand_log_normal2(State *state, float mean, float deviation) {              \
        const float2 n = curand_normal2(state);                                                \
        return float2{expf(mean + deviation * n.x), expf(mean + deviation * n.y)};             \
    }                                                                                          \
    inline double2 curand_log_normal2_double(State *state, double mean, double deviation) {    \
        const double2 n = curand_normal2_double(state);                                        \
        return double2{exp(mean + deviation * n.x), exp(mean + deviation * n.y)};              \
    }                                                                                          \
    inline float curand_log_normal(State *state, float mean, float deviation) {                \
        return ::cpu_device::one_of_two(&state->kept.single, &state->kept.single_is,           \
                                        ::cpu_device::KeptKind::kLogNormal, [=] {              \
                                            return curand_log_normal2(state, mean, deviation); \
                                        });                                                    \
    }                                                                                          \
    inline double curand_log_normal_double(State *state, double mean, double deviation) {      \
        return ::cpu_device::one_of_two(                                                       \
            &state->kept.twice, &state->kept.twice_is, ::cpu_device::KeptKind::kLogNormal,     \
            [=] { return curand_log_normal2_double(state, mean, deviation); });                \
    }                                                                                          \
    inline unsigned int curand_poisson(State *state, double lambda) {                          \
        return ::cpu_device::poisson(state, lambda);                                           \
    }
CPU_DEVICE_DISTRIBUTIONS_(curandStateXORWOW)
CPU_DEVICE_DISTRIBUTIONS_(curandStatePhilox4_32_10)
#undef CPU_DEVICE_DISTRIBUTIONS_

inline double curand_uniform_double(curandStateXORWOW *state) {
    const uint32_t x = curand(state);
    return ::cpu_device::uniform_double(x, curand(state));
}

/* ---- what Philox has besides ---- */

inline double curand_uniform_double(curandStatePhilox4_32_10 *state) {
    return ::cpu_device::uniform_double(curand(state));
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
    const uint4 b = curand4(state);
    return double2{::cpu_device::uniform_double(b.x, b.y), ::cpu_device::uniform_double(b.z, b.w)};
}
inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
    using ::cpu_device::uniform_float;
    const uint4 b = curand4(state);
    return float4{uniform_float(b.x), uniform_float(b.y), uniform_float(b.z), uniform_float(b.w)};
}
inline double4 curand_uniform4_double(curandStatePhilox4_32_10 *state) {
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return double4{a.x, a.y, b.x, b.y};
}
inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
    const float2 a = curand_normal2(state), b = curand_normal2(state);
    return float4{a.x, a.y, b.x, b.y};
}
inline double4 curand_normal4_double(curandStatePhilox4_32_10 *state) {
    const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return double4{a.x, a.y, b.x, b.y};
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float deviation) {
    const float2 a = curand_log_normal2(state, mean, deviation);
    const float2 b = curand_log_normal2(state, mean, deviation);
    return float4{a.x, a.y, b.x, b.y};
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda) {
    const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
    const unsigned int z = curand_poisson(state, lambda);
    return uint4{x, y, z, curand_poisson(state, lambda)};
}

#endif
