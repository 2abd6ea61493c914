// SPDX-License-Identifier: Apache-2.0
// The fast CPU versions against the plain references: same bits, whichever
// stores are used and however many threads share the work.
#include <algorithm>
#include <thread>

#include "kernels/tuned/elementwise.h"
#include "tests/kernels/guarded_array.h"
#include "tests/kernels/inputs.h"

namespace {

using Floats = std::vector<float>;

// A host array with guards, `offset` floats past a 64-byte boundary.
class HostGuarded {
  public:
    HostGuarded(const Floats &values, size_t offset) : n_(values.size()) {
        words_.resize(n_ + 2 * GUARD + 32);
        for (size_t i = 0; i < words_.size(); ++i) words_[i] = float_of(guard_word(i));
        const size_t past = reinterpret_cast<uintptr_t>(words_.data()) % 64 / sizeof(float);
        before_ = GUARD + (16 - past) % 16 + offset;
        std::copy(values.begin(), values.end(), words_.begin() + before_);
    }
    float *data() { return words_.data() + before_; }
    Floats get() const {
        for (size_t i = 0; i < words_.size(); ++i) {
            if (i >= before_ && i < before_ + n_) continue;
            EXPECT_EQ(guard_word(i), bits_of(words_[i])) << "guard overwritten";
        }
        return Floats(words_.begin() + before_, words_.begin() + before_ + n_);
    }

  private:
    static constexpr size_t GUARD = 64;
    Floats words_;
    size_t n_, before_;
};

void cube_in_float(size_t n, const float *x, float *out) {
    for (size_t i = 0; i < n; ++i) {
        const float square = x[i] * x[i];
        out[i] = square * x[i];
    }
}

void check_all(const Floats &x, const Floats &y, size_t x_offset, size_t y_offset,
               size_t out_offset) {
    const size_t n = x.size();
    SCOPED_TRACE(::testing::Message() << "n = " << n << ", offsets " << x_offset << ", " << y_offset
                                      << ", " << out_offset);
    HostGuarded hx(x, x_offset), hy(y, y_offset);
    const Floats poison(n, float_of(POISON_WORD));
    Floats want(n);

    const auto check = [&](const char *name, auto reference, auto fast) {
        HostGuarded out(poison, out_offset);
        reference(want.data());
        fast(out.data());
        EXPECT_TRUE(same_values(want, out.get())) << name;
    };
    check(
        "add", [&](float *o) { add_cpu(n, x.data(), y.data(), o); },
        [&](float *o) { add_fast_cpu(n, hx.data(), hy.data(), o); });
    check(
        "multiply", [&](float *o) { multiply_cpu(n, x.data(), y.data(), o); },
        [&](float *o) { multiply_fast_cpu(n, hx.data(), hy.data(), o); });
    check(
        "square", [&](float *o) { square_cpu(n, x.data(), o); },
        [&](float *o) { square_fast_cpu(n, hx.data(), o); });
    check(
        "cube", [&](float *o) { cube_in_float(n, x.data(), o); },
        [&](float *o) { cube_fast_cpu(n, hx.data(), o); });
    check(
        "fill", [&](float *o) { fill_cpu(n, -0.0f, o); },
        [&](float *o) { fill_fast_cpu(n, -0.0f, o); });
    HostGuarded accumulated(y, out_offset);
    want = y;
    saxpy_cpu(n, 0.3f, x.data(), want.data());
    saxpy_fast_cpu(n, 0.3f, hx.data(), accumulated.data());
    EXPECT_TRUE(same_values(want, accumulated.get())) << "saxpy";
    EXPECT_TRUE(same_values(x, hx.get()));
    EXPECT_TRUE(same_values(y, hy.get()));
}

class FastCpu : public ::testing::TestWithParam<size_t> {
  protected:
    void SetUp() override { elementwise_fast_cpu_set_stream_above(GetParam()); }
    void TearDown() override { elementwise_fast_cpu_set_threads(0); }
};

TEST_P(FastCpu, EverySize) {
    for (size_t n : sizes()) check_all(normals(n, 1), normals(n, 2), 0, 0, 0);
}

TEST_P(FastCpu, EveryAlignment) {
    for (size_t n : {1, 15, 16, 17, 40, 1003}) {
        const Floats x = normals(n, 3), y = normals(n, 4);
        for (size_t offset = 0; offset < 16; ++offset) {
            check_all(x, y, offset, offset, offset);
            check_all(x, y, offset, (offset * 7 + 1) % 16, (offset * 5 + 2) % 16);
        }
    }
}

TEST_P(FastCpu, SpecialValues) {
    Floats x, y;
    special_pairs(&x, &y);
    check_all(x, y, 0, 0, 0);
    check_all(x, y, 1, 2, 3);
}

TEST_P(FastCpu, ShareBordersForEveryThreadCount) {
    const size_t n = 3 * 16384 + 5;
    const Floats x = normals(n, 5), y = normals(n, 6);
    for (size_t threads = 1; threads <= 5; ++threads) {
        elementwise_fast_cpu_set_threads(threads);
        EXPECT_LE(elementwise_fast_cpu_threads(), threads);
        check_all(x, y, 0, 1, 3);
    }
}

TEST_P(FastCpu, InPlace) {
    const size_t n = 100003;
    const Floats x = normals(n, 7), y = normals(n, 8);
    Floats want(n), got = x;
    add_cpu(n, x.data(), y.data(), want.data());
    add_fast_cpu(n, got.data(), y.data(), got.data());
    EXPECT_TRUE(same_values(want, got));
    got = x;
    cube_in_float(n, x.data(), want.data());
    cube_fast_cpu(n, got.data(), got.data());
    EXPECT_TRUE(same_values(want, got));
    got = x;
    add_cpu(n, x.data(), x.data(), want.data());
    add_fast_cpu(n, got.data(), got.data(), got.data());
    EXPECT_TRUE(same_values(want, got));
}

TEST_P(FastCpu, CallsFromSeveralThreads) {
    const size_t n = 200003;
    const Floats x = normals(n, 9), y = normals(n, 10);
    Floats want(n);
    multiply_cpu(n, x.data(), y.data(), want.data());
    std::vector<Floats> got(4, Floats(n));
    std::vector<std::thread> callers;
    for (Floats &out : got)
        callers.emplace_back([&x, &y, &out, n] {
            for (int i = 0; i < 5; ++i) multiply_fast_cpu(n, x.data(), y.data(), out.data());
        });
    for (std::thread &caller : callers) caller.join();
    for (const Floats &out : got) EXPECT_TRUE(same_values(want, out));
}

INSTANTIATE_TEST_SUITE_P(PlainStores, FastCpu, ::testing::Values(SIZE_MAX));
INSTANTIATE_TEST_SUITE_P(StreamingStores, FastCpu, ::testing::Values(0));

} // namespace
