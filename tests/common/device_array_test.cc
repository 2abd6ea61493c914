// SPDX-License-Identifier: Apache-2.0
// Arrays on the device: every shape and stride comes back as it went, and every
// misuse ends in a sentence.
#include "common/device_array.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/check.h"
#include "common/compare.h"
#include "common/staged_copy.h"
#include "tests/common/device_test.h"

extern char **environ;

namespace {

// Two devices where they can be had for nothing, before CUDA looks.
const int two_devices = setenv("LAB_CPU_DEVICE_COUNT", "2", 0);

using Shape = std::vector<size_t>;
using Strides = std::vector<ptrdiff_t>;

// Host memory with guard bytes round a strided array, and its elements one by one.
class StridedHost {
  public:
    StridedHost(DType dtype, const Shape &shape, const Strides &strides)
        : shape_(shape), size_(dtype_size(dtype)) {
        ptrdiff_t low = 0, high = static_cast<ptrdiff_t>(size_);
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] == 0) continue;
            const ptrdiff_t reach = strides[axis] * static_cast<ptrdiff_t>(shape[axis] - 1);
            (reach < 0 ? low : high) += reach;
        }
        bytes.assign(static_cast<size_t>(high - low) + 2 * GUARD, 0xEE);
        array = host_array_strided(bytes.data() + GUARD - low, dtype,
                                   static_cast<int>(shape.size()), shape.data(), strides.data());
    }
    unsigned char *at(size_t element) const {
        ptrdiff_t offset = 0;
        for (size_t axis = shape_.size(); axis-- > 0;) {
            offset += array.strides[axis] * static_cast<ptrdiff_t>(element % shape_[axis]);
            element /= shape_[axis];
        }
        return static_cast<unsigned char *>(array.data) + offset;
    }
    void fill(unsigned seed) {
        std::mt19937 random(seed);
        for (unsigned char &byte : bytes) byte = static_cast<unsigned char>(random());
    }
    std::vector<unsigned char> packed() const {
        std::vector<unsigned char> out(host_array_count(&array) * size_);
        for (size_t i = 0; i < host_array_count(&array); ++i)
            std::memcpy(&out[i * size_], at(i), size_);
        return out;
    }
    static constexpr size_t GUARD = 64;
    std::vector<unsigned char> bytes;
    HostArray array;

  private:
    Shape shape_;
    size_t size_;
};

Strides c_strides(DType dtype, const Shape &shape) {
    Strides strides(shape.size());
    ptrdiff_t stride = static_cast<ptrdiff_t>(dtype_size(dtype));
    for (size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= static_cast<ptrdiff_t>(shape[axis] > 0 ? shape[axis] : 1);
    }
    return strides;
}

std::string message() { return lab_last_message(); }

#define EXPECT_SAYS(part) EXPECT_NE(std::string::npos, message().find(part)) << message()

class DeviceArrayTest : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (device_count > 0) {
            StagedCopyConfig small = {}; // so that small arrays take the long way too
            small.slot_bytes = 4096;
            small.direct_below = small.stage_after = 1;
            ASSERT_EQ(cudaSuccess, staged_copy_configure(&small));
        }
    }
    void TearDown() override {
        if (device_count > 0) {
            EXPECT_EQ(0u, device_array_live_count()) << "an array was not given back";
            EXPECT_EQ(cudaSuccess, staged_copy_configure(nullptr));
        }
        DeviceTest::TearDown();
    }
    void round_trip(DType dtype, const Shape &shape, const Strides &in, const Strides &out);
    DeviceArray floats(const Shape &shape, unsigned seed = 1) {
        StridedHost x(DTYPE_FLOAT32, shape, c_strides(DTYPE_FLOAT32, shape));
        x.fill(seed);
        DeviceArray a;
        EXPECT_EQ(cudaSuccess, to_gpu(&a, &x.array)) << message();
        return a;
    }
    // The elements of a, contiguous.
    std::vector<unsigned char> elements(const DeviceArray &a) {
        std::vector<unsigned char> bytes(device_array_bytes(&a) + 1, 0xEE);
        HostArray x = host_array_c(bytes.data(), a.dtype, a.ndim, a.shape);
        EXPECT_EQ(cudaSuccess, get(&x, &a)) << message();
        EXPECT_EQ(0xEE, bytes.back());
        bytes.pop_back();
        return bytes;
    }
};

