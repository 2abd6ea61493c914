// SPDX-License-Identifier: Apache-2.0
// The elementwise kernels against their CPU references: sizes, alignments,
// seeds, special values, in place, and every refusal that the header promises.
#include "kernels/tuned/elementwise.h"

#include <climits>
#include <functional>
#include <string>

#include "bazel/build_info.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;

// One operation of the library, in a form that lets one test body serve all.
// `gpu` and `cpu` compute out from x and y; unary operations ignore y.
// Where `inout`, y is the output as well (saxpy).
struct Operation {
    const char *name;
    int inputs;
    bool inout;
    uint64_t ulp; // allowed distance; 0: same bits
    std::function<cudaError_t(size_t, const float *, const float *, float *, cudaStream_t)> gpu;
    std::function<void(size_t, const float *, const float *, float *)> cpu;
};

// Two roundings of at most 1 and 0.5 ULP against the reference's single one of
// 0.5: less than 2.5 together, so at most 2 whole steps.
constexpr uint64_t CUBE_ULP = 2;

constexpr float SAXPY_FACTOR = -1.75f;
constexpr float FILL_VALUE = 2.71828f;

const std::vector<Operation> &operations() {
    static const std::vector<Operation> all = {
        {"add", 2, false, 0, add_gpu, add_cpu},
        {"multiply", 2, false, 0, multiply_gpu, multiply_cpu},
        {"square", 1, false, 0,
         [](size_t n, const float *x, const float *, float *out, cudaStream_t s) {
             return square_gpu(n, x, out, s);
         },
         [](size_t n, const float *x, const float *, float *out) { square_cpu(n, x, out); }},
        {"cube", 1, false, CUBE_ULP,
         [](size_t n, const float *x, const float *, float *out, cudaStream_t s) {
             return cube_gpu(n, x, out, s);
         },
         [](size_t n, const float *x, const float *, float *out) { cube_cpu(n, x, out); }},
        {"cube_fused", 1, false, CUBE_ULP,
         [](size_t n, const float *x, const float *, float *out, cudaStream_t s) {
             return cube_fused_gpu(n, x, out, s);
         },
         [](size_t n, const float *x, const float *, float *out) { cube_cpu(n, x, out); }},
        {"pow_int 5", 1, false, 4,
         [](size_t n, const float *x, const float *, float *out, cudaStream_t s) {
             return pow_int_gpu(n, x, 5, out, s);
         },
         [](size_t n, const float *x, const float *, float *out) { pow_int_cpu(n, x, 5, out); }},
        {"fill", 0, false, 0,
         [](size_t n, const float *, const float *, float *out, cudaStream_t s) {
             return fill_gpu(n, FILL_VALUE, out, s);
         },
         [](size_t n, const float *, const float *, float *out) { fill_cpu(n, FILL_VALUE, out); }},
    };
    return all;
}

// Runs one operation on arrays at the given distances from a 16-byte boundary
// and checks output, guards, and that the inputs were left alone.
void check(const Operation &op, const Floats &x, const Floats &y, size_t x_offset, size_t y_offset,
           size_t out_offset) {
    SCOPED_TRACE(::testing::Message() << op.name << ", n = " << x.size() << ", offsets " << x_offset
                                      << ", " << y_offset << ", " << out_offset);
    const size_t n = x.size();
    Floats want(n);
    op.cpu(n, x.data(), y.data(), want.data());

    GuardedArray<float> d_x(x, x_offset), d_y(y, y_offset), d_out(n, out_offset);
    ASSERT_EQ(cudaSuccess, op.gpu(n, d_x.data(), d_y.data(), d_out.data(), nullptr));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    const Floats got = d_out.get();
    EXPECT_TRUE(op.ulp == 0 ? same_values(want, got) : within_ulp(want, got, op.ulp));
    EXPECT_TRUE(same_values(x, d_x.get())) << "x was changed";
    EXPECT_TRUE(same_values(y, d_y.get())) << "y was changed";
}

class Elementwise : public DeviceTest {};

// The large size has a million numbers of one seed: enough.
bool is_repetition(size_t n, uint64_t seed) { return n > 100000 && seed != seeds().front(); }

