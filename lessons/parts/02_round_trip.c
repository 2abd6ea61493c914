/* SPDX-License-Identifier: Apache-2.0 */
/* See 02_round_trip.h. The comparison walks the elements by itself, one index after
 * the other, so that it shares no code with the copies that it judges. */
#include "lessons/parts/02_round_trip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/philox.h"

/* A buffer with room for the strided array, and the array inside it. */
typedef struct Buffer {
    unsigned char *bytes;
    size_t size;
    HostArray array;
} Buffer;

static bool buffer_make(Buffer *buffer, const RoundTripCase *trip) {
    ptrdiff_t strides[ROUND_TRIP_DIMS];
    ptrdiff_t item = (ptrdiff_t)dtype_size(trip->dtype), run = item, first = 0;
    for (int k = 0; k < trip->ndim; k++) {
        int axis = trip->column_major ? k : trip->ndim - 1 - k;
        ptrdiff_t count = (ptrdiff_t)trip->shape[axis];
        ptrdiff_t step = trip->step[axis] == 0 ? 1 : trip->step[axis];
        strides[axis] = run * step;
        if (step < 0 && count > 0) first -= (count - 1) * strides[axis];
        run *= count * (step < 0 ? -step : step);
    }
    buffer->size = (size_t)run;
    buffer->bytes = malloc(buffer->size + sizeof(uint32_t)); /* whole words to fill */
    if (buffer->bytes == NULL) return false;
    buffer->array =
        host_array_strided(buffer->bytes + first, trip->dtype, trip->ndim, trip->shape, strides);
    return true;
}

/* Address of element `index`, counted with the last axis fastest. */
static unsigned char *element(const HostArray *x, size_t index) {
    ptrdiff_t offset = 0;
    for (int axis = x->ndim - 1; axis >= 0; axis--) {
        offset += (ptrdiff_t)(index % x->shape[axis]) * x->strides[axis];
        index /= x->shape[axis];
    }
    return (unsigned char *)x->data + offset;
}

/* First element of a that differs from b's, or the count if none does. */
static size_t first_difference(const HostArray *a, const HostArray *b) {
    size_t count = host_array_count(a), item = dtype_size(a->dtype);
    if (host_array_is_contiguous(a) && host_array_is_contiguous(b) &&
        (count == 0 || memcmp(a->data, b->data, count * item) == 0)) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        if (memcmp(element(a, i), element(b, i), item) != 0) return i;
    }
    return count;
}

/* True if `buffer` holds nothing but poison outside its elements. Overwrites the
 * elements, so it comes last. */
static bool gaps_are_clean(Buffer *buffer) {
    size_t count = host_array_count(&buffer->array), item = dtype_size(buffer->array.dtype);
    if (host_array_is_contiguous(&buffer->array)) return true;
    for (size_t i = 0; i < count; i++) memset(element(&buffer->array, i), LAB_POISON_BYTE, item);
    for (size_t i = 0; i < buffer->size; i++) {
        if (buffer->bytes[i] != LAB_POISON_BYTE) return false;
    }
    return true;
}

static RoundTripOutcome outcome_of(cudaError_t status, const char *step, RoundTripResult *result) {
    const char *why = lab_last_message();
    snprintf(result->text, sizeof result->text, "%s: %s", step,
             why[0] != '\0' ? why : cudaGetErrorString(status));
    return status == cudaErrorInvalidValue ? ROUND_TRIP_REFUSED : ROUND_TRIP_ERROR;
}

/* One get into `back` (poisoned before) and its comparison with x. */
static RoundTripOutcome get_and_compare(const DeviceArray *d_x, const HostArray *x, Buffer *back,
                                        const char *step, RoundTripResult *result) {
    memset(back->bytes, LAB_POISON_BYTE, back->size);
    cudaError_t status = get(&back->array, d_x);
    if (status != cudaSuccess) return outcome_of(status, step, result);
    size_t different = first_difference(&back->array, x);
    if (different < host_array_count(x)) {
        snprintf(result->text, sizeof result->text, "%s: element %zu came back with other bits",
                 step, different);
        return ROUND_TRIP_WRONG_BITS;
    }
    if (!gaps_are_clean(back)) {
        snprintf(result->text, sizeof result->text, "%s: wrote between the elements", step);
        return ROUND_TRIP_WRONG_BITS;
    }
    return ROUND_TRIP_SAME_BITS;
}

