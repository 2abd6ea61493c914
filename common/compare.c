/* Comparing arrays element by element. See compare.h.
 *
 * float32 goes through a loop that the compiler vectorises and that only counts;
 * where a block of elements holds something of interest, it is looked at again
 * one by one. Other types are always looked at one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/compare.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "common/parallel.h"

enum {
    BLOCK = 1024,       /* elements that the counting loop takes at once: 8 KiB, in L1 */
    GRAIN = 64 * BLOCK, /* elements that one thread takes at least */
};

typedef struct CompareJob {
    CompareResult *result;
    size_t element_size;
    pthread_mutex_t lock; /* guards *result while threads merge */
} CompareJob;

static uint32_t bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits_of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Maps a float's bits to an integer that grows with the float; -0 and 0 meet at 0. */
static inline int64_t ordered_f32(uint32_t bits) {
    int64_t magnitude = bits & 0x7FFFFFFFu;
    return bits >> 31 ? -magnitude : magnitude;
}

uint64_t ulp_distance_f32(float a, float b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? 0 : ULP_INCOMPARABLE;
    }
    if (isinf(a) || isinf(b)) {
        return a == b ? 0 : ULP_INCOMPARABLE;
    }
    int64_t distance = ordered_f32(bits_of_f32(a)) - ordered_f32(bits_of_f32(b));
    return (uint64_t)(distance < 0 ? -distance : distance);
}

uint64_t ulp_distance_f64(double a, double b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? 0 : ULP_INCOMPARABLE;
    }
    if (isinf(a) || isinf(b)) {
        return a == b ? 0 : ULP_INCOMPARABLE;
    }
    uint64_t x = bits_of_f64(a), y = bits_of_f64(b);
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t magnitude_x = x & ~sign, magnitude_y = y & ~sign;
    if ((x ^ y) & sign) {
        return magnitude_x + magnitude_y; /* below 2^64: each is below 2^63 */
    }
    return magnitude_x > magnitude_y ? magnitude_x - magnitude_y : magnitude_y - magnitude_x;
}

/* --- One element --- */

/* An element of any type, as far as comparing needs it. */
typedef struct Element {
    double value;
    bool is_float;
} Element;

static Element element_at(const void *data, DType dtype, size_t i) {
    switch (dtype) {
    case DTYPE_FLOAT32: return (Element){((const float *)data)[i], true};
    case DTYPE_FLOAT64: return (Element){((const double *)data)[i], true};
    case DTYPE_INT8: return (Element){((const int8_t *)data)[i], false};
    case DTYPE_UINT8: return (Element){((const uint8_t *)data)[i], false};
    case DTYPE_INT16: return (Element){((const int16_t *)data)[i], false};
    case DTYPE_UINT16: return (Element){((const uint16_t *)data)[i], false};
    case DTYPE_INT32: return (Element){((const int32_t *)data)[i], false};
    case DTYPE_UINT32: return (Element){((const uint32_t *)data)[i], false};
    case DTYPE_INT64: return (Element){(double)((const int64_t *)data)[i], false};
    case DTYPE_UINT64: return (Element){(double)((const uint64_t *)data)[i], false};
    }
    return (Element){0, false};
}

static bool same_bits(const CompareResult *result, size_t size, size_t i) {
    return memcmp((const char *)result->got_data + i * size,
                  (const char *)result->want_data + i * size, size) == 0;
}

/* The rule of compare.h, in double: a float32 difference is exact there. */
static bool within_tolerance(const CompareResult *result, double got, double want) {
    if (isfinite(got) && isfinite(want)) {
        return fabs(got - want) <= result->atol + result->rtol * fabs(want);
    }
    if (isnan(got) && isnan(want)) {
        return result->equal_nan;
    }
    return got == want; /* the same infinity */
}

bool compare_is_wrong(const CompareResult *result, size_t i) {
    if (result->bitwise) {
        return !same_bits(result, dtype_size(result->dtype), i);
    }
    return !within_tolerance(result, element_at(result->got_data, result->dtype, i).value,
                             element_at(result->want_data, result->dtype, i).value);
}

static bool is_poison(const void *data, size_t size, size_t i) {
    static const unsigned char poison[8] = {LAB_POISON_BYTE, LAB_POISON_BYTE, LAB_POISON_BYTE,
                                            LAB_POISON_BYTE, LAB_POISON_BYTE, LAB_POISON_BYTE,
                                            LAB_POISON_BYTE, LAB_POISON_BYTE};
    return memcmp((const char *)data + i * size, poison, size) == 0;
}

static void note_wrong(CompareResult *part, size_t size, size_t i, double got, double want) {
    if (part->wrong++ == 0) {
        part->first_wrong = i;
    }
    part->last_wrong = i;
    part->unexpected_nan += isnan(got) && !isnan(want);
    part->missing_nan += isnan(want) && !isnan(got);
    part->never_written += is_poison(part->got_data, size, i);
    double smallest_normal = part->dtype == DTYPE_FLOAT32 ? (double)FLT_MIN : DBL_MIN;
    part->flushed += got == 0 && want != 0 && fabs(want) < smallest_normal;
}

