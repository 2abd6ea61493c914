/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 05: a launch is a shape that you choose.
 *
 * You learn:  threads in one, two and three dimensions, and whose index runs fastest; that any
 *             shape is right with a grid-stride loop, and few are fast; what a launch must not
 *             be, and what it says then; where 32 bits end.
 * Read with:  kernels/shapes.cu.
 * Run:        bazel run //lessons:05_launch_shapes
 * Prints:     an image's owners, a table of shapes, of limits, an index. Exit status 0: all was
 *             right, and what cannot be launched was refused. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_table.h"
#include "common/philox.h"
#include "kernels/shapes.h"
#include "lessons/parts/05_shapes.h"

static const LessonSpec SPEC = {
    .program = "05_launch_shapes",
    .about = "The same job in many shapes of launch, and shapes that cannot be.",
    .n = 33554467,
    .cpu_n = 1000003,                       /* odd: the last block is never full */
    .device_bytes_each = 2 * sizeof(float), /* x and the result */
    .host_bytes_each = 2 * sizeof(float),
    .pictures = {"image"}};

static const float FACTOR = 3.0f;

typedef struct Run {
    size_t n;
    const float *d_x;
    float *d_out;
    ShapeRow shape;
} Run;
static cudaError_t run(void *context, cudaStream_t stream) {
    const Run *r = context;
    return scale_stride_gpu(r->n, r->d_x, FACTOR, r->d_out, r->shape.blocks, r->shape.threads,
                            stream);
}

/* One block for each n / threads elements, rounded up. */
static unsigned one_each(size_t n, unsigned threads) {
    return (unsigned)((n + threads - 1) / threads);
}

/* Shapes from one thread to one for each element. An SM holds 8 blocks of 256 threads. */
static size_t choose_shapes(const Lesson *lesson, ShapeRow *shapes) {
    const size_t n = lesson->options.n;
    const unsigned sms = (unsigned)lesson->sm_count;
    const ShapeRow all[] = {
        {"1, 1", 1, 1},
        {"1, 256", 1, 256},
        {"SMs, 256", sms, 256},
        {"8 SMs, 256", 8 * sms, 256},
        {"n / 256, 256", one_each(n, 256), 256},
        {"n / 32, 32", one_each(n, 32), 32},
        {"n / 1000, 1000", one_each(n, 1000), 1000},
        {"n / 1024, 1024", one_each(n, 1024), 1024},
        {"n / 2048, 2048", one_each(n, 2048), 2048}, /* too many threads: it must not win */
    };
    const size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) shapes[i] = all[i];
    return count;
}

int main(int argc, char **argv) {
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
    const size_t n = lesson.options.n, bytes = n * sizeof(float);

    /* 1. Two dimensions: which thread owns which pixel. */
    bool right = show_image(&lesson, FACTOR);

    /* 2. The same job in many shapes: time it, run it once more into poison, check all of it. */
    float *x = lesson_host_memory(&lesson, bytes), *out = lesson_host_memory(&lesson, bytes);
    philox_normal_fill(x, n, lesson.options.seed);
    float *d_x = NULL, *d_out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
    ShapeRow shapes[16];
    const size_t count = choose_shapes(&lesson, shapes);
    shape_table(&lesson, n);
    for (size_t i = 0; i < count; i++) {
        Run r = {n, d_x, d_out, shapes[i]};
        TimerOptions timer = *lesson_timer(&lesson);
        TimerStats time;
        size_t wrong = 0;
        if (shapes[i].blocks == 1) timer.repeat = 3, timer.warmup = 0; /* seconds on a GPU */
        const cudaError_t status = time_gpu(run, &r, &timer, &time);
        if (status != cudaSuccess && shapes[i].threads > 1024) {
            shape_refused(&lesson, &shapes[i], status);
            continue;
        }
        CUDA_CHECK(status);
        CUDA_CHECK(cudaMemset(d_out, LAB_POISON_BYTE, bytes));
        CUDA_CHECK(run(&r, 0));
        CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < n; k++) wrong += !(out[k] == FACTOR * x[k]); /* NaN is wrong */
        shape_row(&lesson, &shapes[i], n, &time, wrong == 0);
        right = right && wrong == 0;
    }
    lesson_recorded_note(&lesson);

    /* 3. What a launch must not be. */
    right = show_limits(&lesson, FACTOR) && right;

    /* 4. Where 32 bits end. */
    right = show_wrapped_index(&lesson) && right;

    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_x));
    free(x), free(out);
    return lesson_end(&lesson, right);
}
