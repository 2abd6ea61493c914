/* Device mathematics and number intrinsics: exact ones bit by bit, functions within a tolerance.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
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

__global__ void integers(long long *out, unsigned one) {
    int i = 0;
    const int s = (int)one;
    const float nan = __int_as_float(0x7FC00000 + s);
    out[i++] = __float2int_rn(2.5f * s);
    out[i++] = __float2int_rz(-2.75f * s);
    out[i++] = __float2int_ru(2.25f * s);
    out[i++] = __float2int_rd(-2.25f * s);
    out[i++] = __float2int_rn(1e20f * s);
    out[i++] = __float2int_rn(nan);
    out[i++] = __float2uint_rn(-3.0f * s);
    out[i++] = __float2ll_rz(-1e30f * s);
    out[i++] = __double2ll_rn(4503599627370497.5 * s);
    out[i++] = __double2int_rd(-0.5 * s);
    out[i++] = __sad(-5 * s, 7, 100u);
    out[i++] = __usad(3u * one, 0xFFFFFFFFu, 1u);
    out[i++] = __hadd(-3 * s, -4);
    out[i++] = __rhadd(-3 * s, -4);
    out[i++] = __uhadd(0xFFFFFFFFu * one, 0xFFFFFFFDu);
    out[i++] = __dp4a(0x01020304 * s, 0x7F010101, 5);
    out[i++] = __vadd4(0x01FF7F80u * one, 0x01010101u);
    out[i++] = __vabsdiffu4(0x10203040u * one, 0x40302010u);
    out[i++] = __vcmpgts2(0x0001FFFFu * one, 0u);
    out[i++] = __vmaxs4(0x80FF017Fu * one, 0u);
    out[i++] = __funnelshift_lc(0x12345678u * one, 0x9ABCDEF0u, 40);
    out[i++] = __brev(one);
    out[i++] = __byte_perm(0x33221100u * one, 0x77665544u, 0x7250u);
}

TEST(Math, IntegersAndConversions) {
    const long long want[] = {2,
                              -2,
                              3,
                              -3,
                              2147483647,
                              0,
                              0,
                              (-9223372036854775807LL - 1),
                              4503599627370498,
                              -1,
                              112,
                              4294967293LL,
                              -4,
                              -3,
                              4294967294LL,
                              141,
                              0x02008081,
                              0x30101030,
                              0xFFFF0000LL,
                              0x0000017F,
                              0x12345678,
                              0x80000000LL,
                              0x77225500};
    const size_t n = sizeof want / sizeof want[0];
    long long *d;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof want));
    integers<<<1, 1>>>(d, 1);
    const std::vector<long long> got = to_host_and_free(d, n);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(want[i], got[i]) << i;
}

__global__ void roundings(float *f, double *d, float third, float tiny) {
    f[0] = __fadd_rn(1.0f, tiny);
    f[1] = __fadd_ru(1.0f, tiny);
    f[2] = __fadd_rd(1.0f, -tiny);
    f[3] = __fadd_rz(-1.0f, tiny);
    f[4] = __fdiv_ru(1.0f, third);
    f[5] = __fdiv_rd(1.0f, third);
    f[6] = __fmul_ru(tiny, tiny);
    f[7] = __fsqrt_rd(third - 1.0f);
    f[8] = __fmaf_ru(third, third, tiny);
    f[9] = __int2float_rd(16777217 * (int)(third - 2.0f));
    f[10] = __int2float_ru(16777217 * (int)(third - 2.0f));
    f[11] = __double2float_rz(1e300 * third);
    d[0] = __dadd_ru(1.0, (double)tiny);
    d[1] = __ddiv_rd(1.0, (double)third);
    d[2] = __dsqrt_ru((double)third - 1.0);
    d[3] = __fma_rz(1.0, 1.0, -(double)tiny);
    d[4] = __dmul_ru(0x1p-1000, 0x1p-500 * tiny); /* far below the least number */
    d[5] = __dmul_rz(1e300, -1e300 * third);
    d[6] = 1 / __dadd_rd((double)third, -(double)third); /* a zero's sign */
    d[7] = __drcp_rd((double)third);
    d[8] = __ll2double_ru((1ll << 53) + (long long)(third - 2));
    d[9] = __ull2float_rz(~0ull - (unsigned)third);
}

