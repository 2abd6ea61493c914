/* cuRAND's generators in kernels: what holds on the CPU device and on a GPU alike. Philox gives
 * the same numbers on both, XORWOW others; so of XORWOW only laws are asserted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <math.h>

#include <vector>

#include "tests/cpu_device/alone.h"

template <class T>
static std::vector<T> to_host_and_free(T *d, size_t n) {
    std::vector<T> h(n);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    cudaFree(d);
    return h;
}

__global__ void philox_bits(unsigned *out, unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 6; ++i) out[i] = curand(&state);
    const uint4 four = curand4(&state);
    out[6] = four.x;
    out[7] = four.w;
}

TEST(Philox, KnownNumbers) {
    /* The authors' known answer for a counter and a key of zeros. */
    const unsigned zeros[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    unsigned *d, got[8], later[8];
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof got));
    philox_bits<<<1, 1>>>(d, 0, 0, 0);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(zeros[i], got[i]) << i;
    philox_bits<<<1, 1>>>(d, 0, 0, 3);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(later, d, sizeof later, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(got[3 + i], later[i]) << i;
    /* What a seed, a sequence and an offset of more than 32 bits do to key and counter. */
    const unsigned far[8] = {0x4caead8eu, 0x5d78e620u, 0x9e3f93e8u, 0x73bea5f8u,
                             0xd0d62538u, 0x65ce099au, 0x208a9b66u, 0x19f9457eu};
    philox_bits<<<1, 1>>>(d, 0x123456789ABCDEFull, 5000000000ull, (1ull << 40) + 17);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(later, d, sizeof later, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; ++i) EXPECT_EQ(far[i], later[i]) << i;
    cudaFree(d);
}

template <class State>
__global__ void jumps(unsigned *out, unsigned long long n) {
    State state;
    curand_init(99, 5, n, &state);
    out[0] = curand(&state);
    curand_init(99, 5, 0, &state);
    skipahead(n, &state);
    out[1] = curand(&state);
    curand_init(99, 5, 0, &state);
    for (unsigned long long i = 0; i < n; ++i) curand(&state);
    out[2] = curand(&state);
    curand_init(99, 8, n, &state);
    out[3] = curand(&state);
    curand_init(99, 5, n, &state);
    skipahead_sequence(3, &state);
    out[4] = curand(&state);
    curand_init(99, 5, n + 1, &state);
    out[5] = curand(&state);
    curand_init(98, 5, n, &state);
    out[6] = curand(&state);
}

template <class State>
static void check_jumps() {
    for (unsigned long long n : {0ull, 1ull, 3ull, 4ull, 1001ull}) {
        unsigned *d;
        ASSERT_EQ(cudaSuccess, cudaMalloc(&d, 7 * sizeof(unsigned)));
        jumps<State><<<1, 1>>>(d, n);
        const std::vector<unsigned> got = to_host_and_free(d, 7);
        EXPECT_EQ(got[2], got[0]) << "an offset of " << n;
        EXPECT_EQ(got[2], got[1]) << "skipahead by " << n;
        EXPECT_EQ(got[3], got[4]) << "skipahead_sequence at " << n;
        for (int i : {3, 5, 6}) EXPECT_NE(got[2], got[i]) << "number " << i << " at " << n;
    }
}

TEST(Philox, Jumps) { check_jumps<curandStatePhilox4_32_10_t>(); }
TEST(Xorwow, Jumps) { check_jumps<curandState>(); }

enum { THREADS = 1024, EACH = 200, KINDS = 6 };

template <class State>
__global__ void sums(double *out, float *least, float *most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(2026, i, 0, &state);
    double sum[KINDS] = {}, squares[KINDS] = {};
    least[i] = 2;
    most[i] = -1;
    for (int k = 0; k < EACH; ++k) {
        const float u = curand_uniform(&state);
        least[i] = fminf(least[i], u);
        most[i] = fmaxf(most[i], u);
        const double x[KINDS] = {u,
                                 curand_uniform_double(&state),
                                 curand_normal(&state),
                                 curand_normal_double(&state),
                                 log(curand_log_normal(&state, 1, 0.5f)),
                                 (double)curand_poisson(&state, 3.5)};
        for (int j = 0; j < KINDS; ++j) {
            sum[j] += x[j];
            squares[j] += x[j] * x[j];
        }
    }
    for (int j = 0; j < KINDS; ++j) {
        out[(i * KINDS + j) * 2] = sum[j];
        out[(i * KINDS + j) * 2 + 1] = squares[j];
    }
}