// Strided in, contiguous on the device, strided out: the same elements, and not a
// byte between them or round them touched.
void DeviceArrayTest::round_trip(DType dtype, const Shape &shape, const Strides &in,
                                 const Strides &out) {
    StridedHost x(dtype, shape, in), y(dtype, shape, out);
    x.fill(17);
    const std::vector<unsigned char> before = y.bytes;
    DeviceArray a;
    ASSERT_EQ(cudaSuccess, to_gpu(&a, &x.array)) << message();
    EXPECT_TRUE(device_array_is_contiguous(&a));
    ASSERT_EQ(cudaSuccess, get(&y.array, &a)) << message();
    EXPECT_EQ(x.packed(), y.packed());
    std::vector<unsigned char> expected = before;
    for (size_t i = 0; i < host_array_count(&x.array); ++i) {
        std::memcpy(expected.data() + (y.at(i) - y.bytes.data()), x.at(i), dtype_size(dtype));
    }
    EXPECT_TRUE(expected == y.bytes) << "bytes between the elements were written";
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, ContiguousRoundTrips) {
    for (DType dtype :
         {DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_UINT8, DTYPE_INT16, DTYPE_UINT32, DTYPE_INT64}) {
        for (const Shape &shape : std::vector<Shape>{{},
                                                     {1},
                                                     {7},
                                                     {3, 3},
                                                     {31, 33},
                                                     {2, 3, 4},
                                                     {1, 1, 5, 1},
                                                     {257, 5, 9},
                                                     {100003},
                                                     {2, 1, 2, 1, 2, 1, 2, 3}}) {
            round_trip(dtype, shape, c_strides(dtype, shape), c_strides(dtype, shape));
        }
    }
}

TEST_F(DeviceArrayTest, NoElements) {
    for (const Shape &shape : std::vector<Shape>{{0}, {0, 5}, {5, 0}, {3, 0, 2}, {0, 0}}) {
        round_trip(DTYPE_FLOAT32, shape, c_strides(DTYPE_FLOAT32, shape),
                   c_strides(DTYPE_FLOAT32, shape));
    }
    const size_t shape[] = {0};
    HostArray none = host_array_c(nullptr, DTYPE_FLOAT32, 1, shape);
    DeviceArray a, copy, view;
    ASSERT_EQ(cudaSuccess, to_gpu(&a, &none)) << message();
    EXPECT_EQ(nullptr, a.data);
    EXPECT_EQ(cudaSuccess, get(&none, &a));
    EXPECT_EQ(cudaSuccess, device_array_set(&a, &none));
    EXPECT_EQ(cudaSuccess, device_array_fill_bytes(&a, 1));
    EXPECT_EQ(cudaSuccess, device_array_copy(&copy, &a));
    EXPECT_EQ(cudaSuccess, device_array_slice(&view, &a, 0, 0, 0, 1)) << message();
    for (DeviceArray *array : {&a, &copy, &view}) EXPECT_EQ(cudaSuccess, device_array_free(array));
}

