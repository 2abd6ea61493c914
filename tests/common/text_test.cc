// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them, and text in a buffer of fixed size.
#include "common/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/dtype.h"

namespace {

TEST(Text, Count) {
    EXPECT_STREQ("0", text_count(0));
    EXPECT_STREQ("999", text_count(999));
    EXPECT_STREQ("1,000", text_count(1000));
    EXPECT_STREQ("12,345", text_count(12345));
    EXPECT_STREQ("123,456", text_count(123456));
    EXPECT_STREQ("18,446,744,073,709,551,615", text_count(UINT64_MAX));
}

TEST(Text, CountedThingsHaveTheirPlural) {
    EXPECT_STREQ("0 blocks", text_counted(0, "block"));
    EXPECT_STREQ("1 block", text_counted(1, "block"));
    EXPECT_STREQ("12,000 blocks", text_counted(12000, "block"));
}

TEST(Text, Bytes) {
    EXPECT_STREQ("0 bytes", text_bytes(0));
    EXPECT_STREQ("1 byte", text_bytes(1));
    EXPECT_STREQ("999 bytes", text_bytes(999));
    EXPECT_STREQ("1.0 kB", text_bytes(1000));
    EXPECT_STREQ("92.2 MB", text_bytes(12000.0 * 1920 * 4));
    EXPECT_STREQ("1.0 GB", text_bytes(999.96e6));
    EXPECT_STREQ("921.6 MB", text_bytes(12000.0 * 19200 * 4));
    EXPECT_STREQ("4.0 TB", text_bytes(4e12));
    EXPECT_STREQ("4000000.0 EB", text_bytes(4e24));
}

TEST(Text, Memory) {
    EXPECT_STREQ("48.0 KiB", text_memory(49152));
    EXPECT_STREQ("139.8 GiB", text_memory(150.1e9));
}

TEST(Text, Milliseconds) {
    EXPECT_STREQ("0.5 us", text_ms(0.0005));
    EXPECT_STREQ("12.3 us", text_ms(0.0123));
    EXPECT_STREQ("0.435 ms", text_ms(0.435));
    EXPECT_STREQ("1.25 ms", text_ms(1.25));
    EXPECT_STREQ("12.5 ms", text_ms(12.5));
    EXPECT_STREQ("333 ms", text_ms(333));
    EXPECT_STREQ("1.25 s", text_ms(1250));
    EXPECT_STREQ("123 s", text_ms(123400));
    EXPECT_STREQ("12,340 s", text_ms(12340e3));
    EXPECT_STREQ("unknown", text_ms(NAN));
}

TEST(Text, TimesOfTwoDigits) {
    EXPECT_STREQ("0.54 us", text_ms_about(0.000538));
    EXPECT_STREQ("36 us", text_ms_about(0.0361));
    EXPECT_STREQ("99 us", text_ms_about(0.0994));
    EXPECT_STREQ("0.1 ms", text_ms_about(0.1));
    EXPECT_STREQ("1.4 ms", text_ms_about(1.44));
    EXPECT_STREQ("9.9 ms", text_ms_about(9.94));
    EXPECT_STREQ("10 ms", text_ms_about(9.96));
    EXPECT_STREQ("26 ms", text_ms_about(26.4));
    EXPECT_STREQ("120 ms", text_ms_about(123.4));
    EXPECT_STREQ("990 ms", text_ms_about(994));
    EXPECT_STREQ("1 s", text_ms_about(996));
    EXPECT_STREQ("1.2 s", text_ms_about(1234));
    EXPECT_STREQ("12,000 s", text_ms_about(12340e3));
    EXPECT_STREQ("0 us", text_ms_about(0));
    EXPECT_STREQ("unknown", text_ms_about(NAN));
    EXPECT_STREQ("unknown", text_ms_about(INFINITY));
}

TEST(Text, NanHasNoSign) {
    EXPECT_STREQ("nan", text_real(-std::nan(""), 9));
    EXPECT_STREQ("nan", text_real(std::nan(""), 9));
    EXPECT_STREQ("-inf", text_real(-INFINITY, 9));
    EXPECT_STREQ("0.333333343", text_real(1.0f / 3, 9));
}

TEST(Text, Rate) {
    EXPECT_STREQ("4,123 GB/s", text_rate(4123.4));
    EXPECT_STREQ("1,000 GB/s", text_rate(999.7));
    EXPECT_STREQ("123 GB/s", text_rate(123.4));
    EXPECT_STREQ("55.1 GB/s", text_rate(55.13));
    EXPECT_STREQ("6.90 GB/s", text_rate(6.9));
    EXPECT_STREQ("unknown", text_rate(INFINITY));
}

TEST(Text, SixteenTextsLiveTogether) {
    const char *texts[16];
    for (int i = 0; i < 16; ++i) texts[i] = text_count(1000 + i);
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ("1,0" + std::to_string(i / 10) + std::to_string(i % 10), texts[i]);
}

TEST(TextBuffer, CutsAndCounts) {
    char text[8] = "#######";
    TextBuffer buffer = text_buffer(text, 6);
    text_append(&buffer, "%d,", 12);
    text_append(&buffer, "%s", "345678");
    text_append(&buffer, "9");
    EXPECT_STREQ("12,34", text);
    EXPECT_EQ('#', text[6]);
    EXPECT_EQ(10u, buffer.length);
    TextBuffer none = text_buffer(nullptr, 0);
    text_append(&none, "%s", "abc");
    EXPECT_EQ(3u, none.length);
}

TEST(DTypes, SizesAndNames) {
    EXPECT_EQ(4u, dtype_size(DTYPE_FLOAT32));
    EXPECT_EQ(8u, dtype_size(DTYPE_FLOAT64));
    EXPECT_EQ(1u, dtype_size(DTYPE_UINT8));
    EXPECT_EQ(2u, dtype_size(DTYPE_INT16));
    EXPECT_EQ(8u, dtype_size(DTYPE_UINT64));
    EXPECT_STREQ("float32", dtype_name(DTYPE_FLOAT32));
    EXPECT_STREQ("uint8", dtype_name(DTYPE_UINT8));
    EXPECT_EQ(0u, dtype_size(static_cast<DType>(0)));
    EXPECT_EQ(0u, dtype_size(static_cast<DType>(99)));
    EXPECT_EQ(0u, dtype_size(static_cast<DType>(-1)));
    EXPECT_STREQ("no type", dtype_name(static_cast<DType>(99)));
}

TEST(Text, DigitsHaveNoUnit) {
    EXPECT_STREQ("0.0421", text_digits(0.04212, 3));
    EXPECT_STREQ("0.00230", text_digits(0.0023, 3));
    EXPECT_STREQ("0.108", text_digits(0.10799, 3));
    EXPECT_STREQ("2.2", text_digits(2.2, 2));
    EXPECT_STREQ("9.99", text_digits(9.99, 3));
    EXPECT_STREQ("10.0", text_digits(9.996, 3));
    EXPECT_STREQ("100", text_digits(99.96, 3));
    EXPECT_STREQ("326", text_digits(325.6, 3));
    EXPECT_STREQ("1,000", text_digits(999.6, 3));
    EXPECT_STREQ("35,100", text_digits(35132, 3));
    EXPECT_STREQ("46", text_digits(46.4, 2));
    EXPECT_STREQ("180", text_digits(184, 2));
    EXPECT_STREQ("0", text_digits(0, 3));
    EXPECT_STREQ("-1,230", text_digits(-1234, 3));
    EXPECT_STREQ("unknown", text_digits(NAN, 3));
    EXPECT_STREQ("unknown", text_digits(INFINITY, 3));
}

} // namespace
