/* SPDX-License-Identifier: Apache-2.0 */
/* How near the elementwise kernels come to the memory's limit.
 *
 * For two matrix sizes (or the one given): the copy and memset ceilings, then
 * each operation's median time, spread, rate and share of the copy ceiling. The
 * ceiling is measured before and after the operations and the higher one
 * counts. After it has been timed, each result is compared with the CPU, every
 * element. Exit status 1 if one is wrong, or if an operation of --require falls
 * short of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ceiling.h"
#include "common/check.h"
#include "common/compare.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/staged_copy.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/add.h"
#include "kernels/tuned/random.h"

enum { SEED = 42, POWER = 5 };
static const float FACTOR = -1.75f;
static const float VALUE = 2.71828f;

typedef struct Arrays {
    size_t n;
    float *d_x, *d_y, *d_out, *d_temp;
    float *x, *y, *got, *want;
} Arrays;

/* ---- The operations ------------------------------------------------------ */

static cudaError_t run_add(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return add_gpu(a->n, a->d_x, a->d_y, a->d_out, stream);
}

static cudaError_t run_add_same(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return add_gpu(a->n, a->d_x, a->d_x, a->d_out, stream);
}

static cudaError_t run_add_simple(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return add_one_per_thread_gpu(a->n, a->d_x, a->d_y, a->d_out, 256, stream);
}

static cudaError_t run_multiply(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return multiply_gpu(a->n, a->d_x, a->d_y, a->d_out, stream);
}

static cudaError_t run_square(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return square_gpu(a->n, a->d_x, a->d_out, stream);
}

static cudaError_t run_cube_fused(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return cube_fused_gpu(a->n, a->d_x, a->d_out, stream);
}

static cudaError_t run_cube_two_step(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return cube_two_step_gpu(a->n, a->d_x, a->d_temp, a->d_out, stream);
}

static cudaError_t run_power(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return pow_int_gpu(a->n, a->d_x, POWER, a->d_out, stream);
}

/* In place, so it cannot be repeated and then compared: y would keep growing.
 * y starts as 0 and a x is added once before the check (see check_saxpy). */
static cudaError_t run_saxpy(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return saxpy_gpu(a->n, FACTOR, a->d_x, a->d_out, stream);
}

static cudaError_t run_fill(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return fill_gpu(a->n, VALUE, a->d_out, stream);
}

static cudaError_t run_normal(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return philox_normal_gpu(a->n, SEED, a->d_out, stream);
}

static cudaError_t run_uniform(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return philox_uniform_gpu(a->n, SEED, a->d_out, stream);
}

static cudaError_t run_memset(void *context, cudaStream_t stream) {
    const Arrays *a = context;
    return cudaMemsetAsync(a->d_out, 0, a->n * sizeof(float), stream);
}

/* What each should have given: into a->want. */
static void want_add(const Arrays *a) { add_fast_cpu(a->n, a->x, a->y, a->want); }
static void want_add_same(const Arrays *a) { add_fast_cpu(a->n, a->x, a->x, a->want); }
static void want_multiply(const Arrays *a) { multiply_fast_cpu(a->n, a->x, a->y, a->want); }
static void want_square(const Arrays *a) { square_fast_cpu(a->n, a->x, a->want); }
static void want_cube(const Arrays *a) { cube_fast_cpu(a->n, a->x, a->want); }
static void want_power(const Arrays *a) { pow_int_cpu(a->n, a->x, POWER, a->want); }
static void want_fill(const Arrays *a) { fill_fast_cpu(a->n, VALUE, a->want); }
static void want_normal(const Arrays *a) { philox_normal_fill(a->want, a->n, SEED); }
static void want_uniform(const Arrays *a) { philox_uniform_fill(a->want, a->n, SEED); }
static void want_saxpy(const Arrays *a) {
    fill_fast_cpu(a->n, 0.0f, a->want);
    saxpy_fast_cpu(a->n, FACTOR, a->x, a->want);
}

typedef struct Operation {
    const char *name;
    const char *key;
    GpuWork run;
    void (*want)(const Arrays *arrays);
    int bytes_each;  /* moved for one element */
    int arrays_used; /* for the working set */
    bool required;   /* --require applies */
    float rtol;      /* 0: the same bits */
} Operation;

/* Power 5 is three multiplications on the device against one rounding on the
 * CPU: 4 ULP, 4 * 2^-23. The sum a x + 0 is exact, fused or not. */