TEST_F(Elementwise, EverySizeAndSeed) {
    for (const Operation &op : operations()) {
        for (uint64_t seed : seeds()) {
            for (size_t n : sizes()) {
                if (is_repetition(n, seed)) continue;
                check(op, normals(n, seed), normals(n, seed + 1), 0, 0, 0);
            }
        }
    }
}

// Every way in which three pointers can lie to the 16-byte boundaries: 4 of the
// 64 allow 16-byte accesses, the others must not be tried with them.
TEST_F(Elementwise, EveryAlignment) {
    for (const Operation &op : operations()) {
        for (size_t n : {1, 2, 5, 257, 4097}) {
            const Floats x = normals(n, 7), y = normals(n, 8);
            for (size_t a = 0; a < 64; ++a) {
                if (op.inputs < 2 && a / 4 % 4 != 0) continue; // y is not used
                check(op, x, y, a % 4, a / 4 % 4, a / 16);
            }
        }
    }
}

TEST_F(Elementwise, LargeAtOddAlignments) {
    const size_t n = 1000003;
    const Floats x = normals(n, 3), y = normals(n, 4);
    for (const Operation &op : operations()) {
        check(op, x, y, 1, 1, 1);
        check(op, x, y, 3, 3, 3);
        check(op, x, y, 1, 2, 3);
    }
}

// float32 as IEEE 754 has it: NaN, infinities, signed zeros, and subnormals that
// are not flushed to zero.
TEST_F(Elementwise, SpecialValues) {
    Floats x, y;
    special_pairs(&x, &y);
    for (const Operation &op : operations()) {
        check(op, x, y, 0, 0, 0);
        check(op, x, y, 1, 2, 3);
    }
}

TEST_F(Elementwise, InPlace) {
    for (size_t n : {1, 33, 1000, 4099}) {
        for (size_t offset : {0, 1}) {
            const Floats x = normals(n, 11), y = normals(n, 12);
            for (const Operation &op : operations()) {
                SCOPED_TRACE(::testing::Message() << op.name << ", n = " << n);
                Floats want(n);
                op.cpu(n, x.data(), y.data(), want.data());
                GuardedArray<float> over_x(x, offset), d_y(y, offset);
                ASSERT_EQ(cudaSuccess,
                          op.gpu(n, over_x.data(), d_y.data(), over_x.data(), nullptr));
                EXPECT_TRUE(within_ulp(want, over_x.get(), op.ulp));

                GuardedArray<float> d_x(x, offset), over_y(y, offset);
                ASSERT_EQ(cudaSuccess,
                          op.gpu(n, d_x.data(), over_y.data(), over_y.data(), nullptr));
                EXPECT_TRUE(within_ulp(want, over_y.get(), op.ulp));
            }
            // x + x -> x: all three the same.
            Floats want(n);
            add_cpu(n, x.data(), x.data(), want.data());
            GuardedArray<float> d_x(x, offset);
            ASSERT_EQ(cudaSuccess, add_gpu(n, d_x.data(), d_x.data(), d_x.data(), nullptr));
            EXPECT_TRUE(same_values(want, d_x.get()));
        }
    }
}

// y = a x + y. Where the compiler fuses the two operations, the rounding of the
// product is gone, and each side rounds its result: the difference is at most
// half a unit of the product plus half a unit of each result, 2^-24 of each (plus
// the smallest subnormal, since below the normal range a unit does not shrink
// with the number).
TEST_F(Elementwise, Saxpy) {
    for (uint64_t seed : seeds()) {
        for (size_t n : sizes()) {
            if (is_repetition(n, seed)) continue;
            for (size_t offsets : {0, 5, 1, 11}) {
                SCOPED_TRACE(::testing::Message()
                             << "n = " << n << ", offsets " << offsets % 4 << ", " << offsets / 4);
                const Floats x = normals(n, seed), y = normals(n, seed + 1);
                Floats want = y;
                saxpy_cpu(n, SAXPY_FACTOR, x.data(), want.data());
                GuardedArray<float> d_x(x, offsets % 4), d_y(y, offsets / 4);
                ASSERT_EQ(cudaSuccess, saxpy_gpu(n, SAXPY_FACTOR, d_x.data(), d_y.data(), nullptr));
                const Floats got = d_y.get();
                EXPECT_TRUE(same_values(x, d_x.get())) << "x was changed";
#if defined(LAB_CPU_DEVICE) || !BUILD_FMAD
                EXPECT_TRUE(same_values(want, got));
#else
                for (size_t i = 0; i < n; ++i) {
                    const double product = std::fabs((double)SAXPY_FACTOR * x[i]);
                    const double limit =
                        std::ldexp(product + std::fabs((double)want[i]) + std::fabs((double)got[i]),
                                   -24) +
                        FLT_TRUE_MIN;
                    ASSERT_TRUE(std::fabs((double)got[i] - want[i]) <= limit)
                        << "element " << i << ": expected " << want[i] << ", found " << got[i];
                }
#endif
            }
        }
    }
}