TEST(Math, DirectedRounding) {
    const float f_want[] = {1.0f,           0x1.000002p0f,  0x1.fffffep-1f, -0x1.fffffep-1f,
                            0x1.555556p-2f, 0x1.555554p-2f, 0x1p-149f,      0x1.6a09e6p0f,
                            0x1.200002p3f,  16777216.0f,    16777218.0f,    0x1.fffffep127f};
    const double d_want[] = {0x1.0000000000001p0, 0x1.5555555555555p-2,
                             0x1.6a09e667f3bcdp0, 0x1.fffffffffffffp-1,
                             0x1p-1074,           -0x1.fffffffffffffp1023,
                             -INFINITY,           0x1.5555555555555p-2,
                             9007199254740994.0,  0x1.fffffep63};
    float *f;
    double *d;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&f, sizeof f_want));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof d_want));
    roundings<<<1, 1>>>(f, d, 3.0f, 0x1p-100f);
    const std::vector<float> f_got = to_host_and_free(f, 12);
    const std::vector<double> d_got = to_host_and_free(d, 10);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(f_want[i], f_got[i]) << i;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(d_want[i], d_got[i]) << i;
}

/* ---- functions ---- */

#define FUNCTIONS(X) \
    X(erfcx)         \
    X(erfinv)        \
    X(erfcinv)       \
    X(normcdf)       \
    X(normcdfinv)    \
    X(cyl_bessel_i0) \
    X(cyl_bessel_i1) \
    X(sinpi)         \
    X(cospi)         \
    X(rcbrt)         \
    X(rsqrt)         \
    X(exp10)         \
    X(j0)            \
    X(j1)            \
    X(y0)            \
    X(y1)            \
    X(tgamma)        \
    X(lgamma)        \
    X(cbrt)          \
    X(expm1)         \
    X(log1p)         \
    X(erfc)

enum Name {
#define X(name) k_##name,
    FUNCTIONS(X)
#undef X
};

/* A point, the value there to 18 digits (from 60-digit arithmetic), and how many units in the
 * last place the device's documentation allows: of j0 to y1 it promises 5e-16 absolutely. */
