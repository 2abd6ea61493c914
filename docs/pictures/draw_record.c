/* SPDX-License-Identifier: Apache-2.0 */
/* Draws what lessons 03 and 04 recorded on a GPU, for the pages:
 *
 *     draw_record RECORDS.json FOLDER
 *
 * The file holds an array of {"lesson": NAME, "record": what --json wrote}, as
 * benchmarks/pack/run_all.sh makes it. Exit status 2, with one line, if a record is missing or is
 * the CPU device's, whose times say nothing about a GPU. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/lesson_pictures.h"
#include "common/output_file.h"
#include "common/text.h"

enum { BAD_INPUT = 2, POINTS_MAX = 64 };

static void refuse(const char *file, const char *what, const char *reason) {
    fprintf(stderr, "draw_record: %s: %s: %s\n", file, what, reason);
    exit(BAD_INPUT);
}

/* --- Reading --- */

/* The whole file, to be freed; null if it cannot be read. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = NULL, part[65536];
    size_t size = 0, got;
    FILE *out = open_memstream(&text, &size);
    while (out != NULL && (got = fread(part, 1, sizeof part, file)) > 0)
        fwrite(part, 1, got, out);
    bool whole = out != NULL && ferror(file) == 0 && ferror(out) == 0;
    if (out != NULL && fclose(out) != 0) whole = false;
    fclose(file);
    if (whole) return text;
    free(text);
    return NULL;
}

static const char *text_of(const cJSON *object, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "";
}

/* NaN where it is missing or null. */
static double number_of(const cJSON *object, const char *key) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(number) ? number->valuedouble : NAN;
}

/* 0 where it is missing or no count. */
static size_t count_of(const cJSON *object, const char *key) {
    const double number = number_of(object, key);
    return number >= 1 && number <= 1e15 ? (size_t)number : 0;
}

static double median_of(const cJSON *row, const char *key) {
    return number_of(cJSON_GetObjectItemCaseSensitive(row, key), "median_ms");
}

static const cJSON *record_of(const cJSON *records, const char *file, const char *lesson) {
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, records) {
        if (strcmp(text_of(entry, "lesson"), lesson) != 0) continue;
        const cJSON *record = cJSON_GetObjectItemCaseSensitive(entry, "record");
        const cJSON *device = cJSON_GetObjectItemCaseSensitive(record, "device");
        if (strcmp(text_of(device, "kind"), "gpu") != 0)
            refuse(file, lesson, "it was not recorded on a GPU");
        return record;
    }
    refuse(file, lesson, "the file has no record of it");
    return NULL;
}

static const char *device_of(const cJSON *record) {
    return text_of(cJSON_GetObjectItemCaseSensitive(record, "device"), "name");
}

/* --- The pictures --- */

static const char *time_of(const cJSON *row) {
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(row, "time");
    const double ms = number_of(time, "median_ms");
    if (!isfinite(ms)) return NULL;
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(time, "doubtful"))
               ? text_format("~%s", text_ms_about(ms))
               : text_ms(ms);
}

static Picture draw_fusion(const cJSON *record) {
    FusionPicture drawn = {.device = device_of(record)};
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(record, "operations")) {
        const char *operation = text_of(row, "operation");
        if (strcmp(operation, "x**2 * x, two steps") == 0) drawn.two_steps = time_of(row);
        if (strcmp(operation, "x**2 * x, fused") != 0) continue;
        drawn.fused = time_of(row);
        drawn.n = count_of(row, "bytes_moved") / (2 * sizeof(float));
    }
    return picture_fusion(&drawn);
}

static ClockRow clock_row(const char *name, double context_ms, const cJSON *call) {
    return (ClockRow){name,
                      context_ms,
                      number_of(call, "allocate_ms"),
                      number_of(call, "load_ms"),
                      number_of(call, "launch_ms"),
                      number_of(call, "wait_ms")};
}

/* The calls of two fresh processes. Returns how many there are. */
static size_t rows_of_processes(const cJSON *record, ClockRow rows[CLOCK_ROWS]) {
    static const char *const names[CLOCK_ROWS] = {"1st process, 1st call", "2nd call",
                                                  "2nd process, 1st call", "2nd call"};
    size_t count = 0;
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(record, "processes")) {
        if (count == CLOCK_ROWS) break;
        rows[count] = clock_row(names[count], number_of(row, "context_ms"), row);
        count++;
    }
    return count;
}