TEST_F(Elementwise, SaxpySpecialValues) {
    for (float a : {0.0f, -0.0f, 1.0f, -2.0f, INFINITY, NAN, FLT_TRUE_MIN}) {
        Floats x, y;
        special_pairs(&x, &y);
        Floats want = y;
        saxpy_cpu(x.size(), a, x.data(), want.data());
        GuardedArray<float> d_x(x, 0), d_y(y, 0);
        ASSERT_EQ(cudaSuccess, saxpy_gpu(x.size(), a, d_x.data(), d_y.data(), nullptr));
        const Floats got = d_y.get();
        for (size_t i = 0; i < x.size(); ++i) {
            // Where the product is exact, or no finite number at all, fused and
            // unfused agree but for the overflow of the product on its own.
            const float product = a * x[i];
            if (std::isinf(product) && std::isfinite(x[i]) && std::isfinite(a)) continue;
            if (std::isnan(want[i])) {
                EXPECT_TRUE(std::isnan(got[i])) << a << " * " << x[i] << " + " << y[i];
            } else {
                EXPECT_LE(steps_between(want[i], got[i]), 1u)
                    << a << " * " << x[i] << " + " << y[i];
            }
        }
    }
}

// The same cube four ways: fused, in two steps, as a power, and (x * x) * x here.
TEST_F(Elementwise, CubeHasOneAnswer) {
    Floats x = normals(100003, 5);
    const Floats special = specials();
    x.insert(x.end(), special.begin(), special.end());
    const size_t n = x.size();
    Floats want(n), square(n);
    for (size_t i = 0; i < n; ++i) {
        square[i] = x[i] * x[i];
        want[i] = square[i] * x[i];
    }
    GuardedArray<float> d_x(x, 0), d_temp(n, 0), two_step(n, 0), fused(n, 0), cube(n, 0),
        power(n, 0);
    ASSERT_EQ(cudaSuccess,
              cube_two_step_gpu(n, d_x.data(), d_temp.data(), two_step.data(), nullptr));
    ASSERT_EQ(cudaSuccess, cube_fused_gpu(n, d_x.data(), fused.data(), nullptr));
    ASSERT_EQ(cudaSuccess, cube_gpu(n, d_x.data(), cube.data(), nullptr));
    ASSERT_EQ(cudaSuccess, pow_int_gpu(n, d_x.data(), 3, power.data(), nullptr));
    EXPECT_TRUE(same_values(square, d_temp.get()));
    EXPECT_TRUE(same_values(want, two_step.get()));
    EXPECT_TRUE(same_values(want, fused.get()));
    EXPECT_TRUE(same_values(want, cube.get()));
    EXPECT_TRUE(same_values(want, power.get()));
}

Floats power_on_device(const Floats &x, int exponent) {
    GuardedArray<float> d_x(x, 0), d_out(x.size(), 0);
    EXPECT_EQ(cudaSuccess, pow_int_gpu(x.size(), d_x.data(), exponent, d_out.data(), nullptr));
    return d_out.get();
}

// pow(x, 2) and others of whole numbers, where every step fits in a float.
TEST_F(Elementwise, PowersOfWholeNumbersAreExact) {
    Floats x;
    for (int value = -20; value <= 20; ++value) x.push_back(static_cast<float>(value));
    for (int exponent = 0; exponent <= 5; ++exponent) {
        Floats want;
        for (int value = -20; value <= 20; ++value) {
            int power = 1; // 20^5 = 3,200,000 fits in 24 bits
            for (int e = 0; e < exponent; ++e) power *= value;
            want.push_back(static_cast<float>(power));
        }
        EXPECT_TRUE(same_values(want, power_on_device(x, exponent))) << "exponent " << exponent;
    }
}