TEST_F(DeviceArrayTest, StridedRoundTrips) {
    // Fortran order, every second row and column, backwards, rows with gaps.
    round_trip(DTYPE_FLOAT32, {31, 17}, {4, 31 * 4}, {17 * 4, 4});
    round_trip(DTYPE_FLOAT32, {31, 17}, {2 * 40 * 4, 2 * 4}, {17 * 4, 4});
    round_trip(DTYPE_FLOAT32, {31, 17}, {-17 * 4, 4}, {17 * 4, -4});
    round_trip(DTYPE_FLOAT32, {5000}, {-4}, {8});
    round_trip(DTYPE_FLOAT32, {300, 33}, {160, 4}, {-200, 4});
    round_trip(DTYPE_FLOAT64, {9, 8, 7}, {8, 72, 576}, {-448, 56, -8});
    // Strides that are no multiple of the element: a field of a packed struct.
    round_trip(DTYPE_FLOAT32, {1000}, {7}, {5});
    round_trip(DTYPE_UINT8, {100, 30}, {31, 1}, {-1, 100});
    round_trip(DTYPE_INT16, {3000}, {6}, {2});
}

TEST_F(DeviceArrayTest, RandomStridedRoundTrips) {
    std::mt19937 random(2024);
    const DType dtypes[] = {DTYPE_UINT8, DTYPE_INT16, DTYPE_FLOAT32, DTYPE_FLOAT64};
    for (int turn = 0; turn < 150; ++turn) {
        const DType dtype = dtypes[random() % 4];
        const size_t ndim = 1 + random() % 4;
        Shape shape(ndim);
        for (size_t &extent : shape) extent = 1 + random() % (ndim == 1 ? 3000 : 12);
        const auto strides = [&] {
            std::vector<size_t> order(ndim);
            for (size_t i = 0; i < ndim; ++i) order[i] = i;
            std::shuffle(order.begin(), order.end(), random);
            Strides made(ndim);
            ptrdiff_t next = static_cast<ptrdiff_t>(dtype_size(dtype));
            for (size_t axis : order) {
                next += random() % 2 == 0 ? 0 : static_cast<ptrdiff_t>(random() % 9);
                made[axis] = random() % 3 == 0 ? -next : next;
                next *= static_cast<ptrdiff_t>(shape[axis]);
            }
            return made;
        };
        round_trip(dtype, shape, strides(), strides());
        if (HasFailure()) FAIL() << "turn " << turn;
    }
}

TEST_F(DeviceArrayTest, RepeatedElementsMayBeReadNotWritten) {
    // One row seen five times (stride 0), and windows that overlap.
    std::vector<float> row = {1, 2, 3, 4};
    const size_t shape[] = {5, 4};
    const ptrdiff_t repeat[] = {0, 4};
    HostArray x = host_array_strided(row.data(), DTYPE_FLOAT32, 2, shape, repeat);
    DeviceArray a;
    ASSERT_EQ(cudaSuccess, to_gpu(&a, &x)) << message();
    std::vector<float> got(20);
    HostArray y = host_array_c(got.data(), DTYPE_FLOAT32, 2, shape);
    ASSERT_EQ(cudaSuccess, get(&y, &a));
    for (size_t i = 0; i < 20; ++i) EXPECT_EQ(row[i % 4], got[i]);
    EXPECT_EQ(cudaErrorInvalidValue, get(&x, &a));
    EXPECT_SAYS("share memory");
    EXPECT_SAYS("strides (0, 4)");
    const size_t square[] = {3, 2};
    const ptrdiff_t window[] = {4, 4};
    HostArray windows = host_array_strided(row.data(), DTYPE_FLOAT32, 2, square, window);
    DeviceArray b;
    ASSERT_EQ(cudaSuccess, to_gpu(&b, &windows));
    EXPECT_EQ(cudaErrorInvalidValue, get(&windows, &b));
    device_array_free(&a);
    device_array_free(&b);
}