static const Operation OPERATIONS[] = {
    {"x + y", "add", run_add, want_add, 12, 3, true, 0},
    {"x + x", "add_same", run_add_same, want_add_same, 8, 2, false, 0},
    {"x + y, one a thread", "add_one_per_thread", run_add_simple, want_add, 12, 3, false, 0},
    {"x * y", "multiply", run_multiply, want_multiply, 12, 3, true, 0},
    {"x**2", "square", run_square, want_square, 8, 2, false, 0},
    {"x**2 * x, fused", "cube_fused", run_cube_fused, want_cube, 8, 2, true, 0},
    {"x**2 * x, two steps", "cube_two_step", run_cube_two_step, want_cube, 20, 3, false, 0},
    {"x**5", "pow_int_5", run_power, want_power, 8, 2, true, 4 * 0x1p-23f},
    {"y = a x + y", "saxpy", run_saxpy, want_saxpy, 12, 2, false, 0},
    {"fill", "fill", run_fill, want_fill, 4, 1, false, 0},
    {"normal numbers", "philox_normal", run_normal, want_normal, 4, 1, false, 0},
    {"uniform numbers", "philox_uniform", run_uniform, want_uniform, 4, 1, false, 0},
};
enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof OPERATIONS[0] };

/* ---- Measuring ------------------------------------------------------------ */

static void *allocate_host(size_t bytes) {
    void *p = malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "not enough host memory for %s\n", text_bytes((double)bytes));
        exit(LESSON_WRONG);
    }
    return p;
}

static Arrays make_arrays(size_t n) {
    Arrays a = {.n = n};
    const size_t bytes = n * sizeof(float);
    float **device[] = {&a.d_x, &a.d_y, &a.d_out, &a.d_temp};
    float **host[] = {&a.x, &a.y, &a.got, &a.want};
    for (int i = 0; i < 4; ++i) {
        CUDA_CHECK(cudaMalloc((void **)device[i], bytes));
        *host[i] = allocate_host(bytes);
    }
    philox_normal_fill(a.x, n, SEED);
    philox_normal_fill(a.y, n, SEED + 1);
    CUDA_CHECK(staged_copy_to_device(a.d_x, a.x, bytes));
    CUDA_CHECK(staged_copy_to_device(a.d_y, a.y, bytes));
    return a;
}

static void free_arrays(Arrays *a) {
    float *device[] = {a->d_x, a->d_y, a->d_out, a->d_temp};
    float *host[] = {a->x, a->y, a->got, a->want};
    for (int i = 0; i < 4; ++i) {
        CUDA_CHECK(cudaFree(device[i]));
        free(host[i]);
    }
}

/* The result that lies in d_out after timing, or of one more run where the
 * operation works in place. */
static bool check_result(Lesson *lesson, const Operation *operation, Arrays *a) {
    const size_t bytes = a->n * sizeof(float);
    if (operation->run == run_saxpy) {
        CUDA_CHECK(cudaMemset(a->d_out, 0, bytes));
        CUDA_CHECK(run_saxpy(a, 0));
    }
    memset(a->got, LAB_POISON_BYTE, bytes);
    CUDA_CHECK(staged_copy_to_host(a->got, a->d_out, bytes));
    operation->want(a);
    const CompareResult result =
        operation->rtol > 0 ? compare_float32(a->n, a->got, a->want, 0, operation->rtol, false)
                            : compare_exact(a->n, a->got, a->want, DTYPE_FLOAT32);
    if (result.wrong == 0) return true;
    return lesson_report(lesson, operation->name, &result, NULL);
}

typedef struct Row {
    TimerStats stats;
    bool right;
} Row;

static double median_memset_ms(const Lesson *lesson, Arrays *a) {
    TimerOptions options = *lesson_timer(lesson);
    options.budget_ms = 0; /* the timer's own, on the CPU device too */
    TimerStats stats;
    CUDA_CHECK(time_gpu(run_memset, a, &options, &stats));
    return stats.median_ms;
}

