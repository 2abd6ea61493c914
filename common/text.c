/* Numbers as people read them. See text.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { RING_SIZE = 16, RING_TEXT = 160 };

/* The next of this thread's texts. */
static char *next_text(void) {
    static _Thread_local char ring[RING_SIZE][RING_TEXT];
    static _Thread_local unsigned next;
    return ring[next++ % RING_SIZE];
}

const char *text_format(const char *format, ...) {
    char *text = next_text();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, RING_TEXT, format, arguments);
    va_end(arguments);
    return text;
}

const char *text_count(uint64_t value) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *text = next_text();
    char *to = text;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *text_counted(uint64_t n, const char *thing) {
    return text_format("%s %s%s", text_count(n), thing, n == 1 ? "" : "s");
}

/* value in the largest of `units` (each `step` times the former) that leaves at least 1. */
static const char *scaled(double value, double step, const char *const *units, size_t count) {
    if (!isfinite(value)) {
        return text_format("unknown");
    }
    if (fabs(value) < step) {
        return text_format("%.0f %s", value, value == 1 ? "byte" : "bytes");
    }
    size_t unit = 0;
    value /= step;
    /* 999.95 would print as 1000.0 */
    while (fabs(value) >= step - 0.05 && unit + 1 < count) {
        value /= step;
        ++unit;
    }
    return text_format("%.1f %s", value, units[unit]);
}

const char *text_bytes(double bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    return scaled(bytes, 1000, units, sizeof units / sizeof units[0]);
}

const char *text_memory(double bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return scaled(bytes, 1024, units, sizeof units / sizeof units[0]);
}

const char *text_ms(double ms) {
    if (!isfinite(ms)) {
        return text_format("unknown");
    }
    if (ms >= 999.5) {
        return ms < 99.95e3
                   ? text_format("%.3g s", ms / 1000)
                   : text_format("%s s", text_count((uint64_t)llround(fmin(ms, 1e18) / 1000)));
    }
    if (ms >= 99.5) {
        return text_format("%.0f ms", ms);
    }
    if (ms >= 9.995) {
        return text_format("%.1f ms", ms);
    }
    if (ms >= 1.0) {
        return text_format("%.2f ms", ms);
    }
    if (ms >= 0.1) {
        return text_format("%.3f ms", ms);
    }
    return text_format("%.1f us", ms * 1000);
}

const char *text_ms_about(double ms) {
    if (!isfinite(ms)) {
        return text_format("unknown");
    }
    /* The units of text_ms, so that a column has them whether its times are doubtful or not. */
    const char *name = ms >= 995 ? "s" : ms >= 0.1 ? "ms" : "us";
    double value = ms >= 995 ? ms / 1000 : ms >= 0.1 ? ms : ms * 1000;
    if (value < 9.95) {
        return text_format("%.2g %s", value, name);
    }
    double unit = pow(10, floor(log10(value)) - 1);
    return text_format("%s %s",
                       text_count((uint64_t)llround(round(fmin(value / unit, 1e17)) * unit)), name);
}

const char *text_digits(double value, int digits) {
    if (!isfinite(value)) {
        return "unknown";
    }
    if (value == 0) {
        return "0";
    }
    int whole = (int)floor(log10(fabs(value))) + 1; /* digits in front of the point */
    double step = pow(10, whole - digits);
    double rounded = round(value / step) * step;
    if (fabs(rounded) >= pow(10, whole)) {
        whole++; /* 99.96 is 100 */
    }
    if (fabs(rounded) >= 1000 && fabs(rounded) < 1e18 && digits <= whole) {
        return text_format("%s%s", rounded < 0 ? "-" : "",
                           text_count((uint64_t)llround(fabs(rounded))));
    }
    return text_format("%.*f", digits > whole ? digits - whole : 0, rounded);
}

const char *text_real(double value, int digits) {
    return isnan(value) ? "nan" : text_format("%.*g", digits, value);
}

const char *text_rate(double gbps) {
    if (!isfinite(gbps)) {
        return text_format("unknown");
    }
    if (gbps >= 999.5) {
        return text_format("%s GB/s", text_count((uint64_t)llround(gbps)));
    }
    if (gbps >= 99.95) {
        return text_format("%.0f GB/s", gbps);
    }
    if (gbps >= 9.995) {
        return text_format("%.1f GB/s", gbps);
    }
    return text_format("%.2f GB/s", gbps);
}

TextBuffer text_buffer(char *text, size_t size) {
    if (size > 0) {
        text[0] = '\0';
    }
    return (TextBuffer){.text = text, .size = size, .length = 0};
}

void text_append(TextBuffer *buffer, const char *format, ...) {
    size_t used = buffer->length < buffer->size ? buffer->length : buffer->size;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer->size > used ? buffer->text + used : NULL, buffer->size - used,
                           format, arguments);
    va_end(arguments);
    if (length > 0) {
        buffer->length += (size_t)length;
    }
}
