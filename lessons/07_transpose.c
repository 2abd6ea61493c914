/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 07: turn it in shared memory.
 *
 * You learn:  that a transpose cannot read and write straight at the same time, unless it is
 *             turned in shared memory; that shared memory has banks, and how to mind them.
 * Read with:  kernels/transpose.cu, from top to bottom; then kernels/tuned/transpose.cu.
 * Run:        bazel run //lessons:07_transpose
 * Prints:     steps of shared memory, counted, and the ladder of kernels. Exit status 0: every
 *             element was right. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_table.h"
#include "common/philox.h"
#include "kernels/coalescing.h"
#include "kernels/transpose.h"
#include "kernels/tuned/transpose.h"
#include "lessons/parts/07_banks.h"

static const LessonSpec SPEC = {
    .program = "07_transpose",
    .about = "The transpose of a matrix: naive, by tiles, without bank conflicts.",
    .rows = 12032,
    .cols = 19264,
    .cpu_rows = 1009,
    .cpu_cols = 1013,
    .device_bytes_each = 2 * sizeof(float),
    .host_bytes_each = 3 * sizeof(float),
    .pictures = {"banks"}};

typedef cudaError_t (*Transpose)(size_t, size_t, const float *, float *, cudaStream_t);

/* No transpose, but the yardstick: the same bytes, straight on both sides. */
static cudaError_t copy_gpu(size_t rows, size_t cols, const float *d_x, float *d_out,
                            cudaStream_t stream) {
    return copy_strided_gpu(rows * cols, 1, d_x, d_out, stream);
}

static const struct {
    const char *name;
    Transpose launch;
} STEPS[] = {
    {"a copy", copy_gpu},
    {"1. naive", transpose_naive_gpu},       /* wastes: each lane writes to another sector */
    {"2. tile", transpose_tile_gpu},         /* wastes: a column of the tile is one bank */
    {"3. padded", transpose_padded_gpu},     /* wastes: 128 bytes of shared memory */
    {"4. swizzled", transpose_swizzled_gpu}, /* wastes: 4 bytes a lane */
    {"5. the kit's", transpose_gpu},
};
enum { STEP_COUNT = sizeof STEPS / sizeof STEPS[0] };

typedef struct Run {
    size_t rows, cols, step;
    float *d_x, *d_out;
} Run;
static cudaError_t run(void *context, cudaStream_t stream) {
    const Run *r = context;
    return STEPS[r->step].launch(r->rows, r->cols, r->d_x, r->d_out, stream);
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_options(&lesson, argc, argv, &SPEC)) return lesson.status;
    if (lesson.options.rows > TRANSPOSE_MOST_ROWS) {
        fprintf(stderr, "%s: --rows %zu: at most %d, 65,535 blocks of 32 rows in y\n", SPEC.program,
                lesson.options.rows, TRANSPOSE_MOST_ROWS);
        record_free(lesson.record);
        return LESSON_BAD_OPTION;
    }
    if (!lesson_start(&lesson)) return lesson.status;
    const size_t rows = lesson.options.rows, cols = lesson.options.cols;
    const size_t n = rows * cols, bytes = n * sizeof(float);

    /* 1. Banks, counted: no time is needed to know what a tile costs. */
    show_banks(&lesson);

    /* 2. The ladder: time each step, run it once more into poison, check all of it. */
    float *x = lesson_host_memory(&lesson, bytes), *out = lesson_host_memory(&lesson, bytes);
    float *want = lesson_host_memory(&lesson, bytes);
    philox_normal_fill(x, n, lesson.options.seed);
    transpose_cpu(rows, cols, x, want);
    Run r = {.rows = rows, .cols = cols};
    CUDA_CHECK(cudaMalloc((void **)&r.d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&r.d_out, bytes));
    CUDA_CHECK(cudaMemcpy(r.d_x, x, bytes, cudaMemcpyHostToDevice));
    bool right = true;
    lesson_table(&lesson,
                 text_format("2. %s x %s floats, transposed; beside a copy", text_count(rows),
                             text_count(cols)),
                 "step", bytes);
    for (r.step = 0; r.step < STEP_COUNT; r.step++) {
        TimerStats time;
        CUDA_CHECK(time_gpu(run, &r, lesson_timer(&lesson), &time));
        CUDA_CHECK(cudaMemset(r.d_out, LAB_POISON_BYTE, bytes));
        CUDA_CHECK(run(&r, 0));
        CUDA_CHECK(cudaMemcpy(out, r.d_out, bytes, cudaMemcpyDeviceToHost));
        const CompareResult compared = compare_exact(n, out, r.step == 0 ? x : want, DTYPE_FLOAT32);
        right =
            lesson_row(&lesson, STEPS[r.step].name, 2.0 * (double)bytes, &time, &compared, NULL) &&
            right;
    }
    lesson_recorded_note(&lesson);

    CUDA_CHECK(cudaFree(r.d_out));
    CUDA_CHECK(cudaFree(r.d_x));
    free(x), free(out), free(want);
    return lesson_end(&lesson, right);
}
