/* Intrinsics on small integers in a word, and on bits: against a plain loop over the fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdint.h>

#include <algorithm>
#include <vector>

#include "tests/cpu_device/alone.h"

enum { WORDS = 2048 };

static int clamped(int x, int low, int high) { return std::min(std::max(x, low), high); }

/* name, the type of a field, what becomes of the fields a, b and c. */
#define BYTES_AND_HALVES(X, n, S, U)                      \
    X(__vadd##n, S, a + b)                                \
    X(__vsub##n, S, a - b)                                \
    X(__vaddss##n, S, clamped(a + b, LEAST(S), MOST(S)))  \
    X(__vsubss##n, S, clamped(a - b, LEAST(S), MOST(S)))  \
    X(__vaddus##n, U, clamped(a + b, 0, MOST(U)))         \
    X(__vsubus##n, U, clamped(a - b, 0, MOST(U)))         \
    X(__vmins##n, S, std::min(a, b))                      \
    X(__vmaxs##n, S, std::max(a, b))                      \
    X(__vminu##n, U, std::min(a, b))                      \
    X(__vmaxu##n, U, std::max(a, b))                      \
    X(__vavgs##n, S, (a + b + (a + b >= 0)) >> 1)         \
    X(__vavgu##n, U, (a + b + 1) / 2)                     \
    X(__vhaddu##n, U, (a + b) / 2)                        \
    X(__vabsdiffs##n, S, std::max(a, b) - std::min(a, b)) \
    X(__vabsdiffu##n, U, std::max(a, b) - std::min(a, b)) \
    X(__vcmpeq##n, U, a == b ? -1 : 0)                    \
    X(__vcmpgts##n, S, a > b ? -1 : 0)                    \
    X(__vcmpleu##n, U, a <= b ? -1 : 0)                   \
    X(__vsetne##n, U, a != b)                             \
    X(__vsetlts##n, S, a < b)                             \
    X(__vsetgeu##n, U, a >= b)
#define OF_ONE(X, n, S)                                    \
    X(__vabs##n, S, a < 0 ? -a : a)                        \
    X(__vabsss##n, S, clamped(a < 0 ? -a : a, 0, MOST(S))) \
    X(__vneg##n, S, -a)                                    \
    X(__vnegss##n, S, clamped(-a, LEAST(S), MOST(S)))
#define OF_THREE(X)                                                                    \
    X(__vimax3_s16x2, int16_t, std::max(std::max(a, b), c))                            \
    X(__vimin3_u16x2, uint16_t, std::min(std::min(a, b), c))                           \
    X(__viaddmax_s16x2, int16_t, std::max((int)(int16_t)(a + b), c))                   \
    X(__viaddmin_u16x2, uint16_t, std::min((int)(uint16_t)(a + b), c))                 \
    X(__viaddmin_s16x2_relu, int16_t, std::max(std::min((int)(int16_t)(a + b), c), 0)) \
    X(__vimax3_s16x2_relu, int16_t, std::max(std::max(std::max(a, b), c), 0))
#define LEAST(T) (int)std::numeric_limits<T>::min()
#define MOST(T) (int)std::numeric_limits<T>::max()

enum {
#define X(name, T, expression) at##name,
    BYTES_AND_HALVES(X, 4, int8_t, uint8_t) BYTES_AND_HALVES(X, 2, int16_t, uint16_t)
        OF_ONE(X, 4, int8_t) OF_ONE(X, 2, int16_t) OF_THREE(X)
#undef X
            COUNT
};

__global__ void all_on_fields(const unsigned *words, unsigned *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = words[i], b = words[WORDS + i], c = words[2 * WORDS + i];
    out += i * COUNT;
#define X(name, T, expression) out[at##name] = name(a, b);
    BYTES_AND_HALVES(X, 4, int8_t, uint8_t)
    BYTES_AND_HALVES(X, 2, int16_t, uint16_t)
#undef X
#define X(name, T, expression) out[at##name] = name(a);
    OF_ONE(X, 4, int8_t)
    OF_ONE(X, 2, int16_t)
#undef X
#define X(name, T, expression) out[at##name] = name(a, b, c);
    OF_THREE(X)
#undef X
}

template <class T, class Change>
static unsigned by_field(unsigned a, unsigned b, unsigned c, Change change) {
    const int bits = 8 * (int)sizeof(T);
    const unsigned mask = (1u << bits) - 1;
    unsigned r = 0;
    for (int at = 0; at < 32; at += bits)
        r |= ((unsigned)change((int)(T)(a >> at), (int)(T)(b >> at), (int)(T)(c >> at)) & mask)
             << at;
    return r;
}

/* Seeded, with the edges of bytes and halves among them. */
static std::vector<unsigned> some_words(size_t n) {
    const unsigned edges[] = {0,           0xFFFFFFFFu, 0x80808080u, 0x7F7F7F7Fu,
                              0x80008000u, 0x7FFF7FFFu, 0x00FF00FFu, 0x01800180u};
    std::vector<unsigned> words(n);
    uint64_t state = 2026;
    for (size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        words[i] = state >> 61 == 0 ? edges[state >> 40 & 7] : (unsigned)(state >> 24);
    }
    return words;
}

TEST(Simd, EachFieldByItself) {
    const std::vector<unsigned> words = some_words(3 * WORDS);
    std::vector<unsigned> got((size_t)WORDS * COUNT);
    unsigned *d_words, *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_words, words.size() * 4));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, got.size() * 4));
    cudaMemcpy(d_words, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
    all_on_fields<<<WORDS / 128, 128>>>(d_words, d_out);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(got.data(), d_out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WORDS; ++i) {
        const unsigned a_ = words[i], b_ = words[WORDS + i], c_ = words[2 * WORDS + i];
#define X(name, T, expression)                           \
    ASSERT_EQ(by_field<T>(a_, b_, c_,                    \
                          [](int a, int b, int c) {      \
                              (void)a, (void)b, (void)c; \
                              return (int)(expression);  \
                          }),                            \
              got[(size_t)i * COUNT + at##name])         \
        << #name << std::hex << " " << a_ << " " << b_;
        BYTES_AND_HALVES(X, 4, int8_t, uint8_t)
        BYTES_AND_HALVES(X, 2, int16_t, uint16_t)
        OF_ONE(X, 4, int8_t) OF_ONE(X, 2, int16_t) OF_THREE(X)
#undef X
    }
    cudaFree(d_words);
    cudaFree(d_out);
}

__global__ void bits_and_sums(const unsigned *words, unsigned long long *out) {
    const int i = threadIdx.x;
    const unsigned a = words[i], b = words[128 + i], s = words[256 + i] % 40;
    unsigned long long *o = out + 24 * i;
    bool high, low;
    const char4 bytes = {(signed char)a, (signed char)(a >> 8), (signed char)(a >> 16),
                         (signed char)(a >> 24)};
    *o++ = __popc(a);
    *o++ = __popcll((unsigned long long)a << 32 | b);
    *o++ = (unsigned)__clz((int)(a >> s % 32));
    *o++ = (unsigned)__ffs((int)(a << s % 32));
    *o++ = __brev(a);
    *o++ = __brevll((unsigned long long)a << 32 | b);
    *o++ = __byte_perm(a, b, words[256 + i] & 0x7777);
    *o++ = __funnelshift_l(a, b, s);
    *o++ = __funnelshift_r(a, b, s);
    *o++ = __funnelshift_lc(a, b, s);
    *o++ = __funnelshift_rc(a, b, s);
    *o++ = (unsigned)__dp4a((int)a, (int)b, 7);
    *o++ = __dp4a(a, b, 7u);
    *o++ = (unsigned)__dp4a(bytes, bytes, 0);
    *o++ = (unsigned)__dp2a_lo((int)a, (int)b, 7);
    *o++ = __dp2a_hi(a, b, 7u);
    *o++ = (unsigned)__mulhi((int)a, (int)b);
    *o++ = __umulhi(a, b);
    *o++ = __umul24(a, b);
    *o++ = (unsigned)__mul24((int)a, (int)b);
    *o++ = __usad(a, b, 5u);
    *o++ = __fns(a, s % 32, 1 + (int)(s % 3));
    *o++ = __vsadu4(a, b);
    *o++ = (unsigned)__vibmax_s16x2(a, b, &high, &low) + 2 * high + low;
}

TEST(Simd, BitsAndSums) {
    const std::vector<unsigned> words = some_words(384);
    std::vector<unsigned long long> got(128 * 24);
    unsigned *d_words;
    unsigned long long *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_words, words.size() * 4));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, got.size() * 8));
    cudaMemcpy(d_words, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
    bits_and_sums<<<1, 128>>>(d_words, d_out);
    ASSERT_EQ(cudaSuccess, cudaMemcpy(got.data(), d_out, got.size() * 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; ++i) {
        const unsigned a = words[i], b = words[128 + i], r = words[256 + i], s = r % 40;
        const uint64_t wide = (uint64_t)a << 32 | b, pair = (uint64_t)b << 32 | a;
        uint64_t reversed = 0;
        int ones[2] = {0, 0}, first = 0, leading = 32, found = 0, count = 0;
        for (int k = 0; k < 64; ++k) {
            reversed |= (wide >> k & 1) << (63 - k);
            ones[k / 32] += (int)(wide >> k & 1);
            if (k < 32 && (a << s % 32) >> k & 1 && !first) first = k + 1;
            if (k < 32 && (a >> s % 32) >> k & 1) leading = 31 - k;
            if (k < 32 && k >= (int)(s % 32) && a >> k & 1 && ++count == 1 + (int)(s % 3))
                found = k + 1;
        }
        unsigned permuted = 0, dot_u = 7, sad = 0;
        int dot_s = 7, square = 0, dot2 = 7;
        unsigned dot2_high = 7;
        for (int k = 0; k < 4; ++k) {
            const unsigned pick = r >> 4 * k & 7;
            permuted |= (pick < 4 ? a >> 8 * pick & 0xFF : b >> 8 * (pick - 4) & 0xFF) << 8 * k;
            dot_s += (int8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k);
            square += (int8_t)(a >> 8 * k) * (int8_t)(a >> 8 * k);
            dot_u += (a >> 8 * k & 0xFF) * (b >> 8 * k & 0xFF);
            sad += (unsigned)abs((int)(a >> 8 * k & 0xFF) - (int)(b >> 8 * k & 0xFF));
            if (k < 2) dot2 += (int16_t)(a >> 16 * k) * (int8_t)(b >> 8 * k);
            if (k < 2) dot2_high += (a >> 16 * k & 0xFFFF) * (b >> (16 + 8 * k) & 0xFF);
        }
        const bool high = (int16_t)(a >> 16) >= (int16_t)(b >> 16), low = (int16_t)a >= (int16_t)b;
        const unsigned largest = ((high ? a : b) & 0xFFFF0000u) | ((low ? a : b) & 0xFFFFu);
        const unsigned m24 = (unsigned)((int)(a << 8) >> 8) * (unsigned)((int)(b << 8) >> 8);
        const uint64_t want[24] = {(uint64_t)ones[1],
                                   (uint64_t)(ones[0] + ones[1]),
                                   (uint64_t)leading,
                                   (uint64_t)first,
                                   (uint32_t)reversed,
                                   reversed,
                                   permuted,
                                   (uint32_t)(pair << s % 32 >> 32),
                                   (uint32_t)(pair >> s % 32),
                                   s >= 32 ? a : (uint32_t)(pair << s >> 32),
                                   s >= 32 ? b : (uint32_t)(pair >> s),
                                   (uint32_t)dot_s,
                                   dot_u,
                                   (uint32_t)square,
                                   (uint32_t)dot2,
                                   dot2_high,
                                   (uint32_t)((int64_t)(int)a * (int)b >> 32),
                                   (uint32_t)((uint64_t)a * b >> 32),
                                   (a & 0xFFFFFF) * (b & 0xFFFFFF),
                                   m24,
                                   (a > b ? a - b : b - a) + 5,
                                   (uint32_t)(found - 1),
                                   sad,
                                   (uint32_t)(largest + 2 * high + low)};
        for (int k = 0; k < 24; ++k)
            ASSERT_EQ(want[k], got[(size_t)i * 24 + k])
                << "number " << k << " of " << std::hex << a << ", " << b << ", " << r;
    }
    cudaFree(d_words);
    cudaFree(d_out);
}
