/* __half and __nv_bfloat16: every value through its conversions, roundings at and around ties,
 * arithmetic rounded once, pairs and atomics; the same on the CPU device, on a GPU and in host
 * code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "tests/cpu_device/alone.h"

enum { VALUES = 65536 };

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The value of 16 bits with `fraction` bits of significand, by the definition. */
static float by_definition(unsigned bits, int fraction) {
    const int width = 15 - fraction, bias = (1 << (width - 1)) - 1;
    const int exponent = (int)(bits >> fraction) & ((1 << width) - 1);
    const int part = (int)bits & ((1 << fraction) - 1);
    const float sign = bits >> 15 ? -1.0f : 1.0f;
    if (exponent == (1 << width) - 1) return part ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * (float)ldexp((double)part, 1 - bias - fraction);
    return sign * (float)ldexp((double)(part + (1 << fraction)), exponent - bias - fraction);
}

/* What the kernels below write is compared with host code word by word. */
template <class T>
static std::vector<T> to_host(const T *d, size_t n) {
    std::vector<T> h(n);
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

__global__ void there_and_back(float *values, unsigned short *again, float *b_values,
                               unsigned short *b_again) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = __half2float(__ushort_as_half((unsigned short)i));
    again[i] = __half_as_ushort(__float2half(values[i]));
    b_values[i] = __bfloat162float(__ushort_as_bfloat16((unsigned short)i));
    b_again[i] = __bfloat16_as_ushort(__float2bfloat16(b_values[i]));
}

TEST(Half, EveryValueThereAndBack) {
    float *d_values, *d_b_values;
    unsigned short *d_again, *d_b_again;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_values, VALUES * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_b_values, VALUES * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_again, VALUES * sizeof(short)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_b_again, VALUES * sizeof(short)));
    there_and_back<<<VALUES / 256, 256>>>(d_values, d_again, d_b_values, d_b_again);
    const std::vector<float> values = to_host(d_values, VALUES);
    const std::vector<float> b_values = to_host(d_b_values, VALUES);
    const std::vector<unsigned short> again = to_host(d_again, VALUES);
    const std::vector<unsigned short> b_again = to_host(d_b_again, VALUES);
    for (unsigned i = 0; i < VALUES; ++i) {
        const float want = by_definition(i, 10), b_want = by_definition(i, 7);
        if (isnan(want)) {
            ASSERT_TRUE(isnan(values[i])) << i;
            ASSERT_EQ(0x7FFF, again[i]) << i;
        } else {
            ASSERT_EQ(bits_of(want), bits_of(values[i])) << i;
            ASSERT_EQ(i, again[i]) << i;
            ASSERT_EQ(bits_of(want), bits_of(__half2float(__ushort_as_half((unsigned short)i))))
                << i;
        }
        if (isnan(b_want)) {
            ASSERT_TRUE(isnan(b_values[i])) << i;
            ASSERT_EQ(0x7FFF, b_again[i]) << i;
        } else {
            ASSERT_EQ(bits_of(b_want), bits_of(b_values[i])) << i;
            ASSERT_EQ(i, b_again[i]) << i;
        }
    }
    cudaFree(d_values);
    cudaFree(d_b_values);
    cudaFree(d_again);
    cudaFree(d_b_again);
}

__global__ void round_all(const float *x, unsigned short *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[4 * i] = __half_as_ushort(__float2half_rn(x[i]));
    out[4 * i + 1] = __half_as_ushort(__float2half_rz(x[i]));
    out[4 * i + 2] = __half_as_ushort(__float2half_ru(x[i]));
    out[4 * i + 3] = __half_as_ushort(__float2half_rd(x[i]));
}

