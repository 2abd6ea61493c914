// SPDX-License-Identifier: Apache-2.0
// What lesson 01 says about CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and a
// machine without a device. The machine is invented: each case is one row.
#include "lessons/parts/01_device_visibility.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace {

// Two GPUs, a driver for CUDA 13.0, everything visible.
DeviceVisibility two_gpus() {
    DeviceVisibility found = {};
    found.status = cudaSuccess;
    found.visible_count = 2;
    found.known_gpus = 2;
    found.driver_version = found.runtime_version = 13000;
    return found;
}

template <typename Describe>
std::string text_of(Describe describe, const DeviceVisibility &found, size_t width = 59) {
    char text[1024];
    describe(&found, text, sizeof text);
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        EXPECT_LE(line.size(), width) << line; // beside the labels, within 100 columns
    }
    return text;
}

std::string effect(const char *visible, int count) {
    DeviceVisibility found = two_gpus();
    found.visible = visible;
    found.visible_count = count;
    if (count == 0) found.status = cudaErrorNoDevice;
    return text_of(device_visibility_describe, found);
}

std::string none(cudaError_t status, const char *visible, int driver, int known) {
    DeviceVisibility found = two_gpus();
    found.status = status;
    found.visible_count = 0;
    found.visible = visible;
    found.driver_version = driver;
    found.known_gpus = known;
    return text_of(device_visibility_explain_none, found, 100);
}

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

#define EXPECT_HAS(text, part) \
    EXPECT_TRUE(has(text, part)) << "no '" << (part) << "' in: " << (text)

TEST(VisibleDevices, NotSetShowsAll) {
    EXPECT_HAS(effect(nullptr, 2), "not set: every GPU is visible\n(2 of the 2");
}

TEST(VisibleDevices, NotSetIsNoReasonForNone) {
    EXPECT_HAS(effect(nullptr, 0), "not set: it hides nothing");
}

TEST(VisibleDevices, EmptyHidesAll) { EXPECT_HAS(effect("", 0), "empty: this hides every GPU"); }

TEST(VisibleDevices, MinusOneAndTooLargeHideAll) {
    EXPECT_HAS(effect("-1", 0), "\"-1\": its first entry names no GPU,\nwhich hides every GPU");
    EXPECT_HAS(effect("7", 0), "\"7\": its first entry names no GPU");
}

TEST(VisibleDevices, AListRenumbers) {
    EXPECT_HAS(effect("1,0", 2), "\"1,0\":\n2 visible");
    EXPECT_HAS(effect("1,0", 2), "device 0 here is the first entry of that list");
    EXPECT_HAS(effect("1", 1), "1 visible of the 2 that the driver knows");
}

TEST(VisibleDevices, ABadEntryHidesTheRest) {
    EXPECT_HAS(effect("0,9,1", 1), "1 of 3 visible: an entry that\nnames no GPU");
}

TEST(VisibleDevices, AUuidIsAnEntry) {
    EXPECT_HAS(effect("GPU-00112233-4455-6677-8899-aabbccddeeff", 1), "1 visible");
}

TEST(VisibleDevices, SecondMigSliceIsNotVisible) {
    EXPECT_HAS(effect("MIG-aaaa,MIG-bbbb", 1), "1 of 2 visible, MIG limit");
}

TEST(VisibleDevices, CpuDeviceSaysThatItDoesNotListen) {
    DeviceVisibility found = two_gpus();
    found.cpu_device = true;
    EXPECT_HAS(text_of(device_visibility_describe, found), "not set: about GPUs only");
    found.visible = "1";
    EXPECT_HAS(text_of(device_visibility_describe, found), "\"1\": about GPUs only");
}

TEST(DeviceOrder, EachValueHasItsEffect) {
    DeviceVisibility found = two_gpus();
    EXPECT_HAS(text_of(device_visibility_describe_order, found), "not set: the fastest GPU");
    found.order = "FASTEST_FIRST";
    EXPECT_HAS(text_of(device_visibility_describe_order, found), "the fastest GPU is device 0");
    found.order = "PCI_BUS_ID";
    EXPECT_HAS(text_of(device_visibility_describe_order, found), "as nvidia-smi does");
    found.order = "SLOWEST";
    EXPECT_HAS(text_of(device_visibility_describe_order, found), "\"SLOWEST\": unknown");
}

TEST(NoDevice, HiddenIsNotCalledMissing) {
    for (const char *visible : {"", "-1", "7"}) {
        std::string text = none(cudaErrorNoDevice, visible, 13000, 2);
        EXPECT_HAS(text, "hidden by CUDA_VISIBLE_DEVICES");
        EXPECT_HAS(text, "0 GPUs are visible of the 2 that the driver knows");
        EXPECT_HAS(text, "What to do: unset CUDA_VISIBLE_DEVICES");
        EXPECT_FALSE(has(text, "install")) << text;
    }
}

TEST(NoDevice, NoDriverIsNotCalledHidden) {
    // Even with the variable set: without a driver it hides nothing.
    for (const char *visible : {static_cast<const char *>(nullptr), ""}) {
        std::string text = none(cudaErrorInsufficientDriver, visible, 0, -1);
        EXPECT_HAS(text, "no NVIDIA driver was found");
        EXPECT_HAS(text, "--config=cpu");
        EXPECT_FALSE(has(text, "hidden")) << text;
    }
}

TEST(NoDevice, OldDriverNamesBothVersions) {
    DeviceVisibility found = two_gpus();
    found.status = cudaErrorInsufficientDriver;
    found.visible_count = 0;
    found.driver_version = 11080;
    std::string text = text_of(device_visibility_explain_none, found, 100);
    EXPECT_HAS(text, "too old");
    EXPECT_HAS(text, "11.8");
    EXPECT_HAS(text, "13.0");
}

TEST(NoDevice, DriverWithoutGpu) {
    std::string text = none(cudaErrorNoDevice, nullptr, 13000, 0);
    EXPECT_HAS(text, "a driver (CUDA 13.0) is installed, but it finds no GPU");
}

TEST(NoDevice, AnyOtherStatusIsNamed) {
    std::string text = none(cudaErrorSystemNotReady, nullptr, 13000, 8);
    EXPECT_HAS(text, "802");
    EXPECT_HAS(text, "cudaErrorSystemNotReady");
}

TEST(NoDevice, EveryReasonComesWithWhatToDo) {
    for (cudaError_t status : {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorUnknown}) {
        for (int driver : {0, 11080, 13000}) {
            std::string text = none(status, nullptr, driver, -1);
            EXPECT_HAS(text, "Why: ");
            EXPECT_HAS(text, "\nWhat to do: ");
        }
    }
}

TEST(NoDevice, CpuDeviceNamesItsOwnVariable) {
    DeviceVisibility found = two_gpus();
    found.cpu_device = true;
    found.visible_count = 0;
    EXPECT_HAS(text_of(device_visibility_explain_none, found, 100), "LAB_CPU_DEVICE_COUNT");
}

TEST(NoDevice, ShortBuffersAreTerminated) {
    DeviceVisibility found = two_gpus();
    char text[16] = "";
    device_visibility_describe(&found, text, sizeof text);
    EXPECT_LT(std::string(text).size(), sizeof text);
    device_visibility_explain_none(&found, text, sizeof text);
    EXPECT_LT(std::string(text).size(), sizeof text);
}
