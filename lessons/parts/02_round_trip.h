/* SPDX-License-Identifier: Apache-2.0 */
/* One array to the device and back, compared bit for bit: what lesson 02 does
 * with many shapes, strides and sizes.
 *
 * The data are random bits, so NaNs, infinities and subnormals are among them:
 * a copy must not care. */
#ifndef LESSONS_ROUND_TRIP_H_
#define LESSONS_ROUND_TRIP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "common/dtype.h"
#include "common/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROUND_TRIP_DIMS = 3, ROUND_TRIP_TEXT = 256 };

/* Bytes of the largest round trip whose size is no option, 1,009 x 1,013 floats. */
enum { ROUND_TRIPS_LARGEST = 1009 * 1013 * 4 };

/* An array to send: along axis k it has shape[k] elements that lie step[k] apart
 * in a larger array (0 counts as 1; -1 is backwards), whose last axis runs
 * fastest, or the first one if column_major. */
typedef struct RoundTripCase {
    const char *what;
    DType dtype;
    int ndim;
    size_t shape[ROUND_TRIP_DIMS];
    int step[ROUND_TRIP_DIMS];
    bool column_major;
} RoundTripCase;

typedef enum RoundTripOutcome {
    ROUND_TRIP_SAME_BITS,
    ROUND_TRIP_WRONG_BITS, /* text says where */
    ROUND_TRIP_REFUSED,    /* by the library, with the reason in text */
    ROUND_TRIP_ERROR       /* a CUDA error or no memory: text */
} RoundTripOutcome;

typedef struct RoundTripResult {
    RoundTripOutcome outcome;
    size_t bytes;                      /* of the elements, gaps not counted */
    char description[ROUND_TRIP_TEXT]; /* type, shape and strides */
    char text[ROUND_TRIP_TEXT];
} RoundTripResult;

/* Sends the case's array to the device, gets it back into an array of the same
 * strides and into a contiguous one, and compares: every element, and that the
 * gaps between elements were left alone. Releases all that it allocates. */
RoundTripResult round_trip(const RoundTripCase *trip, uint64_t seed);

/* Does that with many shapes, types and strides, and with the lesson's own size; prints and
 * records each. True if every bit came back. */
bool show_round_trips(Lesson *lesson);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_ROUND_TRIP_H_ */