/* Between each two neighbours: the tie, and one float below and above it. */
TEST(Half, RoundingAroundTies) {
    std::vector<float> x;
    std::vector<unsigned short> want;
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
        for (unsigned i = 0; i < 0x7BFF; ++i) {
            const float low = by_definition(i, 10), high = by_definition(i + 1, 10);
            const float tie = (low + high) / 2;
            for (int side = -1; side <= 1; ++side) {
                const float size = side ? nextafterf(tie, side * INFINITY) : tie;
                x.push_back(sign ? -size : size);
                want.push_back((unsigned short)(sign | (i + (side > 0 || (side == 0 && i & 1)))));
                want.push_back((unsigned short)(sign | i));
                want.push_back((unsigned short)(sign | (i + !sign)));
                want.push_back((unsigned short)(sign | (i + !!sign)));
            }
        }
    }
    const float edges[] = {65519.0f, 65520.0f, 1e30f, 1e-30f, -65520.0f, INFINITY};
    const unsigned short edge_want[] = {0x7BFF, 0x7BFF, 0x7C00, 0x7BFF, 0x7C00, 0x7BFF,
                                        0x7C00, 0x7BFF, 0x7C00, 0x7BFF, 0x7C00, 0x7BFF,
                                        0x0000, 0x0000, 0x0001, 0x0000, 0xFC00, 0xFBFF,
                                        0xFBFF, 0xFC00, 0x7C00, 0x7C00, 0x7C00, 0x7C00};
    x.insert(x.end(), edges, edges + 6);
    want.insert(want.end(), edge_want, edge_want + 24);
    const int n = (int)x.size();
    float *d_x;
    unsigned short *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_x, n * sizeof(float)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, 4 * n * sizeof(short)));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    round_all<<<(n + 255) / 256, 256>>>(d_x, d_out, n);
    const std::vector<unsigned short> got = to_host(d_out, 4 * (size_t)n);
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(want[i], got[i]) << x[i / 4] << " " << i % 4;
    cudaFree(d_x);
    cudaFree(d_out);
}

__global__ void arithmetic(unsigned short *out) {
    const half one = __float2half(1.0f), ulp = __ushort_as_half(0x1400);       /* 2^-10 */
    const half tie = __ushort_as_half(0x1000), nan = __ushort_as_half(0x7FFF); /* 2^-11 */
    int i = 0;
    out[i++] = __half_as_ushort(one + tie);       /* a tie: to even, 1 */
    out[i++] = __half_as_ushort(one + ulp + tie); /* a tie: to even, 1 + 2 * 2^-10 */
    out[i++] = __half_as_ushort(__hfma(one + ulp, one + ulp, -one)); /* 2^-9 + 2^-20: a tie */
    out[i++] = __half_as_ushort(__hmul(__float2half(300.0f), __float2half(300.0f)));
    out[i++] = __half_as_ushort(__hdiv(one, __float2half(3.0f)));
    out[i++] = __half_as_ushort(__hsub(one, __float2half(0.25f)));
    out[i++] = (unsigned short)(__hlt(one, nan) + 2 * __hltu(one, nan) + 4 * __hgt(one, tie) +
                                8 * __heq(nan, nan) + 16 * __hisnan(nan));
    out[i++] = __half_as_ushort(__hmax(one, nan));
    out[i++] = __half_as_ushort(hsqrt(__float2half(2.0f)));
    const half2 pair =
        __hfma2(__floats2half2_rn(2.0f, 3.0f), __float2half2_rn(4.0f), __halves2half2(one, one));
    out[i++] = __half_as_ushort(__low2half(pair));
    out[i++] = __half_as_ushort(__high2half(pair));
    out[i++] = (unsigned short)__half2int_rn(__float2half(2.5f));
    out[i++] = (unsigned short)__half2int_ru(__float2half(2.25f));
    out[i++] = __half_as_ushort(__int2half_rn(2049));
    out[i++] = __bfloat16_as_ushort(__hadd(__float2bfloat16(1.0f), __float2bfloat16(0x1p-8f)));
    out[i++] = __bfloat16_as_ushort(__float2bfloat16(3.14159265f));
}

