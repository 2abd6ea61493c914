/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 03: one operation on millions of elements.
 *
 * You learn: which thread computes which element and what the bounds guard is
 *            for; how fast an elementwise kernel can be, and why; what the
 *            temporary in x**2 * x costs, and what fusion saves.
 * Run:       bazel run //lessons:03_elementwise -- --rows 12000 --cols 1920
 * Prints:    the launch, a table of times and rates, and how many elements were
 *            compared with the CPU's: all of them. Exit status 0: all right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/ceiling.h"
#include "common/check.h"
#include "common/device_array.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "kernels/add.h"
#include "kernels/tuned/elementwise.h"
#include "common/paragraph.h"
#include "lessons/parts/03_threads_and_elements.h"
#include "lessons/parts/wrong_result.h"

static const LessonSpec SPEC = {
    .program = "03_elementwise",
    .about = "x + y, x * y and x**2 * x on n elements: threads, bytes and GB/s.",
    /* Odd: elements are left over behind whole blocks and behind 16-byte pieces. */
    .rows = 12001,
    .cols = 19211,
    .cpu_cols = 321,
    .device_bytes_each = 4 * sizeof(float), /* x, y, the temporary and the result */
    .host_bytes_each = 4 * sizeof(float),   /* x, y, the result and the one expected */
};

enum { THREADS = 256 }; /* of a block, in the textbook form */

/* What the operations work on. The device holds x, y, the result and room for
 * the temporary of the two-step form. */
typedef struct Arrays {
    size_t n;
    const float *d_x, *d_y;
    float *d_temp, *d_out;
} Arrays;

/* A copy of x to where it already is, to be timed more than once. */
typedef struct ToDevice {
    DeviceArray *d_x;
    const HostArray *x;
} ToDevice;

static cudaError_t run_to_device(void *context, cudaStream_t stream) {
    const ToDevice *copy = context;
    (void)stream; /* device_array_set works on the default stream */
    return device_array_set(copy->d_x, copy->x);
}

static cudaError_t run_add(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return add_gpu(a->n, a->d_x, a->d_y, a->d_out, stream);
}
static cudaError_t run_add_one_per_thread(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return add_one_per_thread_gpu(a->n, a->d_x, a->d_y, a->d_out, THREADS, stream);
}
static cudaError_t run_multiply(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return multiply_gpu(a->n, a->d_x, a->d_y, a->d_out, stream);
}
static cudaError_t run_cube_two_step(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return cube_two_step_gpu(a->n, a->d_x, a->d_temp, a->d_out, stream);
}
static cudaError_t run_cube_fused(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return cube_fused_gpu(a->n, a->d_x, a->d_out, stream);
}
static void cube_reference(size_t n, const float *x, const float *y, float *want) {
    (void)y;
    cube_cpu(n, x, want);
}

/* The cube rounds twice where its reference rounds once: at most 2 ULP, which is
 * 2 * 2^-23 of the value, or two steps of 2^-149 where it is subnormal. */
static const float CUBE_RTOL = 2.4e-7f, CUBE_ATOL = 2.9e-45f;

typedef struct Operation {
    const char *name;
    double bytes_each; /* read and written per element */
    GpuWork run;
    void (*reference)(size_t n, const float *x, const float *y, float *want);
    float atol, rtol; /* 0, 0: one rounding, the same bits are asked for */
} Operation;

/* The first as a textbook has it, one float a thread; the others 16 bytes a thread. */
static const Operation OPERATIONS[] = {
    {"x + y, textbook", 12, run_add_one_per_thread, add_cpu, 0, 0},
    {"x + y", 12, run_add, add_cpu, 0, 0},
    {"x * y", 12, run_multiply, multiply_cpu, 0, 0},
    {"x**2 * x, two steps", 20, run_cube_two_step, cube_reference, CUBE_ATOL, CUBE_RTOL},
    {"x**2 * x, fused", 8, run_cube_fused, cube_reference, CUBE_ATOL, CUBE_RTOL},
};
enum {
    OPERATION_COUNT = sizeof OPERATIONS / sizeof OPERATIONS[0],
    TEXTBOOK = 0,
    TWO_STEP = 3,
    FUSED = 4
};

/* Times one operation, then runs it once more on a poisoned output and compares
 * every element, so that what is checked is what was timed. Returns how many
 * elements are right. */