TEST_F(DeviceArrayTest, TooManyOrOddDescriptionsAreRefused) {
    float x[4] = {};
    const size_t shape[] = {2, 2, 1, 1, 1, 1, 1, 1, 1};
    DeviceArray a;
    HostArray host = host_array_c(x, DTYPE_FLOAT32, 9, shape);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&a, &host));
    EXPECT_SAYS("9 dimensions");
    host = host_array_c(x, static_cast<DType>(77), 1, shape);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&a, &host));
    EXPECT_SAYS("77 is no element type");
    host = host_array_c(nullptr, DTYPE_FLOAT32, 1, shape);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&a, &host));
    EXPECT_SAYS("null pointer");
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&a, nullptr));
    host = host_array_c(x, DTYPE_FLOAT32, 1, shape);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(nullptr, &host));
    const size_t huge[] = {SIZE_MAX / 2, 3, 5};
    EXPECT_EQ(cudaErrorInvalidValue, device_array_empty(&a, DTYPE_FLOAT32, 3, huge));
    EXPECT_SAYS("more bytes than an address can hold");
    EXPECT_EQ(0u, a.memory);
    const size_t huge_and_none[] = {SIZE_MAX, SIZE_MAX, 0};
    EXPECT_EQ(cudaSuccess, device_array_empty(&a, DTYPE_FLOAT32, 3, huge_and_none)) << message();
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, MoreMemoryThanThereIs) {
    const size_t shape[] = {size_t{1} << 46};
    DeviceArray a;
    EXPECT_EQ(cudaErrorMemoryAllocation, device_array_empty(&a, DTYPE_UINT8, 1, shape));
    EXPECT_SAYS("70.4 TB of device memory were asked for");
    EXPECT_SAYS("free");
    EXPECT_EQ(0u, a.memory);
    EXPECT_EQ(cudaSuccess, cudaGetLastError()) << "no error may be left behind";
}

// --- Misuse: before, after, twice, reversed ---

TEST_F(DeviceArrayTest, GetBeforeToGpu) {
    float x[4];
    const size_t shape[] = {4};
    HostArray host = host_array_c(x, DTYPE_FLOAT32, 1, shape);
    DeviceArray a = {};
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_SAYS("holds no device memory: call to_gpu");
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, nullptr));
    EXPECT_EQ(cudaSuccess, device_array_free(&a)) << "freeing nothing is harmless";
    EXPECT_EQ(cudaSuccess, device_array_free(nullptr));
    DeviceArray garbage;
    std::memset(&garbage, 0x5A, sizeof garbage);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &garbage));
    EXPECT_SAYS("never filled by to_gpu");
    EXPECT_EQ(cudaSuccess, device_array_free(&garbage));
}

TEST_F(DeviceArrayTest, UseAfterFreeAndDoubleFree) {
    DeviceArray a = floats({100});
    DeviceArray same = a; // a copy of the struct holds nothing
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
    std::vector<float> x(100, 7);
    const size_t shape[] = {100};
    HostArray host = host_array_c(x.data(), DTYPE_FLOAT32, 1, shape);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_SAYS("freed already");
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &same));
    EXPECT_SAYS("freed already");
    EXPECT_EQ(7, x[0]) << "the host array must be untouched";
    // Also after the memory's place in the table was taken by another array.
    DeviceArray other = floats({100});
    EXPECT_EQ(cudaErrorInvalidValue, device_array_check(&same));
    EXPECT_EQ(cudaSuccess, device_array_free(&same));
    EXPECT_EQ(cudaSuccess, device_array_check(&other)) << "the wrong array was freed";
    EXPECT_EQ(cudaSuccess, device_array_free(&other));
}