/* The calls of one process; none where their parts were not recorded apart. */
static size_t rows_of_calls(const cJSON *record, ClockRow rows[CLOCK_ROWS]) {
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(record, "first_call");
    const double start_ms = number_of(first, "driver_ms") + number_of(first, "context_ms");
    if (isnan(number_of(first, "launch_ms"))) return 0;
    rows[0] = clock_row("first call", start_ms, first);
    rows[1] =
        clock_row("second call", NAN, cJSON_GetObjectItemCaseSensitive(record, "second_call"));
    return 2;
}

static Picture draw_clock(const cJSON *record) {
    ClockRow rows[CLOCK_ROWS];
    ClockPicture drawn = {.device = device_of(record), .rows = rows};
    drawn.count = rows_of_processes(record, rows);
    drawn.n = count_of(record, "processes_n");
    if (drawn.count == 0) {
        drawn.count = rows_of_calls(record, rows);
        drawn.n = count_of(cJSON_GetObjectItemCaseSensitive(record, "first_call"), "n");
    }
    if (drawn.count == 0) {
        drawn.device = NULL;
        rows[drawn.count++] = clock_row("a call", NAN, NULL);
    }
    return picture_clock(&drawn);
}

static Picture draw_queue(const cJSON *record) {
    QueuePoint points[QUEUE_POINTS];
    QueuePicture drawn = {.device = device_of(record),
                          .n = count_of(record, "queue_n"),
                          .points = points,
                          .kernel_ms = median_of(record, "queue_kernel")};
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(record, "queue_points")) {
        if (drawn.count == QUEUE_POINTS) break;
        points[drawn.count++] = (QueuePoint){number_of(row, "launch"), number_of(row, "host_ms")};
    }
    return picture_queue(&drawn);
}

static Picture draw_crossover(const cJSON *record) {
    static const char *const keys[CROSSOVER_WAYS] = {
        "cpu_one_thread", "cpu_all_threads", "device_launch_and_wait", "device_with_transfers"};
    double n[POINTS_MAX], ms[CROSSOVER_WAYS][POINTS_MAX];
    CrossoverPicture drawn = {
        .device = device_of(record),
        .ways = {"CPU, 1 thread", "CPU, all threads", "GPU, launch + wait", "GPU + transfers"},
        .n = n};
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(record, "crossover")) {
        if (drawn.count == POINTS_MAX) break;
        n[drawn.count] = number_of(row, "n");
        for (int way = 0; way < CROSSOVER_WAYS; way++)
            ms[way][drawn.count] = median_of(row, keys[way]);
        drawn.count++;
    }
    for (int way = 0; way < CROSSOVER_WAYS; way++) drawn.ms[way] = ms[way];
    return picture_crossover(&drawn);
}

/* True if the picture was written, or left out, which is said. */
static bool keep(const char *folder, const char *name, Picture picture) {
    char path[4096], why[512] = "the folder's name is too long";
    bool done = (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path;
    if (done && picture.svg != NULL) done = output_file_write(path, picture.svg, why, sizeof why);
    else if (done) done = picture.left_out;
    if (picture.svg == NULL) {
        fprintf(stderr, "draw_record: not drawn: %s: %s\n", name, picture.why);
    } else if (!done) {
        fprintf(stderr, "draw_record: %s\n", why);
    }
    free(picture.svg);
    return done;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: draw_record RECORDS.json FOLDER\n");
        return BAD_INPUT;
    }
    char *text = read_file(argv[1]);
    if (text == NULL) refuse(argv[1], "the file", "cannot be read");
    cJSON *records = cJSON_Parse(text);
    free(text);
    if (!cJSON_IsArray(records)) refuse(argv[1], "the file", "is no JSON array");
    const cJSON *elementwise = record_of(records, argv[1], "03_elementwise");
    const cJSON *timing = record_of(records, argv[1], "04_timing");
    bool done = keep(argv[2], "03_elementwise_fusion.svg", draw_fusion(elementwise));
    done = keep(argv[2], "04_timing_clock.svg", draw_clock(timing)) && done;
    done = keep(argv[2], "04_timing_queue.svg", draw_queue(timing)) && done;
    done = keep(argv[2], "04_timing_crossover.svg", draw_crossover(timing)) && done;
    cJSON_Delete(records);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
