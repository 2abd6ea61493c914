/* What the CUDA driver says, asked through libcuda.so.1 without linking it: the doctor
 * must run where there is none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BAZEL_DOCTOR_DRIVER_H
#define BAZEL_DOCTOR_DRIVER_H

enum { DRIVER_MAX_GPUS = 16, DRIVER_TEXT = 512 };

typedef struct {
    char name[96];
    int capability_major, capability_minor;
} DriverGpu;

typedef struct {
    int loaded;                /* libcuda.so.1 was found and is usable at all */
    char library[DRIVER_TEXT]; /* where it lies; if not loaded, what dlopen said */
    int version;               /* newest CUDA that it supports, as 13000; 0: it does not tell */
    int init_error;            /* cuInit's status, 0 for success */
    int gpu_count;
    DriverGpu gpus[DRIVER_MAX_GPUS];
} Driver;

/* Asks the driver in a process of its own, so that the two calls cannot disturb each other.
 * ignore_visibility: as if CUDA_VISIBLE_DEVICES were not set.
 * Returns 0, or -1 if that process could not be made or crashed inside the driver. */
int driver_ask(Driver *driver, int ignore_visibility);

#endif
