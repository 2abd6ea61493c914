/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 02: to the device and back.
 *
 * You learn: that a GPU computes on its own memory, so data must go there and
 *            results must come back; that copies keep every bit; what the way
 *            costs, and how pinned and staged copies make it cheaper; that data
 *            made on the device need not travel at all.
 * Run:       bazel run //lessons:02_round_trip
 * Prints:    a 3 x 3 example, round trips of many shapes and strides, a table of
 *            rates, and the first answer to "must data pass through the host?".
 *            Exit status 0: every bit was the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/staged_copy.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/tuned/random.h"
#include "lessons/parts/02_copy_rates.h"
#include "lessons/parts/02_round_trip.h"

/* The largest of the round trips whose size is not an option, 1,009 x 1,013 floats. */
enum { LARGEST_FIXED_TRIP = 1009 * 1013 * 4 };

static const LessonSpec SPEC = {
    .program = "02_round_trip",
    .about = "Copies arrays to the device and back, bit for bit, and times the ways there.",
    .rows = 12000,
    .cols = 19200,
    .cpu_cols = 1000,
    .device_bytes_each = sizeof(float),
    .host_bytes_each = 4 * sizeof(float),
    .device_bytes_least = LARGEST_FIXED_TRIP,
};

/* 1. x**2 * x of a 3 x 3 matrix: first with the device array, then by hand. */
static bool three_by_three(Lesson *lesson) {
    enum { N = 9 };
    const size_t shape[2] = {3, 3};
    float x[N], result[N], by_hand[N], want[N];
    philox_normal_fill(x, N, lesson->options.seed);
    cube_cpu(N, x, want);
    printf("\n1. x, 3 x 3 normal numbers on the host:\n");
    print_matrix(x, 3, 3, "   ");

    HostArray host_x = host_array_c(x, DTYPE_FLOAT32, 2, shape);
    HostArray host_result = host_array_c(result, DTYPE_FLOAT32, 2, shape);
    DeviceArray d_x, d_result;
    CUDA_CHECK(to_gpu(&d_x, &host_x));
    CUDA_CHECK(device_array_empty(&d_result, DTYPE_FLOAT32, 2, shape));
    CUDA_CHECK(cube_fused_gpu(N, d_x.data, d_result.data, 0));
    CUDA_CHECK(get(&host_result, &d_result));
    device_array_free(&d_x);
    device_array_free(&d_result);
    printf("   x**2 * x, computed on the device:\n");
    print_matrix(result, 3, 3, "   ");

    /* What the device array did for us. */
    float *d_in = NULL, *d_out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_in, sizeof x));
    CUDA_CHECK(cudaMalloc((void **)&d_out, sizeof x));
    CUDA_CHECK(cudaMemcpy(d_in, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA_CHECK(cube_fused_gpu(N, d_in, d_out, 0));
    CUDA_CHECK(cudaMemcpy(by_hand, d_out, sizeof x, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));

    /* Two roundings on the device, one in the reference: at most 2 ULP apart. */
    CompareResult cubes = compare_float32(N, result, want, 2.9e-45f, 2.4e-7f, false);
    CompareResult same = compare_exact(N, by_hand, result, DTYPE_FLOAT32);
    bool right = lesson_report(lesson, "cubes", &cubes, NULL);
    return lesson_report(lesson, "by hand, cudaMemcpy both ways", &same, NULL) && right;
}

/* 2. Shapes, types and strides; the last row is the large one. */
static bool round_trips(Lesson *lesson) {
    const RoundTripCase trips[] = {
        {"nothing at all", DTYPE_FLOAT32, 2, {0, 7}, {0}, false},
        {"one byte", DTYPE_UINT8, 1, {1}, {0}, false},
        {"an odd number of bytes", DTYPE_UINT8, 1, {1000003}, {0}, false},
        {"a matrix", DTYPE_FLOAT32, 2, {1009, 1013}, {0}, false},
        {"a column", DTYPE_FLOAT64, 2, {4097, 1}, {0}, false},
        {"three axes", DTYPE_INT16, 3, {5, 7, 11}, {0}, false},
        {"transposed", DTYPE_FLOAT32, 2, {1009, 1013}, {0}, true},
        {"every second column", DTYPE_FLOAT32, 2, {1000, 517}, {1, 2}, false},
        {"rows backwards", DTYPE_INT32, 2, {333, 77}, {-1, 1}, false},
        {"all axes backwards, every third", DTYPE_INT64, 3, {9, 10, 11}, {-3, -3, -3}, false},
        {"a corner, column by column", DTYPE_FLOAT64, 2, {101, 103}, {3, 5}, true},
        {"the large one",
         DTYPE_FLOAT32,
         2,
         {lesson->options.rows, lesson->options.cols},
         {0},
         false},
    };
    bool right = true;
    printf("\n2. Round trips: random bits to the device, back, and compared bit for bit.\n");
    for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++) {
        RoundTripResult result = round_trip(&trips[i], lesson->options.seed + i);
        bool same = result.outcome == ROUND_TRIP_SAME_BITS;
        printf("   %-32s %11s  %s\n", trips[i].what, text_bytes((double)result.bytes),
               same ? "same bits" : result.text);
        printf("      %s\n", result.description);
        Record *row = record_row(lesson->record, "round_trips");
        record_text(row, "array", result.description);
        record_count(row, "bytes", result.bytes);
        record_flag(row, "same_bits", same);
        right = right && same;
    }
    return right;
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
    size_t n = lesson->options.n, bytes = n * sizeof(float);
    Made made = {n, lesson->options.seed, d_buffer};
    TimerOptions timer = *lesson_timer(lesson);
    TimerStats stats;
    double start_ms = host_clock_ms();
    philox_normal_fill(x, n, made.seed);
    double filled_ms = host_clock_ms();
    CUDA_CHECK(staged_copy_to_device(d_buffer, x, bytes));
    double copied_ms = host_clock_ms();

    CUDA_CHECK(cudaMemset(d_buffer, LAB_POISON_BYTE, bytes));
    timer.budget_ms = 200;
    CUDA_CHECK(time_gpu(run_make, &made, &timer, &stats));
    CUDA_CHECK(staged_copy_to_host(out, d_buffer, bytes));
    CompareResult same = compare_exact(n, out, x, DTYPE_FLOAT32);

    printf("\n4. Must data pass through the host? Not if the device can make it:\n");
    printf("   %s normal numbers            to make       to copy    over the bus\n",
           text_count(n));
    printf("   %-36s %11s   %11s   %11s\n", "on the host's cores, then copied",
           text_ms(filled_ms - start_ms), text_ms(copied_ms - filled_ms),
           text_bytes((double)bytes));
    printf("   %-36s %11s   %11s   %11s\n", "on the device", text_time(&stats), "-", "0 bytes");
    printf("   Only seed and n travelled, as the kernel's arguments.\n");
    record_timer(lesson->record, "made_on_device", &stats);
    record_number(lesson->record, "made_on_host_ms", filled_ms - start_ms);
    record_number(lesson->record, "made_on_host_copy_ms", copied_ms - filled_ms);
    return lesson_report(lesson, "device's numbers against the host's", &same, NULL);
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;

    bool right = three_by_three(&lesson);
    right = round_trips(&lesson) && right;

    size_t n = lesson.options.n;
    float *x = malloc(n * sizeof(float)), *out = malloc(n * sizeof(float)), *d_buffer = NULL;
    if (x == NULL || out == NULL) {
        fprintf(stderr, "no host memory for 2 x %s\n", text_bytes((double)(n * sizeof(float))));
        return LESSON_WRONG;
    }
    CUDA_CHECK(cudaMalloc((void **)&d_buffer, n * sizeof(float)));
    philox_normal_fill(x, n, lesson.options.seed);
    right = show_copy_rates(&lesson, x, out, d_buffer) && right;
    right = made_on_the_device(&lesson, x, out, d_buffer) && right;
    if (lesson.on_cpu_device) {
        printf("   (Times of the CPU device: its \"bus\" is this computer's memory, they say\n"
               "   nothing about a GPU.)\n");
    }
    CUDA_CHECK(cudaFree(d_buffer));
    free(x), free(out);
    return lesson_end(&lesson, right);
}