TEST_F(Elementwise, PowersFollowTheRules) {
    Floats x = normals(5000, 6);
    const Floats special = specials();
    x.insert(x.end(), special.begin(), special.end());
    const size_t n = x.size();

    Floats want(n, 1.0f);
    EXPECT_TRUE(same_values(want, power_on_device(x, 0))) << "x^0 is 1, NaN^0 too";
    EXPECT_TRUE(same_values(x, power_on_device(x, 1)));
    for (size_t i = 0; i < n; ++i) want[i] = x[i] * x[i];
    EXPECT_TRUE(same_values(want, power_on_device(x, 2)));
    for (size_t i = 0; i < n; ++i) want[i] = 1.0f / x[i];
    EXPECT_TRUE(same_values(want, power_on_device(x, -1)));

    for (int exponent : {4, 5, 6, 7, 8, 15, 16, 17, 31, 64, 100, 1000}) {
        pow_int_cpu(n, x.data(), exponent, want.data());
        EXPECT_TRUE(within_ulp(want, power_on_device(x, exponent), exponent - 1))
            << "exponent " << exponent;
    }
    for (int exponent : {-2, -3, -4, -5, -7, -8, -16, -31, -100, -1000}) {
        pow_int_cpu(n, x.data(), exponent, want.data());
        EXPECT_TRUE(within_ulp(want, power_on_device(x, exponent), -2 * exponent))
            << "exponent " << exponent;
    }
}

// 2^-149 is the smallest float. Its reciprocal 2^149 is none, and must not be
// met on the way. The largest exponents must end, and in the right place.
TEST_F(Elementwise, ExtremeExponents) {
    const Floats x = {2.0f, -2.0f, 0.5f, 1.0f, -1.0f, 0.0f, -0.0f, INFINITY, NAN};
    EXPECT_TRUE(same_values({FLT_TRUE_MIN, -FLT_TRUE_MIN, INFINITY, 1.0f, -1.0f, INFINITY,
                             -INFINITY, 0.0f, NAN},
                            power_on_device(x, -149)));
    EXPECT_TRUE(same_values({std::ldexp(1.0f, 127), -std::ldexp(1.0f, 127), std::ldexp(1.0f, -127),
                             1.0f, -1.0f, 0.0f, -0.0f, INFINITY, NAN},
                            power_on_device(x, 127)));
    EXPECT_TRUE(same_values({INFINITY, -INFINITY, 0.0f, 1.0f, -1.0f, 0.0f, -0.0f, INFINITY, NAN},
                            power_on_device(x, INT_MAX)));
    EXPECT_TRUE(same_values({0.0f, 0.0f, INFINITY, 1.0f, 1.0f, INFINITY, INFINITY, 0.0f, NAN},
                            power_on_device(x, INT_MIN)));
}

TEST_F(Elementwise, FillKeepsEveryBit) {
    for (uint32_t bits : {0x80000000u, 0x7FC12345u, 0xFFC00001u, 0x00000001u, 0x7F800000u}) {
        GuardedArray<float> d_out(1001, 1);
        ASSERT_EQ(cudaSuccess, fill_gpu(1001, float_of(bits), d_out.data(), nullptr));
        for (float value : d_out.get()) ASSERT_EQ(bits, bits_of(value));
    }
}

// ---- Refusals -------------------------------------------------------------

