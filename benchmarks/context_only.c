/* SPDX-License-Identifier: Apache-2.0 */
/* From the start of the process to a context on the device, and nothing else: the
 * least that a CUDA program can take. first_result is held against it.
 *
 * Run by compare_cupy.py, as first_result.c says. Prints one JSON object. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/check.h"

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void) {
    const double main_ms = clock_ms();
    const char *given = getenv("LAB_BENCH_START_NS");
    const double start_ms = given != NULL ? strtod(given, NULL) * 1e-6 : main_ms;
    CUDA_CHECK(cudaFree(NULL)); /* makes the context */
    printf("{\"since\": \"%s\", \"context_ms\": %.3f}\n", given != NULL ? "process start" : "main",
           clock_ms() - start_ms);
    return 0;
}
