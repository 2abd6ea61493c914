/* The mathematics that the device has and the C library has not.
 *
 * Part of cpu_device/math.h. Functions of float are computed in double. The GNU C library has
 * taken up some of these names since; where it has, its own are used.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_MATH_FUNCTIONS_H
#define CPU_DEVICE_MATH_FUNCTIONS_H

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 41)
#define CPU_DEVICE_LIBC_HAS_PI_ 1
#endif
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 42)
#define CPU_DEVICE_LIBC_HAS_RSQRT_ 1
#endif

namespace cpu_device {

/* sin and cos of pi * x: exact at multiples of 1/2, since the rest of x / (1/2) is exact. */
inline void sine_cosine_pi(double x, double *sine, double *cosine) {
    if (isinf(x) || x != x) {
        *sine = *cosine = NAN;
        return;
    }
    const double turn = fmod(x, 2.0), halves = rint(2.0 * turn), rest = turn - 0.5 * halves;
    const double s = sin(M_PI * rest), c = cos(M_PI * rest);
    const int quarter = (int)halves & 3;
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    if (*sine == 0) *sine = copysign(0.0, x);
    if (*cosine == 0) *cosine = 0.0;
}

/* exp(x * x) * erfc(x). From 10 on by the continued fraction, where erfc would underflow. */
inline double scaled_erfc(double x) {
    if (x < 10) {
        /* What x * x lost is put back: exp would magnify it. */
        const double square = x * x, e = exp(square) * erfc(x);
        return isinf(e) ? e : e + e * fma(x, x, -square);
    }
    double fraction = 0;
    for (int k = 30; k > 0; --k) fraction = 0.5 * k / (x + fraction);
    return 1 / (sqrt(M_PI) * (x + fraction));
}

/* The probability of a normal number below x. What rounding takes from -x / sqrt(2) is put back
 * by erfc's slope: in the tail it would grow to a thousand units in the last place. */
inline double normal_below(double x) {
    const double y = -x * M_SQRT1_2, lost = fma(-x, M_SQRT1_2, -y) + x * 4.8336466567264567e-17;
    const double e = erfc(y), change = M_2_SQRTPI * exp(-y * y) * lost;
    return 0.5 * (fabs(y) < 30 ? e - change : e);
}

/* x for which erfc(x) = p, 0 < p < 1: a first guess, then Newton's steps on log(erfc(x)), which
 * is nearly a parabola and concave, so that they cannot leave it. */
inline double inverse_erfc_below_one(double p) {
    const double goal = log(p);
    double x = sqrt(fmax(0.0, -goal));
    for (int step = 0; step < 60; ++step) {
        const double scaled = scaled_erfc(x);
        const double change = (log(scaled) - x * x - goal) * scaled * sqrt(M_PI) / 2;
        x += change;
        if (!(fabs(change) > 1e-16 * fabs(x))) break;
    }
    return x;
}
inline double inverse_erf(double y) {
    if (!(fabs(y) < 1)) return fabs(y) == 1 ? copysign(INFINITY, y) : NAN;
    if (fabs(y) > 0.5) return copysign(inverse_erfc_below_one(1 - fabs(y)), y);
    double x = y * sqrt(M_PI) / 2;
    for (int step = 0; step < 30; ++step) {
        const double change = (erf(x) - y) * sqrt(M_PI) / 2 * exp(x * x);
        x -= change;
        if (!(fabs(change) > 1e-17 * fabs(x))) break;
    }
    return x;
}
inline double inverse_erfc(double p) {
    if (!(p > 0 && p < 2)) return p == 0 ? INFINITY : p == 2 ? -INFINITY : NAN;
    if (p > 0.5 && p < 1.5) return inverse_erf(1 - p);
    return p < 1 ? inverse_erfc_below_one(p) : -inverse_erfc_below_one(2 - p);
}

/* The modified Bessel function of order 0 or 1: its power series, or for large x the asymptotic
 * one, cut off at its least term. */