TEST_F(DeviceArrayTest, ReversedDirectionIsRefused) {
    DeviceArray a = floats({1000}), b;
    const size_t shape[] = {1000};
    HostArray on_device = host_array_c(a.data, DTYPE_FLOAT32, 1, shape);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&b, &on_device));
    EXPECT_SAYS("device memory: the direction is reversed");
    EXPECT_EQ(cudaErrorInvalidValue, get(&on_device, &a));
    EXPECT_SAYS("device memory");
    const ptrdiff_t strides[] = {-4};
    on_device = host_array_strided(a.data, DTYPE_FLOAT32, 1, shape, strides);
    EXPECT_EQ(cudaErrorInvalidValue, to_gpu(&b, &on_device)) << "strided data must be checked too";
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, TypeAndShapeMustAgree) {
    DeviceArray a = floats({3, 4});
    float x[12];
    const size_t transposed[] = {4, 3}, flat[] = {12};
    HostArray host = host_array_c(x, DTYPE_FLOAT32, 2, transposed);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_SAYS("float32 (4, 3), strides (12, 4) bytes");
    EXPECT_SAYS("float32 (3, 4), strides (16, 4) bytes");
    host = host_array_c(x, DTYPE_FLOAT32, 1, flat);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_set(&a, &host));
    host = host_array_c(x, DTYPE_INT32, 2, a.shape);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_SAYS("int32 (3, 4)");
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, MemoryBelongsToADevice) {
    if (device_count < 2) GTEST_SKIP() << "needs two devices";
    ASSERT_EQ(cudaSuccess, cudaSetDevice(1));
    DeviceArray a = floats({1000}, 3);
    EXPECT_EQ(1, a.device);
    const std::vector<unsigned char> want = elements(a);
    ASSERT_EQ(cudaSuccess, cudaSetDevice(0));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_check(&a));
    EXPECT_SAYS("the array belongs to device 1, but the current device is 0");
    std::vector<float> x(1000, 7);
    HostArray host = host_array_c(x.data(), DTYPE_FLOAT32, 1, a.shape);
    EXPECT_EQ(cudaErrorInvalidValue, get(&host, &a));
    EXPECT_EQ(7, x[999]);
    EXPECT_EQ(cudaErrorInvalidValue, staged_copy_to_host(x.data(), a.data, 4000));
    EXPECT_SAYS("belongs to device 1");
    ASSERT_EQ(cudaSuccess, cudaSetDevice(1));
    EXPECT_EQ(want, elements(a));
    ASSERT_EQ(cudaSuccess, cudaSetDevice(0));
    EXPECT_EQ(cudaSuccess, device_array_free(&a)) << "freeing works from any device";
    int current = -1;
    EXPECT_EQ(cudaSuccess, cudaGetDevice(&current));
    EXPECT_EQ(0, current) << "and leaves the current one alone";
}

// --- Views ---

TEST_F(DeviceArrayTest, ViewsKeepTheMemoryAlive) {
    DeviceArray a = floats({10, 20}, 5), view;
    const std::vector<unsigned char> want = elements(a);
    ASSERT_EQ(cudaSuccess, device_array_view(&view, &a));
    EXPECT_EQ(1u, device_array_live_count());
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
    EXPECT_EQ(1u, device_array_live_count());
    EXPECT_EQ(want, elements(view));
    EXPECT_EQ(cudaSuccess, device_array_free(&view));
    EXPECT_EQ(0u, device_array_live_count());
    EXPECT_EQ(cudaErrorInvalidValue, device_array_view(&view, &a));
}

// What a view must hold: picked from the packed elements of the array by index.
using Pick = size_t (*)(size_t row, size_t col);

void expect_picked(const std::vector<unsigned char> &all, const std::vector<unsigned char> &got,
                   size_t rows, size_t cols, Pick pick) {
    ASSERT_EQ(rows * cols * 4, got.size());
    for (size_t row = 0; row < rows; ++row) {
        for (size_t col = 0; col < cols; ++col) {
            ASSERT_EQ(0, std::memcmp(&all[pick(row, col) * 4], &got[(row * cols + col) * 4], 4))
                << row << " " << col;
        }
    }
}

