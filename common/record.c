/* Result records, through cJSON. See record.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* A JSON object, or a part of one. Parts are kept in a list by the whole. */
struct Record {
    cJSON *object;
    Record *whole; /* itself, if it is the whole */
    Record *next;  /* the whole's parts */
    bool failed;   /* of the whole: memory was short at some time */
};

/* The whole's text is null where memory was short, so that half a record is
 * never taken for a result. */
static Record *new_part(cJSON *object, Record *whole) {
    Record *part = calloc(1, sizeof *part);
    if (part == NULL) {
        if (whole != NULL) {
            whole->failed = true;
        }
        return NULL;
    }
    part->object = object;
    part->whole = whole != NULL ? whole : part;
    if (whole != NULL) {
        part->next = whole->next;
        whole->next = part;
    }
    return part;
}

Record *record_new(const char *program) {
    cJSON *object = cJSON_CreateObject();
    Record *record = object != NULL ? new_part(object, NULL) : NULL;
    if (record == NULL) {
        cJSON_Delete(object);
        return NULL;
    }
    record_count(record, "format", 1);
    record_text(record, "program", program);
    return record;
}

void record_free(Record *record) {
    if (record == NULL) {
        return;
    }
    Record *whole = record->whole;
    cJSON_Delete(whole->object);
    while (whole != NULL) {
        Record *next = whole->next;
        free(whole);
        whole = next;
    }
}

/* Puts item under key, in place of what was there. item null: memory was short.
 * False if it is not there: it is gone then. */
static bool put(Record *record, const char *key, cJSON *item) {
    if (item == NULL) {
        record->whole->failed = true;
        return false;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(record->object, key);
    if (!cJSON_AddItemToObject(record->object, key, item)) {
        cJSON_Delete(item);
        record->whole->failed = true;
        return false;
    }
    return true;
}

void record_text(Record *record, const char *key, const char *value) {
    if (record != NULL) {
        (void)put(record, key, value != NULL ? cJSON_CreateString(value) : cJSON_CreateNull());
    }
}

void record_number(Record *record, const char *key, double value) {
    if (record != NULL) {
        (void)put(record, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
    }
}

void record_count(Record *record, const char *key, uint64_t value) {
    char digits[32];
    if (record != NULL) {
        /* As written: a JSON number of cJSON's is a double, with 53 bits. */
        snprintf(digits, sizeof digits, "%" PRIu64, value);
        (void)put(record, key, cJSON_CreateRaw(digits));
    }
}

void record_flag(Record *record, const char *key, bool value) {
    if (record != NULL) {
        (void)put(record, key, cJSON_CreateBool(value));
    }
}

Record *record_object(Record *record, const char *key) {
    if (record == NULL) {
        return NULL;
    }
    cJSON *object = cJSON_CreateObject();
    return put(record, key, object) ? new_part(object, record->whole) : NULL;
}

Record *record_row(Record *record, const char *key) {
    if (record == NULL) {
        return NULL;
    }
    cJSON *array = cJSON_GetObjectItemCaseSensitive(record->object, key);
    if (!cJSON_IsArray(array)) {
        array = cJSON_CreateArray();
        if (!put(record, key, array)) {
            return NULL;
        }
    }
    cJSON *object = cJSON_CreateObject();
    if (object == NULL || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        record->whole->failed = true;
        return NULL;
    }
    return new_part(object, record->whole);
}

void record_timer(Record *record, const char *key, const TimerStats *stats) {
    Record *part = record_object(record, key);
    record_number(part, "median_ms", stats->median_ms);
    record_number(part, "min_ms", stats->min_ms);
    record_number(part, "max_ms", stats->max_ms);
    record_number(part, "spread", stats->spread);
    record_number(part, "first_ms", stats->first_ms);
    record_count(part, "repeats", stats->repeats);
    record_count(part, "batch", stats->batch);
    record_count(part, "warmups", stats->warmups);
    if (stats->clock_before_mhz > 0) {
        record_number(part, "clock_before_mhz", stats->clock_before_mhz);
        record_number(part, "clock_after_mhz", stats->clock_after_mhz);
    }
    record_flag(part, "doubtful", stats->doubtful);
}

char *record_print(const Record *record) {
    if (record == NULL || record->whole->failed) {
        return NULL;
    }
    char *printed = cJSON_Print(record->object);
    if (printed == NULL) {
        return NULL;
    }
    size_t length = strlen(printed);
    char *text = malloc(length + 2); /* from malloc, whatever cJSON's allocator is */
    if (text != NULL) {
        memcpy(text, printed, length);
        memcpy(text + length, "\n", 2);
    }
    cJSON_free(printed);
    return text;
}

bool record_write(const Record *record, const char *path, char *message, size_t size) {
    char *text = record_print(record);
    if (text == NULL) {
        snprintf(message, size, "cannot write \"%s\": memory is short", path);
        return false;
    }
    bool written = output_file_write(path, text, message, size);
    free(text);
    return written;
}