TEST(Half, ArithmeticIsRoundedOnce) {
    const unsigned short want[] = {0x3C00,     0x3C02, 0x1800, 0x7C00, 0x3555, 0x3A00,
                                   2 + 4 + 16, 0x3C00, 0x3DA8, 0x4880, 0x4A80, 2,
                                   3,          0x6800, 0x3F80, 0x4049};
    const size_t n = sizeof want / sizeof want[0];
    unsigned short *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, sizeof want));
    arithmetic<<<1, 1>>>(d_out);
    const std::vector<unsigned short> got = to_host(d_out, n);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(want[i], got[i]) << i;
    cudaFree(d_out);
}

/* ---- every operation against its definition, over seeded bits ---- */

/* x rounded to the nearest value with `fraction` bits below the first, the least exponent being
 * `lowest`; exact: a double holds every step. */
static double nearest_small(double x, int fraction, int lowest, double largest) {
    if (x == 0 || !isfinite(x)) return x;
    const double unit = ldexp(1.0, std::max(ilogb(x), lowest) - fraction);
    const double r = rint(x / unit) * unit;
    return fabs(r) > largest ? copysign(INFINITY, x) : copysign(r, x);
}
struct AsHalf {
    typedef __half type;
    static double nearest(double x) { return nearest_small(x, 10, -14, 65504); }
};
struct AsBfloat16 {
    typedef __nv_bfloat16 type;
    static double nearest(double x) { return nearest_small(x, 7, -126, ldexp(255, 120)); }
};

enum { PAIRS = 4096, RESULTS = 13 };

/* GPUs before compute capability 8.0 lack bfloat16's; there the test is skipped. */
template <class T>
__device__ float fused(T a, T b, T c, bool relu) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return (float)a * (float)b + (float)c;
#else
    return (float)(relu ? __hfma_relu(a, b, c) : __hfma(a, b, c));
#endif
}

/* a, b and c for every pair i; halves of the numbers stand in the pair forms as well. */
template <class T>
__global__ void all_operations(const T *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T a = in[i], b = in[PAIRS + i], c = in[2 * PAIRS + i];
    out += i * RESULTS;
    *out++ = (float)(a + b);
    *out++ = (float)__hsub(a, b);
    *out++ = (float)(a * b);
    *out++ = (float)(a / b);
    *out++ = fused(a, b, c, false);
    *out++ = (float)__hmax(a, b);
    *out++ = (float)__hmin(a, b);
    *out++ = (float)__hadd_sat(a, b);
    *out++ = (float)hsqrt(__habs(a));
    *out++ = (float)hrint(a);
    *out++ = fused(a, b, c, true);
    *out++ = (float)((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * __hltu(a, b));
    *out++ = (float)__hneg(a);
}

template <class Format>
static void check_operations(int exponents) {
    typedef typename Format::type T;
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major < 8) GTEST_SKIP() << "needs compute capability 8.0 or newer";
    std::vector<T> in(3 * PAIRS);
    uint64_t state = 77;
    for (T &x : in) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double size = ldexp(1 + (double)(state >> 44) * 0x1p-20,
                                  (int)(state >> 36 & 63) % exponents - exponents / 2);
        x = T((float)Format::nearest(state >> 43 & 1 ? -size : size));
        if ((state >> 32) % 64 == 0) x = T(0.0f);
    }
    T *d_in;
    float *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_in, in.size() * sizeof(T)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, PAIRS * RESULTS * sizeof(float)));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
    all_operations<<<PAIRS / 128, 128>>>(d_in, d_out);
    const std::vector<float> got = to_host(d_out, (size_t)PAIRS * RESULTS);
    for (int i = 0; i < PAIRS; ++i) {
        const double a = (float)in[i], b = (float)in[PAIRS + i], c = (float)in[2 * PAIRS + i];
        /* Exact but for the quotient and the root, whose 53 bits are far from any tie. */
        const double fused = Format::nearest(a * b + c);
        const double want[RESULTS] = {
            Format::nearest(a + b),
            Format::nearest(a - b),
            Format::nearest(a * b),
            Format::nearest(a / b),
            fused,
            fmax(a, b),
            fmin(a, b),
            std::min(1.0, std::max(0.0, Format::nearest(a + b))),
            Format::nearest(sqrt(fabs(a))),
            rint(a),
            std::max(fused, 0.0),
            (double)((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a < b)),
            -a};
        for (int k = 0; k < RESULTS; ++k)
            ASSERT_EQ((float)want[k], got[(size_t)i * RESULTS + k])
                << "operation " << k << " of " << a << ", " << b << ", " << c;
    }
    cudaFree(d_in);
    cudaFree(d_out);
}

