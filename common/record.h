/* Result records: what a lesson found, as a JSON file for graders and plots.
 *
 * A record is built in memory and written in one step, to a temporary file that
 * is then renamed: there is never half a record on disk.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_RECORD_H_
#define COMMON_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/output_file.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON object. Functions take a null Record and do nothing then, so a lesson
 * without --json needs no ifs. Running out of memory is remembered and reported
 * by record_write. A key that is there already gets the new value. */
typedef struct Record Record;

/* New record with "program" and "format": 1 in it; null if memory is short.
 * Give it back with record_free (null is harmless). */
Record *record_new(const char *program);
void record_free(Record *record);

void record_text(Record *record, const char *key, const char *value); /* null: JSON null */
void record_number(Record *record, const char *key, double value);    /* NaN, inf: null */
void record_count(Record *record, const char *key, uint64_t value);   /* every digit kept */
void record_flag(Record *record, const char *key, bool value);
void record_timer(Record *record, const char *key, const TimerStats *stats);

/* An object under `key`, and a new object at the end of the array under `key`.
 * They belong to the record: never free them. */
Record *record_object(Record *record, const char *key);
Record *record_row(Record *record, const char *key);

/* Writes the record to `path`. On failure returns false with one line in
 * message (file, reason), and the file is as it was before. */
bool record_write(const Record *record, const char *path, char *message, size_t size);

/* The record as text, to be given back with free(); null if memory is short. */
char *record_print(const Record *record);

#ifdef __cplusplus
}
#endif

#endif
