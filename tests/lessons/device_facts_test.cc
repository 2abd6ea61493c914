// SPDX-License-Identifier: Apache-2.0
// The table behind lesson 01, asked of the real device and of invented ones: a
// capability nobody knows, clocks that read 0, attributes that are missing.
#include "lessons/parts/01_device_facts.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

std::string printed(const DeviceFacts &facts, const char *visible = nullptr) {
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    device_facts_print(stream, &facts, visible, true);
    fclose(stream);
    std::string result(text, size);
    free(text);
    return result;
}

size_t row_of(const char *key) {
    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        if (strcmp(FACT_ROWS[row].key, key) == 0) return row;
    }
    ADD_FAILURE() << "no row " << key;
    return 0;
}

void set(DeviceFacts *facts, const char *key, int value, int part = 0) {
    facts->value[row_of(key)][part] = value;
    facts->reported[row_of(key)][part] = true;
}

std::string formatted(const DeviceFacts &facts, const char *key) {
    char text[128];
    device_facts_format(&facts, row_of(key), text, sizeof text);
    return text;
}

} // namespace

TEST(DeviceFactsTable, FitsItsArraysAndEachKeyIsThereOnce) {
    ASSERT_LE(FACT_ROW_COUNT, static_cast<size_t>(FACT_ROWS_MAX));
    std::set<std::string> keys;
    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        EXPECT_TRUE(keys.insert(FACT_ROWS[row].key).second) << FACT_ROWS[row].key;
        EXPECT_NE(FACT_ROWS[row].attributes[0], 0) << FACT_ROWS[row].key;
        EXPECT_LE(strlen(FACT_ROWS[row].label), 38u) << FACT_ROWS[row].label;
    }
    EXPECT_NE(FACT_ROWS[0].heading, nullptr);
}

TEST(DeviceFactsInvented, NothingReportedPrintsNotReportedEverywhere) {
    DeviceFacts facts = {};
    std::string text = printed(facts);
    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        EXPECT_EQ(formatted(facts, FACT_ROWS[row].key), "not reported") << FACT_ROWS[row].key;
    }
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
    EXPECT_EQ(text.find(" 0\n"), std::string::npos) << text;
    double gbps = -1;
    EXPECT_FALSE(device_facts_bandwidth_gbps(&facts, &gbps));
}

TEST(DeviceFactsInvented, AnUnknownCapabilityIsPrintedAsItIs) {
    DeviceFacts facts = {};
    set(&facts, "compute_capability", 99, 0);
    set(&facts, "compute_capability", 9, 1);
    set(&facts, "multiprocessors", 7);
    EXPECT_EQ(formatted(facts, "compute_capability"), "99, 9");
    // Nobody knows how many cores such an SM has: no number may be made up.
    EXPECT_EQ(printed(facts).find("cores"), std::string::npos);
}

TEST(DeviceFactsInvented, OnePartMissingMakesTheWholeFactUnknown) {
    DeviceFacts facts = {};
    set(&facts, "max_grid_dim", 2147483647, 0);
    set(&facts, "max_grid_dim", 65535, 1);
    EXPECT_EQ(formatted(facts, "max_grid_dim"), "not reported");
    set(&facts, "max_grid_dim", 65535, 2);
    EXPECT_EQ(formatted(facts, "max_grid_dim"), "2147483647, 65535, 65535");
}

TEST(DeviceFactsInvented, BandwidthNeedsBothClockAndWidth) {
    DeviceFacts facts = {};
    double gbps = 0;
    set(&facts, "memory_clock_khz", 3201000);
    EXPECT_FALSE(device_facts_bandwidth_gbps(&facts, &gbps));
    set(&facts, "memory_bus_bits", 6144);
    ASSERT_TRUE(device_facts_bandwidth_gbps(&facts, &gbps));
    EXPECT_NEAR(gbps, 4916.7, 0.1); // an H200's figures
    EXPECT_NE(printed(facts).find("4917 GB/s"), std::string::npos);
}

TEST(DeviceFactsInvented, MigIsSaidWhereNameUuidOrVariableSaysIt) {
    DeviceFacts facts = {};
    strcpy(facts.name, "NVIDIA A100-SXM4-40GB");
    EXPECT_FALSE(device_facts_is_mig(&facts, nullptr));
    EXPECT_FALSE(device_facts_is_mig(&facts, "GPU-0d0c"));
    EXPECT_EQ(printed(facts).find("MIG"), std::string::npos);
    EXPECT_TRUE(device_facts_is_mig(&facts, "MIG-1234,MIG-5678"));
    EXPECT_NE(printed(facts, "MIG-1234").find("MIG: a slice of a GPU"), std::string::npos);
    strcpy(facts.name, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
    EXPECT_TRUE(device_facts_is_mig(&facts, nullptr));
}

TEST(DeviceFactsInvented, LongNamesDoNotOverrun) {
    DeviceFacts facts = {};
    memset(facts.name, 'x', sizeof facts.name - 1);
    char text[8];
    set(&facts, "l2_cache_bytes", 52428800);
    device_facts_format(&facts, row_of("l2_cache_bytes"), text, sizeof text);
    EXPECT_EQ(strlen(text), sizeof text - 1);
    EXPECT_NE(printed(facts).find("xxx"), std::string::npos);
}

TEST(DeviceFactsReal, TheFirstDeviceAnswersTheBasics) {
    NEEDS_DEVICE();
    DeviceFacts facts;
    ASSERT_EQ(device_facts_read(0, &facts), cudaSuccess);
    EXPECT_GT(strlen(facts.name), 0u);
    EXPECT_GT(facts.total_memory_bytes, 0u);
    int major = 0, warp = 0, sms = 0;
    ASSERT_TRUE(device_facts_attribute(&facts, cudaDevAttrComputeCapabilityMajor, &major));
    EXPECT_GE(major, 1);
    ASSERT_TRUE(device_facts_attribute(&facts, cudaDevAttrWarpSize, &warp));
    EXPECT_EQ(warp, 32);
    ASSERT_TRUE(device_facts_attribute(&facts, cudaDevAttrMultiProcessorCount, &sms));
    EXPECT_GE(sms, 1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(DeviceFactsReal, LimitsAreThoseOfCuda) {
    NEEDS_DEVICE();
    DeviceFacts facts;
    ASSERT_EQ(device_facts_read(0, &facts), cudaSuccess);
    EXPECT_EQ(formatted(facts, "max_threads_per_block"), "1024");
    EXPECT_EQ(formatted(facts, "max_block_dim"), "1024, 1024, 64");
    EXPECT_EQ(formatted(facts, "max_grid_dim"), "2147483647, 65535, 65535");
    EXPECT_EQ(formatted(facts, "shared_memory_per_block_bytes"), "48 KiB (49152 bytes)");
}

TEST(DeviceFactsReal, ADeviceThatIsNotThereIsAnErrorAndLeavesEmptyFacts) {
    NEEDS_DEVICE();
    DeviceFacts facts;
    EXPECT_EQ(device_facts_read(visible_devices(), &facts), cudaErrorInvalidDevice);
    EXPECT_STREQ(facts.name, "");
    cudaGetLastError();
}