TEST_F(DeviceArrayTest, Slices) {
    DeviceArray a = floats({30, 20}, 6), view, again;
    const std::vector<unsigned char> all = elements(a);
    ASSERT_EQ(cudaSuccess, device_array_slice(&view, &a, 0, 5, 10, 2));
    expect_picked(all, elements(view), 10, 20,
                  [](size_t r, size_t c) { return (5 + 2 * r) * 20 + c; });
    ASSERT_EQ(cudaSuccess, device_array_slice(&again, &view, 1, 19, 7, -3));
    expect_picked(all, elements(again), 10, 7,
                  [](size_t r, size_t c) { return (5 + 2 * r) * 20 + 19 - 3 * c; });
    EXPECT_EQ(-12, again.strides[1]);
    EXPECT_FALSE(device_array_is_contiguous(&again));
    // In place: the array becomes its own view.
    ASSERT_EQ(cudaSuccess, device_array_slice(&again, &again, 0, 9, 10, -1));
    expect_picked(all, elements(again), 10, 7,
                  [](size_t r, size_t c) { return (5 + 2 * (9 - r)) * 20 + 19 - 3 * c; });
    for (DeviceArray *array : {&a, &view, &again}) EXPECT_EQ(cudaSuccess, device_array_free(array));
}

TEST_F(DeviceArrayTest, SlicesStayInside) {
    DeviceArray a = floats({30, 20}), view = {};
    struct {
        int axis;
        size_t start, count;
        ptrdiff_t step;
        bool good;
    } cases[] = {
        {0, 0, 30, 1, true},           {0, 0, 31, 1, false},         {0, 29, 1, 1, true},
        {0, 30, 1, 1, false},          {0, 30, 0, 1, true},          {0, 31, 0, 1, false},
        {0, 29, 30, -1, true},         {0, 29, 31, -1, false},       {0, 28, 30, -1, false},
        {0, 0, 10, 3, true},           {0, 3, 10, 3, false},         {0, 0, 1, 1000, true},
        {0, 0, 2, 29, true},           {0, 0, 2, 30, false},         {0, 0, 5, 0, false},
        {2, 0, 1, 1, false},           {-1, 0, 1, 1, false},         {1, 0, SIZE_MAX, 1, false},
        {1, 0, 2, PTRDIFF_MIN, false}, {1, 0, 2, PTRDIFF_MAX, false}};
    for (const auto &c : cases) {
        const cudaError_t status = device_array_slice(&view, &a, c.axis, c.start, c.count, c.step);
        EXPECT_EQ(c.good ? cudaSuccess : cudaErrorInvalidValue, status)
            << c.axis << " " << c.start << " " << c.count << " " << c.step << ": " << message();
        if (status == cudaSuccess) {
            EXPECT_EQ(cudaSuccess, device_array_free(&view));
        } else {
            EXPECT_NE("", message());
        }
    }
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, TransposeReshapeCopySet) {
    DeviceArray a = floats({37, 100}, 8), t, copy, flat;
    const std::vector<unsigned char> all = elements(a);
    ASSERT_EQ(cudaSuccess, device_array_transpose(&t, &a, nullptr));
    EXPECT_EQ(100u, t.shape[0]);
    EXPECT_EQ(4, t.strides[0]);
    expect_picked(all, elements(t), 100, 37, [](size_t r, size_t c) { return c * 100 + r; });
    const size_t one[] = {3700}, wrong[] = {3701};
    EXPECT_EQ(cudaErrorInvalidValue, device_array_reshape(&flat, &t, 1, one));
    EXPECT_SAYS("only a contiguous array can be reshaped");
    EXPECT_SAYS("strides (4, 400)");
    ASSERT_EQ(cudaSuccess, device_array_copy(&copy, &t)) << message();
    EXPECT_TRUE(device_array_is_contiguous(&copy));
    ASSERT_EQ(cudaSuccess, device_array_reshape(&flat, &copy, 1, one));
    EXPECT_EQ(elements(t), elements(flat));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_reshape(&flat, &copy, 1, wrong));
    EXPECT_SAYS("3,701 elements, the array has 3,700");
    // Setting through the transposed view writes the array behind it, strided host data too.
    StridedHost x(DTYPE_FLOAT32, {100, 37}, {-37 * 4 * 2, 8});
    x.fill(9);
    ASSERT_EQ(cudaSuccess, device_array_set(&t, &x.array)) << message();
    EXPECT_EQ(x.packed(), elements(t));
    ASSERT_EQ(cudaSuccess, device_array_set(&copy, &x.array)) << message();
    EXPECT_EQ(x.packed(), elements(flat)) << "flat looks at copy's memory";
    const int bad_axes[] = {0, 0}, out_of_range[] = {0, 2};
    DeviceArray none = {};
    EXPECT_EQ(cudaErrorInvalidValue, device_array_transpose(&none, &a, bad_axes));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_transpose(&none, &a, out_of_range));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_fill_bytes(&t, 0));
    EXPECT_EQ(cudaErrorInvalidValue, device_array_copy(&a, &a));
    for (DeviceArray *array : {&a, &t, &copy, &flat})
        EXPECT_EQ(cudaSuccess, device_array_free(array));
}

