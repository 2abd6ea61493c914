/* SPDX-License-Identifier: Apache-2.0 */
/* Why a program sees the GPUs that it sees; see 01_device_visibility.h. */
#include "lessons/parts/01_device_visibility.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LAB_CPU_DEVICE
enum { ON_CPU_DEVICE = 1 };
#else
enum { ON_CPU_DEVICE = 0 };
#endif

int device_visibility_known_gpus(void) {
    DIR *folder = opendir("/proc/driver/nvidia/gpus");
    if (folder == NULL) return -1;
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') count++;
    }
    closedir(folder);
    return count;
}

DeviceVisibility device_visibility_find(cudaError_t status, int visible_count) {
    DeviceVisibility found = {.cpu_device = ON_CPU_DEVICE, .status = status};
    if (status == cudaSuccess) found.visible_count = visible_count;
    if (cudaDriverGetVersion(&found.driver_version) != cudaSuccess) found.driver_version = 0;
    if (cudaRuntimeGetVersion(&found.runtime_version) != cudaSuccess) found.runtime_version = 0;
    cudaGetLastError(); /* kept in status; the next caller must not inherit it */
    found.known_gpus = device_visibility_known_gpus();
    found.visible = getenv("CUDA_VISIBLE_DEVICES");
    found.order = getenv("CUDA_DEVICE_ORDER");
    return found;
}

/* Entries of the list and how many of them are MIG slices. */
static int count_entries(const char *list, int *mig_slices) {
    int entries = 0;
    *mig_slices = 0;
    for (const char *entry = list; entry != NULL && *entry != '\0';) {
        entries++;
        if (strncmp(entry, "MIG-", 4) == 0) ++*mig_slices;
        entry = strchr(entry, ',');
        if (entry != NULL) entry++;
    }
    return entries;
}

static void known_text(int known_gpus, char *text, size_t size) {
    text[0] = '\0';
    if (known_gpus >= 0) {
        snprintf(text, size, " of the %d that the driver knows", known_gpus);
    }
}

void device_visibility_describe(const DeviceVisibility *found, char *text, size_t size) {
    const char *list = found->visible;
    char known[64];
    int mig_slices = 0;
    int entries = count_entries(list, &mig_slices);
    known_text(found->known_gpus, known, sizeof known);

    if (found->cpu_device) {
        snprintf(text, size, "%s%s%s: about GPUs only; the CPU\ndevice reads LAB_CPU_DEVICE_COUNT",
                 list != NULL ? "\"" : "not set", list != NULL ? list : "",
                 list != NULL ? "\"" : "");
    } else if (list == NULL && found->visible_count == 0) {
        snprintf(text, size, "not set: it hides nothing");
    } else if (list == NULL) {
        snprintf(text, size, "not set: every GPU is visible\n(%d%s)", found->visible_count, known);
    } else if (entries == 0) {
        snprintf(text, size, "set, but empty: this hides every GPU");
    } else if (found->visible_count == 0) {
        snprintf(text, size, "\"%s\": its first entry names no GPU,\nwhich hides every GPU", list);
    } else if (found->visible_count < entries && mig_slices > 1) {
        snprintf(text, size, "\"%s\":\n%d of %d visible, MIG limit: a process uses one slice only",
                 list, found->visible_count, entries);
    } else if (found->visible_count < entries) {
        snprintf(text, size,
                 "\"%s\": %d of %d visible: an entry that\n"
                 "names no GPU hides itself and all that follow",
                 list, found->visible_count, entries);
    } else {
        snprintf(text, size,
                 "\"%s\":\n%d visible%s;\ndevice 0 here is the first entry of that list", list,
                 found->visible_count, known);
    }
}

void device_visibility_describe_order(const DeviceVisibility *found, char *text, size_t size) {
    if (found->cpu_device) {
        snprintf(text, size, "%s: no effect on the CPU device",
                 found->order != NULL ? found->order : "not set");
    } else if (found->order == NULL || strcmp(found->order, "FASTEST_FIRST") == 0) {
        snprintf(text, size, "%s: the fastest GPU is device 0\n(nvidia-smi counts by PCI address)",
                 found->order != NULL ? found->order : "not set");
    } else if (strcmp(found->order, "PCI_BUS_ID") == 0) {
        snprintf(text, size, "PCI_BUS_ID: counted by PCI address, as nvidia-smi does");
    } else {
        snprintf(text, size, "\"%s\": unknown;\nCUDA knows FASTEST_FIRST and PCI_BUS_ID",
                 found->order);
    }
}