TEST_F(Elementwise, NothingToDoIsSuccess) {
    for (const Operation &op : operations())
        EXPECT_EQ(cudaSuccess, op.gpu(0, nullptr, nullptr, nullptr, nullptr)) << op.name;
    EXPECT_EQ(cudaSuccess, saxpy_gpu(0, 2.0f, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, cube_two_step_gpu(0, nullptr, nullptr, nullptr, nullptr));
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST_F(Elementwise, NullPointersAreRefused) {
    const Floats x = normals(100, 1);
    GuardedArray<float> a(x, 0), b(x, 0), c(100, 0);
    for (const Operation &op : operations()) {
        EXPECT_EQ(cudaErrorInvalidValue, op.gpu(100, a.data(), b.data(), nullptr, nullptr))
            << op.name;
        if (op.inputs >= 1) {
            EXPECT_EQ(cudaErrorInvalidValue, op.gpu(100, nullptr, b.data(), c.data(), nullptr))
                << op.name;
        }
        if (op.inputs >= 2) {
            EXPECT_EQ(cudaErrorInvalidValue, op.gpu(100, a.data(), nullptr, c.data(), nullptr))
                << op.name;
        }
    }
    EXPECT_EQ(cudaErrorInvalidValue, saxpy_gpu(100, 1.0f, nullptr, c.data(), nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, saxpy_gpu(100, 1.0f, a.data(), nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cube_two_step_gpu(100, a.data(), nullptr, c.data(), nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cube_two_step_gpu(100, a.data(), b.data(), nullptr, nullptr));
    for (float value : c.get()) EXPECT_EQ(POISON_WORD, bits_of(value)) << "written after all";
}

// Two bytes past a float's place: refused, where the device would answer with
// an error that ends all use of it.
TEST_F(Elementwise, HalfAlignedPointersAreRefused) {
    const Floats x = normals(100, 1);
    GuardedArray<float> a(x, 0), b(x, 0), c(100, 0);
    const auto shifted = [](float *p) {
        return reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(p) + 2);
    };
    for (const Operation &op : operations())
        EXPECT_EQ(cudaErrorInvalidValue, op.gpu(50, a.data(), b.data(), shifted(c.data()), nullptr))
            << op.name;
    EXPECT_EQ(cudaErrorInvalidValue, add_gpu(50, shifted(a.data()), b.data(), c.data(), nullptr));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
}

// Every operation runs on the stream that it is given. Its input is made there
// just before, by work that takes a while; on any other stream the operation
// would not wait for that, and would not be over when this stream is.
TEST_F(Elementwise, FollowsItsStream) {
    cudaStream_t stream;
    ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const size_t n = 1000003;
    const Floats x = normals(n, 1), y = normals(n, 2);
    Floats want(n), square(n);
    square_cpu(n, x.data(), square.data());
    for (const Operation &op : operations()) {
        SCOPED_TRACE(op.name);
        GuardedArray<float> d_x(x, 0), d_y(y, 0), d_input(n, 0), d_out(n, 0);
        ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
        for (int i = 0; i < 20; ++i)
            ASSERT_EQ(cudaSuccess, fill_gpu(n, static_cast<float>(i), d_input.data(), stream));
        ASSERT_EQ(cudaSuccess, square_gpu(n, d_x.data(), d_input.data(), stream));
        ASSERT_EQ(cudaSuccess, op.gpu(n, d_input.data(), d_y.data(), d_out.data(), stream));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        // A copy on the same stream: the default stream is none of its business.
        Floats got(n);
        ASSERT_EQ(cudaSuccess, cudaMemcpyAsync(got.data(), d_out.data(), n * sizeof(float),
                                               cudaMemcpyDeviceToHost, stream));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        op.cpu(n, square.data(), y.data(), want.data());
        EXPECT_TRUE(within_ulp(want, got, op.ulp));
    }
    GuardedArray<float> d_x(x, 0), d_y(y, 0), d_temp(n, 0), d_out(n, 0);
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(cudaSuccess, multiply_gpu(n, d_x.data(), d_y.data(), d_out.data(), stream));
    ASSERT_EQ(cudaSuccess, fill_gpu(n, 1.0f, d_y.data(), stream));
    ASSERT_EQ(cudaSuccess, saxpy_gpu(n, 2.0f, d_x.data(), d_y.data(), stream));
    ASSERT_EQ(cudaSuccess, cube_two_step_gpu(n, d_x.data(), d_temp.data(), d_out.data(), stream));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    Floats got(n);
    for (GuardedArray<float> *array : {&d_y, &d_out}) {
        ASSERT_EQ(cudaSuccess, cudaMemcpyAsync(got.data(), array->data(), n * sizeof(float),
                                               cudaMemcpyDeviceToHost, stream));
        ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        for (size_t i = 0; i < n; ++i) {
            // Doubling is exact, so 2 x + 1 has one rounding, fused or not.
            const float value = array == &d_y ? 2.0f * x[i] + 1.0f : square[i] * x[i];
            ASSERT_EQ(bits_of(value), bits_of(got[i])) << "element " << i;
        }
    }
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

} // namespace
