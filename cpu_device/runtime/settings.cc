/* What the environment asks of the CPU device; docs/cpu_device.md lists the variables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

[[noreturn]] void bad_setting(const char *name, const char *value, const char *allowed) {
    fprintf(stderr, "CPU device: %s=%s: must be %s\n", name, value, allowed);
    exit(2);
}

/* The variables that have been asked for: all that there are, in the end. */
std::vector<std::string> &known_names() {
    static auto &names = *new std::vector<std::string>();
    return names;
}

const char *value_of(const char *name) {
    known_names().push_back(name);
    return getenv(name);
}

/* A misspelt name would be as if nothing were set. */
void refuse_unknown_names() {
    static const std::string prefix = "LAB_CPU_DEVICE_";
    for (char **entry = environ; *entry; ++entry) {
        const std::string name(*entry, strcspn(*entry, "="));
        const auto &known = known_names();
        if (name.compare(0, prefix.size(), prefix) != 0 ||
            std::count(known.begin(), known.end(), name))
            continue;
        fprintf(stderr, "CPU device: %s: there is no such setting. These there are:", name.c_str());
        for (const std::string &n : known)
            fprintf(stderr, "%s %s", &n == &known[0] ? "" : ",", n.c_str());
        fprintf(stderr, "\n");
        exit(2);
    }
}

/* A whole number of [low, high] from the environment, with K, M or G behind it where
 * `suffixes`; `otherwise` where it is not set. */
uint64_t number(const char *name, uint64_t otherwise, uint64_t low, uint64_t high, bool suffixes,
                const char *allowed) {
    const char *text = value_of(name);
    if (!text || !*text) return otherwise;
    char *end = nullptr;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    int shift = 0;
    if (suffixes && *end) {
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : -1;
        ++end;
    }
    const bool digits = text[0] >= '0' && text[0] <= '9';
    if (!digits || errno || shift < 0 || *end || value > (UINT64_MAX >> shift) ||
        (value << shift) < low || (value << shift) > high)
        bad_setting(name, text, allowed);
    return value << shift;
}

uint64_t number_in_file(const char *path) {
    FILE *file = fopen(path, "r");
    unsigned long long value = 0;
    if (!file) return 0;
    if (fscanf(file, "%llu", &value) != 1) value = 0;
    fclose(file);
    return value;
}

/* Half of the memory that this process may use, in whole megabytes. */
size_t default_memory_size() {
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t limit = number_in_file("/sys/fs/cgroup/memory.max");
    if (limit && limit < bytes) bytes = limit;
    return bytes / 2 / (1 << 20) * (1 << 20);
}

unsigned usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

Settings read_settings() {
    Settings s;
    s.device_count = (int)number("LAB_CPU_DEVICE_COUNT", 1, 0, 16, false, "a number of 0 to 16");
    s.memory_size = number("LAB_CPU_DEVICE_MEMORY", default_memory_size(), 1 << 20, 1ull << 40,
                           true, "a size of 1M to 1024G, such as 512M or 2G");
    s.threads = (unsigned)number("LAB_CPU_DEVICE_THREADS", usable_cores(), 1, 1024, false,
                                 "a number of 1 to 1024");
    s.quiet = number("LAB_CPU_DEVICE_QUIET", 0, 0, 1, false, "0 or 1") != 0;
    s.poison = number("LAB_CPU_DEVICE_POISON", 1, 0, 1, false, "0 or 1") != 0;
    s.background_ms = (unsigned)number("LAB_CPU_DEVICE_BACKGROUND_MS", 200, 0, 3600000, false,
                                       "a number of milliseconds of 0 to 3600000 (0: never)");
    s.time_limit_ms = 1000.0 * (double)number("LAB_CPU_DEVICE_TIME_LIMIT", 60, 0, 1000000, false,
                                              "a number of seconds of 0 to 1000000 (0: no limit)");
    s.repeat_limit = number("LAB_CPU_DEVICE_REPEAT_LIMIT", 0, 0, UINT64_MAX, false,
                            "a number of launches of 0 to 18446744073709551615 (0: no limit)");
    s.seed = number("LAB_CPU_DEVICE_SEED", 0, 0, UINT64_MAX, false,
                    "a number of 0 to 18446744073709551615 (0: in order)");
    s.fail_at = 0;
    const char *fail = value_of("LAB_CPU_DEVICE_FAIL");
    if (fail && *fail) {
        const char *colon = strchr(fail, ':');
        char *end = nullptr;
        s.fail_kind = colon ? std::string(fail, colon) : std::string();
        const bool known =
            s.fail_kind == "malloc" || s.fail_kind == "copy" || s.fail_kind == "launch";
        s.fail_at = known && colon[1] >= '0' && colon[1] <= '9' ? strtoull(colon + 1, &end, 10) : 0;
        if (!s.fail_at || *end)
            bad_setting("LAB_CPU_DEVICE_FAIL", fail,
                        "malloc:K, copy:K or launch:K with K of 1 or more");
    }
    refuse_unknown_names();
    return s;
}

} // namespace

const Settings &settings() {
    static const Settings &s = *new Settings(read_settings());
    return s;
}

bool injected_failure(const char *kind) {
    static std::atomic<uint64_t> calls{0};
    const Settings &s = settings();
    return s.fail_at && s.fail_kind == kind && ++calls == s.fail_at;
}

} // namespace cpu_device