/* Adds element i to part; elements come in ascending order. */
static void examine(CompareResult *part, size_t size, size_t i) {
    Element got = element_at(part->got_data, part->dtype, i);
    Element want = element_at(part->want_data, part->dtype, i);
    bool same = same_bits(part, size, i);
    part->exact += same;
    if (part->bitwise ? !same : !within_tolerance(part, got.value, want.value)) {
        note_wrong(part, size, i, got.value, want.value);
    }
    if (!isfinite(got.value) || !isfinite(want.value)) {
        return;
    }
    uint64_t ulp = 0;
    if (part->dtype == DTYPE_FLOAT32) {
        ulp = ulp_distance_f32((float)got.value, (float)want.value);
    } else if (part->dtype == DTYPE_FLOAT64) {
        ulp = ulp_distance_f64(got.value, want.value);
    }
    if (ulp > part->max_ulp || part->max_ulp_index == part->n) {
        part->max_ulp = ulp;
        part->max_ulp_index = i;
    }
    part->max_abs_error = fmax(part->max_abs_error, fabs(got.value - want.value));
    part->max_abs_want = fmax(part->max_abs_want, fabs(want.value));
}

/* --- The counting loop for float32 --- */

typedef struct BlockCount {
    uint32_t wrong, exact;
    uint32_t max_ulp;   /* among elements finite on both sides */
    uint32_t max_error; /* bits of the largest |got - want| rounded to float, among those */
    uint32_t max_want;  /* bits of the largest |want| among those */
} BlockCount;

/* Bits of non-negative floats are in the order of the floats, so maxima are taken
 * of the bits: a compiler may not reorder maxima of floats. */
static inline __attribute__((always_inline)) BlockCount count_block(const float *got,
                                                                    const float *want, size_t count,
                                                                    double atol, double rtol,
                                                                    bool equal_nan) {
    const uint32_t infinity = 0x7F800000u;
    uint32_t wrong = 0, exact = 0, max_ulp = 0, max_error = 0, max_want = 0;
    for (size_t i = 0; i < count; ++i) {
        float g = got[i], w = want[i];
        uint32_t bits_g, bits_w, bits_error;
        memcpy(&bits_g, &g, sizeof bits_g);
        memcpy(&bits_w, &w, sizeof bits_w);
        uint32_t size_g = bits_g & 0x7FFFFFFFu, size_w = bits_w & 0x7FFFFFFFu;
        uint32_t finite = (size_g < infinity) & (size_w < infinity);
        uint32_t mask = 0u - finite;
        uint32_t both_nan = (size_g > infinity) & (size_w > infinity);
        uint32_t same = bits_g == bits_w;

        double difference = __builtin_fabs((double)g - (double)w);
        uint32_t close = difference <= atol + rtol * __builtin_fabs((double)w);
        uint32_t right = (finite & close) | (same & (size_g <= infinity)) | (both_nan & equal_nan);
        wrong += right ^ 1u;
        exact += same;

        int32_t order_g = bits_g >> 31 ? (int32_t)(0u - size_g) : (int32_t)size_g;
        int32_t order_w = bits_w >> 31 ? (int32_t)(0u - size_w) : (int32_t)size_w;
        uint32_t ulp = order_g > order_w ? (uint32_t)order_g - (uint32_t)order_w
                                         : (uint32_t)order_w - (uint32_t)order_g;
        float error = __builtin_fabsf(g - w);
        memcpy(&bits_error, &error, sizeof bits_error);
        ulp &= mask;
        bits_error &= mask;
        size_w &= mask;
        max_ulp = ulp > max_ulp ? ulp : max_ulp;
        max_error = bits_error > max_error ? bits_error : max_error;
        max_want = size_w > max_want ? size_w : max_want;
    }
    return (BlockCount){wrong, exact, max_ulp, max_error, max_want};
}

static BlockCount count_block_plain(const float *got, const float *want, size_t count, double atol,
                                    double rtol, bool equal_nan) {
    return count_block(got, want, count, atol, rtol, equal_nan);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static BlockCount count_block_avx2(const float *got,
                                                                   const float *want, size_t count,
                                                                   double atol, double rtol,
                                                                   bool equal_nan) {
    return count_block(got, want, count, atol, rtol, equal_nan);
}
#endif

typedef BlockCount (*CountBlock)(const float *, const float *, size_t, double, double, bool);

static CountBlock best_count_block(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return count_block_avx2;
    }
#endif
    return count_block_plain;
}

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Adds one block to part: by its counts alone if they hold nothing new. */
static void add_block_f32(CompareResult *part, size_t begin, size_t count, CountBlock count_one) {
    const float *got = (const float *)part->got_data + begin;
    const float *want = (const float *)part->want_data + begin;
    BlockCount block = count_one(got, want, count, part->atol, part->rtol, part->equal_nan);
    bool needs_a_closer_look = block.wrong > 0 || block.max_ulp > part->max_ulp ||
                               part->max_ulp_index == part->n ||
                               (double)float_of_bits(block.max_error) > part->max_abs_error;
    if (needs_a_closer_look) {
        for (size_t i = 0; i < count; ++i) {
            examine(part, sizeof(float), begin + i);
        }
        return;
    }
    part->exact += block.exact;
    part->max_abs_want = fmax(part->max_abs_want, (double)float_of_bits(block.max_want));
}

