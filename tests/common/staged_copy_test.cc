// SPDX-License-Identifier: Apache-2.0
// Staged copies: every byte, every size and alignment, in order, from any thread,
// and nothing left behind.
#include "common/staged_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common/check.h"
#include "common/philox.h"
#include "tests/common/device_test.h"

namespace {

std::vector<unsigned char> random_bytes(size_t bytes, uint64_t seed = 1) {
    std::vector<uint32_t> words(bytes / 4 + 1);
    philox_bits_fill(words.data(), words.size(), seed);
    std::vector<unsigned char> x(bytes);
    if (bytes > 0) std::memcpy(x.data(), words.data(), bytes);
    return x;
}

std::string message() { return lab_last_message(); }

class StagedCopy : public DeviceTest {
  protected:
    static constexpr size_t CAPACITY = 24 << 20;
    void SetUp() override {
        DeviceTest::SetUp();
        if (device_count > 0) {
            ASSERT_EQ(cudaSuccess, cudaMalloc(reinterpret_cast<void **>(&d), CAPACITY));
        }
    }
    void TearDown() override {
        cudaFree(d);
        if (device_count > 0) {
            EXPECT_EQ(cudaSuccess, staged_copy_configure(nullptr));
        }
        DeviceTest::TearDown();
    }
    static void configure(size_t slot_bytes, size_t threads = 0, size_t slots = 0,
                          bool plain_stores = false) {
        StagedCopyConfig config = {};
        config.slot_bytes = slot_bytes;
        config.threads = threads;
        config.slots = slots;
        config.direct_below = config.stage_after = 1; // stage whatever the size
        config.plain_stores = plain_stores;
        ASSERT_EQ(cudaSuccess, staged_copy_configure(&config));
    }
    // There and back, each side at its own distance from an aligned address; the
    // bytes round the destinations must not change.
    void round_trip(size_t bytes, size_t from, size_t to, size_t on_device) {
        const std::vector<unsigned char> x = random_bytes(bytes + from, bytes + 1);
        std::vector<unsigned char> y(bytes + to + 64, 0xEE);
        ASSERT_EQ(cudaSuccess, cudaMemset(d, 0x77, on_device + bytes + 64));
        ASSERT_EQ(cudaSuccess, staged_copy_to_device(d + on_device, x.data() + from, bytes))
            << message();
        ASSERT_EQ(cudaSuccess, staged_copy_to_host(y.data() + to, d + on_device, bytes))
            << message();
        EXPECT_EQ(0, std::memcmp(x.data() + from, y.data() + to, bytes)) << bytes;
        for (size_t i = 0; i < to; ++i) ASSERT_EQ(0xEE, y[i]);
        for (size_t i = bytes + to; i < y.size(); ++i) ASSERT_EQ(0xEE, y[i]) << bytes;
        unsigned char round[64];
        ASSERT_EQ(cudaSuccess,
                  cudaMemcpy(round, d + on_device + bytes, 64, cudaMemcpyDeviceToHost));
        for (unsigned char byte : round) ASSERT_EQ(0x77, byte) << "written past the end";
    }
    char *d = nullptr;
};

TEST_F(StagedCopy, EverySizeRoundASlotAndEveryAlignment) {
    configure(4096);
    for (size_t bytes : {1, 2, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 8191, 8192, 8193, 65536,
                         65537, 1000003}) {
        for (size_t shift : {0, 1, 4, 31, 63}) {
            round_trip(bytes, shift, 63 - shift, shift / 2);
        }
    }
}

TEST_F(StagedCopy, ThreadsSlotsAndStoresOfAnyKind) {
    for (size_t threads : {1, 2, 16}) {
        for (size_t slots : {1, 2, 8}) {
            for (bool plain : {false, true}) {
                configure(8192, threads, slots, plain);
                round_trip(1000003, 3, 5, 7);
                round_trip(10, 0, 0, 0);
            }
        }
    }
    configure(1, 1000, 1000); // out of range: taken as far as it goes
    round_trip(100001, 0, 0, 0);
}

TEST_F(StagedCopy, LargeCopiesWithTheDefaults) {
    round_trip(20 << 20, 1, 2, 3);
    round_trip((20 << 20) + 12345, 0, 0, 0);
    for (int turn = 0; turn < 3; ++turn) round_trip(3 << 20, 0, 0, 0); // buffers are used again
    EXPECT_EQ(cudaSuccess, staged_copy_release());
    EXPECT_EQ(cudaSuccess, staged_copy_release());
    round_trip(3 << 20, 0, 0, 0);
}

TEST_F(StagedCopy, NoBytesIsANoOp) {
    EXPECT_EQ(cudaSuccess, staged_copy_to_device(nullptr, nullptr, 0));
    EXPECT_EQ(cudaSuccess, staged_copy_to_host(nullptr, nullptr, 0));
}

TEST_F(StagedCopy, NullAndReversedPointersAreExplained) {
    std::vector<char> x(1 << 20, 9);
    for (size_t bytes : {size_t{100}, x.size()}) {
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_device(nullptr, x.data(), bytes));
        EXPECT_NE(std::string::npos, message().find("device pointer is null")) << message();
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_device(d, nullptr, bytes));
        EXPECT_NE(std::string::npos, message().find("host pointer is null")) << message();
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_device(x.data(), d, bytes));
        EXPECT_NE(std::string::npos, message().find("the direction is reversed")) << message();
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_host(d, x.data(), bytes));
        EXPECT_NE(std::string::npos, message().find("the direction is reversed")) << message();
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_device(d, d + bytes, bytes));
        EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_host(x.data(), x.data(), bytes));
    }
    for (char byte : x) ASSERT_EQ(9, byte) << "host memory was written";
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST_F(StagedCopy, PastTheEndOfTheAllocationIsAnError) {
    const std::vector<unsigned char> x = random_bytes(CAPACITY + 4096);
    EXPECT_NE(cudaSuccess, staged_copy_to_device(d, x.data(), CAPACITY + 4096));
    (void)cudaGetLastError();
    round_trip(1 << 20, 0, 0, 0); // and the next copy works
}

