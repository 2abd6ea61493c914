/* SPDX-License-Identifier: Apache-2.0 */
/* See default_size.h. */
#include "common/default_size.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Leaves a fifth of the device for its own needs, and half of the host. */
static bool fits(const Lesson *lesson, size_t cols, size_t device_bytes_each,
                 size_t host_bytes_each) {
    double n = (double)lesson->options.rows * (double)cols;
    double host_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return n * (double)device_bytes_each <= 0.8 * (double)lesson->free_bytes &&
           n * (double)host_bytes_each <= 0.5 * host_bytes;
}

void default_size_to_fit(Lesson *lesson, size_t device_bytes_each, size_t host_bytes_each) {
    size_t cols = lesson->options.cols;
    if (lesson->options.sizes_given || cols == 0) return;
    while (cols > 10 && !fits(lesson, cols, device_bytes_each, host_bytes_each)) cols /= 10;
    if (cols == lesson->options.cols) return;
    printf("   (The default size, %s x %s, does not fit into this memory: %s columns instead.)\n",
           text_count(lesson->options.rows), text_count(lesson->options.cols), text_count(cols));
    lesson->options.cols = cols;
    lesson->options.n = lesson->options.rows * cols;
}
