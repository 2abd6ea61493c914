/* Checks that there is a device that this program can run on. See lesson.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bazel/build_info.h"
#include "common/check.h"
#include "common/lesson.h"

/* True if the computer has an NVIDIA GPU, whatever CUDA says. */
static bool gpu_file_exists(void) {
    return access("/dev/nvidia0", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0 ||
           access("/dev/dxg", F_OK) == 0;
}

/* 12040 as "12.4" */
static const char *text_version(int version) {
    return text_format("%d.%d", version / 1000, version % 1000 / 10);
}

static void say_driver(TextBuffer *text) {
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0) {
        text_append(text,
                    "no NVIDIA driver was found, and toolkit %s, which this program was built "
                    "with, needs one",
                    text_version(runtime));
        if (gpu_file_exists()) {
            text_append(text, " (there is a GPU: is libcuda.so.1 in the library path?)");
        }
    } else {
        text_append(text,
                    "the NVIDIA driver supports CUDA up to %s, but this program was built with "
                    "toolkit %s: update the driver, or build with an older toolkit",
                    text_version(driver), text_version(runtime));
    }
}

/* Null where nothing is asked for, and on the CPU device, which does not heed it. */
static const char *visible_devices(void) {
#ifdef LAB_CPU_DEVICE
    return NULL;
#else
    return getenv("CUDA_VISIBLE_DEVICES");
#endif
}

#ifdef LAB_CPU_DEVICE
static void say_no_device(TextBuffer *text) {
    text_append(text,
                "this program was built for the CPU device, and LAB_CPU_DEVICE_COUNT=0 leaves "
                "none; unset it, or set it to 1 or more");
}
#else
static void say_no_device(TextBuffer *text) {
    const char *visible = visible_devices();
    if (visible != NULL) {
        text_append(text,
                    "every device is hidden by CUDA_VISIBLE_DEVICES=\"%s\"; unset it, or name "
                    "a device that nvidia-smi -L lists",
                    visible);
    } else if (gpu_file_exists()) {
        text_append(text,
                    "the driver reports no device, though this computer has one: see "
                    "nvidia-smi, and `bazel run //bazel:doctor`");
    } else {
        text_append(text, "this computer has no NVIDIA GPU that CUDA can use");
    }
}
#endif

size_t device_preflight(char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) {
        return 0;
    }
    (void)cudaGetLastError();
    text_append(&buffer, "no device to run on: ");
    if (status == cudaErrorInsufficientDriver) {
        say_driver(&buffer);
    } else if (status == cudaErrorNoDevice || status == cudaSuccess) {
        say_no_device(&buffer);
    } else {
        text_append(&buffer, "CUDA error %d, %s: %s. %s", (int)status, cudaGetErrorName(status),
                    cudaGetErrorString(status), cuda_error_advice(status));
    }
#ifndef LAB_CPU_DEVICE
    text_append(&buffer, ". Every program here also runs without a GPU: bazel run --config=cpu …");
#endif
    return buffer.length;
}

/* --- Code for this GPU --- */

/* Reads "sm_80" or "compute_80a" at *at and goes past it. False at the end. */
static bool next_arch(const char **at, bool *is_ptx, int *version, bool *exact) {
    const char *start = *at + strspn(*at, " ,");
    size_t length = strcspn(start, " ,");
    if (length == 0) {
        return false;
    }
    const char *number = memchr(start, '_', length);
    *is_ptx = strncmp(start, "compute", 7) == 0;
    *version = number != NULL ? atoi(number + 1) : 0;
    *exact = isalpha((unsigned char)start[length - 1]) != 0; /* sm_90a runs on 9.0 only */
    *at = start + length;
    return true;
}

size_t device_code_check(const char *archs, const char *toolkit, int major, int minor, int driver,
                         char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    int device = 10 * major + minor;
    bool machine_code = false, ptx = false, is_ptx, exact;
    int version, toolkit_major = 0, toolkit_minor = 0;
    const char *at = archs;
    while (next_arch(&at, &is_ptx, &version, &exact)) {
        bool fits = exact    ? version == device
                    : is_ptx ? version <= device
                             : version / 10 == major && version % 10 <= minor;
        machine_code = machine_code || (fits && !is_ptx);
        ptx = ptx || (fits && is_ptx);
    }
    if (archs[0] == '\0' || machine_code) {
        return 0;
    }
    if (!ptx) {
        text_append(&buffer,
                    "this program holds code for %s, and none for this device, which has "
                    "compute capability %d.%d: build it with --archs=sm_%d",
                    archs, major, minor, device);
        return buffer.length;
    }
    bool known = sscanf(toolkit, "%d.%d", &toolkit_major, &toolkit_minor) == 2;
    if (known && driver > 0 && driver < 1000 * toolkit_major + 10 * toolkit_minor) {
        text_append(&buffer,
                    "for this device the program holds only PTX, made by toolkit %s, and the "
                    "driver understands CUDA up to %s: update the driver, or build with "
                    "--archs=sm_%d",
                    toolkit, text_version(driver), device);
    }
    return buffer.length;
}

/* --- Finding a device --- */

static void append_uuid(TextBuffer *text, const cudaUUID_t *uuid) {
    const unsigned char *bytes = (const unsigned char *)uuid->bytes;
    for (int i = 0; i < 16; ++i) {
        text_append(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
    }
}

static void list_devices(int count, TextBuffer *text) {
    struct cudaDeviceProp properties;
    text_append(text, count == 1 ? "there is 1 device" : "there are %d devices", count);
    for (int device = 0; device < count; ++device) {
        if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
            continue;
        }
        text_append(text, "%s %d (%s, GPU-", device == 0 ? ":" : ",", device, properties.name);
        append_uuid(text, &properties.uuid);
        text_append(text, ")");
    }
    const char *visible = visible_devices();
    if (visible != NULL) {
        text_append(text, "; CUDA_VISIBLE_DEVICES=\"%s\" may hide others", visible);
    }
}

/* Devices whose UUID begins with `text`, with or without "GPU-" or "MIG-". */
static int find_uuid(const char *text, int count, int *device) {
    int found = 0;
    if (strncasecmp(text, "GPU-", 4) == 0 || strncasecmp(text, "MIG-", 4) == 0) {
        text += 4;
    }
    for (int i = 0; i < count && *text != '\0'; ++i) {
        struct cudaDeviceProp properties;
        char uuid[40];
        TextBuffer buffer = text_buffer(uuid, sizeof uuid);
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
            continue;
        }
        append_uuid(&buffer, &properties.uuid);
        if (strncasecmp(uuid, text, strlen(text)) == 0) {
            *device = i;
            ++found;
        }
    }
    return found;
}

bool device_find(const char *text, int *device, char *message, size_t size) {
    TextBuffer buffer = text_buffer(message, size);
    int count = 0;
    uint64_t ordinal;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        count = 0;
    }
    bool digits = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    if (digits && strlen(text) < 8) {
        if (count > 0 && parse_size(text, 0, (uint64_t)count - 1, &ordinal)) {
            *device = (int)ordinal;
            return true;
        }
        text_append(&buffer, "--device %s: no such device; ", text);
    } else {
        int found = find_uuid(text, count, device);
        if (found == 1) {
            return true;
        }
        text_append(&buffer,
                    found > 1 ? "--device \"%s\" fits several devices; "
                              : "--device \"%s\": neither the number nor the UUID of a "
                                "device; ",
                    text);
    }
    list_devices(count, &buffer);
    return false;
}