/* Means and variances within five standard errors of the law's; the run is the same each time. */
template <class State>
static void check_laws() {
    const double mean[KINDS] = {0.5, 0.5, 0, 0, 1, 3.5};
    const double variance[KINDS] = {1.0 / 12, 1.0 / 12, 1, 1, 0.25, 3.5};
    const double fourth[KINDS] = {1.0 / 80, 1.0 / 80, 3, 3, 3.0 / 16, 3.5 + 3 * 3.5 * 3.5};
    double *d_out;
    float *d_least, *d_most;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, THREADS * KINDS * 2 * sizeof(double)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_least, THREADS * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_most, THREADS * sizeof(float)));
    sums<State><<<THREADS / 64, 64>>>(d_out, d_least, d_most);
    const std::vector<double> out = to_host_and_free(d_out, (size_t)THREADS * KINDS * 2);
    const std::vector<float> least = to_host_and_free(d_least, THREADS);
    const std::vector<float> most = to_host_and_free(d_most, THREADS);
    const double n = (double)THREADS * EACH;
    for (int j = 0; j < KINDS; ++j) {
        double sum = 0, squares = 0;
        for (int i = 0; i < THREADS; ++i) {
            sum += out[(size_t)(i * KINDS + j) * 2];
            squares += out[(size_t)(i * KINDS + j) * 2 + 1];
        }
        const double m = sum / n, v = squares / n - m * m;
        EXPECT_NEAR(mean[j], m, 5 * sqrt(variance[j] / n)) << j;
        EXPECT_NEAR(variance[j], v, 5 * sqrt((fourth[j] - variance[j] * variance[j]) / n)) << j;
    }
    for (int i = 0; i < THREADS; ++i) {
        EXPECT_LT(0.0f, least[i]) << i;
        EXPECT_GE(1.0f, most[i]) << i;
        EXPECT_GT(0.2f, least[i]) << i; /* of 200: fails once in 10^19 */
        EXPECT_LT(0.8f, most[i]) << i;
    }
}

TEST(Philox, LawsOfItsNumbers) { check_laws<curandStatePhilox4_32_10_t>(); }
TEST(Xorwow, LawsOfItsNumbers) { check_laws<curandState>(); }

__global__ void setup(curandState *states) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1234, i, 0, &states[i]);
}
__global__ void count_inside(curandState *states, unsigned long long *inside, int each) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState mine = states[i];
    unsigned count = 0;
    for (int k = 0; k < each; ++k) {
        const float x = curand_uniform(&mine), y = curand_uniform(&mine);
        count += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, (unsigned long long)count);
    states[i] = mine;
}

/* As courses have it: states in memory, set up by one kernel and used by another. */
TEST(Xorwow, PiByMonteCarlo) {
    const int blocks = 64, threads = 128, each = 50;
    curandState *d_states;
    unsigned long long *d_inside;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_states, blocks * threads * sizeof(curandState)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_inside, sizeof *d_inside));
    ASSERT_EQ(cudaSuccess, cudaMemset(d_inside, 0, sizeof *d_inside));
    setup<<<blocks, threads>>>(d_states);
    for (int round = 0; round < 2; ++round)
        count_inside<<<blocks, threads>>>(d_states, d_inside, each);
    const double n = 2.0 * blocks * threads * each;
    const double pi = 4 * (double)to_host_and_free(d_inside, 1)[0] / n;
    EXPECT_NEAR(M_PI, pi, 5 * sqrt(M_PI * (4 - M_PI) / n));
    cudaFree(d_states);
}
