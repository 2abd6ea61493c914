// SPDX-License-Identifier: Apache-2.0
// Lesson 01 as a program: what it lists, and what CUDA_VISIBLE_DEVICES does to it.
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"
#include "tests/lessons/lesson_program.h"

namespace {

const Arguments kQuick = {"--n", "1003", "--repeat", "2", "--warmup", "1"};

Arguments quick(const Arguments &more) {
    Arguments arguments = kQuick;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

} // namespace

TEST(DeviceQuery, ListsWhatTheTutorialListsAndMore) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("01_device_query", quick({"--all"}));
    expect_success("01_device_query", run);
    for (const char *fact : {"compute capability (major, minor)",
                             "total memory",
                             "streaming multiprocessors",
                             "SM clock",
                             "memory clock",
                             "memory bus width",
                             "bandwidth in theory",
                             "bandwidth measured",
                             "L2 cache",
                             "shared memory",
                             "32-bit registers",
                             "threads in x, y, z",
                             "blocks in x, y, z",
                             "copy engines",
                             "managed memory",
                             "error correction (ECC)",
                             "PCI address",
                             "UUID",
                             "driver: supports CUDA up to",
                             "runtime: this program",
                             "CUDA_VISIBLE_DEVICES",
                             "CUDA_DEVICE_ORDER",
                             "devices"}) {
        EXPECT_NE(run.out.find(fact), std::string::npos) << "no " << fact << " in\n" << run.out;
    }
}

TEST(DeviceQuery, ShowsWhatTheNextLessonsNeedAndTheRestWithAll) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("01_device_query", kQuick);
    expect_success("01_device_query", run);
    for (const char *fact : {"compute capability", "streaming multiprocessors", "total memory",
                             "L2 cache", "threads of a warp", "threads, at most",
                             "bandwidth in theory", "bandwidth measured", "--all shows the rest"}) {
        EXPECT_NE(run.out.find(fact), std::string::npos) << "no " << fact << " in\n" << run.out;
    }
    for (const char *fact : {"\n  PCI address", "copy engines", "managed memory", "Per grid"})
        EXPECT_EQ(run.out.find(fact), std::string::npos) << fact << " in\n" << run.out;
}

TEST(DeviceQuery, EveryDeviceIsListedOrTheOneAskedFor) {
    NEEDS_DEVICE();
    Environment two = {{"LAB_CPU_DEVICE_COUNT", "2"}};
    size_t count = kCpuDevice ? 2 : static_cast<size_t>(visible_devices());
    LessonRun all = run_lesson("01_device_query", kQuick, two);
    expect_success("01_device_query", all);
    EXPECT_EQ(count_of(all.out, "\nDevice "), count);
    LessonRun one = run_lesson("01_device_query", quick({"--device=0"}), two);
    expect_success("01_device_query", one);
    EXPECT_EQ(count_of(one.out, "\nDevice "), 1u);
    EXPECT_NE(one.out.find("\nDevice 0:"), std::string::npos);
    if (count < 2) return;
    LessonRun last = run_lesson("01_device_query", quick({"--device", "1"}), two);
    expect_success("01_device_query", last);
    EXPECT_EQ(count_of(last.out, "\nDevice "), 1u);
    EXPECT_NE(last.out.find("\nDevice 1:"), std::string::npos);
}

TEST(DeviceQuery, JsonHoldsNumbersAndNullForWhatIsNotReported) {
    NEEDS_DEVICE();
    std::string path = fresh_folder() + "/query.json";
    LessonRun run = run_lesson("01_device_query", quick({"--json", path}));
    expect_success("01_device_query", run);
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    ASSERT_TRUE(cJSON_IsNumber(json.at({"device_count"})));
    const cJSON *devices = json.at({"devices"});
    ASSERT_TRUE(cJSON_IsArray(devices));
    EXPECT_EQ(cJSON_GetArraySize(devices), json.at({"device_count"})->valueint);
    const cJSON *first = cJSON_GetArrayItem(devices, 0);
    auto number = [&](const char *key) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(first, key);
        EXPECT_TRUE(cJSON_IsNumber(item)) << key;
        return cJSON_IsNumber(item) ? item->valuedouble : -1;
    };
    EXPECT_EQ(number("warp_size"), 32);
    EXPECT_EQ(number("max_grid_dim_y"), 65535);
    EXPECT_GE(number("compute_capability_major"), 1);
    EXPECT_GE(number("compute_capability_minor"), 0);
    EXPECT_GT(number("total_memory_bytes"), 0);
    if (kCpuDevice) {
        for (const char *key :
             {"clock_khz", "memory_clock_khz", "memory_bus_bits", "bandwidth_theoretical_gbps"}) {
            EXPECT_TRUE(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(first, key))) << key;
        }
        EXPECT_EQ(count_of(run.out, "not reported"), 2u); // of the basic facts
    }
}