inline double modified_bessel(int order, double x) {
    const double size = fabs(x);
    if (size < 30) {
        long double term = order == 1 ? (long double)x / 2 : 1, sum = term; /* a hundred terms */
        for (int k = 1; k < 200; ++k) {
            term *= (long double)x * x / 4 / (k * (k + order));
            sum += term;
            if (!(fabsl(term) > 1e-19L * fabsl(sum))) break;
        }
        return (double)sum;
    }
    double term = 1, sum = 1;
    if (isinf(size)) return order == 1 ? x : size;
    for (int k = 1; k < 60; ++k) {
        const double factor = ((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * size * k);
        if (!(fabs(factor) < 1)) break;
        term *= factor;
        sum += term;
        if (!(fabs(term) > 1e-17 * fabs(sum))) break;
    }
    /* In two factors, so that the exponential does not overflow before the result does. */
    const double half = exp(size / 2), value = half * (sum / sqrt(2 * M_PI * size)) * half;
    return order == 1 && x < 0 ? -value : value;
}

/* The Euclidean norm, scaled by the largest element. */
inline double euclidean_norm(int n, const double *x) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        if (isinf(x[i])) return INFINITY;
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
    }
    if (!(largest > 0)) return largest;
    for (int i = 0; i < n; ++i) sum += x[i] / largest * (x[i] / largest);
    return largest * sqrt(sum);
}

} // namespace cpu_device

#ifndef CPU_DEVICE_LIBC_HAS_RSQRT_
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
#endif
#ifndef CPU_DEVICE_LIBC_HAS_PI_
inline double sinpi(double x) {
    double s, c;
    ::cpu_device::sine_cosine_pi(x, &s, &c);
    return s;
}
inline double cospi(double x) {
    double s, c;
    ::cpu_device::sine_cosine_pi(x, &s, &c);
    return c;
}
inline float sinpif(float x) { return (float)sinpi((double)x); }
inline float cospif(float x) { return (float)cospi((double)x); }
#endif
inline void sincospi(double x, double *s, double *c) { ::cpu_device::sine_cosine_pi(x, s, c); }
inline void sincospif(float x, float *s, float *c) {
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    *s = (float)sine;
    *c = (float)cosine;
}
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline double normcdf(double x) { return ::cpu_device::normal_below(x); }
inline double erfcx(double x) { return ::cpu_device::scaled_erfc(x); }
inline double erfinv(double x) { return ::cpu_device::inverse_erf(x); }
inline double erfcinv(double x) { return ::cpu_device::inverse_erfc(x); }
inline double normcdfinv(double x) { return -M_SQRT2 * ::cpu_device::inverse_erfc(2 * x); }
inline double cyl_bessel_i0(double x) { return ::cpu_device::modified_bessel(0, x); }
inline double cyl_bessel_i1(double x) { return ::cpu_device::modified_bessel(1, x); }

/* The same of float, under the name with f and as an overload. */
#define CPU_DEVICE_OF_FLOAT_(name)                                   \
    inline float name##f(float x) { return (float)name((double)x); } \
    inline float name(float x) { return name##f(x); }
CPU_DEVICE_OF_FLOAT_(rcbrt)
CPU_DEVICE_OF_FLOAT_(normcdf)
CPU_DEVICE_OF_FLOAT_(erfcx)
CPU_DEVICE_OF_FLOAT_(erfinv)
CPU_DEVICE_OF_FLOAT_(erfcinv)
CPU_DEVICE_OF_FLOAT_(normcdfinv)
CPU_DEVICE_OF_FLOAT_(cyl_bessel_i0)
CPU_DEVICE_OF_FLOAT_(cyl_bessel_i1)
#undef CPU_DEVICE_OF_FLOAT_
inline float rsqrt(float x) { return rsqrtf(x); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
inline float exp10(float x) { return exp10f(x); }

inline double norm3d(double a, double b, double c) {
    const double x[] = {a, b, c};
    return ::cpu_device::euclidean_norm(3, x);
}
inline double norm4d(double a, double b, double c, double d) {
    const double x[] = {a, b, c, d};
    return ::cpu_device::euclidean_norm(4, x);
}
inline double norm(int n, const double *x) { return ::cpu_device::euclidean_norm(n, x); }
inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline double rnorm(int n, const double *x) { return 1.0 / norm(n, x); }
inline float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
inline float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
inline float normf(int n, const float *x) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += (double)x[i] * x[i];
    return (float)sqrt(sum);
}
inline float rhypotf(float a, float b) { return (float)rhypot((double)a, (double)b); }
inline float rhypot(float a, float b) { return rhypotf(a, b); }
inline float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
inline float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }
inline float rnormf(int n, const float *x) { return 1.0f / normf(n, x); }
inline float fdividef(float a, float b) { return a / b; }
inline float fdivide(float a, float b) { return a / b; }
inline double fdivide(double a, double b) { return a / b; }

#endif
