/* SPDX-License-Identifier: Apache-2.0 */
/* Fast CPU versions of elementwise.h: the best this computer's processor can
 * do, so that a speed-up over it means something.
 *
 * Three things make them fast: all cores (common/parallel.h), vector
 * instructions (the compiler's, AVX2 where the processor has it), and for
 * arrays larger than the cache streaming stores, which spare the memory bus
 * from reading the output's old contents before they are overwritten. */
#include "kernels/tuned/elementwise.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "common/parallel.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#define HAVE_STREAMING_STORES 1
#else
#define HAVE_STREAMING_STORES 0
#endif

/* One function compiled twice, for AVX2 and for any x86-64; the program picks
 * at its start. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define WITH_AVX2
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef enum Op { ADD, MULTIPLY, SQUARE, CUBE, SAXPY, FILL } Op;

typedef struct Work {
    Op op;
    bool stream;
    size_t n;
    float a;
    const float *x, *y;
    float *out;
} Work;

/* Elements below which another thread costs more than it saves, and to whose
 * multiple shares are rounded, so that no two threads write one cache line. */
enum { GRAIN = 16384 };

static size_t thread_limit = 0;
static size_t stream_above = 0;
static bool stream_above_set = false;

/* ---- One thread's share ------------------------------------------------ */

static ALWAYS_INLINE float apply(Op op, float a, float x, float y) {
    switch (op) {
    case ADD: return x + y;
    case MULTIPLY: return x * y;
    case SQUARE: return x * x;
    case CUBE: return x * x * x;
    case SAXPY: return a * x + y;
    case FILL: return a;
    }
    return 0.0f;
}

static ALWAYS_INLINE bool reads_x(Op op) { return op != FILL; }

static ALWAYS_INLINE bool reads_y(Op op) { return op == ADD || op == MULTIPLY || op == SAXPY; }

/* Plain stores. `op` is a constant at each call, so that each loop holds one
 * operation and can be vectorised. ivdep: out may be x or y itself, but is
 * never shifted against it. */
static ALWAYS_INLINE void range(Op op, size_t n, float a, const float *x, const float *y,
                                float *out) {
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i)
        out[i] = apply(op, a, reads_x(op) ? x[i] : 0.0f, reads_y(op) ? y[i] : 0.0f);
}

WITH_AVX2 static void range_plain(Op op, size_t n, float a, const float *x, const float *y,
                                  float *out) {
    switch (op) {
    case ADD: range(ADD, n, a, x, y, out); break;
    case MULTIPLY: range(MULTIPLY, n, a, x, y, out); break;
    case SQUARE: range(SQUARE, n, a, x, y, out); break;
    case CUBE: range(CUBE, n, a, x, y, out); break;
    case SAXPY: range(SAXPY, n, a, x, y, out); break;
    case FILL: range(FILL, n, a, x, y, out); break;
    }
}

#if HAVE_STREAMING_STORES
static ALWAYS_INLINE __m128 apply4(Op op, __m128 a, __m128 x, __m128 y) {
    switch (op) {
    case ADD: return _mm_add_ps(x, y);
    case MULTIPLY: return _mm_mul_ps(x, y);
    case SQUARE: return _mm_mul_ps(x, x);
    case CUBE: return _mm_mul_ps(_mm_mul_ps(x, x), x);
    case SAXPY: return _mm_add_ps(_mm_mul_ps(a, x), y);
    case FILL: return a;
    }
    return a;
}

/* Streaming stores want 16-byte alignment, and whole cache lines of 64 bytes to
 * be worth it: elements before the first line and after the last are stored
 * plainly. */
static ALWAYS_INLINE void range_lines(Op op, size_t n, float a, const float *x, const float *y,
                                      float *out) {
    enum { LINE = 16 };
    const __m128 va = _mm_set1_ps(a), zero = _mm_setzero_ps();
    size_t head = (64 - (uintptr_t)out % 64) % 64 / sizeof(float);
    if (head > n) head = n;
    const size_t lines_end = head + (n - head) / LINE * LINE;

    range(op, head, a, x, y, out);
    for (size_t i = head; i < lines_end; i += 4) {
        const __m128 vx = reads_x(op) ? _mm_loadu_ps(x + i) : zero;
        const __m128 vy = reads_y(op) ? _mm_loadu_ps(y + i) : zero;
        _mm_stream_ps(out + i, apply4(op, va, vx, vy));
    }
    _mm_sfence(); /* the stores are visible to any thread that sees this share as done */
    if (lines_end < n)
        range(op, n - lines_end, a, reads_x(op) ? x + lines_end : x,
              reads_y(op) ? y + lines_end : y, out + lines_end);
}