static bool bench_size(Lesson *lesson, size_t rows, size_t cols, size_t require_percent) {
    const size_t n = rows * cols, bytes = n * sizeof(float);
    TimerOptions options = *lesson_timer(lesson);
    options.budget_ms = 0; /* the timer's own, on the CPU device too */
    Arrays a = make_arrays(n);
    Row results[OPERATION_COUNT];
    double copy_before, copy_after;

    CUDA_CHECK(measure_copy_ceiling_in(a.d_temp, a.d_x, bytes, 0, &copy_before));
    for (int i = 0; i < OPERATION_COUNT; ++i) {
        CUDA_CHECK(cudaMemset(a.d_out, LAB_POISON_BYTE, bytes));
        CUDA_CHECK(time_gpu(OPERATIONS[i].run, &a, &options, &results[i].stats));
        results[i].right = check_result(lesson, &OPERATIONS[i], &a);
    }
    const double memset_gbps = gbps_from((double)bytes, median_memset_ms(lesson, &a));
    CUDA_CHECK(measure_copy_ceiling_in(a.d_temp, a.d_x, bytes, 0, &copy_after));
    const double copy_gbps = copy_before > copy_after ? copy_before : copy_after;

    Record *record = record_row(lesson->record, "sizes");
    record_count(record, "rows", rows);
    record_count(record, "cols", cols);
    record_number(record, "copy_gbps_before", copy_before);
    record_number(record, "copy_gbps_after", copy_after);
    record_number(record, "memset_gbps", memset_gbps);

    printf("\n%s x %s float32, %s an array. Copy %s before, %s after; memset %s.\n\n",
           text_count(rows), text_count(cols), text_bytes((double)bytes), text_rate(copy_before),
           text_rate(copy_after), text_rate(memset_gbps));
    printf("  %-21s %10s %12s %8s %9s %7s  %s\n", "operation", "bytes", "median", "spread", "GB/s",
           "of copy", "result");
    bool all_right = true;
    for (int i = 0; i < OPERATION_COUNT; ++i) {
        const Operation *operation = &OPERATIONS[i];
        const TimerStats *stats = &results[i].stats;
        const double moved = (double)operation->bytes_each * (double)n;
        const double gbps = gbps_from(moved, stats->median_ms);
        const double percent = copy_gbps > 0 ? 100 * gbps / copy_gbps : 0;
        const RateCheck rate = {gbps,
                                copy_gbps,
                                lesson->peak_gbps,
                                (size_t)operation->arrays_used * bytes,
                                lesson->l2_bytes,
                                stats->median_ms};
        const bool writes_only = operation->bytes_each == 4; /* faster than a copy, rightly */
        const RateVerdict verdict = writes_only ? RATE_OK : rate_check(&rate);
        const bool short_of = operation->required && percent < (double)require_percent;
        all_right = all_right && results[i].right && !short_of;

        printf("  %-21s %10s %12s %6.1f %% %9.0f %5.1f %%  %s%s%s\n", operation->name,
               text_bytes(moved), text_ms(stats->median_ms), 100 * stats->spread, gbps, percent,
               results[i].right ? "right" : "WRONG", short_of ? ", below what is required" : "",
               verdict == RATE_OK ? "" : ", rate above the ceiling (cache?)");

        Record *row = record_row(record, "operations");
        record_text(row, "operation", operation->key);
        record_number(row, "bytes_moved", moved);
        record_timer(row, "time", stats);
        record_number(row, "gbps", gbps);
        record_number(row, "percent_of_copy", percent);
        record_flag(row, "right", results[i].right);
        record_flag(row, "above_ceiling", verdict != RATE_OK);
    }
    free_arrays(&a);
    return all_right;
}

int main(int argc, char **argv) {
    size_t require_percent = 0;
    const OptionExtra extra[] = {
        {"require", "PERCENT", "fail if x + y, x * y or fused x**2 * x reach less of the copy rate",
         OPTION_SIZE, &require_percent, 0, 200},
    };
    const LessonSpec spec = {
        .program = "elementwise_bench",
        .about = "Elementwise kernels against the memory's limit.",
        .rows = 12000,
        .cols = 19200,
        .cpu_rows = 1200,
        .cpu_cols = 1920,
        .no_seed = true,
        .extra = extra,
        .extra_count = 1,
    };
    Lesson lesson;
    if (!lesson_begin(&lesson, argc, argv, &spec)) return lesson.status;
    const Options *options = &lesson.options;
    if (!lesson_check_memory(&lesson, options->rows * options->cols, 4 * sizeof(float),
                             4 * sizeof(float)))
        return lesson.status;

    bool right = bench_size(&lesson, options->rows, options->cols, require_percent);
    if (!options->sizes_given && options->cols >= 10)
        right = bench_size(&lesson, options->rows, options->cols / 10, require_percent) && right;
    putchar('\n');
    return lesson_end(&lesson, right);
}