TEST_F(StagedCopy, PinnedMemoryGoesStraight) {
    unsigned char *pinned = nullptr;
    const size_t bytes = 4 << 20;
    ASSERT_EQ(cudaSuccess,
              cudaHostAlloc(reinterpret_cast<void **>(&pinned), bytes, cudaHostAllocDefault));
    const std::vector<unsigned char> x = random_bytes(bytes);
    std::memcpy(pinned, x.data(), bytes);
    EXPECT_EQ(cudaSuccess, staged_copy_to_device(d, pinned, bytes));
    std::memset(pinned, 0, bytes);
    EXPECT_EQ(cudaSuccess, staged_copy_to_host(pinned, d, bytes));
    EXPECT_EQ(0, std::memcmp(x.data(), pinned, bytes));
    EXPECT_EQ(cudaSuccess, cudaFreeHost(pinned));
}

// As cudaMemcpy: what the default stream holds comes first, and the data is there
// for what the default stream gets afterwards.
TEST_F(StagedCopy, InOrderWithTheDefaultStream) {
    configure(65536);
    const size_t bytes = 16 << 20;
    std::vector<unsigned char> y(bytes);
    for (int value = 1; value <= 20; ++value) {
        ASSERT_EQ(cudaSuccess, cudaMemsetAsync(d, 0xAA, bytes, 0));
        ASSERT_EQ(cudaSuccess, cudaMemsetAsync(d, value, bytes, 0));
        ASSERT_EQ(cudaSuccess, staged_copy_to_host(y.data(), d, bytes));
        ASSERT_EQ(value, y.front());
        ASSERT_EQ(value, y[bytes / 2]);
        ASSERT_EQ(value, y.back());
        std::memset(y.data(), value + 100, bytes);
        ASSERT_EQ(cudaSuccess, cudaMemsetAsync(d, 0xAA, bytes, 0));
        ASSERT_EQ(cudaSuccess, staged_copy_to_device(d, y.data(), bytes));
        std::memset(y.data(), 0, bytes); // the copy is complete: the host may go on
        unsigned char got[2];
        ASSERT_EQ(cudaSuccess, cudaMemcpy(got, d, 1, cudaMemcpyDeviceToHost));
        ASSERT_EQ(cudaSuccess, cudaMemcpy(got + 1, d + bytes - 1, 1, cudaMemcpyDeviceToHost));
        ASSERT_EQ(value + 100, got[0]);
        ASSERT_EQ(value + 100, got[1]);
    }
}

