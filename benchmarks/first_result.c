/* SPDX-License-Identifier: Apache-2.0 */
/* From the start of the process to the first checked result of x + x: what a
 * student waits for. The counterpart of `peer_cupy.py first`.
 *
 * Run by compare_cupy.py, which puts the time at which it started the process
 * (CLOCK_MONOTONIC, ns) into LAB_BENCH_START_NS; without it the time counts from
 * main. Prints one JSON object. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/check.h"
#include "common/device_array.h"
#include "common/options.h"
#include "common/philox.h"
#include "kernels/tuned/elementwise.h"

enum { DEFAULT_N = 1000000 };

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    const double main_ms = clock_ms();
    const char *given = getenv("LAB_BENCH_START_NS");
    const double start_ms = given != NULL ? strtod(given, NULL) * 1e-6 : main_ms;
    uint64_t n = DEFAULT_N;
    if (argc > 2 || (argc == 2 && !parse_size(argv[1], 1, 1000000000, &n))) {
        fprintf(stderr, "usage: first_result [N], N from 1 to 1000000000\n");
        return 2;
    }

    const size_t shape[] = {(size_t)n};
    float *x = malloc(n * sizeof *x), *result = malloc(n * sizeof *result);
    if (x == NULL || result == NULL) {
        fprintf(stderr, "not enough host memory for %zu elements\n", (size_t)n);
        return 1;
    }
    philox_normal_fill(x, n, 42);
    const HostArray host_x = host_array_c(x, DTYPE_FLOAT32, 1, shape);
    HostArray host_result = host_array_c(result, DTYPE_FLOAT32, 1, shape);
    const double inputs_ms = clock_ms();

    CUDA_CHECK(cudaFree(NULL)); /* makes the context */
    const double context_ms = clock_ms();

    DeviceArray d_x = {0}, d_sum = {0};
    CUDA_CHECK(to_gpu(&d_x, &host_x));
    CUDA_CHECK(device_array_empty(&d_sum, DTYPE_FLOAT32, 1, shape));
    CUDA_CHECK(add_gpu(n, d_x.data, d_x.data, d_sum.data, 0));
    CUDA_CHECK(get(&host_result, &d_sum));
    for (size_t i = 0; i < n; ++i) {
        if (result[i] == x[i] + x[i]) continue;
        fprintf(stderr, "element %zu is %g, not %g\n", i, result[i], x[i] + x[i]);
        return 1;
    }
    const double checked_ms = clock_ms();

    printf(
        "{\"n\": %zu, \"since\": \"%s\", \"to_main_ms\": %.3f, \"inputs_ms\": %.3f, "
        "\"context_ms\": %.3f, \"first_call_ms\": %.3f, \"first_result_ms\": %.3f}\n",
        (size_t)n, given != NULL ? "process start" : "main", main_ms - start_ms,
        inputs_ms - main_ms, context_ms - inputs_ms, checked_ms - context_ms,
        checked_ms - start_ms);
    CUDA_CHECK(device_array_free(&d_x));
    CUDA_CHECK(device_array_free(&d_sum));
    free(x);
    free(result);
    return 0;
}
