/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bazel/doctor/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The driver API's attribute numbers, which never change. */
enum { ATTRIBUTE_CAPABILITY_MAJOR = 75, ATTRIBUTE_CAPABILITY_MINOR = 76 };

typedef struct {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*device)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
} DriverApi;

static int find_functions(void *library, DriverApi *api) {
    /* POSIX promises that the pointer dlsym returns may be a function's. */
    *(void **)&api->init = dlsym(library, "cuInit");
    *(void **)&api->version = dlsym(library, "cuDriverGetVersion");
    *(void **)&api->count = dlsym(library, "cuDeviceGetCount");
    *(void **)&api->device = dlsym(library, "cuDeviceGet");
    *(void **)&api->name = dlsym(library, "cuDeviceGetName");
    *(void **)&api->attribute = dlsym(library, "cuDeviceGetAttribute");
    return api->init && api->version && api->count && api->device && api->name && api->attribute;
}

static void note_library(Driver *driver, void *library) {
    struct link_map *map = NULL;
    char real[4096];
    const char *path = "libcuda.so.1";
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0]) path = map->l_name;
    if (realpath(path, real)) path = real;
    snprintf(driver->library, sizeof driver->library, "%.*s", DRIVER_TEXT - 1, path);
}

static void list_gpus(Driver *driver, const DriverApi *api) {
    int count = 0;
    if (api->count(&count) != 0) return;
    if (count > DRIVER_MAX_GPUS) count = DRIVER_MAX_GPUS;
    for (int i = 0; i < count; i++) {
        DriverGpu *gpu = &driver->gpus[driver->gpu_count];
        int device = 0;
        if (api->device(&device, i) != 0) continue;
        if (api->name(gpu->name, sizeof gpu->name, device) != 0) strcpy(gpu->name, "GPU");
        api->attribute(&gpu->capability_major, ATTRIBUTE_CAPABILITY_MAJOR, device);
        api->attribute(&gpu->capability_minor, ATTRIBUTE_CAPABILITY_MINOR, device);
        driver->gpu_count++;
    }
}

static void ask_here(Driver *driver) {
    DriverApi api;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(driver->library, sizeof driver->library, "%s", why ? why : "not found");
        return;
    }
    note_library(driver, library);
    if (!find_functions(library, &api)) return;
    driver->loaded = 1;
    if (api.version(&driver->version) != 0) driver->version = 0;
    driver->init_error = api.init(0);
    if (driver->init_error == 0) list_gpus(driver, &api);
}

static int read_all(int fd, void *buffer, size_t size) {
    char *to = buffer;
    while (size > 0) {
        ssize_t got = read(fd, to, size);
        if (got <= 0) return -1;
        to += got;
        size -= (size_t)got;
    }
    return 0;
}

int driver_ask(Driver *driver, int ignore_visibility) {
    int ends[2], status = 0;
    memset(driver, 0, sizeof *driver);
    fflush(NULL);
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        if (ignore_visibility) unsetenv("CUDA_VISIBLE_DEVICES");
        ask_here(driver);
        _exit(write(ends[1], driver, sizeof *driver) == (ssize_t)sizeof *driver ? 0 : 1);
    }
    close(ends[1]);
    int failed = child < 0 || read_all(ends[0], driver, sizeof *driver) != 0;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    if (!failed) return 0;
    memset(driver, 0, sizeof *driver);
    return -1;
}