/* The exponents leave a * b + c exact in a double. */
TEST(Half, OperationsOnSeededNumbers) { check_operations<AsHalf>(20); }
TEST(Bfloat16, OperationsOnSeededNumbers) { check_operations<AsBfloat16>(18); }

__global__ void to_integers(long long *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half h = __ushort_as_half((unsigned short)i);
    out += 8 * (size_t)i;
    out[0] = __half2int_rn(h);
    out[1] = __half2uint_rz(h);
    out[2] = __half2short_ru(h);
    out[3] = __half2ushort_rd(h);
    out[4] = __half2ll_rn(h);
    out[5] = (long long)__half2ull_rz(h);
    out[6] = __half2char_rz(h);
    out[7] = __half2uchar_rz(h);
}

TEST(Half, EveryValueToIntegers) {
    long long *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, 8 * VALUES * sizeof(long long)));
    to_integers<<<VALUES / 256, 256>>>(d_out);
    const std::vector<long long> got = to_host(d_out, 8 * (size_t)VALUES);
    for (unsigned i = 0; i < VALUES; ++i) {
        const double x = by_definition(i, 10);
        const long long *g = &got[8 * (size_t)i];
        if (isnan(x)) {
            for (int k : {0, 1, 2, 3, 6, 7}) ASSERT_EQ(0, g[k]) << std::hex << i << " " << k;
            for (int k : {4, 5})
                ASSERT_EQ((long long)(1ull << 63), g[k]) << std::hex << i << " " << k;
            continue;
        }
        const auto within = [](double v, double low, double high) {
            return (long long)std::min(std::max(v, low), high);
        };
        ASSERT_EQ(within(rint(x), -2147483648.0, 2147483647.0), g[0]) << x;
        ASSERT_EQ(within(trunc(x), 0, 4294967295.0), g[1]) << x;
        ASSERT_EQ(within(ceil(x), -32768, 32767), g[2]) << x;
        ASSERT_EQ(within(floor(x), 0, 65535), g[3]) << x;
        if (isfinite(x)) {
            ASSERT_EQ((long long)rint(x), g[4]) << x;
            ASSERT_EQ(x < 0 ? 0 : (long long)trunc(x), g[5]) << x;
        }
        ASSERT_EQ(within(trunc(x), -128, 127), g[6]) << x;
        ASSERT_EQ(within(trunc(x), 0, 255), g[7]) << x;
    }
    cudaFree(d_out);
}

__global__ void functions_of_all(float *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half h = __ushort_as_half((unsigned short)i);
    out += 9 * (size_t)i;
    *out++ = (float)hexp(h);
    *out++ = (float)hexp2(h);
    *out++ = (float)hlog(h);
    *out++ = (float)hlog2(h);
    *out++ = (float)hsin(h);
    *out++ = (float)hcos(h);
    *out++ = (float)hrcp(h);
    *out++ = (float)hrsqrt(h);
    *out++ = (float)htanh(h);
}

