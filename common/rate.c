/* Is a rate believable? See timer.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "common/text.h"
#include "common/timer.h"

/* A copy reads and writes in turn; a kernel that only reads or only writes is up
 * to 6 % faster, and two measurements differ. */
static const double CEILING_MARGIN = 1.10;

/* No cache is this much faster than memory in a teaching kernel; a launch without
 * a wait is. */
static const double LAUNCH_ONLY_FACTOR = 3.0;

/* What the rate may not pass; 0 if nothing is known. */
static double limit_of(const RateCheck *check) {
    double measured = check->ceiling_gbps * CEILING_MARGIN;
    if (measured > 0 && check->peak_gbps > 0) {
        return fmin(measured, fmax(check->peak_gbps, check->ceiling_gbps));
    }
    return measured > 0 ? measured : check->peak_gbps;
}

RateVerdict rate_check(const RateCheck *check) {
    if (!(check->gbps > 0) || isinf(check->gbps)) {
        return RATE_NO_TIME;
    }
    double limit = limit_of(check);
    /* So short, and yet no more than a few times what memory can do: there was little work. A
     * ceiling of arrays as small is launch time as well, so the peak counts where it is known. */
    double believable = LAUNCH_ONLY_FACTOR * fmax(limit, check->peak_gbps);
    if (check->ms > 0 && check->ms < RATE_SHORTEST_MS &&
        (!(believable > 0) || check->gbps <= believable)) {
        return RATE_TOO_SHORT;
    }
    if (!(limit > 0) || check->gbps <= limit) {
        return RATE_OK;
    }
    /* Traffic up to twice the cache's size still hits it in part. */
    bool small =
        check->l2_bytes > 0 && check->working_set > 0 && check->working_set / 2 <= check->l2_bytes;
    if (small && check->gbps <= limit * LAUNCH_ONLY_FACTOR) {
        return RATE_IN_CACHE;
    }
    return check->gbps > limit * LAUNCH_ONLY_FACTOR ? RATE_NOT_SYNCHRONISED : RATE_ABOVE_CEILING;
}

static void say_enough(const RateCheck *check, size_t element_size, TextBuffer *text) {
    size_t enough = 8 * check->l2_bytes; /* per array: no part of it stays */
    if (element_size > 0) {
        text_append(text, "take n = %s or more",
                    text_count((enough + element_size - 1) / element_size));
    } else {
        text_append(text, "take arrays of %s or more", text_bytes((double)enough));
    }
}

size_t rate_describe(const RateCheck *check, size_t element_size, char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    double limit = limit_of(check);
    switch (rate_check(check)) {
    case RATE_OK:
        text_append(&buffer, "%s", text_rate(check->gbps));
        if (check->ceiling_gbps > 0) {
            text_append(&buffer, ", %.1f %% of the copy ceiling",
                        100 * check->gbps / check->ceiling_gbps);
        }
        break;
    case RATE_NO_TIME: text_append(&buffer, "no rate: no time was measured"); break;
    case RATE_IN_CACHE:
        text_append(&buffer,
                    "not a memory rate: above the %s that the memory can do, because the "
                    "data (%s) stay in the L2 cache (%s); ",
                    text_rate(limit), text_bytes((double)check->working_set),
                    text_bytes((double)check->l2_bytes));
        say_enough(check, element_size, &buffer);
        break;
    case RATE_NOT_SYNCHRONISED:
        text_append(&buffer,
                    "launch time, not run time: the figure would mean %.0f times what the "
                    "memory can do; wait for the kernel (cudaDeviceSynchronize) before "
                    "reading the clock",
                    check->gbps / limit);
        break;
    case RATE_TOO_SHORT:
        text_append(&buffer,
                    "no rate: the kernel is shorter than about %s, so this is mostly the "
                    "time of a launch; take far more elements",
                    text_ms(RATE_SHORTEST_MS));
        break;
    case RATE_ABOVE_CEILING:
        text_append(&buffer,
                    "not a memory rate: above the %s that the memory can do; are the bytes "
                    "counted right, and did every element get its work?",
                    text_rate(limit));
        break;
    }
    return buffer.length;
}

bool timing_is_launch_only(double work_small, double ms_small, double work_large, double ms_large,
                           char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, text != NULL ? size : 0);
    double more_work = work_small > 0 ? work_large / work_small : 0;
    if (!(more_work >= 4) || !(ms_small > 0) || !(ms_large > 0)) {
        return false; /* too alike to tell */
    }
    double more_time = ms_large / ms_small;
    if (more_time >= more_work / 4) {
        return false;
    }
    text_append(&buffer,
                "launch time, not run time: %.0f times the work took %.1f times as long "
                "(%s and %s); a launch returns before the kernel ends, so wait for it "
                "before reading the clock",
                more_work, more_time, text_ms(ms_small), text_ms(ms_large));
    return true;
}
