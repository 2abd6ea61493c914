/* SPDX-License-Identifier: Apache-2.0 */
/* Which shape of the elementwise loop is fastest on this device?
 *
 * Times every combination of: accesses in flight per thread, threads per block,
 * cache hints, and grid (one block a chunk, or as many blocks as fit the device
 * at once, once to eight times over), for an operation with two inputs and for
 * one with one, at two sizes. The loop is the library's own
 * (kernels/tuned/elementwise_body.h). Prints the best, and where the library's present
 * choice stands; --json FILE keeps all of them.
 *
 * Here a template is what the topic needs: one kernel, compiled 40 times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/ceiling.h"
#include "common/check.h"
#include "common/lesson.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/tuned/elementwise_body.h"
#include "kernels/tuned/random.h"

template <int OP, int HINT, int UNROLL>
__global__ void variant_kernel(ElementwisePlan plan, const float *x, const float *y, float *out) {
    const ElementwiseScalars none = {0.0f, 0};
    elementwise_body((ElementwiseOp)OP, (ElementwiseHint)HINT, UNROLL, plan, blockIdx.x, none, x, y,
                     out);
}

/* 32 neighbouring bytes for each thread, where the library's threads take 16
 * that lie a whole block's width apart. Elements after the last whole access
 * are left out: this is for timing only. */
template <int OP, int HINT>
__global__ void adjacent_kernel(ElementwisePlan plan, const float *x, const float *y, float *out) {
    const ElementwiseScalars none = {0.0f, 0};
    const size_t first = 2 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    elementwise_chunk4((ElementwiseOp)OP, (ElementwiseHint)HINT, 2, false, none, first, 1,
                       plan.groups, (const float4 *)x, (const float4 *)y, (float4 *)out);
}

typedef void (*Kernel)(ElementwisePlan, const float *, const float *, float *);

typedef struct Variant {
    Kernel kernel;
    int op, hint, unroll;
    bool adjacent;
    unsigned threads;
    int waves; /* 0: one block a chunk; k: k times the blocks that fit at once */
    double median_ms, spread;
} Variant;

typedef struct Launch {
    const Variant *variant;
    ElementwisePlan plan;
    const float *d_x, *d_y;
    float *d_out;
} Launch;

static const char *const HINT_NAMES[] = {"none", "loads", "stores", "both"};
static const char *op_name(int op) {
    return op == OP_ADD ? "x + y" : op == OP_CUBE ? "x*x*x" : "?";
}

/* ---- All variants of one operation ---------------------------------------- */

enum { MAX_VARIANTS = 1024 };
static Variant variants[MAX_VARIANTS];
static size_t variant_count;

static void add_grid_variants(Kernel kernel, int op, int hint, int unroll, bool adjacent) {
    for (unsigned threads = 128; threads <= 1024; threads *= 2) {
        for (int waves = 0; waves <= 8; waves = waves == 0 ? 1 : 2 * waves) {
            if (adjacent && waves != 0) continue;
            if (waves == 2) continue; /* little between 1 and 4 */
            Variant *variant = &variants[variant_count++];
            *variant = (Variant){kernel, op, hint, unroll, adjacent, threads, waves, 0, 0};
        }
    }
}

template <int OP, int HINT>
static void add_hint_variants(void) {
    add_grid_variants(variant_kernel<OP, HINT, 1>, OP, HINT, 1, false);
    add_grid_variants(variant_kernel<OP, HINT, 2>, OP, HINT, 2, false);
    add_grid_variants(variant_kernel<OP, HINT, 4>, OP, HINT, 4, false);
    add_grid_variants(variant_kernel<OP, HINT, 8>, OP, HINT, 8, false);
    add_grid_variants(adjacent_kernel<OP, HINT>, OP, HINT, 2, true);
}

template <int OP>
static void add_op_variants(void) {
    add_hint_variants<OP, HINT_NONE>();
    add_hint_variants<OP, HINT_STREAM_LOADS>();
    add_hint_variants<OP, HINT_STREAM_STORES>();
    add_hint_variants<OP, HINT_STREAM_BOTH>();
}

/* ---- Timing one ------------------------------------------------------------ */

static cudaError_t run_variant(void *context, cudaStream_t stream) {
    const Launch *launch = (const Launch *)context;
    launch->variant->kernel<<<launch->plan.blocks, launch->plan.threads, 0, stream>>>(
        launch->plan, launch->d_x, launch->d_y, launch->d_out);
    return cudaGetLastError();
}

/* A plan with 0 blocks if the device cannot run the variant: 1024 threads with 8
 * accesses each ask for more registers than there are. */
static ElementwisePlan plan_for(const Variant *variant, size_t n, int sm_count) {
    ElementwisePlan plan = {};
    plan.width = 4;
    plan.groups = n / 4;
    plan.tail = n % 4;
    plan.per_thread = variant->unroll;
    plan.threads = variant->threads;
    const size_t chunk = (size_t)variant->threads * variant->unroll;
    size_t blocks = (plan.groups + chunk - 1) / chunk;
    int resident = 0; /* blocks on one SM at a time */
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, variant->kernel,
                                                             (int)variant->threads, 0));
    const size_t most = (size_t)variant->waves * resident * sm_count;
    if (resident == 0) blocks = 0;
    else if (variant->waves > 0 && blocks > most) blocks = most;
    plan.blocks = (unsigned)blocks;
    return plan;
}

static int faster_first(const void *a, const void *b) {
    const Variant *x = (const Variant *)a, *y = (const Variant *)b;
    return (x->median_ms > y->median_ms) - (x->median_ms < y->median_ms);
}

