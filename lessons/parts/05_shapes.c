/* SPDX-License-Identifier: Apache-2.0 */
/* See 05_shapes.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/05_shapes.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_pictures.h"
#include "common/philox.h"
#include "common/recorded.h"

/* --- 1. An image in blocks --- */

enum { ROWS = 37, COLS = 100, PIXELS = ROWS * COLS, SIDE = 16 };

/* Counts pixels whose signatures are not those of the formula. */
static size_t count_wrong_signatures(const uint32_t *block, const uint32_t *thread) {
    const LaunchShape shape = shape_for_image(ROWS, COLS, SIDE, SIDE);
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const size_t row = i / COLS, col = i % COLS;
        wrong += block[i] != row / SIDE * shape.grid[0] + col / SIDE ||
                 thread[i] != row % SIDE * SIDE + col % SIDE;
    }
    return wrong;
}

static size_t ask_for_signatures(uint32_t *block, uint32_t *thread) {
    uint32_t *d_block = NULL, *d_thread = NULL;
    const size_t bytes = PIXELS * sizeof *block;
    CUDA_CHECK(cudaMalloc((void **)&d_block, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_thread, bytes));
    CUDA_CHECK(cudaMemset(d_block, 0xFF, bytes));
    CUDA_CHECK(cudaMemset(d_thread, 0xFF, bytes));
    CUDA_CHECK(sign_image_gpu(ROWS, COLS, d_block, d_thread, SIDE, SIDE, 0));
    CUDA_CHECK(cudaMemcpy(block, d_block, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(thread, d_thread, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_thread));
    CUDA_CHECK(cudaFree(d_block));
    return count_wrong_signatures(block, thread);
}

/* True if both orders of indices scale every pixel, in poisoned outputs. */
static bool image_is_scaled(const Lesson *lesson, float factor) {
    float x[PIXELS], out[PIXELS], *d_x = NULL, *d_out = NULL;
    size_t wrong = 0;
    philox_normal_fill(x, PIXELS, lesson->options.seed);
    CUDA_CHECK(cudaMalloc((void **)&d_x, sizeof x));
    CUDA_CHECK(cudaMalloc((void **)&d_out, sizeof out));
    CUDA_CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    for (int swapped = 0; swapped < 2; swapped++) {
        CUDA_CHECK(cudaMemset(d_out, LAB_POISON_BYTE, sizeof out));
        CUDA_CHECK((swapped ? scale_image_swapped_gpu : scale_image_gpu)(ROWS, COLS, d_x, factor,
                                                                         d_out, SIDE, SIDE, 0));
        CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < PIXELS; i++) wrong += !(out[i] == factor * x[i]);
    }
    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_x));
    return wrong == 0;
}

static void print_pixel(size_t row, size_t col, const uint32_t *block, const uint32_t *thread) {
    const size_t i = row * COLS + col;
    const unsigned across = shape_for_image(ROWS, COLS, SIDE, SIDE).grid[0];
    printf("   row %2zu, column %2zu   block (%u, %u), thread (%2u, %2u)\n", row, col,
           block[i] % across, block[i] / across, thread[i] % SIDE, thread[i] / SIDE);
}

bool show_image(Lesson *lesson, float factor) {
    uint32_t block[PIXELS], thread[PIXELS];
    const LaunchShape shape = shape_for_image(ROWS, COLS, SIDE, SIDE);
    const size_t threads = shape_threads(&shape);
    const size_t wrong = ask_for_signatures(block, thread);
    const bool scaled = image_is_scaled(lesson, factor);
    printf("\n1. An image: %d rows x %d columns in blocks of %d x %d threads\n\n", ROWS, COLS, SIDE,
           SIDE);
    printf("   %u x %u blocks: %s, of which %s have no pixel.\n", shape.grid[0], shape.grid[1],
           text_counted(threads, "thread"), text_count(threads - PIXELS));
    print_pixel(0, 0, block, thread);
    print_pixel(0, 99, block, thread);
    print_pixel(20, 50, block, thread);
    print_pixel(36, 99, block, thread);
    printf(
        "   %d pixels asked by whom: %s say column = blockIdx.x * %d + threadIdx.x,\n"
        "   row = blockIdx.y * %d + threadIdx.y. Scaled in this order and with rows and\n"
        "   columns exchanged: %s.\n",
        PIXELS, wrong == 0 ? "all" : text_format("only %s", text_count(PIXELS - wrong)), SIDE, SIDE,
        scaled ? "all right both times" : "WRONG");
    record_count(lesson->record, "pixels_wrong", wrong);
    record_flag(lesson->record, "image_scaled", scaled);
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "image", picture_image(&(ImagePicture){ROWS, COLS, SIDE, SIDE}));
    return wrong == 0 && scaled;
}

