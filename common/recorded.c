/* SPDX-License-Identifier: Apache-2.0 */
/* See recorded.h. */
#include "common/recorded.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* The file's bytes and a zero, from a genrule. */
extern const char recorded_json[];

static cJSON *whole;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse(void) { whole = cJSON_Parse(recorded_json); }

static const cJSON *child(const cJSON *item, const char *name) {
    if (cJSON_IsArray(item)) return cJSON_GetArrayItem(item, atoi(name));
    return cJSON_GetObjectItemCaseSensitive(item, name);
}

static const cJSON *lesson_record(const char *lesson) {
    pthread_once(&once, parse);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, child(whole, "lessons")) {
        const char *name = cJSON_GetStringValue(child(entry, "lesson"));
        if (name != NULL && strcmp(name, lesson) == 0) return child(entry, "record");
    }
    return NULL;
}

static const cJSON *find(const char *lesson, const char *path) {
    const cJSON *item = lesson_record(lesson);
    while (item != NULL && *path == '/') {
        char name[64];
        const size_t length = strcspn(path + 1, "/");
        if (length >= sizeof name) return NULL;
        memcpy(name, path + 1, length);
        name[length] = '\0';
        item = child(item, name);
        path += 1 + length;
    }
    return item;
}

static const char *about(const char *key) {
    pthread_once(&once, parse);
    const char *text = cJSON_GetStringValue(child(whole, key));
    return text != NULL ? text : "?";
}

const char *recorded_source(void) {
    static char text[256];
    snprintf(text, sizeof text, "%s, driver %s, toolkit %s, commit %.7s, %s", about("device"),
             about("driver"), about("toolkit"), about("commit"), about("date"));
    return text;
}

const char *recorded_device(void) {
    const char *name = about("device");
    return strncmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name;
}

const char *recorded_label(void) {
    static char text[128];
    snprintf(text, sizeof text, "%s, recorded %s", about("device"), about("date"));
    return text;
}

double recorded_number(const char *lesson, const char *path) {
    const cJSON *item = find(lesson, path);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

size_t recorded_count(const char *lesson, const char *path) {
    const double number = recorded_number(lesson, path);
    return number >= 0 && number < 1e18 ? (size_t)number : 0; /* not for NaN */
}

const char *recorded_text(const char *lesson, const char *path) {
    return cJSON_GetStringValue(find(lesson, path));
}

size_t recorded_rows(const char *lesson, const char *path) {
    const cJSON *item = find(lesson, path);
    return cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 0;
}

static double number_in(const cJSON *item, const char *key) {
    const cJSON *number = child(item, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

bool recorded_timer(const char *lesson, const char *path, TimerStats *stats) {
    const cJSON *item = find(lesson, path);
    *stats = (TimerStats){0};
    if (!cJSON_IsNumber(child(item, "median_ms"))) return false;
    stats->median_ms = number_in(item, "median_ms");
    stats->min_ms = number_in(item, "min_ms");
    stats->max_ms = number_in(item, "max_ms");
    stats->spread = number_in(item, "spread");
    stats->repeats = (size_t)number_in(item, "repeats");
    stats->doubtful = cJSON_IsTrue(child(item, "doubtful"));
    return true;
}
