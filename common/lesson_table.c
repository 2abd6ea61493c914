/* SPDX-License-Identifier: Apache-2.0 */
/* See lesson_table.h. */
#include "common/lesson_table.h"

#include <math.h>
#include <stdio.h>

#include "common/check.h"
#include "common/paragraph.h"

/* All elements of a lesson are floats so far: for the size that a note suggests. */
enum { ELEMENT_SIZE = sizeof(float) };

static void print_columns(const char *name, const char *bytes, const char *time,
                          const char *rate, const char *share, const char *error) {
    printf("   %-20s %9s %10s %11s %8s  %s\n", name, bytes, time, rate, share, error);
}

void lesson_table(Lesson *lesson, const char *title, const char *row, size_t bytes) {
    CUDA_CHECK(lesson_measure_ceiling(lesson, bytes));
    lesson->table = row;
    if (lesson->on_cpu_device) printf("%s\n\n", title);
    else printf("%s: %s\n\n", title, text_rate(lesson->copy_gbps));
    print_columns(row, "moved", "median", "rate", "of copy", "largest error");
}

/* Prints the row and the note on its rate. Returns its record, to be added to. */
static Record *print_row(Lesson *lesson, const char *name, double bytes, const TimerStats *time,
                         const char *error) {
    const double ms = time->median_ms;
    const size_t touched = (size_t)bytes;
    const char *note = lesson_rate_note(lesson, bytes, ms, touched, ELEMENT_SIZE);
    print_columns(name, text_bytes(bytes), lesson_timed(lesson, text_time(time)),
                  lesson_timed(lesson, lesson_rate(lesson, bytes, ms, touched)),
                  lesson_timed(lesson, lesson_share(lesson, bytes, ms, touched)), error);
    Record *row = record_row(lesson->record, text_format("%ss", lesson->table));
    record_text(row, lesson->table, name);
    record_number(row, "bytes_moved", bytes);
    record_timer(row, "time", time);
    record_number(row, "gbps", note[0] == '\0' ? gbps_from(bytes, ms) : NAN);
    if (!lesson->on_cpu_device) print_paragraph(6, note);
    return row;
}

bool lesson_row_judged(Lesson *lesson, const char *name, double bytes_moved,
                       const TimerStats *time, bool right, const char *error) {
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

void lesson_recorded(const Lesson *lesson, const char *log, const char *rows) {
    if (!lesson->on_cpu_device) return;
    printf("\n   An H200 took, as recorded in %s:\n", log);
    fputs(rows, stdout);
}

const char *lesson_timed(const Lesson *lesson, const char *text) {
    return lesson->on_cpu_device ? "-" : text;
}
