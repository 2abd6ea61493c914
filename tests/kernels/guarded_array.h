// SPDX-License-Identifier: Apache-2.0
// Device memory for kernel tests: an array with a guard zone on either side, at
// any distance from a 16-byte boundary, poisoned before use. A kernel that writes
// one element too many, or leaves one out, cannot go unseen, on a real GPU either.
#ifndef TESTS_KERNELS_GUARDED_ARRAY_H
#define TESTS_KERNELS_GUARDED_ARRAY_H

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

// A test case that needs a device. Without one it is skipped, visibly; with
// LAB_REQUIRE_GPU=1 a missing GPU is a failure. An error that a test leaves
// behind is that test's failure.
class DeviceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const char *text = std::getenv("LAB_REQUIRE_GPU");
        const bool gpu_required = text != nullptr && std::strcmp(text, "1") == 0;
#ifdef LAB_CPU_DEVICE
        ASSERT_FALSE(gpu_required) << "LAB_REQUIRE_GPU=1, but this was built for the CPU device";
#endif
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status == cudaSuccess && count > 0) return;
        (void)cudaGetLastError();
        ASSERT_FALSE(gpu_required) << "no GPU: " << cudaGetErrorString(status);
        GTEST_SKIP() << "no GPU: " << cudaGetErrorString(status);
    }

    void TearDown() override {
        if (IsSkipped() || HasFatalFailure()) return;
        EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        EXPECT_EQ(cudaSuccess, cudaGetLastError()) << "an error was left behind";
    }
};

// Not only one bit pattern over and over: a guard element holds its own index,
// so a copy of a neighbour's guard is seen too.
inline uint32_t guard_word(size_t index) {
    return 0xFFC00000u | static_cast<uint32_t>(index); // NaNs, as float32
}

constexpr uint32_t POISON_WORD = 0xFFFFFFFFu; // a NaN that no GPU arithmetic makes

template <typename T>
class GuardedArray {
    static_assert(sizeof(T) % sizeof(uint32_t) == 0, "guards are 32-bit words");

  public:
    static constexpr size_t WORDS = sizeof(T) / sizeof(uint32_t);
    static constexpr size_t GUARD = 1024; // elements: more than a block's stray threads reach

    // n poisoned elements, `offset` elements past a 256-byte boundary.
    GuardedArray(size_t n, size_t offset) : n_(n), before_(GUARD + offset) {
        std::vector<uint32_t> words(total_words());
        for (size_t i = 0; i < words.size(); ++i) words[i] = guard_word(i);
        for (size_t i = 0; i < n * WORDS; ++i) words[before_ * WORDS + i] = POISON_WORD;
        upload(words);
    }

    // The values given, likewise.
    GuardedArray(const std::vector<T> &values, size_t offset)
        : n_(values.size()), before_(GUARD + offset) {
        std::vector<uint32_t> words(total_words());
        for (size_t i = 0; i < words.size(); ++i) words[i] = guard_word(i);
        if (n_ > 0) std::memcpy(&words[before_ * WORDS], values.data(), n_ * sizeof(T));
        upload(words);
    }

    ~GuardedArray() { EXPECT_EQ(cudaSuccess, cudaFree(base_)); }
    GuardedArray(const GuardedArray &) = delete;
    GuardedArray &operator=(const GuardedArray &) = delete;

    T *data() { return reinterpret_cast<T *>(base_) + before_; }

    // The elements, after checking that both guard zones are as they were.
    std::vector<T> get() const {
        std::vector<uint32_t> words(total_words());
        const cudaError_t status = cudaMemcpy(words.data(), base_, words.size() * sizeof(uint32_t),
                                              cudaMemcpyDeviceToHost);
        EXPECT_EQ(cudaSuccess, status) << cudaGetErrorString(status);
        const size_t begin = before_ * WORDS, end = begin + n_ * WORDS;
        size_t stray = 0;
        for (size_t i = 0; i < words.size(); ++i) {
            if ((i >= begin && i < end) || words[i] == guard_word(i)) continue;
            if (stray++ == 0)
                ADD_FAILURE() << "guard zone overwritten at element "
                              << (static_cast<ptrdiff_t>(i) - static_cast<ptrdiff_t>(begin)) /
                                     static_cast<ptrdiff_t>(WORDS)
                              << " of an array of " << n_;
        }
        std::vector<T> values(n_);
        if (n_ > 0) std::memcpy(values.data(), &words[begin], n_ * sizeof(T));
        return values;
    }

  private:
    size_t total_words() const { return (before_ + n_ + GUARD) * WORDS; }

    void upload(const std::vector<uint32_t> &words) {
        const size_t bytes = words.size() * sizeof(uint32_t);
        ASSERT_EQ(cudaSuccess, cudaMalloc(&base_, bytes));
        ASSERT_EQ(cudaSuccess, cudaMemcpy(base_, words.data(), bytes, cudaMemcpyHostToDevice));
    }

    void *base_ = nullptr;
    size_t n_, before_;
};

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Steps between two floats on the line of all floats, -inf to inf: 0 and -0 are
// the same place, and infinity is one step past the largest float, so that a
// result that just overflows is near one that just does not.
inline uint64_t steps_between(float a, float b) {
    const auto place = [](float value) {
        const int64_t size = bits_of(value) & 0x7FFFFFFFu;
        return std::signbit(value) ? -size : size;
    };
    const int64_t distance = place(a) - place(b);
    return static_cast<uint64_t>(distance < 0 ? -distance : distance);
}

// Same value, element for element: same bits, the sign of zero included. Any NaN
// is as good as any other, unless it is the poison: the payload of a NaN is not
// specified, and GPU and CPU differ in it.
inline ::testing::AssertionResult same_values(const std::vector<float> &want,
                                              const std::vector<float> &got) {
    if (want.size() != got.size())
        return ::testing::AssertionFailure() << "sizes " << want.size() << ", " << got.size();
    for (size_t i = 0; i < want.size(); ++i) {
        const bool both_nan = std::isnan(want[i]) && std::isnan(got[i]);
        if (both_nan ? bits_of(got[i]) != POISON_WORD : bits_of(want[i]) == bits_of(got[i]))
            continue;
        return ::testing::AssertionFailure()
               << "element " << i << " of " << want.size() << ": expected " << want[i] << " (0x"
               << std::hex << bits_of(want[i]) << "), found " << got[i] << " (0x" << bits_of(got[i])
               << std::dec << (bits_of(got[i]) == POISON_WORD ? ", never written)" : ")");
    }
    return ::testing::AssertionSuccess();
}

// At most `limit` representable numbers apart; NaN only where NaN is expected.
inline ::testing::AssertionResult within_ulp(const std::vector<float> &want,
                                             const std::vector<float> &got, uint64_t limit) {
    if (want.size() != got.size())
        return ::testing::AssertionFailure() << "sizes " << want.size() << ", " << got.size();
    for (size_t i = 0; i < want.size(); ++i) {
        const bool nan = std::isnan(want[i]);
        if (nan ? std::isnan(got[i]) && bits_of(got[i]) != POISON_WORD
                : !std::isnan(got[i]) && steps_between(want[i], got[i]) <= limit)
            continue;
        return ::testing::AssertionFailure()
               << "element " << i << " of " << want.size() << ": expected " << want[i] << ", found "
               << got[i] << ", more than " << limit << " ULP apart";
    }
    return ::testing::AssertionSuccess();
}

#endif // TESTS_KERNELS_GUARDED_ARRAY_H