TEST_F(StagedCopy, SeveralThreadsTakeTurns) {
    configure(65536);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (size_t t = 0; t < 4; ++t) {
        threads.emplace_back([this, t, &wrong] {
            const size_t bytes = 3000001;
            char *own = d + t * (4 << 20);
            for (int turn = 0; turn < 10; ++turn) {
                const std::vector<unsigned char> x = random_bytes(bytes, 100 * t + turn);
                std::vector<unsigned char> y(bytes);
                wrong[t] += staged_copy_to_device(own, x.data(), bytes) != cudaSuccess;
                wrong[t] += staged_copy_to_host(y.data(), own, bytes) != cudaSuccess;
                wrong[t] += x != y;
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
    for (int count : wrong) EXPECT_EQ(0, count);
}

// --- Data that is packed on its way ---

struct Pattern {
    std::vector<unsigned char> seen; // how often each byte was asked for or given
    bool aligned = true;
    size_t unit = 1;
    static unsigned char value(size_t i) { return static_cast<unsigned char>(i * 7 + i / 251); }
    static void fill(void *context, void *pinned, size_t offset, size_t bytes) {
        Pattern *self = static_cast<Pattern *>(context);
        if (offset % self->unit != 0 || bytes % self->unit != 0) self->aligned = false;
        for (size_t i = 0; i < bytes; ++i) {
            static_cast<unsigned char *>(pinned)[i] = value(offset + i);
            ++self->seen[offset + i];
        }
    }
    static void drain(void *context, const void *pinned, size_t offset, size_t bytes) {
        Pattern *self = static_cast<Pattern *>(context);
        if (offset % self->unit != 0 || bytes % self->unit != 0) self->aligned = false;
        for (size_t i = 0; i < bytes; ++i) {
            self->seen[offset + i] +=
                static_cast<const unsigned char *>(pinned)[i] == value(offset + i);
        }
    }
};

TEST_F(StagedCopy, PackedBothWays) {
    for (size_t direct_below : {size_t{1}, size_t{1} << 30}) {
        StagedCopyConfig config = {};
        config.slot_bytes = 4096;
        config.direct_below = direct_below;
        config.stage_after = 1;
        ASSERT_EQ(cudaSuccess, staged_copy_configure(&config));
        for (size_t unit : {1, 3, 4, 12, 1000, 4096}) {
            const size_t bytes = unit * (100000 / unit + 1);
            Pattern there, back;
            there.unit = back.unit = unit;
            there.seen.resize(bytes);
            back.seen.resize(bytes);
            ASSERT_EQ(cudaSuccess, staged_fill_to_device(d, bytes, unit, Pattern::fill, &there))
                << message();
            ASSERT_EQ(cudaSuccess, staged_drain_to_host(d, bytes, unit, Pattern::drain, &back))
                << message();
            EXPECT_TRUE(there.aligned && back.aligned) << unit;
            EXPECT_EQ(std::vector<unsigned char>(bytes, 1), there.seen);
            EXPECT_EQ(std::vector<unsigned char>(bytes, 1), back.seen);
        }
    }
    Pattern none;
    EXPECT_EQ(cudaErrorInvalidValue, staged_fill_to_device(d, 10, 4, Pattern::fill, &none));
    EXPECT_EQ(cudaErrorInvalidValue, staged_fill_to_device(d, 8192, 8192, Pattern::fill, &none));
    EXPECT_EQ(cudaErrorInvalidValue, staged_fill_to_device(d, 8, 0, Pattern::fill, &none));
    EXPECT_EQ(cudaErrorInvalidValue, staged_fill_to_device(d, 8, 4, nullptr, &none));
    EXPECT_EQ(cudaSuccess, staged_fill_to_device(nullptr, 0, 4, Pattern::fill, &none));
}

// Chunks differ in size along a copy: each byte is to be taken once, at any size.
TEST_F(StagedCopy, EveryByteOnceWhateverTheChunks) {
    for (size_t threads : {1, 3, 8}) {
        StagedCopyConfig config = {};
        config.threads = threads;
        config.direct_below = config.stage_after = 1;
        ASSERT_EQ(cudaSuccess, staged_copy_configure(&config));
        for (size_t unit : {size_t{1}, size_t{12}, size_t{4096}}) {
            for (size_t bytes :
                 {unit, size_t{262144}, size_t{262145}, size_t{5000000}, size_t{19999999}}) {
                const size_t whole = (bytes + unit - 1) / unit * unit;
                Pattern there, back;
                there.unit = back.unit = unit;
                there.seen.resize(whole);
                back.seen.resize(whole);
                ASSERT_EQ(cudaSuccess, staged_fill_to_device(d, whole, unit, Pattern::fill, &there))
                    << message();
                ASSERT_EQ(cudaSuccess, staged_drain_to_host(d, whole, unit, Pattern::drain, &back))
                    << message();
                EXPECT_TRUE(there.aligned && back.aligned) << unit;
                EXPECT_TRUE(there.seen == std::vector<unsigned char>(whole, 1))
                    << threads << " " << whole;
                EXPECT_TRUE(back.seen == std::vector<unsigned char>(whole, 1))
                    << threads << " " << whole;
            }
        }
    }
}

// A first small copy must not wait for buffers that only many or large copies pay for.
TEST_F(StagedCopy, BuffersAreMadeOnceTheyPay) {
    ASSERT_EQ(cudaSuccess, staged_copy_configure(nullptr));
    std::vector<char> x(12 << 20, 'x'), y(12 << 20);
    ASSERT_EQ(cudaSuccess, staged_copy_to_device(d, x.data(), x.size()));
    EXPECT_FALSE(staged_copy_is_ready());
    ASSERT_EQ(cudaSuccess, staged_copy_to_host(y.data(), d, y.size()));
    EXPECT_FALSE(staged_copy_is_ready());
    EXPECT_TRUE(x == y);
    ASSERT_EQ(cudaSuccess, staged_copy_to_device(d, y.data(), y.size())); // 36 MiB by now
    EXPECT_TRUE(staged_copy_is_ready());
    ASSERT_EQ(cudaSuccess, staged_copy_release());
    EXPECT_FALSE(staged_copy_is_ready());
    ASSERT_EQ(cudaSuccess, staged_copy_to_device(d, x.data(), x.size()));
    EXPECT_FALSE(staged_copy_is_ready());
}

TEST_F(StagedCopy, ReleaseGivesAllMemoryBack) {
    ASSERT_EQ(cudaSuccess, staged_copy_release());
    size_t before = 0, after = 0, total = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&before, &total));
    round_trip(3 << 20, 0, 0, 0);
    ASSERT_EQ(cudaSuccess, staged_copy_release());
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&after, &total));
#ifdef LAB_CPU_DEVICE
    EXPECT_EQ(before, after);
#endif
}

} // namespace