TEST_F(DeviceArrayTest, ThreeAxesInAnyOrder) {
    DeviceArray a = floats({5, 6, 7}, 4), t;
    const std::vector<unsigned char> all = elements(a);
    const int axes[] = {2, 0, 1};
    ASSERT_EQ(cudaSuccess, device_array_transpose(&t, &a, axes));
    const std::vector<unsigned char> got = elements(t);
    for (size_t i = 0; i < 7; ++i) {
        for (size_t j = 0; j < 5; ++j) {
            for (size_t k = 0; k < 6; ++k) {
                ASSERT_EQ(0, std::memcmp(&got[((i * 5 + j) * 6 + k) * 4],
                                         &all[((j * 6 + k) * 7 + i) * 4], 4));
            }
        }
    }
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
    EXPECT_EQ(cudaSuccess, device_array_free(&t));
}

TEST_F(DeviceArrayTest, PoisonStandsOut) {
    DeviceArray a = floats({1000});
    ASSERT_EQ(cudaSuccess, device_array_fill_bytes(&a, LAB_POISON_BYTE));
    EXPECT_EQ(std::vector<unsigned char>(4000, 0xFF), elements(a));
    EXPECT_EQ(cudaSuccess, device_array_free(&a));
}

TEST_F(DeviceArrayTest, SeveralElementTypesOfViews) {
    for (DType dtype : {DTYPE_UINT8, DTYPE_INT16, DTYPE_INT32, DTYPE_FLOAT64}) {
        StridedHost x(dtype, {40, 50}, c_strides(dtype, {40, 50}));
        x.fill(3);
        DeviceArray a, t;
        ASSERT_EQ(cudaSuccess, to_gpu(&a, &x.array));
        ASSERT_EQ(cudaSuccess, device_array_transpose(&t, &a, nullptr));
        StridedHost y(dtype, {50, 40},
                      {static_cast<ptrdiff_t>(dtype_size(dtype)),
                       static_cast<ptrdiff_t>(50 * dtype_size(dtype))});
        ASSERT_EQ(cudaSuccess, get(&y.array, &t)) << message();
        EXPECT_TRUE(std::equal(x.bytes.begin() + StridedHost::GUARD,
                               x.bytes.end() - StridedHost::GUARD,
                               y.bytes.begin() + StridedHost::GUARD))
            << dtype_name(dtype);
        EXPECT_EQ(cudaSuccess, device_array_free(&a));
        EXPECT_EQ(cudaSuccess, device_array_free(&t));
    }
}

