/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 06: who reads beside whom.
 *
 * You learn:  that a warp's 32 lanes are served together, in sectors of 32 bytes; what strides,
 *             offsets and structures cost; why x, y and z belong into arrays of their own.
 * Read with:  kernels/coalescing.cu: the patterns, right and wrong side by side.
 * Run:        bazel run //lessons:06_coalescing
 * Prints:     sectors counted for each pattern, and a table of kernels that all move the same
 *             useful bytes. Exit status 0: every element was right. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_table.h"
#include "common/philox.h"
#include "kernels/coalescing.h"
#include "lessons/parts/06_sectors.h"

enum { STRIDE_MOST = 32, OFFSET = 1, UNIT = 96 }; /* n: a multiple of all strides and of 3 */

static const LessonSpec SPEC = {
    .program = "06_coalescing",
    .about = "The same bytes in different patterns: strides, offsets, structures, float4.",
    .n = 96000000,
    .cpu_n = 960000,
    .device_bytes_each = 2 * sizeof(float),
    .host_bytes_each = 3 * sizeof(float),
    .pictures = {"sectors"}};

static const Point MOVE = {1.0f, -2.0f, 0.5f};

typedef enum Pattern { STRIDED, SHIFTED, QUADS, STRUCTS, ARRAYS } Pattern;
static const struct {
    const char *name;
    Pattern pattern;
    size_t stride;
} ROWS[] = {
    {"stride 1", STRIDED, 1},         {"stride 2", STRIDED, 2},        {"stride 8", STRIDED, 8},
    {"stride 32", STRIDED, 32},       {"offset 1", SHIFTED, 0},        {"float4", QUADS, 0},
    {"array of structs", STRUCTS, 0}, {"struct of arrays", ARRAYS, 0},
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

typedef struct Run {
    size_t n, row;
    float *d_x, *d_out;
} Run;
static cudaError_t run(void *context, cudaStream_t stream) {
    const Run *r = context;
    switch (ROWS[r->row].pattern) {
    case STRIDED: return copy_strided_gpu(r->n, ROWS[r->row].stride, r->d_x, r->d_out, stream);
    case SHIFTED: return copy_offset_gpu(r->n - OFFSET, OFFSET, r->d_x, r->d_out, stream);
    case QUADS: return copy_float4_gpu(r->n, r->d_x, r->d_out, stream);
    case STRUCTS:
        return move_structs_gpu(r->n / 3, (const Point *)r->d_x, MOVE, (Point *)r->d_out, stream);
    default: return move_arrays_gpu(r->n / 3, r->d_x, MOVE, r->d_out, stream);
    }
}

/* What element i of the output has to be. Copies and single additions have the same bits
 * everywhere. */
static float wanted(const Run *r, const float *x, size_t i) {
    const float move[3] = {MOVE.x, MOVE.y, MOVE.z};
    switch (ROWS[r->row].pattern) {
    case STRIDED: return x[strided_element(r->n, ROWS[r->row].stride, i)];
    case SHIFTED: return x[i + OFFSET];
    case QUADS: return x[i];
    case STRUCTS: return x[i] + move[i % 3];
    default: return x[i] + move[i / (r->n / 3)];
    }
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
    /* Whole warps of every stride, and whole points: what is beyond is left out. */
    const size_t n = lesson.options.n < UNIT ? UNIT : lesson.options.n / UNIT * UNIT;
    const size_t bytes = n * sizeof(float);

    /* 1. Sectors, counted: no time is needed to know what a pattern costs. */
    show_sectors(&lesson);

    /* 2. The same bytes in each pattern: time it, run it once more into poison, check all of it. */
    float *x = lesson_host_memory(&lesson, bytes), *out = lesson_host_memory(&lesson, bytes);
    float *want = lesson_host_memory(&lesson, bytes);
    philox_normal_fill(x, n, lesson.options.seed);
    Run r = {.n = n};
    CUDA_CHECK(cudaMalloc((void **)&r.d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&r.d_out, bytes));
    CUDA_CHECK(cudaMemcpy(r.d_x, x, bytes, cudaMemcpyHostToDevice));
    bool right = true;
    printf("\n");
    lesson_table(&lesson,
                 text_format("2. %s useful bytes in each pattern, beside a copy",
                             text_count(2 * bytes)),
                 "pattern", bytes);
    for (r.row = 0; r.row < ROW_COUNT; r.row++) {
        const size_t count = ROWS[r.row].pattern == SHIFTED ? n - OFFSET : n;
        TimerStats time;
        CUDA_CHECK(time_gpu(run, &r, lesson_timer(&lesson), &time));
        CUDA_CHECK(cudaMemset(r.d_out, LAB_POISON_BYTE, bytes));
        CUDA_CHECK(run(&r, 0));
        CUDA_CHECK(cudaMemcpy(out, r.d_out, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++) want[i] = wanted(&r, x, i);
        const CompareResult compared = compare_exact(count, out, want, DTYPE_FLOAT32);
        right = lesson_row(&lesson, ROWS[r.row].name, 2.0 * sizeof(float) * (double)count, &time,
                           &compared, NULL) &&
                right;
    }
    lesson_recorded_note(&lesson);

    CUDA_CHECK(cudaFree(r.d_out));
    CUDA_CHECK(cudaFree(r.d_x));
    free(x), free(out), free(want);
    return lesson_end(&lesson, right);
}