struct Value {
    Name name;
    double x, want;
    int units;
};
static const Value values[] = {
    {k_erfcx, -0.4718016191273966, 1.86819528498968987, 4},
    {k_erfcx, 3.431270785133513, 0.158185035353786568, 4},
    {k_erfcx, 21.096694383615528, 0.026713089599885448, 4},
    {k_erfcx, 20.0, 0.0281743487410513193, 4},
    {k_erfcx, 370331.63227185427, 1.52347121979452524e-6, 4},
    {k_erfinv, -0.2401725525110231, -0.216167767261018164, 5},
    {k_erfinv, -1.7298016713045278e-75, -1.53299681680325395e-75, 5},
    {k_erfinv, 0.990996680932373, 1.84691206123398018, 5},
    {k_erfcinv, 1.669834673325479, -0.688567094758142079, 6},
    {k_erfcinv, 1.4216545596158548e-134, 17.4574001086324272, 6},
    {k_erfcinv, 1.9999999984666312, -4.27150187180745795, 6},
    {k_normcdf, -0.3539077518361733, 0.361704008711296985, 5},
    {k_normcdf, -2.036971923336022, 0.020826427840569237, 5},
    {k_normcdf, -35.24478740150994, 2.06177284359367074e-272, 5},
    {k_normcdf, 1.96, 0.975002104851779564, 5},
    {k_normcdfinv, 0.3372252339643607, -0.420047891725976269, 8},
    {k_normcdfinv, 3.245946119188553e-25, -10.307877930417325, 8},
    {k_normcdfinv, 0.975, 1.95996398454005386, 8},
    {k_normcdfinv, 0.9999999889182895, 5.59420558577421194, 8},
    {k_cyl_bessel_i0, 0.0006832982199180417, 1.00000011672411774, 6},
    {k_cyl_bessel_i0, 7.021175681666267, 171.931164420140291, 6},
    {k_cyl_bessel_i0, 637.8723745293566, 1.67140138780233182e+275, 6},
    {k_cyl_bessel_i0, -3.0, 4.88079258586502409, 6},
    {k_cyl_bessel_i1, 0.0021992532471710874, 0.00109962728840822948, 6},
    {k_cyl_bessel_i1, 9.120064070535907, 1155.46695845873486, 6},
    {k_cyl_bessel_i1, 446.82500922782515, 2.13359665091986204e+192, 6},
    {k_cyl_bessel_i1, -3.0, -3.9533702174026094, 6},
    {k_sinpi, 0.6111701405293295, 0.939629178228355936, 2},
    {k_sinpi, 896.7709160590986, 0.659150396694105913, 2},
    {k_sinpi, 0.25, 0.707106781186547524, 2},
    {k_cospi, -0.8370680331238614, -0.871832113593054577, 2},
    {k_cospi, 2749.5375754538513, 0.117772796328964461, 2},
    {k_cospi, 0.3333333333333333, 0.50000000000000005, 2},
    {k_rcbrt, 1.1436472736928572e-279, 9.56245270813801249e+92, 4},
    {k_rcbrt, -8.815556386762684e-05, -22.4689834378014046, 4},
    {k_rcbrt, 8.0, 0.5, 4},
    {k_rsqrt, 1.5941323107679505e-186, 7.92023044332228022e+92, 2},
    {k_rsqrt, 2.0, 0.707106781186547524, 2},
    {k_exp10, 116.06293364359544, 1.15593561183084462e+116, 2},
    {k_exp10, -0.43305515788401006, 0.368930739279794966, 2},
    {k_j0, 1.4114746390870767, 0.560624731625382807, 20},
    {k_j0, 3.326698893665627, -0.350040952152615781, 20},
    {k_j1, 0.44132097532223513, 0.215331811185663679, 20},
    {k_j1, 4.535017091045752, -0.240314229111383406, 20},
    {k_y0, 2.5586755674402375, 0.488761766031920357, 20},
    {k_y1, 1.3027576981308466, -0.546567191267094041, 20},
    {k_tgamma, 6.668001845930068, 389.981626873744902, 10},
    {k_lgamma, 239.85666168365213, 1072.7470640704787, 4},
    {k_cbrt, 6.138358608451689e-293, 3.9447312348689427e-98, 4},
    {k_expm1, 0.644503305295783, 0.90504057067812081, 2},
    {k_log1p, 0.3000468239685705, 0.262400282256204651, 2},
    {k_erfc, -2.178766174847778, 1.99793860046824901, 5},
    {k_erfc, 17.937471171596325, 5.77423827777673528e-142, 5},
};
static const char *const names[] = {
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};

__device__ double value_of(Name name, double x) {
    switch (name) {
#define X(name) \
    case k_##name: return name(x);
        FUNCTIONS(X)
#undef X
    }
    return 0;
}
__device__ float float_value_of(Name name, float x) {
    switch (name) {
#define X(name) \
    case k_##name: return name##f(x);
        FUNCTIONS(X)
#undef X
    }
    return 0;
}

/* For each value: the double function at x, the float function at x as a float, and the double
 * function there. */
__global__ void all_functions(const Value *v, double *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = (float)v[i].x;
    out[3 * i] = value_of(v[i].name, v[i].x);
    out[3 * i + 1] = (double)float_value_of(v[i].name, x);
    out[3 * i + 2] = value_of(v[i].name, (double)x);
}

