/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations on float32 arrays: contracts of the GPU launchers
 * (elementwise.cu), of the plain CPU references (elementwise_cpu.c) and of the
 * fast CPU versions (elementwise_fast_cpu.c).
 *
 * What all the launchers (`*_gpu`) share, so that it is said once:
 *   Shapes:  every d_ pointer is an (n,) float32 array in device memory. n is
 *            any size_t. Pointers need the 4-byte alignment of a float and no
 *            more; where all of them are equally far from a 16-byte boundary
 *            the kernel moves 16 bytes at a time, else 4.
 *   In place: d_out may be the same pointer as an input. Arrays that overlap
 *            in part are not allowed: the result would depend on the order of
 *            the threads.
 *   Errors:  n == 0 is a no-op that succeeds, whatever the pointers are.
 *            cudaErrorInvalidValue for n > 0 with a null pointer or one that
 *            is not aligned to 4 bytes. Else the status of the launch itself.
 *   Time:    returns when the kernel is queued on `stream`, not when it ended.
 *            An error inside the kernel shows at the next synchronise.
 *   Cost:    "bytes moved" is what must cross the memory bus: divide it by the
 *            time to get a rate that can be held against the copy ceiling. */
#ifndef KERNELS_ELEMENTWISE_H
#define KERNELS_ELEMENTWISE_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x[i] + y[i]. One rounding: exact to the bit against add_cpu.
 * Cost: 12 n bytes moved, n flop. */
cudaError_t add_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                    cudaStream_t stream);

/* Loads add_gpu's code to the current device, and compiles it first if it is PTX, so that the
 * first launch need not. Once loaded, it costs next to nothing. */
cudaError_t add_gpu_load(void);

/* out[i] = x[i] * y[i]. One rounding: exact to the bit against multiply_cpu.
 * Cost: 12 n bytes moved, n flop. */
cudaError_t multiply_gpu(size_t n, const float *d_x, const float *d_y, float *d_out,
                         cudaStream_t stream);

/* out[i] = x[i] * x[i]. One rounding: exact to the bit against square_cpu.
 * Cost: 8 n bytes moved, n flop. */
cudaError_t square_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);

/* out[i] = x[i]^3, computed as (x * x) * x. Two roundings: at most 2 ULP from
 * cube_cpu, which rounds once. Same bits as cube_fused_gpu.
 * Cost: 8 n bytes moved, 2 n flop. */
cudaError_t cube_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);

/* The expression x**2 * x in one pass: the square stays in a register.
 * Same bits as cube_two_step_gpu, for 8 instead of 20 bytes an element.
 * Cost: 8 n bytes moved, 2 n flop. */
cudaError_t cube_fused_gpu(size_t n, const float *d_x, float *d_out, cudaStream_t stream);

/* The expression x**2 * x as array libraries compute it, one operator after
 * the other: temp = x * x, then out = temp * x. Two launches, and the whole
 * temporary is written to memory and read back.
 * d_temp: (n,) float32, not overlapping the others; left holding the square.
 * Cost: 20 n bytes moved (8 for the square, 12 for the product), 2 n flop. */
cudaError_t cube_two_step_gpu(size_t n, const float *d_x, float *d_temp, float *d_out,
                              cudaStream_t stream);

/* out[i] = x[i]^exponent for an integer exponent, by repeated squaring: as few
 * multiplications as the exponent's binary digits ask for, and no logarithm.
 *
 *   exponent 0      1 for every x, NaN included (as C's pow)
 *   exponent 1, 2   exact, and correctly rounded: same bits as x and square_gpu
 *   exponent 3      same bits as cube_gpu
 *   exponent -1     1 / x, correctly rounded; x = 0 gives an infinity of x's sign
 *   exponent < -1   1 / x^|exponent|. Where x^|exponent| leaves the range of
 *                   normal floats, (1 / x)^|exponent|, so that a result that
 *                   can be represented is not lost to an overflow on the way
 *
 * Error: each multiplication rounds, and squaring doubles the error so far:
 * for the moderate exponents met in practice at most max(0, e - 1) ULP from
 * the true power for e >= 0 and 2 |e| ULP for e < 0, in the normal range.
 * Against powf(x, (float)e): CUDA's powf keeps within 4 ULP for every power,
 * goes through a logarithm and costs dozens of instructions. Up to an exponent
 * of 5 pow_int is no less accurate, and cheaper; for the 1000th power use powf
 * or double. Exponents above 2^24 cannot even be given to powf exactly. Signs
 * come from multiplying, so (-5)^2 is exactly 25 and (-5)^3 exactly -125.
 * Cost: 8 n bytes moved, at most 2 log2(|exponent|) + 1 multiplications each. */