TEST(DeviceQuery, NoDeviceIsExplainedAndRecorded) {
    std::string path = fresh_folder() + "/none.json";
    Environment none = kCpuDevice ? Environment{{"LAB_CPU_DEVICE_COUNT", "0"}}
                                  : Environment{{"CUDA_VISIBLE_DEVICES", "-1"}};
    LessonRun run = run_lesson("01_device_query", quick({"--json", path}), none);
    expect_well_behaved(run);
    EXPECT_EQ(run.status, 3) << run.all();
    EXPECT_NE(run.out.find("Why: "), std::string::npos) << run.all();
    EXPECT_NE(run.out.find("What to do: "), std::string::npos) << run.all();
    Json json(read_file(path));
    ASSERT_NE(json.root(), nullptr);
    EXPECT_EQ(json.at({"device_count"})->valueint, 0);
    EXPECT_TRUE(cJSON_IsString(json.at({"reason"})));
}

TEST(DeviceQuery, VisibleDevicesVariableIsShownWithItsEffect) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("01_device_query", kQuick, {{"CUDA_VISIBLE_DEVICES", "0"}});
    expect_success("01_device_query", run);
    EXPECT_NE(run.out.find("\"0\""), std::string::npos) << run.out;
    run = run_lesson("01_device_query", kQuick, {{"CUDA_VISIBLE_DEVICES", kUnset}});
    expect_success("01_device_query", run);
    EXPECT_NE(run.out.find("not set"), std::string::npos) << run.out;
    run = run_lesson("01_device_query", kQuick, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}});
    expect_success("01_device_query", run);
    EXPECT_NE(run.out.find("PCI_BUS_ID"), std::string::npos) << run.out;
}

TEST(DeviceQuery, TheDeviceOptionTakesAUuid) {
    NEEDS_DEVICE();
    LessonRun run = run_lesson("01_device_query", quick({"--device", "0", "--all"}));
    size_t at = run.out.find("GPU-");
    ASSERT_NE(at, std::string::npos);
    LessonRun chosen = run_lesson("01_device_query", quick({"--device", run.out.substr(at, 40)}));
    expect_success("01_device_query", chosen);
    EXPECT_NE(chosen.out.find("\nDevice 0:"), std::string::npos);
}

TEST(DeviceQuery, HiddenGpusAreCalledHidden) {
    if (kCpuDevice) GTEST_SKIP() << "CUDA_VISIBLE_DEVICES is about GPUs";
    NEEDS_DEVICE();
    for (const char *value : {"", "-1", "999"}) {
        SCOPED_TRACE(value);
        LessonRun run = run_lesson("01_device_query", kQuick, {{"CUDA_VISIBLE_DEVICES", value}});
        EXPECT_EQ(run.status, 3);
        EXPECT_NE(run.out.find("hidden by CUDA_VISIBLE_DEVICES"), std::string::npos) << run.out;
        EXPECT_EQ(run.out.find("install"), std::string::npos) << run.out;
    }
}

TEST(DeviceQuery, ADeviceCanBeChosenByItsUuid) {
    if (kCpuDevice) GTEST_SKIP() << "the CPU device does not read CUDA_VISIBLE_DEVICES";
    NEEDS_DEVICE();
    LessonRun run = run_lesson("01_device_query", quick({"--all"}));
    size_t at = run.out.find("GPU-");
    ASSERT_NE(at, std::string::npos);
    std::string uuid = run.out.substr(at, 40);
    LessonRun chosen =
        run_lesson("01_device_query", quick({"--all"}), {{"CUDA_VISIBLE_DEVICES", uuid}});
    expect_success("01_device_query", chosen);
    EXPECT_EQ(count_of(chosen.out, "\nDevice "), 1u);
    EXPECT_NE(chosen.out.find(uuid), std::string::npos);
}

TEST(DeviceQuery, FullMemoryIsNoReasonToFail) {
    if (!kCpuDevice) GTEST_SKIP() << "only the CPU device can be made small";
    LessonRun run =
        run_lesson("01_device_query", {"--n", "64000000"}, {{"LAB_CPU_DEVICE_MEMORY", "67108864"}});
    expect_well_behaved(run);
    EXPECT_EQ(run.status, 0) << run.all();
    EXPECT_NE(run.out.find("not measured: out of memory"), std::string::npos) << run.out;
}