static void print_variant(const Variant *v, double bytes, double copy_gbps) {
    char grid[16];
    snprintf(grid, sizeof grid, v->waves == 0 ? "one pass" : "%d waves", v->waves);
    const double gbps = gbps_from(bytes, v->median_ms);
    printf("  %7d%s %8u  %-7s %-9s %10.4f ms %6.1f %% %8.0f %7.1f %%\n", v->unroll,
           v->adjacent ? "*" : " ", v->threads, HINT_NAMES[v->hint], grid, v->median_ms,
           100 * v->spread, gbps, 100 * gbps / copy_gbps);
}

/* The library's own launch of the same operation, for the last line. */
static cudaError_t run_library(void *context, cudaStream_t stream) {
    const Launch *launch = (const Launch *)context;
    const size_t n = launch->plan.groups;
    return launch->variant->op == OP_ADD
               ? add_gpu(n, launch->d_x, launch->d_y, launch->d_out, stream)
               : cube_gpu(n, launch->d_x, launch->d_out, stream);
}

static void tune(Lesson *lesson, int op, size_t n, size_t show) {
    const size_t bytes = n * sizeof(float);
    const double moved = (op == OP_ADD ? 3.0 : 2.0) * (double)bytes;
    float *d_x, *d_y, *d_out;
    CUDA_CHECK(cudaMalloc((void **)&d_x, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_y, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_out, bytes));
    CUDA_CHECK(philox_normal_gpu(n, 1, d_x, 0));
    CUDA_CHECK(philox_normal_gpu(n, 2, d_y, 0));
    TimerOptions options = *lesson_timer(lesson);
    if (options.repeat == 0) options.repeat = 15;

    double copy_gbps;
    CUDA_CHECK(measure_copy_ceiling_in(d_out, d_x, bytes, 0, &copy_gbps));
    Record *record = record_row(lesson->record, "tables");
    record_text(record, "operation", op_name(op));
    record_count(record, "n", n);
    record_number(record, "copy_gbps", copy_gbps);

    for (size_t i = 0; i < variant_count; ++i) {
        Variant *variant = &variants[i];
        const Launch launch = {variant, plan_for(variant, n, lesson->sm_count), d_x, d_y, d_out};
        TimerStats stats;
        variant->median_ms = INFINITY;
        if (launch.plan.blocks == 0) continue;
        CUDA_CHECK(time_gpu(run_variant, (void *)&launch, &options, &stats));
        variant->median_ms = stats.median_ms;
        variant->spread = stats.spread;

        Record *row = record_row(record, "variants");
        record_count(row, "per_thread", (uint64_t)variant->unroll);
        record_flag(row, "adjacent", variant->adjacent);
        record_count(row, "threads", variant->threads);
        record_text(row, "hints", HINT_NAMES[variant->hint]);
        record_count(row, "waves", (uint64_t)variant->waves);
        record_count(row, "blocks", launch.plan.blocks);
        record_number(row, "median_ms", stats.median_ms);
        record_number(row, "spread", stats.spread);
        record_number(row, "percent_of_copy", 100 * gbps_from(moved, stats.median_ms) / copy_gbps);
    }
    Variant library = {};
    library.op = op;
    ElementwisePlan plan = {};
    plan.groups = n;
    const Launch launch = {&library, plan, d_x, d_y, d_out};
    TimerStats stats;
    CUDA_CHECK(time_gpu(run_library, (void *)&launch, &options, &stats));

    printf("\n%s, %s elements, %s moved; copy of one array %s\n\n", op_name(op), text_count(n),
           text_bytes(moved), text_rate(copy_gbps));
    printf("  %8s %8s  %-7s %-9s %13s %8s %8s %9s\n", "accesses", "threads", "hints", "grid",
           "median", "spread", "GB/s", "of copy");
    qsort(variants, variant_count, sizeof *variants, faster_first);
    for (size_t i = 0; i < variant_count && i < show && isfinite(variants[i].median_ms); ++i)
        print_variant(&variants[i], moved, copy_gbps);
    const double gbps = gbps_from(moved, stats.median_ms);
    printf("  the library as it is: %18.4f ms %6.1f %% %8.0f %7.1f %%\n", stats.median_ms,
           100 * stats.spread, gbps, 100 * gbps / copy_gbps);
    record_timer(record, "library", &stats);

    CUDA_CHECK(cudaFree(d_x));
    CUDA_CHECK(cudaFree(d_y));
    CUDA_CHECK(cudaFree(d_out));
}

int main(int argc, char **argv) {
    size_t show = 12;
    OptionExtra extra[1] = {};
    extra[0].name = "show";
    extra[0].argument = "LINES";
    extra[0].help = "how many of the best variants to print";
    extra[0].kind = OPTION_SIZE;
    extra[0].value = &show;
    extra[0].min = 1;
    extra[0].max = MAX_VARIANTS;
    LessonSpec spec = {};
    spec.program = "elementwise_tuner";
    spec.about = "Times all shapes of the elementwise loop (* : 32 neighbouring bytes a thread).";
    spec.n = 230400000;
    spec.cpu_n = 230400;
    spec.no_seed = true;
    spec.extra = extra;
    spec.extra_count = 1;

    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &spec)) return lesson.status;
    const size_t n = lesson.options.n;
    if (!lesson_check_memory(&lesson, n, 3 * sizeof(float), 0)) return lesson.status;

    const size_t all[] = {n, n / 10};
    for (int size = 0; size < (lesson.options.sizes_given ? 1 : 2); ++size) {
        variant_count = 0;
        add_op_variants<OP_ADD>();
        tune(&lesson, OP_ADD, all[size], show);
        variant_count = 0;
        add_op_variants<OP_CUBE>();
        tune(&lesson, OP_CUBE, all[size], show);
    }
    putchar('\n');
    return lesson_end(&lesson, true);
}