TEST(Math, FunctionsAtTabulatedPoints) {
    const int n = sizeof values / sizeof values[0];
    Value *d_values;
    double *d_out;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_values, sizeof values));
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d_out, 3 * n * sizeof(double)));
    ASSERT_EQ(cudaSuccess, cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
    all_functions<<<1, 128>>>(d_values, d_out, n);
    const std::vector<double> got = to_host_and_free(d_out, 3 * (size_t)n);
    for (int i = 0; i < n; ++i) {
        const Value &v = values[i];
        const double allowed = v.units * ldexp(1.0, ilogb(v.want) - 52);
        EXPECT_TRUE(fabs(got[3 * i] - v.want) <= allowed)
            << names[v.name] << "(" << v.x << ") is off by "
            << (got[3 * i] - v.want) / allowed * v.units << " units in the last place";
        const double single = got[3 * i + 1], exact = got[3 * i + 2];
        if (!(fabs(exact) < 1e38 && fabs(exact) > 1e-37)) continue; /* no normal float */
        EXPECT_TRUE(fabs(single - exact) <= 12 * ldexp(1.0, ilogb(exact) - 23))
            << names[v.name] << "f(" << (float)v.x << ") is " << single << ", want " << exact;
    }
    cudaFree(d_values);
}

__global__ void special_values(double *out, double zero) {
    const double inf = 1 / zero;
    int i = 0;
    out[i++] = erfinv(1 + zero) - inf; /* NaN: inf - inf */
    out[i++] = erfinv(-1 + zero);
    out[i++] = erfinv(1.5 + zero);
    out[i++] = erfcinv(zero);
    out[i++] = erfcinv(2 + zero);
    out[i++] = normcdfinv(zero);
    out[i++] = normcdfinv(1 + zero);
    out[i++] = normcdf(inf);
    out[i++] = normcdf(-inf);
    out[i++] = erfcx(-inf);
    out[i++] = erfcx(inf);
    out[i++] = sinpi(inf);
    out[i++] = cospi(1e300 + zero);
    out[i++] = rsqrt(zero);
    out[i++] = rcbrt(-inf);
    out[i++] = norm3d(zero, -inf, zero - inf);
    out[i++] = rnorm3d(zero, zero, zero);
    out[i++] = rhypot(inf, inf);
    out[i++] = cyl_bessel_i0(-inf);
    out[i++] = cyl_bessel_i1(-inf);
    out[i++] = __saturatef((float)(inf - inf));
    out[i++] = __saturatef(1.5f + (float)zero);
    out[i++] = fmin(inf - inf, 3 + zero);
    out[i++] = fdividef(6 + (float)zero, 3.0f);
    out[i++] = norm3d(2 + zero, 3, 6);
    out[i++] = norm4d(1 + zero, 1, 1, 1);
    out[i++] = rnorm3d(2 + zero, 3, 6) * 7;
    out[i++] = rhypot(3 + zero, 4) * 5;
    double s, c;
    sincospi(0.5 + zero, &s, &c);
    out[i++] = s;
    out[i++] = c;
    sincos(zero, &s, &c);
    out[i++] = s;
    out[i++] = c;
    out[i++] = jn(2, 5 + zero);
    out[i++] = yn(2, 5 + zero);
    out[i++] = norm4df(2 + (float)zero, 4, 5, 6) - 9;
}

TEST(Math, Specials) {
    const double inf = INFINITY;
    const double want[] = {NAN,
                           -inf,
                           NAN,
                           inf,
                           -inf,
                           -inf,
                           inf,
                           1,
                           0,
                           inf,
                           0,
                           NAN,
                           1,
                           inf,
                           -0.0,
                           inf,
                           inf,
                           0,
                           inf,
                           -inf,
                           0,
                           1,
                           3,
                           2,
                           7,
                           2,
                           1,
                           1,
                           1,
                           0,
                           0,
                           1,
                           0.0465651162777522155,
                           0.367662882603768,
                           0};
    const size_t n = sizeof want / sizeof want[0];
    double *d;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&d, sizeof want));
    special_values<<<1, 1>>>(d, 0.0);
    const std::vector<double> got = to_host_and_free(d, n);
    for (size_t i = 0; i < n; ++i) {
        if (isnan(want[i])) EXPECT_TRUE(isnan(got[i])) << i << " is " << got[i];
        else if (isinf(want[i])) EXPECT_EQ(want[i], got[i]) << i;
        else EXPECT_NEAR(want[i], got[i], 1e-6 * fabs(want[i])) << i;
    }
}
