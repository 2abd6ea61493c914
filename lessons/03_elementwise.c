/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 03: one operation on millions of elements.
 *
 * You learn:  which thread computes which element and what the bounds guard is for; how
 *             fast such a kernel can be, and why; what the temporary in x**2 * x costs.
 * Read with:  kernels/add.cu, the textbook kernel; then kernels/tuned/elementwise.cu.
 * Run:        bazel run //lessons:03_elementwise -- --rows 12000 --cols 1920 --plot out.svg
 * Prints:     who computes what, and a table. Exit status 0: every element was right. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_table.h"
#include "common/philox.h"
#include "kernels/add.h"
#include "kernels/tuned/elementwise.h"
#include "lessons/parts/03_threads_and_elements.h"

/* clang-format off */
static const LessonSpec SPEC = {
    .program = "03_elementwise",
    .about = "x + y, x * y and x**2 * x on n elements: threads, bytes and GB/s.",
    /* Odd: elements are left over behind whole blocks and behind 16-byte pieces. */
    .rows = 12001, .cols = 19211, .cpu_cols = 321, .pictures = {"owners", "fusion"},
    .device_bytes_each = 4 * sizeof(float), /* x, y, the temporary and the result */
    .host_bytes_each = 4 * sizeof(float) /* x, y, the result and the one expected */
};
enum { TEXTBOOK, MULTIPLY, TWO_STEPS, FUSED, WIDE, OPERATIONS };
/* In the first one float a thread, in the others 16 bytes a thread. */
static const char *const NAME[OPERATIONS] = {"x + y, textbook", "x * y, wide",
                                             "x**2 * x, two steps", "x**2 * x, fused",
                                             "x + y, wide"};
static const double BYTES_EACH[OPERATIONS] = {12, 12, 20, 8, 12};
typedef struct Run { int operation; size_t n; float *d_x, *d_y, *d_temp, *d_out; } Run;
/* clang-format on */
static cudaError_t run(void *context, cudaStream_t stream) {
    const Run *r = context;
    switch (r->operation) {
    case TEXTBOOK: return add_one_per_thread_gpu(r->n, r->d_x, r->d_y, r->d_out, BLOCK, stream);
    case MULTIPLY: return multiply_gpu(r->n, r->d_x, r->d_y, r->d_out, stream);
    case TWO_STEPS: return cube_two_step_gpu(r->n, r->d_x, r->d_temp, r->d_out, stream);
    case FUSED: return cube_fused_gpu(r->n, r->d_x, r->d_out, stream);
    default: return add_gpu(r->n, r->d_x, r->d_y, r->d_out, stream);
    }
}

/* One rounding has the same bits everywhere. The cube rounds twice and its reference once: at
 * most 2 ULP, 2 * 2^-23 of the value, or two steps of 2^-149 where it is subnormal. */
static CompareResult compare(const Run *r, const float *x, const float *y, const float *out,
                             float *want) {
    if (r->operation == TWO_STEPS || r->operation == FUSED) {
        cube_cpu(r->n, x, want);
        return compare_float32(r->n, out, want, 2.9e-45f, 2.4e-7f, false);
    }
    (r->operation == MULTIPLY ? multiply_cpu : add_cpu)(r->n, x, y, want);
    return compare_exact(r->n, out, want, DTYPE_FLOAT32);
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
    const size_t n = lesson.options.n, bytes = n * sizeof(float);

    /* 1. Inputs, and room for results and for the answer expected. */
    float *x = lesson_host_memory(&lesson, bytes), *y = lesson_host_memory(&lesson, bytes);
    float *out = lesson_host_memory(&lesson, bytes), *want = lesson_host_memory(&lesson, bytes);
    philox_normal_fill(x, n, lesson.options.seed);
    philox_normal_fill(y, n, lesson.options.seed + 1);
    printf("\n1. Inputs: x and y, %s x %s float32, normal.\n", text_count(lesson.options.rows),
           text_count(lesson.options.cols));

    /* 2. To the device. */
    Run r = {.n = n};
    CUDA_CHECK(cudaMalloc((void **)&r.d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&r.d_y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&r.d_temp, bytes));
    CUDA_CHECK(cudaMalloc((void **)&r.d_out, bytes));
    CUDA_CHECK(cudaMemcpy(r.d_x, x, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(r.d_y, y, bytes, cudaMemcpyHostToDevice));
    printf("2. To the device: x and y. There is room for a temporary and the result, too.\n");

    /* 3. Who computes what: asked of the device, not claimed. */
    bool right = show_threads_and_elements(&lesson, n);
    right = show_bounds_guard(&lesson) && right;

    /* 4. Each operation: time it, run it once more into poison, fetch and check all of it. */
    TimerStats time[OPERATIONS];
    size_t right_count = 0;
    const LaunchGeometry textbook = {.block_x = BLOCK, .grid_x = one_per_thread_blocks(n, BLOCK)};
    lesson_table(&lesson, text_format("4. Five kernels, n = %s, beside a copy of x", text_count(n)),
                 "operation", bytes);
    for (int i = 0; i < OPERATIONS; i++) {
        r.operation = i;
        CUDA_CHECK(time_gpu(run, &r, lesson_timer(&lesson), &time[i]));
        CUDA_CHECK(cudaMemset(r.d_out, LAB_POISON_BYTE, bytes));
        CUDA_CHECK(run(&r, 0));
        CUDA_CHECK(cudaMemcpy(out, r.d_out, bytes, cudaMemcpyDeviceToHost));
        const CompareResult compared = compare(&r, x, y, out, want);
        const bool ok = lesson_row(&lesson, NAME[i], BYTES_EACH[i] * (double)n, &time[i], &compared,
                                   i == TEXTBOOK ? &textbook : NULL);
        if (!ok && i != TEXTBOOK)
            show_wide_owner(elementwise_plan(n, r.d_x, r.d_y, r.d_out), compared.first_wrong);
        right_count += n - compared.wrong;
    }
    show_fusion(&lesson, n, &time[TWO_STEPS], &time[FUSED]);

    /* 5. The verdict, and release in reverse order. */
    printf("5. Every element checked against the CPU: %s of %s right.\n", text_count(right_count),
           text_count(n * OPERATIONS));
    record_count(lesson.record, "elements_checked", n * OPERATIONS);
    CUDA_CHECK(cudaFree(r.d_out));
    CUDA_CHECK(cudaFree(r.d_temp));
    CUDA_CHECK(cudaFree(r.d_y));
    CUDA_CHECK(cudaFree(r.d_x));
    free(x), free(y), free(out), free(want);
    return lesson_end(&lesson, right && right_count == n * OPERATIONS);
}