static size_t measure(Lesson *lesson, const Operation *op, Arrays *arrays, const float *x,
                      const float *y, float *want, HostArray *result, const DeviceArray *out,
                      TimerStats *stats) {
    TimerOptions timer = *lesson_timer(lesson);
    CUDA_CHECK(time_gpu(op->run, arrays, &timer, stats));

    CUDA_CHECK(cudaMemset(arrays->d_out, LAB_POISON_BYTE, arrays->n * sizeof(float)));
    CUDA_CHECK(op->run(arrays, 0));
    memset(result->data, LAB_POISON_BYTE, arrays->n * sizeof(float));
    CUDA_CHECK(get(result, out));
    op->reference(arrays->n, x, y, want);
    CompareResult compared = op->rtol == 0
                                 ? compare_exact(arrays->n, result->data, want, DTYPE_FLOAT32)
                                 : compare_float32(arrays->n, result->data, want, op->atol,
                                                   op->rtol, false);

    double bytes = op->bytes_each * (double)arrays->n;
    char error[32] = "0 (exact)";
    if (compared.wrong > 0) snprintf(error, sizeof error, "WRONG");
    else if (compared.exact < arrays->n) {
        snprintf(error, sizeof error, "%s ULP", text_count(compared.max_ulp));
    }
    printf("   %-20s %11s %14s %13s %9s  %s\n", op->name, text_bytes(bytes), text_time(stats),
           lesson_rate(lesson, bytes, stats->median_ms, (size_t)bytes),
           lesson_share(lesson, bytes, stats->median_ms, (size_t)bytes), error);

    Record *row = record_row(lesson->record, "operations");
    record_text(row, "operation", op->name);
    record_number(row, "bytes_moved", bytes);
    record_timer(row, "time", stats);
    const char *note = lesson_rate_note(lesson, bytes, stats->median_ms, (size_t)bytes,
                                        sizeof(float));
    record_number(row, "gbps", note[0] == '\0' ? gbps_from(bytes, stats->median_ms) : NAN);
    print_paragraph(6, note);
    record_count(row, "max_ulp", compared.max_ulp);
    record_count(row, "wrong", compared.wrong);
    if (compared.wrong == 0) return arrays->n;

    if (op == &OPERATIONS[TEXTBOOK]) {
        const LaunchGeometry geometry = {.grid_x = one_per_thread_blocks(arrays->n, THREADS),
                                         .grid_y = 1, .block_x = THREADS, .block_y = 1,
                                         .vector = 1};
        lesson_report(lesson, op->name, &compared, &geometry);
    } else {
        ElementwisePlan plan = elementwise_plan(arrays->n, arrays->d_x, arrays->d_y, arrays->d_out);
        report_wrong_result(lesson, op->name, &compared, &plan);
    }
    return arrays->n - compared.wrong;
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
    const size_t n = lesson.options.n;

    /* 1. Inputs, and room for results and for the answer expected. */
    const size_t shape[2] = {lesson.options.rows, lesson.options.cols};
    const size_t bytes = n * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes), *out = malloc(bytes), *want = malloc(bytes);
    if (x == NULL || y == NULL || out == NULL || want == NULL) {
        fprintf(stderr, "no host memory for 4 arrays of %s\n", text_bytes((double)bytes));
        return LESSON_WRONG;
    }
    philox_normal_fill(x, n, lesson.options.seed);
    philox_normal_fill(y, n, lesson.options.seed + 1);
    printf("\n1. Inputs: x, y of %s x %s float32, normal, seed %llu: %s each.\n",
           text_count(shape[0]), text_count(shape[1]), (unsigned long long)lesson.options.seed,
           text_bytes((double)bytes));

    /* 2. To the device. */
    HostArray host_x = host_array_c(x, DTYPE_FLOAT32, 2, shape);
    HostArray host_y = host_array_c(y, DTYPE_FLOAT32, 2, shape);
    HostArray host_out = host_array_c(out, DTYPE_FLOAT32, 2, shape);
    DeviceArray d_x, d_y, d_temp, d_out;
    double pinned_gbps = 0;
    CUDA_CHECK(measure_pinned_ceiling(bytes, &pinned_gbps, NULL));
    CUDA_CHECK(to_gpu(&d_y, &host_y));
    CUDA_CHECK(to_gpu(&d_x, &host_x));
    ToDevice copy = {&d_x, &host_x};
    TimerOptions copies = {.warmup = 1, .repeat = 5};
    TimerStats copied;
    CUDA_CHECK(time_gpu_end_to_end(run_to_device, &copy, &copies, &copied));
    double rate = gbps_from((double)bytes, copied.median_ms);
    printf("2. To the device: x in %s (%s, %.0f %% of the pinned rate)\n", text_time(&copied),
           text_rate(rate), pinned_gbps > 0 ? 100 * rate / pinned_gbps : 0.0);
    CUDA_CHECK(device_array_empty(&d_temp, DTYPE_FLOAT32, 2, shape));
    CUDA_CHECK(device_array_empty(&d_out, DTYPE_FLOAT32, 2, shape));

    /* 3. Who computes what: asked of the device, not claimed. */
    printf("3. Threads and elements:\n");
    bool right = show_threads_and_elements(&lesson, n);
    right = show_bounds_guard(&lesson) && right;

    /* 4. The operations, each against the most that this memory can do. */
    Arrays arrays = {n, d_x.data, d_y.data, d_temp.data, d_out.data};
    TimerStats stats[OPERATION_COUNT];
    CUDA_CHECK(lesson_measure_ceiling(&lesson, bytes));
    printf("4. Operations on %s elements, beside a device-to-device copy of x: %s\n\n",
           text_count(n), text_rate(lesson.copy_gbps));
    printf("   %-20s %11s %14s %13s %9s  %s\n", "operation", "bytes moved", "median time", "rate",
           "of copy", "largest error");
    size_t right_count = 0;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        right_count += measure(&lesson, &OPERATIONS[i], &arrays, x, y, want, &host_out, &d_out,
                               &stats[i]);
    }
    show_fusion(&lesson, OPERATIONS[TWO_STEP].bytes_each * (double)n, &stats[TWO_STEP],
                OPERATIONS[FUSED].bytes_each * (double)n, &stats[FUSED]);

    /* 5. The verdict. */
    printf("5. Back to the host, and every element checked against the CPU: %s of %s right.\n",
           text_count(right_count), text_count(n * OPERATION_COUNT));
    record_count(lesson.record, "elements_checked", n * OPERATION_COUNT);
    device_array_free(&d_x);
    device_array_free(&d_y);
    device_array_free(&d_temp);
    device_array_free(&d_out);
    free(x), free(y), free(out), free(want);
    return lesson_end(&lesson, right && right_count == n * OPERATION_COUNT);
}