/* --- Whole arrays --- */

static void merge(CompareResult *total, const CompareResult *part) {
    total->wrong += part->wrong;
    total->exact += part->exact;
    total->unexpected_nan += part->unexpected_nan;
    total->missing_nan += part->missing_nan;
    total->never_written += part->never_written;
    total->flushed += part->flushed;
    if (part->wrong > 0) {
        bool first = total->first_wrong == total->n;
        if (part->first_wrong < total->first_wrong) {
            total->first_wrong = part->first_wrong;
        }
        if (first || part->last_wrong > total->last_wrong) {
            total->last_wrong = part->last_wrong;
        }
    }
    /* Equal distances: the lower index, whichever thread came first. */
    if (part->max_ulp_index < part->n &&
        (total->max_ulp_index == total->n || part->max_ulp > total->max_ulp ||
         (part->max_ulp == total->max_ulp && part->max_ulp_index < total->max_ulp_index))) {
        total->max_ulp = part->max_ulp;
        total->max_ulp_index = part->max_ulp_index;
    }
    total->max_abs_error = fmax(total->max_abs_error, part->max_abs_error);
    total->max_abs_want = fmax(total->max_abs_want, part->max_abs_want);
}

/* The result of comparing nothing yet, with the job's description. */
static CompareResult empty_result(size_t n, const void *got, const void *want, DType dtype) {
    return (CompareResult){.n = n,
                           .first_wrong = n,
                           .last_wrong = n,
                           .max_ulp_index = n,
                           .dtype = dtype,
                           .got_data = got,
                           .want_data = want};
}

static void compare_range(void *context, size_t begin, size_t end) {
    CompareJob *job = context;
    CompareResult part = empty_result(job->result->n, job->result->got_data, job->result->want_data,
                                      job->result->dtype);
    part.atol = job->result->atol;
    part.rtol = job->result->rtol;
    part.equal_nan = job->result->equal_nan;
    part.bitwise = job->result->bitwise;
    CountBlock count_one = best_count_block();
    size_t size = job->element_size;
    for (size_t i = begin; i < end; i += BLOCK) {
        size_t count = end - i < BLOCK ? end - i : BLOCK;
        if (part.dtype == DTYPE_FLOAT32 && !part.bitwise) {
            add_block_f32(&part, i, count, count_one);
        } else if (part.bitwise && part.max_ulp_index < part.n &&
                   memcmp((const char *)part.got_data + i * size,
                          (const char *)part.want_data + i * size, count * size) == 0) {
            part.exact += count;
        } else {
            for (size_t j = i; j < i + count; ++j) {
                examine(&part, size, j);
            }
        }
    }
    pthread_mutex_lock(&job->lock);
    merge(job->result, &part);
    pthread_mutex_unlock(&job->lock);
}

static void compare_all(CompareResult *result) {
    CompareJob job = {.result = result, .element_size = dtype_size(result->dtype)};
    if (result->n == 0) {
        return;
    }
    if (result->got_data == NULL || result->want_data == NULL || job.element_size == 0) {
        result->wrong = result->n; /* nothing to compare is not right */
        result->first_wrong = 0;
        result->last_wrong = result->n - 1;
        return;
    }
    pthread_mutex_init(&job.lock, NULL);
    parallel_for(result->n, GRAIN, compare_range, &job);
    pthread_mutex_destroy(&job.lock);
    if (result->wrong > 0) {
        result->got = element_at(result->got_data, result->dtype, result->first_wrong).value;
        result->want = element_at(result->want_data, result->dtype, result->first_wrong).value;
    }
}

CompareResult compare_float32(size_t n, const float *got, const float *want, float atol, float rtol,
                              bool equal_nan) {
    CompareResult result = empty_result(n, got, want, DTYPE_FLOAT32);
    result.atol = (double)atol;
    result.rtol = (double)rtol;
    result.equal_nan = equal_nan;
    compare_all(&result);
    return result;
}

CompareResult compare_float64(size_t n, const double *got, const double *want, double atol,
                              double rtol, bool equal_nan) {
    CompareResult result = empty_result(n, got, want, DTYPE_FLOAT64);
    result.atol = atol;
    result.rtol = rtol;
    result.equal_nan = equal_nan;
    compare_all(&result);
    return result;
}

CompareResult compare_exact(size_t n, const void *got, const void *want, DType dtype) {
    CompareResult result = empty_result(n, got, want, dtype);
    result.bitwise = true;
    compare_all(&result);
    return result;
}