RoundTripResult round_trip(const RoundTripCase *trip, uint64_t seed) {
    RoundTripResult result = {.outcome = ROUND_TRIP_ERROR};
    RoundTripCase plain = {.dtype = trip->dtype, .ndim = trip->ndim};
    memcpy(plain.shape, trip->shape, sizeof plain.shape);
    Buffer x = {0}, back = {0}, packed = {0};
    DeviceArray d_x = {0};
    if (!buffer_make(&x, trip) || !buffer_make(&back, trip)) {
        snprintf(result.text, sizeof result.text, "no host memory for 2 x %zu bytes", x.size);
        goto release;
    }
    result.bytes = host_array_count(&x.array) * dtype_size(trip->dtype);
    host_array_describe(&x.array, result.description, sizeof result.description);
    philox_bits_fill((uint32_t *)(void *)x.bytes, (x.size + 3) / sizeof(uint32_t), seed);

    cudaError_t status = to_gpu(&d_x, &x.array);
    if (status != cudaSuccess) {
        result.outcome = outcome_of(status, "to_gpu", &result);
        goto release;
    }
    result.outcome = get_and_compare(&d_x, &x.array, &back, "get", &result);
    if (result.outcome == ROUND_TRIP_SAME_BITS && !host_array_is_contiguous(&x.array)) {
        if (buffer_make(&packed, &plain)) {
            result.outcome = get_and_compare(&d_x, &x.array, &packed, "get, packed", &result);
        } else {
            snprintf(result.text, sizeof result.text, "no host memory for %zu bytes", packed.size);
            result.outcome = ROUND_TRIP_ERROR;
        }
    }

release:
    device_array_free(&d_x);
    free(x.bytes);
    free(back.bytes);
    free(packed.bytes);
    return result;
}

/* Some of the cases, for a screen; --all shows each with its type, shape and strides. */
static bool is_shown(size_t index) {
    return index == 0 || index == 1 || index == 3 || index == 6 || index == 8 || index == 11;
}

/* The last is the large one; ROUND_TRIPS_LARGEST is the largest of the others. */
bool show_round_trips(Lesson *lesson) {
    const RoundTripCase trips[] = {
        {"nothing at all", DTYPE_FLOAT32, 2, {0, 7}, {0}, false},
        {"one byte", DTYPE_UINT8, 1, {1}, {0}, false},
        {"an odd number of bytes", DTYPE_UINT8, 1, {1000003}, {0}, false},
        {"a matrix", DTYPE_FLOAT32, 2, {1009, 1013}, {0}, false},
        {"a column", DTYPE_FLOAT64, 2, {4097, 1}, {0}, false},
        {"three axes", DTYPE_INT16, 3, {5, 7, 11}, {0}, false},
        {"transposed", DTYPE_FLOAT32, 2, {1009, 1013}, {0}, true},
        {"every second column", DTYPE_FLOAT32, 2, {1000, 517}, {1, 2}, false},
        {"rows backwards", DTYPE_INT32, 2, {333, 77}, {-1, 1}, false},
        {"all axes backwards, every third", DTYPE_INT64, 3, {9, 10, 11}, {-3, -3, -3}, false},
        {"a corner, column by column", DTYPE_FLOAT64, 2, {101, 103}, {3, 5}, true},
        {"the large one",
         DTYPE_FLOAT32,
         2,
         {lesson->options.rows, lesson->options.cols},
         {0},
         false},
    };
    const size_t count = sizeof trips / sizeof trips[0];
    size_t right = 0;
    printf("\n2. Round trips: random bits to the device, back, and compared bit for bit.\n");
    for (size_t i = 0; i < count; i++) {
        const RoundTripResult result = round_trip(&trips[i], lesson->options.seed + i);
        const bool same = result.outcome == ROUND_TRIP_SAME_BITS;
        if (lesson->options.all || is_shown(i) || !same) {
            printf("   %-32s %11s  %s\n", trips[i].what, text_bytes((double)result.bytes),
                   same ? "same bits" : result.text);
        }
        if (lesson->options.all || !same) printf("      %s\n", result.description);
        Record *row = record_row(lesson->record, "round_trips");
        record_text(row, "array", result.description);
        record_count(row, "bytes", result.bytes);
        record_flag(row, "same_bits", same);
        right += same;
    }
    printf("   %zu of %zu came back with the same bits%s.\n", right, count,
           lesson->options.all ? "" : "; --all shows each, with its strides");
    return right == count;
}