cudaError_t pow_int_gpu(size_t n, const float *d_x, int exponent, float *d_out,
                        cudaStream_t stream);

/* y[i] = a * x[i] + y[i].
 * A compiler may contract this into one fused multiply-add with one rounding
 * instead of two (nvcc does so unless built with --//bazel:fmad=false; the CPU
 * device and saxpy_cpu never do). The results then differ by at most
 * 2^-24 (|a x| + |result|): small, but many ULP where a x and y cancel.
 * Cost: 12 n bytes moved, 2 n flop.
 * Source: BLAS level 1, xAXPY (Lawson et al., 1979). */
cudaError_t saxpy_gpu(size_t n, float a, const float *d_x, float *d_y, cudaStream_t stream);

/* out[i] = value, bit for bit (NaN payloads and -0 included).
 * Cost: 4 n bytes moved, 0 flop. */
cudaError_t fill_gpu(size_t n, float value, float *d_out, cudaStream_t stream);

/* How a launcher above divides n elements. `width` is the number of floats
 * that one access moves: 4 where every pointer is equally far from a 16-byte
 * boundary, else 1. The first `head` and the last `tail` elements do not fill
 * a 16-byte access and are done one by one by the first threads of block 0.
 * The `groups` accesses between them are dealt out in chunks of
 * threads * per_thread accesses; block b takes chunks b, b + blocks, ...; in a
 * chunk, thread t takes accesses t, t + threads, t + 2 * threads, ... */
typedef struct ElementwisePlan {
    size_t head;         /* elements before the first 16-byte boundary, 0 to 3 */
    size_t groups;       /* accesses of `width` elements */
    size_t tail;         /* elements after the last whole access, 0 to 3 */
    unsigned width;      /* 4 or 1 */
    unsigned per_thread; /* accesses of one thread in one chunk */
    unsigned threads;    /* a block's threads */
    unsigned blocks;     /* the grid's blocks, at least 1 */
} ElementwisePlan;

/* The plan for n elements of the arrays given; d_x and d_y may be null where
 * the operation has fewer inputs. Pure arithmetic on the addresses: nothing is
 * read, no device is needed. n > 0. */
ElementwisePlan elementwise_plan(size_t n, const void *d_x, const void *d_y, const void *d_out);

/* Which block and which of its threads compute element `index` (< n). */
void elementwise_owner(const ElementwisePlan *plan, size_t index, size_t *block, unsigned *thread);

/* ---- CPU references: one plain loop each, n == 0 allowed, x == out allowed.
 * add, multiply, square and saxpy round as float arithmetic does; cube and
 * pow_int compute in double and round once, so they are nearer to the truth
 * than any kernel. Compiled with optimisation in every build mode and never
 * with fast-math or contraction. */
void add_cpu(size_t n, const float *x, const float *y, float *out);
void multiply_cpu(size_t n, const float *x, const float *y, float *out);
void square_cpu(size_t n, const float *x, float *out);
void cube_cpu(size_t n, const float *x, float *out);
void pow_int_cpu(size_t n, const float *x, int exponent, float *out);
void saxpy_cpu(size_t n, float a, const float *x, float *y);
void fill_cpu(size_t n, float value, float *out);

/* ---- Fast CPU versions: vectorised, on every core this process may use, with
 * stores that bypass the cache once the arrays are larger than it. They are
 * the honest opponent in a comparison of times. Same shapes as the references.
 * Same bits as add_cpu, multiply_cpu, square_cpu, saxpy_cpu and fill_cpu;
 * cube_fast_cpu computes (x * x) * x in float: same bits as cube_fused_gpu.
 * Threads are those of common/parallel.h: started at the first call that is
 * large enough, and kept. */
void add_fast_cpu(size_t n, const float *x, const float *y, float *out);
void multiply_fast_cpu(size_t n, const float *x, const float *y, float *out);
void square_fast_cpu(size_t n, const float *x, float *out);
void cube_fast_cpu(size_t n, const float *x, float *out);
void saxpy_fast_cpu(size_t n, float a, const float *x, float *y);
void fill_fast_cpu(size_t n, float value, float *out);

/* How many threads the fast versions use at most: parallel_threads(), or less
 * if set_threads asked for less (0: no limit of their own again). */
size_t elementwise_fast_cpu_threads(void);
void elementwise_fast_cpu_set_threads(size_t threads);

/* Calls that touch more bytes than this write past the cache, unless the output
 * is an input too. The default is the last cache's size, at most 64 MiB; 0 makes
 * all calls do so, SIZE_MAX none. Where the processor has no such stores it
 * changes nothing. */
void elementwise_fast_cpu_set_stream_above(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_ELEMENTWISE_H */