static const char USE_THE_CPU_DEVICE[] =
    "or use the CPU device meanwhile: bazel run --config=cpu //lessons:01_device_query";

void device_visibility_explain_none(const DeviceVisibility *found, char *text, size_t size) {
    char driver[32], runtime[32];
    snprintf(driver, sizeof driver, "%d.%d", found->driver_version / 1000,
             found->driver_version % 1000 / 10);
    snprintf(runtime, sizeof runtime, "%d.%d", found->runtime_version / 1000,
             found->runtime_version % 1000 / 10);

    if (found->cpu_device) {
        snprintf(text, size,
                 "Why: this program was built for the CPU device, and LAB_CPU_DEVICE_COUNT "
                 "leaves none.\n"
                 "What to do: unset LAB_CPU_DEVICE_COUNT, or set it to 1 or more.");
    } else if (found->visible != NULL && found->driver_version > 0 &&
               (found->status == cudaErrorNoDevice || found->status == cudaErrorInvalidDevice ||
                found->status == cudaSuccess)) {
        char known[64];
        known_text(found->known_gpus, known, sizeof known);
        snprintf(text, size,
                 "Why: hidden by CUDA_VISIBLE_DEVICES, which is \"%s\":\n0 GPUs are visible%s.\n"
                 "What to do: unset CUDA_VISIBLE_DEVICES, or set it to an ordinal or UUID of\n"
                 "nvidia-smi -L.",
                 found->visible, known);
    } else if (found->status == cudaErrorInsufficientDriver && found->driver_version == 0) {
        snprintf(text, size,
                 "Why: no NVIDIA driver was found (libcuda.so.1 is missing or does not "
                 "answer).\n"
                 "What to do: install the driver (in a container: start it with --gpus "
                 "all; in WSL:\n"
                 "install the driver in Windows, none in Linux), see bazel run "
                 "//bazel:doctor,\n%s",
                 USE_THE_CPU_DEVICE);
    } else if (found->status == cudaErrorInsufficientDriver) {
        snprintf(text, size,
                 "Why: the driver is too old: it supports CUDA up to %s, this program was "
                 "built with\n"
                 "CUDA %s.\nWhat to do: update the driver, build with a toolkit of at most "
                 "%s,\n%s",
                 driver, runtime, driver, USE_THE_CPU_DEVICE);
    } else if (found->status == cudaErrorNoDevice || found->status == cudaSuccess) {
        snprintf(text, size,
                 "Why: a driver (CUDA %s) is installed, but it finds no GPU.\n"
                 "What to do: does nvidia-smi list one? In a container: start it with "
                 "--gpus all;\n%s",
                 driver, USE_THE_CPU_DEVICE);
    } else {
        snprintf(text, size,
                 "Why: the driver answers %d %s: %s.\n"
                 "What to do: see what nvidia-smi says, and bazel run //bazel:doctor;\n%s",
                 (int)found->status, cudaGetErrorName(found->status),
                 cudaGetErrorString(found->status), USE_THE_CPU_DEVICE);
    }
}

static void print_version(Record *record, const char *label, const char *key, int version) {
    char text[32] = "not reported";
    if (version > 0) snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    printf("  %-38s %s\n", label, text);
    record_text(record, key, version > 0 ? text : NULL);
}

/* Text of one or more lines: the first beside the label, the others below it. */
static void print_text(const char *label, const char *text) {
    for (const char *line = text; line != NULL; label = "") {
        size_t length = strcspn(line, "\n");
        printf("  %-38s %.*s\n", label, (int)length, line);
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
}

void device_visibility_print(const DeviceVisibility *found, Record *record) {
    char text[512];
    printf("\nSoftware and environment\n");
    print_version(record, "driver: supports CUDA up to", "driver_version", found->driver_version);
    print_version(record, "runtime: this program was built with", "runtime_version",
                  found->runtime_version);
    device_visibility_describe(found, text, sizeof text);
    print_text("CUDA_VISIBLE_DEVICES", text);
    device_visibility_describe_order(found, text, sizeof text);
    print_text("CUDA_DEVICE_ORDER", text);
    record_text(record, "cuda_visible_devices", found->visible);
    record_text(record, "cuda_device_order", found->order);
}
