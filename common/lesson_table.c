/* SPDX-License-Identifier: Apache-2.0 */
/* See lesson_table.h. */
#include "common/lesson_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "common/paragraph.h"
#include "common/recorded.h"

/* All elements of a lesson are floats so far: for the size that a note suggests. */
enum { ELEMENT_SIZE = sizeof(float) };

static void print_columns(const char *name, const char *error, const char *bytes, const char *time,
                          const char *rate, const char *share) {
    printf("   %-20s %-13s %8s %9s %11s %8s\n", name, error, bytes, time, rate, share);
}

void lesson_table(Lesson *lesson, const char *title, const char *row, size_t bytes) {
    CUDA_CHECK(lesson_measure_ceiling(lesson, bytes));
    lesson->table = row;
    if (lesson->on_cpu_device) {
        printf("%s\n\n", title);
        printf("   %34s %39s\n", "",
               text_format("------- %s, recorded -------", recorded_device()));
    } else {
        printf("%s: %s\n\n", title, text_rate(lesson->copy_gbps));
    }
    print_columns(row, "largest error", "moved", "median", "rate", "of copy");
}

/* The row of that name in the recorded run's table; -1 if there is none. */
static int recorded_row(const Lesson *lesson, const char *name) {
    const size_t rows = recorded_rows(lesson->name, text_format("/%ss", lesson->table));
    for (size_t i = 0; i < rows; i++) {
        const char *path = text_format("/%ss/%zu/%s", lesson->table, i, lesson->table);
        const char *found = recorded_text(lesson->name, path);
        if (found != NULL && strcmp(found, name) == 0) return (int)i;
    }
    return -1;
}

/* The row as a GPU took it; its own size. */
static void print_recorded(const Lesson *lesson, const char *name, const char *error) {
    const int row = recorded_row(lesson, name);
    const char *table = lesson->table;
    TimerStats time;
    if (row < 0 || !recorded_timer(lesson->name, text_format("/%ss/%d/time", table, row), &time)) {
        print_columns(name, error, "-", "-", "-", "-");
        return;
    }
    const double bytes =
        recorded_number(lesson->name, text_format("/%ss/%d/bytes_moved", table, row));
    const double gbps = recorded_number(lesson->name, text_format("/%ss/%d/gbps", table, row));
    const double copy_gbps = recorded_number(lesson->name, "/copy_ceiling_gbps");
    print_columns(name, error, text_bytes(bytes), text_time(&time),
                  isnan(gbps) ? "-" : text_rate(gbps),
                  isnan(gbps / copy_gbps) ? "-" : text_format("%.1f %%", 100 * gbps / copy_gbps));
}

/* Prints the row and the note on its rate. Returns its record, to be added to. */
static Record *print_row(Lesson *lesson, const char *name, double bytes, const TimerStats *time,
                         const char *error) {
    const double ms = time->median_ms;
    const size_t touched = (size_t)bytes;
    const char *note = lesson_rate_note(lesson, bytes, ms, touched, ELEMENT_SIZE);
    if (lesson->on_cpu_device) {
        print_recorded(lesson, name, error);
    } else {
        print_columns(name, error, text_bytes(bytes), text_time(time),
                      lesson_rate(lesson, bytes, ms, touched),
                      lesson_share(lesson, bytes, ms, touched));
        print_paragraph(6, note);
    }
    Record *row = record_row(lesson->record, text_format("%ss", lesson->table));
    record_text(row, lesson->table, name);
    record_number(row, "bytes_moved", bytes);
    record_timer(row, "time", time);
    record_number(row, "gbps", note[0] == '\0' ? gbps_from(bytes, ms) : NAN);
    return row;
}

bool lesson_row_judged(Lesson *lesson, const char *name, double bytes_moved, const TimerStats *time,
                       bool right, const char *error) {
    Record *row = print_row(lesson, name, bytes_moved, time, right ? error : "WRONG");
    record_flag(row, "right", right);
    return right;
}

bool lesson_row(Lesson *lesson, const char *name, double bytes_moved, const TimerStats *time,
                const CompareResult *compared, const LaunchGeometry *geometry) {
    const bool right = compared->wrong == 0;
    const char *error = compared->exact == compared->n
                            ? "0 (exact)"
                            : text_format("%s ULP", text_count(compared->max_ulp));
    Record *row = print_row(lesson, name, bytes_moved, time, right ? error : "WRONG");
    record_count(row, "max_ulp", compared->max_ulp);
    record_count(row, "wrong", compared->wrong);
    if (!right) lesson_report(lesson, name, compared, geometry);
    return right;
}

void lesson_recorded_note(const Lesson *lesson) {
    if (!lesson->on_cpu_device) return;
    const double n = recorded_number(lesson->name, "/n");
    if (isnan(n)) {
        print_paragraph(3, text_format("The recorded run (%s) does not have this lesson yet.",
                                       recorded_source()));
        return;
    }
    print_paragraph(3, text_format("Recorded: %s; n = %s there.", recorded_source(),
                                   text_count((uint64_t)n)));
}

const char *lesson_timed(const Lesson *lesson, const char *text) {
    return lesson->on_cpu_device ? "-" : text;
}
