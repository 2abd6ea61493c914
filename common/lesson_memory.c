/* Checks that a lesson's arrays fit. See lesson_memory.h and lesson.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/lesson_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes that this process can still have, from a file of one number or "max". */
static bool read_number(const char *path, double *value) {
    FILE *file = fopen(path, "r");
    bool found = file != NULL && fscanf(file, "%lf", value) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* Host memory that can still be had: what the system has, or the container's
 * limit leaves. Huge if neither is known. */
static double host_memory(void) {
    double available = 1e18, limit, used;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        double kib;
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1) {
            available = kib * 1024;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (read_number("/sys/fs/cgroup/memory.max", &limit) &&
        read_number("/sys/fs/cgroup/memory.current", &used)) {
        available = fmin(available, fmax(limit - used, 0));
    }
    return available;
}

/* The size that the student gave, as options: "--rows 3 --cols 4". */
static const char *size_given(const Lesson *lesson, size_t n) {
    const Options *options = &lesson->options;
    if (lesson->spec->rows > 0 && lesson->spec->cols > 0) {
        return text_format("--rows %zu --cols %zu", options->rows, options->cols);
    }
    return text_format("--n %zu", lesson->spec->n > 0 ? options->n : n);
}

static bool refuse_size(const Lesson *lesson, size_t n, const char *where, double needed,
                        double available, double each) {
    double most = each > 0 ? floor(available / each) : 0;
    fflush(stdout);
    fprintf(stderr, "%s: %s: %s elements need %s of %s, and %s are free: at most %s elements fit\n",
            lesson->name, size_given(lesson, n), text_count(n), text_bytes(needed), where,
            text_bytes(available), text_count((uint64_t)most));
    return false;
}

static const char *device_memory_name(const Lesson *lesson) {
    return lesson->on_cpu_device ? "the CPU device's memory" : "device memory";
}

/* Bytes that a lesson's arrays can have. The rest is for small arrays, for the driver,
 * and for what allocations are rounded up by. */
static double device_memory(const Lesson *lesson) {
    double spare = fmin((double)lesson->free_bytes / 16, 64.0 * (1 << 20));
    return (double)lesson->free_bytes - spare;
}

static bool check_least(const Lesson *lesson) {
    double least = (double)lesson->spec->device_bytes_least;
    if (least <= device_memory(lesson)) {
        return true;
    }
    fflush(stdout);
    fprintf(stderr,
            "%s: not enough device memory: this lesson needs %s of %s at least, and has %s "
            "of %s\n",
            lesson->name, text_bytes(least), device_memory_name(lesson),
            text_bytes(device_memory(lesson)), text_bytes((double)lesson->total_bytes));
    return false;
}

static bool check_size(const Lesson *lesson, size_t n, size_t device_bytes_each,
                       size_t host_bytes_each) {
    /* In double: 10^24 bytes must compare right, the last digit need not. */
    double on_device = (double)n * (double)device_bytes_each;
    double on_host = (double)n * (double)host_bytes_each;
    double device_free = device_memory(lesson), host_free = host_memory();
    if (on_device > device_free) {
        return refuse_size(lesson, n, device_memory_name(lesson), on_device, device_free,
                           (double)device_bytes_each);
    }
    if (lesson->on_cpu_device) { /* its memory is the host's */
        on_host += on_device;
        host_bytes_each += device_bytes_each;
    }
    return on_host <= host_free ||
           refuse_size(lesson, n, "host memory", on_host, host_free, (double)host_bytes_each);
}

bool lesson_check_memory(Lesson *lesson, size_t n, size_t device_bytes_each,
                         size_t host_bytes_each) {
    if (check_size(lesson, n, device_bytes_each, host_bytes_each)) {
        return true;
    }
    lesson->status = LESSON_BAD_OPTION;
    return false;
}

/* True if the arrays take at most 80 % of free device memory and half of the host's RAM. */
static bool default_fits(const Lesson *lesson, size_t n) {
    double host_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double on_device = (double)n * (double)lesson->spec->device_bytes_each;
    double on_host = (double)n * (double)lesson->spec->host_bytes_each;
    return on_device <= 0.8 * (double)lesson->free_bytes && on_host <= 0.5 * host_bytes;
}

/* Divides the default size by 10 until it fits: the columns of a matrix, else n. */
static void fit_default(Lesson *lesson) {
    Options *options = &lesson->options;
    bool matrix = lesson->spec->cols > 0;
    size_t rows = matrix ? options->rows : 1;
    size_t given = matrix ? options->cols : options->n, fitting = given;
    while (fitting > 10 && !default_fits(lesson, rows * fitting)) {
        fitting /= 10;
    }
    if (fitting == given) {
        return;
    }
    printf("   (The default size, %s%s%s, does not fit into this memory: %s %s instead.)\n",
           matrix ? text_count(rows) : "", matrix ? " x " : "", text_count(given),
           text_count(fitting), matrix ? "columns" : "elements");
    if (matrix) {
        options->cols = fitting;
    }
    options->n = rows * fitting;
}

bool lesson_fit_memory(Lesson *lesson) {
    const LessonSpec *spec = lesson->spec;
    if (!check_least(lesson)) {
        return false;
    }
    if (spec->device_bytes_each == 0 && spec->host_bytes_each == 0) {
        return true; /* it has no arrays, or checks them itself */
    }
    if (!lesson->options.sizes_given) {
        fit_default(lesson);
    }
    return check_size(lesson, lesson->options.n, spec->device_bytes_each, spec->host_bytes_each);
}

void *lesson_host_memory(const Lesson *lesson, size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fflush(stdout);
        fprintf(stderr, "%s: no host memory for an array of %s\n", lesson->name,
                text_bytes((double)bytes));
        exit(LESSON_WRONG);
    }
    return memory;
}