static void range_streaming(Op op, size_t n, float a, const float *x, const float *y, float *out) {
    switch (op) {
    case ADD: range_lines(ADD, n, a, x, y, out); break;
    case MULTIPLY: range_lines(MULTIPLY, n, a, x, y, out); break;
    case SQUARE: range_lines(SQUARE, n, a, x, y, out); break;
    case CUBE: range_lines(CUBE, n, a, x, y, out); break;
    case SAXPY: range_lines(SAXPY, n, a, x, y, out); break;
    case FILL: range_lines(FILL, n, a, x, y, out); break;
    }
}
#else
static void range_streaming(Op op, size_t n, float a, const float *x, const float *y, float *out) {
    range_plain(op, n, a, x, y, out);
}
#endif

/* ---- All threads -------------------------------------------------------- */

static void run_share(void *context, size_t worker, size_t workers) {
    const Work *work = (const Work *)context;
    const size_t grains = work->n / GRAIN + (work->n % GRAIN != 0);
    const size_t begin = grains * worker / workers * GRAIN;
    size_t end = grains * (worker + 1) / workers * GRAIN;
    if (end > work->n) end = work->n;
    if (begin >= end) return;

    const float *x = reads_x(work->op) ? work->x + begin : NULL;
    const float *y = reads_y(work->op) ? work->y + begin : NULL;
    if (work->stream) range_streaming(work->op, end - begin, work->a, x, y, work->out + begin);
    else range_plain(work->op, end - begin, work->a, x, y, work->out + begin);
}

/* The last cache's size, or 64 MiB where it is reported as more: large processors
 * add up caches of which each core reaches one part at full speed. */
static size_t last_cache_bytes(void) {
    const long limit = 64L << 20;
    long bytes = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return (size_t)(bytes > 0 && bytes < limit ? bytes : limit);
}

static void run(Op op, size_t n, float a, const float *x, const float *y, float *out) {
    const size_t arrays = 1 + reads_x(op) + (reads_y(op) && y != out);
    const size_t limit_bytes = stream_above_set ? stream_above : last_cache_bytes();
    /* Where the output has just been read, its line is in the cache already and
     * a plain store costs no extra read. */
    const bool in_place = out == x || out == y;
    Work work = {op, !in_place && n > limit_bytes / sizeof(float) / arrays, n, a, x, y, out};

    const size_t grains = n / GRAIN;
    size_t workers = elementwise_fast_cpu_threads();
    if (workers > grains) workers = grains;
    if (workers <= 1) run_share(&work, 0, 1);
    else parallel_run(workers, run_share, &work);
}

size_t elementwise_fast_cpu_threads(void) {
    const size_t all = parallel_threads();
    return thread_limit != 0 && thread_limit < all ? thread_limit : all;
}

void elementwise_fast_cpu_set_threads(size_t threads) { thread_limit = threads; }

void elementwise_fast_cpu_set_stream_above(size_t bytes) {
    stream_above = bytes;
    stream_above_set = true;
}

void add_fast_cpu(size_t n, const float *x, const float *y, float *out) {
    run(ADD, n, 0.0f, x, y, out);
}

void multiply_fast_cpu(size_t n, const float *x, const float *y, float *out) {
    run(MULTIPLY, n, 0.0f, x, y, out);
}

void square_fast_cpu(size_t n, const float *x, float *out) { run(SQUARE, n, 0.0f, x, NULL, out); }

void cube_fast_cpu(size_t n, const float *x, float *out) { run(CUBE, n, 0.0f, x, NULL, out); }

void saxpy_fast_cpu(size_t n, float a, const float *x, float *y) { run(SAXPY, n, a, x, y, y); }

void fill_fast_cpu(size_t n, float value, float *out) { run(FILL, n, value, NULL, NULL, out); }