/* Within two units of half's last place: the device's functions are not correctly rounded. */
TEST(Half, FunctionsOfEveryValue) {
    float *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, 9 * VALUES * sizeof(float)));
    functions_of_all<<<VALUES / 256, 256>>>(d_out);
    const std::vector<float> got = to_host(d_out, 9 * (size_t)VALUES);
    for (unsigned i = 0; i < VALUES; ++i) {
        const double x = by_definition(i, 10);
        if (isnan(x)) continue;
        const double want[9] = {exp(x), exp2(x), log(x),      log2(x), sin(x),
                                cos(x), 1 / x,   1 / sqrt(x), tanh(x)};
        for (int k = 0; k < 9; ++k) {
            const double g = got[9 * (size_t)i + k], w = AsHalf::nearest(want[k]);
            if (isnan(w)) ASSERT_TRUE(isnan(g)) << k << " at " << x;
            else if (isinf(w)) ASSERT_EQ(w, g) << k << " at " << x;
            else
                ASSERT_TRUE(fabs(g - w) <=
                            2 * ldexp(1.0, std::max(w == 0 ? -14 : ilogb(w), -14) - 10))
                    << k << " at " << x << ": " << g << ", want " << w;
        }
    }
    cudaFree(d_out);
}

__global__ void pairs_and_masks(unsigned *out) {
    const half2 a = __floats2half2_rn(1.0f, -2.0f), b = __floats2half2_rn(1.0f, 3.0f);
    const half2 c = __hcmadd(a, b, __float2half2_rn(0.5f)); /* (1 - 2i)(1 + 3i) + 0.5 + 0.5i */
    const __nv_bfloat162 d = __bfloat162bfloat162(__float2bfloat16(1.5f));
    int i = 0;
    out[i++] = __heq2_mask(a, b);
    out[i++] = __hltu2_mask(a, __halves2half2(CUDART_NAN_FP16, CUDART_ZERO_FP16));
    out[i++] = __hge2_mask(d, d);
    out[i++] = (unsigned)(__low2float(c) * 2) << 16 | (unsigned)(__high2float(c) * 2);
    out[i++] = __hbgt2(b, a);
    out[i++] = __half_as_ushort(__high2half(__hmax2(a, b)));
    out[i++] = __half_as_ushort(__low2half(__lowhigh2highlow(b)));
    out[i++] = __bfloat16_as_ushort(__high2bfloat16(d + d));
    out[i++] = (unsigned)__bfloat1622float2(h2exp2(d)).x;
}

TEST(Half, PairsAndMasks) {
    const unsigned want[] = {
        0x0000FFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 15u << 16 | 3, 0, 0x4200, 0x4200, 0x4040, 2};
    unsigned *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, sizeof want));
    pairs_and_masks<<<1, 1>>>(d_out);
    const std::vector<unsigned> got = to_host(d_out, sizeof want / sizeof want[0]);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(want[i], got[i]) << i;
    cudaFree(d_out);
}

__global__ void count_in_half(half *sum, half2 *pairs) {
    atomicAdd(sum, __float2half(1.0f));
    atomicAdd(pairs, __floats2half2_rn(1.0f, 2.0f));
    half v = __float2half((float)threadIdx.x);
    v = __shfl_sync(0xFFFFFFFFu, v, 7);
    if (threadIdx.x == 0) sum[1] = v;
}

TEST(Half, AtomicsAndShuffles) {
    half *d_sum;
    half2 *d_pairs;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_sum, 2 * sizeof(half)));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_pairs, sizeof(half2)));
    cudaMemset(d_sum, 0, 2 * sizeof(half));
    cudaMemset(d_pairs, 0, sizeof(half2));
    count_in_half<<<4, 64>>>(d_sum, d_pairs);
    const std::vector<half> sum = to_host(d_sum, 2);
    const std::vector<half2> pairs = to_host(d_pairs, 1);
    EXPECT_EQ(256.0f, __half2float(sum[0])); /* integers up to 2,048 are exact */
    EXPECT_EQ(256.0f, __low2float(pairs[0]));
    EXPECT_EQ(512.0f, __high2float(pairs[0]));
    EXPECT_EQ(7.0f, __half2float(sum[1]));
    cudaFree(d_sum);
    cudaFree(d_pairs);
}