/* --- 2. One job in many shapes --- */

enum { WARP = 32 };

static void print_shape(const char *name, const char *threads, const char *idle, const char *warps,
                        const char *time, const char *share, const char *result) {
    printf("   %-19s %12s %6s %9s %9s %8s  %s\n", name, threads, idle, warps, time, share, result);
}

void shape_table(Lesson *lesson, size_t n) {
    CUDA_CHECK(lesson_measure_ceiling(lesson, n * sizeof(float)));
    printf("\n2. One job, factor * x on %s elements, in many shapes%s\n\n", text_count(n),
           lesson->on_cpu_device ? "" : text_format("; a copy: %s", text_rate(lesson->copy_gbps)));
    if (lesson->on_cpu_device)
        printf("   %49s %18s\n", "", text_format("- %s, recorded -", recorded_device()));
    print_shape("blocks, threads", "all threads", "idle", "warps/SM", "median", "of copy",
                "result");
}

/* The median and the share of the copy that the recorded run has of the row; "-" if none. */
static void recorded_shape(const Lesson *lesson, const char *name, const char **time,
                           const char **share) {
    *time = *share = "-";
    for (size_t i = 0; i < recorded_rows(lesson->name, "/shapes"); i++) {
        const char *found = recorded_text(lesson->name, text_format("/shapes/%zu/shape", i));
        TimerStats stats;
        if (found == NULL || strcmp(found, name) != 0) continue;
        if (!recorded_timer(lesson->name, text_format("/shapes/%zu/time", i), &stats)) continue;
        const double percent =
            recorded_number(lesson->name, text_format("/shapes/%zu/percent_of_copy", i));
        *time = text_time(&stats);
        if (!isnan(percent)) *share = text_format("%.1f %%", percent);
    }
}

void shape_row(Lesson *lesson, const ShapeRow *row, size_t n, const TimerStats *time, bool right) {
    const size_t threads = (size_t)row->blocks * row->threads;
    const size_t idle = threads > n ? threads - n : 0;
    const size_t warps = (row->threads + WARP - 1) / WARP;
    const int held = scale_stride_blocks_per_sm(row->threads);
    int most = 0;
    CUDA_CHECK(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, lesson->device));
    /* No more blocks are resident on an SM than there are for it. */
    const size_t for_each = (row->blocks + (size_t)lesson->sm_count - 1) / (size_t)lesson->sm_count;
    const size_t resident = (size_t)held < for_each ? (size_t)held : for_each;
    const double bytes = 2.0 * sizeof(float) * (double)n;
    const double gbps = gbps_from(bytes, time->median_ms);
    const double percent = 100 * gbps / lesson->copy_gbps;
    const char *median = text_time(time);
    const char *share = lesson_share(lesson, bytes, time->median_ms, (size_t)bytes);
    if (lesson->on_cpu_device) recorded_shape(lesson, row->name, &median, &share);
    print_shape(row->name, text_count(threads), text_count(idle),
                text_format("%zu of %d", resident * warps, most / WARP), median, share,
                right ? "right" : "WRONG");
    Record *record = record_row(lesson->record, "shapes");
    record_text(record, "shape", row->name);
    record_count(record, "blocks", row->blocks);
    record_count(record, "threads_per_block", row->threads);
    record_count(record, "idle", idle);
    record_count(record, "warps_per_sm", resident * warps);
    record_timer(record, "time", time);
    record_number(record, "gbps", gbps);
    record_number(record, "percent_of_copy", lesson->copy_gbps > 0 ? percent : NAN);
    record_flag(record, "right", right);
}

void shape_refused(Lesson *lesson, const ShapeRow *row, cudaError_t status) {
    printf("   %-19s did not run: error %d, %s\n", row->name, (int)status,
           cudaGetErrorString(status));
    Record *record = record_row(lesson->record, "shapes");
    record_text(record, "shape", row->name);
    record_count(record, "error", (uint64_t)status);
}

