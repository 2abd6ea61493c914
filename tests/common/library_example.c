/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs shown in docs/library.md, made by the library itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/timer.h"
#include "kernels/tuned/elementwise.h"

enum { N = 1000003, BLOCK = 256 };

static void show_error(cudaError_t status, const char *call) {
    char text[1024];
    if (status == cudaSuccess) {
        printf("%s was expected to fail\n", call);
        exit(1);
    }
    cuda_error_describe(text, sizeof text, "my_program.c", 12, call, status);
    printf("%s\n\n", text);
}

/* A view that is right for the device, and a host array that fits it or not. */
static void arrays(const float *x) {
    const size_t shape[] = {3, 4}, other[] = {4, 3};
    const ptrdiff_t every_second[] = {2 * 8 * sizeof(float), sizeof(float)};
    float got[12];
    HostArray rows = host_array_strided((void *)(size_t)x, DTYPE_FLOAT32, 2, shape, every_second);
    HostArray wrong = host_array_c(got, DTYPE_FLOAT32, 2, other);
    DeviceArray d_x, d_t;
    CUDA_CHECK(to_gpu(&d_x, &rows));
    CUDA_CHECK(device_array_transpose(&d_t, &d_x, NULL));
    CUDA_CHECK(get(&wrong, &d_t));
    show_error(get(&wrong, &d_x), "get(&host, &d_x)");
    CUDA_CHECK(device_array_free(&d_x));
    CUDA_CHECK(device_array_free(&d_t));
    show_error(get(&wrong, &d_x), "get(&host, &d_x)");
}

/* The classic: the number of blocks was rounded down, so the last block is missing. */
static void wrong_result(const float *x) {
    char text[2048];
    size_t covered = N / BLOCK * BLOCK;
    const size_t shape[] = {N};
    float *want = malloc(N * sizeof *want), *got = malloc(N * sizeof *got);
    DeviceArray d_x, d_y;
    if (want == NULL || got == NULL) exit(1);
    HostArray host_x = host_array_c((void *)(size_t)x, DTYPE_FLOAT32, 1, shape);
    HostArray host_got = host_array_c(got, DTYPE_FLOAT32, 1, shape);
    square_cpu(N, x, want);
    CUDA_CHECK(to_gpu(&d_x, &host_x));
    CUDA_CHECK(device_array_empty(&d_y, DTYPE_FLOAT32, 1, shape));
    CUDA_CHECK(device_array_fill_bytes(&d_y, LAB_POISON_BYTE));
    CUDA_CHECK(square_gpu(covered, d_x.data, d_y.data, 0)); /* not all N */
    CUDA_CHECK(get(&host_got, &d_y));
    LaunchGeometry geometry = {.block_x = BLOCK, .grid_x = N / BLOCK};
    CompareResult result = compare_float32(N, got, want, 0, 0, false);
    compare_describe(&result, &geometry, text, sizeof text);
    printf("%s\n\n", text);
    CUDA_CHECK(device_array_free(&d_x));
    CUDA_CHECK(device_array_free(&d_y));
    free(want);
    free(got);
}

static void launches_and_rates(void) {
    char text[1024];
    launch_explain((dim3){160 / 32, 20 / 32, 1}, (dim3){32, 32, 1}, 0, text, sizeof text);
    printf("%s\n\n", text);
    RateCheck cache = {.gbps = 800,
                       .ceiling_gbps = 270,
                       .peak_gbps = 288,
                       .working_set = 16 << 20,
                       .l2_bytes = 40 << 20};
    RateCheck launch = {.gbps = 50000, .ceiling_gbps = 4216, .working_set = 276480000};
    RateCheck plain = {.gbps = 4123, .ceiling_gbps = 4216};
    rate_describe(&cache, sizeof(float), text, sizeof text);
    printf("%s\n\n", text);
    rate_describe(&launch, sizeof(float), text, sizeof text);
    printf("%s\n\n", text);
    rate_describe(&plain, sizeof(float), text, sizeof text);
    printf("%s\n\n", text);
    timing_is_launch_only(512.0 * 512 * 512, 0.0051, 8192.0 * 8192 * 8192, 0.0057, text,
                          sizeof text);
    printf("%s\n", text);
}

int main(void) {
    float *x = malloc(N * sizeof *x);
    if (x == NULL) return EXIT_FAILURE;
    philox_normal_fill(x, N, 42);
    arrays(x);
    wrong_result(x);
    launches_and_rates();
    free(x);
    return EXIT_SUCCESS;
}
