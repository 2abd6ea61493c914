/* A libcuda.so.1 that answers as its environment says:
 *   FAKE_DRIVER_VERSION  newest CUDA that it supports, such as 12040 (default 13000)
 *   FAKE_DRIVER_INIT     cuInit's status (default 0)
 *   FAKE_DRIVER_GPUS     how many GPUs (default 1), less what CUDA_VISIBLE_DEVICES hides;
 *                        "crash": the driver crashes when it is asked
 *   FAKE_DRIVER_CAPABILITY  of each GPU, such as 90 (default)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags) {
    (void)flags;
    return setting("FAKE_DRIVER_INIT", 0);
}

int cuDriverGetVersion(int *version) {
    *version = setting("FAKE_DRIVER_VERSION", 13000);
    return 0;
}

int cuDeviceGetCount(int *count) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const char *gpus = getenv("FAKE_DRIVER_GPUS");
    if (gpus && strcmp(gpus, "crash") == 0) abort();
    *count = setting("FAKE_DRIVER_GPUS", 1);
    /* Enough of the variable's rules for the tests: nothing, or a number that is too large, hides all. */
    if (visible && (*visible == '\0' || atoi(visible) < 0 || atoi(visible) >= *count)) *count = 0;
    return 0;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    int capability = setting("FAKE_DRIVER_CAPABILITY", 90);
    (void)device;
    *value = attribute == 75 ? capability / 10 : capability % 10;
    return 0;
}