/* --- 3. Shapes that cannot be --- */

typedef struct Limit {
    const char *name, *why;
    LaunchShape shape;
    size_t shared_bytes;
    bool can_be;
} Limit;

/* True if no byte of the output changed. */
static bool is_poison(const float *d_out, size_t n) {
    float out[256];
    unsigned char *bytes = (unsigned char *)out;
    CUDA_CHECK(cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n * sizeof *out; i++) {
        if (bytes[i] != LAB_POISON_BYTE) return false;
    }
    return true;
}

bool show_limits(Lesson *lesson, float factor) {
    enum { N = 256 };
    const Limit limits[] = {
        {"block (32, 32, 2)", "2,048 threads, of 1,024", {{1, 1, 1}, {32, 32, 2}}, 0, false},
        {"block (1, 1, 65)", "z at most 64", {{1, 1, 1}, {1, 1, 65}}, 0, false},
        {"grid (0, 1, 1)", "no block at all", {{0, 1, 1}, {32, 1, 1}}, 0, false},
        {"grid (1, 65536, 1)", "y at most 65,535", {{1, 65536, 1}, {32, 1, 1}}, 0, false},
        {"300 KiB shared", "48 without opt-in", {{1, 1, 1}, {32, 1, 1}}, 300 << 10, false},
        {"block (8, 8, 16)", "1,024 threads: allowed", {{1, 1, 1}, {8, 8, 16}}, 0, true},
    };
    float *d_x = NULL, *d_out = NULL;
    bool right = true;
    CUDA_CHECK(cudaMalloc((void **)&d_x, N * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_out, N * sizeof(float)));
    CUDA_CHECK(cudaMemset(d_x, 0, N * sizeof(float)));
    printf("\n3. Shapes that cannot be launched, and what the output held after them\n\n");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const Limit *limit = &limits[i];
        CUDA_CHECK(cudaMemset(d_out, LAB_POISON_BYTE, N * sizeof(float)));
        const cudaError_t status =
            scale_shaped_gpu(N, d_x, factor, d_out, limit->shape, limit->shared_bytes, 0);
        const bool untouched = is_poison(d_out, N);
        const char *said = status == cudaSuccess ? "it ran"
                                                 : text_format("error %d, %s", (int)status,
                                                               cudaGetErrorString(status));
        printf("   %-18s %-22s %s\n", limit->name, limit->why, said);
        right = right && (status == cudaSuccess) == limit->can_be && untouched != limit->can_be;
        Record *row = record_row(lesson->record, "limits");
        record_text(row, "launch", limit->name);
        record_count(row, "error", (uint64_t)status);
    }
    printf(
        "   A launch that fails runs nothing: the output %s.\n"
        "   Its \"time\" must never win a comparison: check the launch, then the result.\n",
        right ? "was still poison each time" : "was NOT what it had to be");
    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_x));
    return right;
}

/* --- 4. Beyond 32 bits --- */

bool show_wrapped_index(Lesson *lesson) {
    const unsigned block = 16777216, threads = 256, thread = 5; /* 2^24 blocks of 2^8 */
    const uint64_t want = (uint64_t)block * threads + thread;
    uint64_t index[2] = {0, 0}, *d_index = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_index, sizeof index));
    CUDA_CHECK(cudaMemset(d_index, LAB_POISON_BYTE, sizeof index));
    CUDA_CHECK(index_of_gpu(block, threads, thread, d_index, 0));
    CUDA_CHECK(cudaMemcpy(index, d_index, sizeof index, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_index));
    printf("\n4. Thread %u of block %s, in blocks of %u: which element?\n\n", thread,
           text_count(block), threads);
    printf("   (size_t)blockIdx.x * blockDim.x + threadIdx.x   element %s\n", text_count(index[0]));
    printf("   blockIdx.x * blockDim.x + threadIdx.x           element %s\n", text_count(index[1]));
    printf("   Two 32-bit numbers have a 32-bit product, whatever it is stored in.\n\n");
    record_count(lesson->record, "index_in_64_bits", index[0]);
    record_count(lesson->record, "index_in_32_bits", index[1]);
    return index[0] == want && index[1] == (uint32_t)want;
}
