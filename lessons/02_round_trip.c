/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 02: to the device and back.
 *
 * You learn:  that a GPU computes on its own memory, so data must go there and results must
 *             come back; that copies keep every bit; what the way costs; that data made on
 *             the device need not travel at all.
 * Run:        bazel run //lessons:02_round_trip
 * Prints:     a 3 x 3 example, round trips of many shapes and strides, a table of rates, and
 *             numbers made on both sides. Exit status 0: every bit was the same. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/device_array.h"
#include "common/lesson_table.h"
#include "common/philox.h"
#include "common/staged_copy.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/tuned/random.h"
#include "lessons/parts/02_copy_rates.h"
#include "lessons/parts/02_round_trip.h"

static const LessonSpec SPEC = {
    .program = "02_round_trip",
    .about = "Copies arrays to the device and back, bit for bit, and times the ways there.",
    .rows = 12000,
    .cols = 19200,
    .cpu_cols = 1000,
    .device_bytes_each = sizeof(float),
    .host_bytes_each = 5 * sizeof(float),
    .device_bytes_least = ROUND_TRIPS_LARGEST,
    .has_all = true};

/* 1. x**2 * x of a 3 x 3 matrix: by hand, then with the device array. */
static bool three_by_three(Lesson *lesson) {
    enum { N = 9 };
    float x[N], by_hand[N], with_array[N], want[N];
    philox_normal_fill(x, N, lesson->options.seed);
    printf("\n1. x, 3 x 3 normal numbers on the host:\n");
    print_matrix(x, 3, 3, "   ");

    float *d_x = NULL, *d_out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_x, sizeof x));
    CUDA_CHECK(cudaMalloc((void **)&d_out, sizeof x));
    CUDA_CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA_CHECK(cube_fused_gpu(N, d_x, d_out, 0));
    CUDA_CHECK(cudaMemcpy(by_hand, d_out, sizeof x, cudaMemcpyDeviceToHost)); /* waits, too */
    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_x));
    printf("   x**2 * x, computed on the device:\n");
    print_matrix(by_hand, 3, 3, "   ");

    /* The same again, in the words of the tutorial. */
    const size_t shape[2] = {3, 3};
    HostArray host_x = host_array_c(x, DTYPE_FLOAT32, 2, shape);
    HostArray host_result = host_array_c(with_array, DTYPE_FLOAT32, 2, shape);
    DeviceArray a, result;
    CUDA_CHECK(to_gpu(&a, &host_x));
    CUDA_CHECK(device_array_empty(&result, DTYPE_FLOAT32, 2, shape));
    CUDA_CHECK(cube_fused_gpu(N, a.data, result.data, 0));
    CUDA_CHECK(get(&host_result, &result));
    CUDA_CHECK(device_array_free(&result));
    CUDA_CHECK(device_array_free(&a));

    /* Two roundings on the device, one in the reference: at most 2 ULP apart. */
    cube_cpu(N, x, want);
    const CompareResult cubes = compare_float32(N, by_hand, want, 2.9e-45f, 2.4e-7f, false);
    const CompareResult same = compare_exact(N, with_array, by_hand, DTYPE_FLOAT32);
    const bool right = lesson_report(lesson, "cubes", &cubes, NULL);
    return lesson_report(lesson, "the same with to_gpu and get", &same, NULL) && right;
}

/* 4. The same numbers, made where they are needed. */
typedef struct Made {
    size_t n;
    uint64_t seed;
    float *d_out;
} Made;
static cudaError_t run_make(void *context, cudaStream_t stream) {
    const Made *made = context;
    return philox_normal_gpu(made->n, made->seed, made->d_out, stream);
}

static bool made_on_the_device(Lesson *lesson, float *x, float *out, float *d_buffer) {
    Made made = {lesson->options.n, lesson->options.seed, d_buffer};
    const size_t bytes = made.n * sizeof(float);
    TimerStats device;
    const double start_ms = host_clock_ms();
    philox_normal_fill(x, made.n, made.seed);
    const double filled_ms = host_clock_ms();
    CUDA_CHECK(staged_copy_to_device(d_buffer, x, bytes));
    const double copied_ms = host_clock_ms();

    CUDA_CHECK(cudaMemset(d_buffer, LAB_POISON_BYTE, bytes));
    CUDA_CHECK(time_gpu(run_make, &made, lesson_timer(lesson), &device));
    CUDA_CHECK(staged_copy_to_host(out, d_buffer, bytes));
    const CompareResult same = compare_exact(made.n, out, x, DTYPE_FLOAT32);
    show_made(lesson, filled_ms - start_ms, copied_ms - filled_ms, &device);
    return lesson_report(lesson, "numbers of both sides", &same, NULL);
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
    bool right = three_by_three(&lesson);
    right = show_round_trips(&lesson) && right; /* 2. shapes, types and strides */

    const size_t n = lesson.options.n, bytes = n * sizeof(float);
    float *x = lesson_host_memory(&lesson, bytes), *out = lesson_host_memory(&lesson, bytes);
    float *d_buffer = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_buffer, bytes));
    philox_normal_fill(x, n, lesson.options.seed);
    right = show_copy_rates(&lesson, x, out, d_buffer) && right; /* 3. ways to copy */
    right = made_on_the_device(&lesson, x, out, d_buffer) && right;
    CUDA_CHECK(cudaFree(d_buffer));
    free(x), free(out);
    return lesson_end(&lesson, right);
}