TEST_F(DeviceArrayTest, ManyArraysAtOnce) {
    std::vector<DeviceArray> arrays;
    for (unsigned i = 0; i < 100; ++i) arrays.push_back(floats({1 + i}, i));
    EXPECT_EQ(100u, device_array_live_count());
    for (unsigned i = 0; i < 100; i += 2) EXPECT_EQ(cudaSuccess, device_array_free(&arrays[i]));
    for (unsigned i = 0; i < 100; i += 2) arrays[i] = floats({1 + i}, i);
    for (unsigned i = 0; i < 100; ++i) {
        StridedHost x(DTYPE_FLOAT32, {1 + i}, {4});
        x.fill(i);
        EXPECT_EQ(x.packed(), elements(arrays[i])) << i;
        EXPECT_EQ(cudaSuccess, device_array_free(&arrays[i]));
    }
}

// --- Failures that are planted: the k-th allocation, copy or launch fails ---

// Everything that allocates, with whatever comes of it; then nothing may be left.
TEST_F(DeviceArrayTest, DISABLED_EverythingOnceWithoutALeak) {
    size_t free_before = 0, free_after = 0, total = 0;
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_before, &total));
    const Shape shape = {40, 50};
    StridedHost x(DTYPE_FLOAT32, shape, {8, 8 * 40}), y(DTYPE_FLOAT32, shape, {200, 4});
    StridedHost other(DTYPE_FLOAT32, {50, 40}, {160, 4});
    x.fill(1);
    DeviceArray a = {}, t = {}, copy = {};
    bool right = to_gpu(&a, &x.array) == cudaSuccess;
    right = right && device_array_transpose(&t, &a, nullptr) == cudaSuccess;
    right = right && device_array_copy(&copy, &t) == cudaSuccess;
    right = right && device_array_transpose(&copy, &copy, nullptr) == cudaSuccess;
    right = right && device_array_set(&t, &other.array) == cudaSuccess;
    right = right && device_array_set(&a, &x.array) == cudaSuccess;
    right = right && get(&y.array, &copy) == cudaSuccess;
    if (right) {
        EXPECT_EQ(x.packed(), y.packed());
    }
    for (DeviceArray *array : {&a, &t, &copy}) EXPECT_EQ(cudaSuccess, device_array_free(array));
    EXPECT_EQ(cudaSuccess, staged_copy_release());
    (void)cudaGetLastError();
    EXPECT_EQ(0u, device_array_live_count());
    ASSERT_EQ(cudaSuccess, cudaMemGetInfo(&free_after, &total));
    EXPECT_EQ(free_before, free_after) << "device memory was not given back";
    std::printf("%s\n", right ? "everything worked" : "something failed");
}

#ifdef LAB_CPU_DEVICE
// Runs the test above in a process of its own with that failure. Its exit status.
int run_with_failure(const std::string &failure) {
    std::vector<std::string> kept = {"LAB_CPU_DEVICE_FAIL=" + failure, "LAB_CPU_DEVICE_COUNT=1"};
    std::vector<char *> environment;
    for (std::string &entry : kept) environment.push_back(&entry[0]);
    for (char **entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (text.compare(0, 8, "XML_OUTP") != 0 && text.compare(0, 8, "GTEST_OU") != 0 &&
            text.compare(0, 15, "LAB_CPU_DEVICE_") != 0 && text.compare(0, 9, "TESTBRIDG") != 0) {
            environment.push_back(*entry);
        }
    }
    environment.push_back(nullptr);
    char *arguments[] = {const_cast<char *>("self"),
                         const_cast<char *>("--gtest_filter=*DISABLED_EverythingOnceWithoutALeak"),
                         const_cast<char *>("--gtest_also_run_disabled_tests"), nullptr};
    pid_t child;
    int status = -1;
    EXPECT_EQ(0, posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments,
                             environment.data()));
    EXPECT_EQ(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(PlantedFailures, NothingLeaksWhicheverAllocationCopyOrLaunchFails) {
    for (const char *kind : {"malloc", "copy", "launch"}) {
        for (int k = 1; k <= 12; ++k) {
            const std::string failure = std::string(kind) + ":" + std::to_string(k);
            EXPECT_EQ(0, run_with_failure(failure)) << failure;
        }
    }
}
#endif

} // namespace
