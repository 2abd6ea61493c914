/* Command lines, read strictly. See options.h.
 *
 * getopt_long takes the arguments apart; everything it does not check (prefixes of
 * names, numbers, leftovers) is checked here, so that each mistake has one line.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "common/options.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/output_file.h"
#include "common/text.h"

enum {
    MAX_OPTIONS = 48,
    FIRST_CODE = 1000, /* getopt_long's code of table entry 0: no character */
    NAME_WIDTH = 20,   /* of the help text's first column */
};

/* One option that this program takes: shared or its own. */
typedef OptionExtra Entry;

typedef struct Table {
    Entry entries[MAX_OPTIONS];
    size_t count;
} Table;

/* What the shared options are read into. */
typedef struct Values {
    size_t rows, cols, n, seed, repeat, warmup;
    const char *device, *json_path, *plot_path;
    bool all, help;
} Values;

bool size_product(size_t a, size_t b, size_t *product) {
    size_t result;
    if (__builtin_mul_overflow(a, b, &result)) {
        return false;
    }
    *product = result;
    return true;
}

bool parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    uint64_t number = 0;
    if (text == NULL || *text == '\0') {
        return false;
    }
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number)) {
            return false;
        }
    }
    if (number < min || number > max) {
        return false;
    }
    *value = number;
    return true;
}

/* --- The table --- */

static void add_entry(Table *table, Entry entry) {
    if (table->count < MAX_OPTIONS) {
        table->entries[table->count++] = entry;
    }
}

static void add_number(Table *table, const char *name, const char *argument, const char *help,
                       size_t *value, uint64_t min, uint64_t max) {
    add_entry(table, (Entry){name, argument, help, OPTION_SIZE, value, min, max});
}

static Table make_table(const LessonSpec *spec, Values *values) {
    Table table = {.count = 0};
    if (spec->rows > 0) {
        add_number(&table, "rows", "ROWS", "rows of the matrices", &values->rows, 1,
                   OPTIONS_MAX_SIZE);
    }
    if (spec->cols > 0) {
        add_number(&table, "cols", "COLS", "columns of the matrices", &values->cols, 1,
                   OPTIONS_MAX_SIZE);
    }
    if (spec->n > 0) {
        add_number(&table, "n", "N", "number of elements", &values->n, 1, OPTIONS_MAX_SIZE);
    }
    for (size_t i = 0; i < spec->extra_count; ++i) {
        add_entry(&table, spec->extra[i]);
    }
    if (!spec->no_seed) {
        add_number(&table, "seed", "SEED", "of the random inputs", &values->seed, 0, UINT64_MAX);
    }
    add_entry(&table,
              (Entry){"device", "DEVICE", "number, or UUID (GPU-…), of the device to run on",
                      OPTION_TEXT, &values->device, 0, 0});
    if (!spec->no_timing) {
        add_number(&table, "repeat", "TIMES", "samples of each time", &values->repeat, 1, 1000000);
        add_number(&table, "warmup", "TIMES", "calls before them that do not count",
                   &values->warmup, 0, 1000000);
    }
    if (spec->has_all) {
        add_entry(&table, (Entry){"all", NULL, "print all, not only what fits a screen a section",
                                  OPTION_FLAG, &values->all, 0, 0});
    }
    add_entry(&table, (Entry){"json", "FILE", "write the results to FILE", OPTION_FILE,
                              &values->json_path, 0, 0});
    if (spec->pictures[0] != NULL) {
        add_entry(&table,
                  (Entry){"plot", "FILE", "draw pictures (SVG): x.svg gives x_TOPIC.svg for each",
                          OPTION_FILE, &values->plot_path, 0, 0});
    }
    add_entry(&table, (Entry){"help", NULL, "print this text", OPTION_FLAG, &values->help, 0, 0});
    return table;
}

/* --- Messages --- */

__attribute__((format(printf, 4, 5))) static OptionsStatus bad_option(const LessonSpec *spec,
                                                                      char *message, size_t size,
                                                                      const char *format, ...) {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (char *c = reason; *c != '\0'; ++c) {
        if (iscntrl((unsigned char)*c)) {
            *c = '?'; /* a terminal would obey what was typed */
        }
    }
    snprintf(message, size, "%s: %s", spec->program, reason);
    return OPTIONS_BAD;
}

/* Letters to insert, drop or change to make b of a (Levenshtein), for short names. */
static size_t edit_distance(const char *a, const char *b) {
    enum { MOST = 32 };
    size_t row[MOST + 1], length = strlen(b);
    if (length > MOST || strlen(a) > MOST) {
        return MOST;
    }
    for (size_t j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; ++j) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[length];
}

static OptionsStatus unknown_option(const LessonSpec *spec, const Table *table,
                                    const char *argument, char *message, size_t size) {
    char name[64];
    const char *closest = NULL;
    size_t least = 3; /* more changes than 2 is another word */
    const char *start = argument + strspn(argument, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    for (size_t i = 0; i < table->count; ++i) {
        size_t distance = edit_distance(name, table->entries[i].name);
        bool begins = strlen(name) >= 2 && strncmp(table->entries[i].name, name, strlen(name)) == 0;
        if (begins || distance < least) {
            least = begins ? 0 : distance;
            closest = table->entries[i].name;
        }
    }
    if (closest != NULL) {
        return bad_option(spec, message, size,
                          "unknown option \"%s\"; did you mean --%s? "
                          "(--help lists all)",
                          argument, closest);
    }
    return bad_option(spec, message, size, "unknown option \"%s\"; --help lists those there are",
                      argument);
}

static OptionsStatus bad_number(const LessonSpec *spec, const Entry *entry, const char *text,
                                char *message, size_t size) {
    return bad_option(spec, message, size,
                      "--%s \"%s\": must be a whole number from %s to %s, written with digits only",
                      entry->name, text, text_count(entry->min), text_count(entry->max));
}

static void write_help(const LessonSpec *spec, const Table *table, char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    text_append(&buffer, "%s: %s\n\nOptions:\n", spec->program, spec->about);
    for (size_t i = 0; i < table->count; ++i) {
        const Entry *entry = &table->entries[i];
        bool has_argument = entry->kind != OPTION_FLAG;
        const char *name = text_format("--%s%s%s", entry->name, has_argument ? " " : "",
                                       has_argument ? entry->argument : "");
        text_append(&buffer, "  %-*s  %s", NAME_WIDTH, name, entry->help);
        if (entry->kind == OPTION_SIZE && *(const size_t *)entry->value > 0) {
            text_append(&buffer, " (default %zu)", *(const size_t *)entry->value);
        }
        text_append(&buffer, "\n");
    }
    text_append(&buffer,
                "\nExit status: 0 done and verified, 1 wrong result or CUDA error, 2 bad "
                "option,\n3 no usable device.\n");
}

/* --- Reading --- */

static OptionsStatus take_value(const LessonSpec *spec, const Entry *entry, const char *argument,
                                char *message, size_t size) {
    uint64_t number;
    char reason[512];
    switch (entry->kind) {
    case OPTION_SIZE:
        if (!parse_size(argument, entry->min, entry->max, &number)) {
            return bad_number(spec, entry, argument, message, size);
        }
        *(size_t *)entry->value = (size_t)number;
        return OPTIONS_OK;
    case OPTION_FLAG: *(bool *)entry->value = true; return OPTIONS_OK;
    case OPTION_TEXT:
        if (*argument == '\0') {
            return bad_option(spec, message, size, "--%s \"\": must not be empty", entry->name);
        }
        *(const char **)entry->value = argument;
        return OPTIONS_OK;
    case OPTION_FILE:
        if (!output_file_check(argument, reason, sizeof reason)) {
            return bad_option(spec, message, size, "--%s: %s", entry->name, reason);
        }
        *(const char **)entry->value = argument;
        return OPTIONS_OK;
    }
    return OPTIONS_OK;
}

/* getopt_long takes "--ro" for "--rows"; a lesson's new option would break that. */
static bool is_whole_name(const char *argument, const char *name) {
    const char *written = argument + strspn(argument, "-");
    size_t length = strcspn(written, "=");
    return length == strlen(name) && strncmp(written, name, length) == 0;
}

/* The argument that getopt_long has just looked at. */
static const char *looked_at(int argc, char **argv, int before) {
    int index = before < argc ? before : argc - 1;
    return argv[index];
}

static OptionsStatus read_all(int argc, char **argv, const LessonSpec *spec, const Table *table,
                              const Values *values, char *message, size_t size) {
    struct option names[MAX_OPTIONS + 1] = {{0}};
    for (size_t i = 0; i < table->count; ++i) {
        names[i] =
            (struct option){table->entries[i].name,
                            table->entries[i].kind == OPTION_FLAG ? no_argument : required_argument,
                            NULL, FIRST_CODE + (int)i};
    }
    optind = 0; /* glibc: start anew, also within one argument */
    opterr = 0;
    for (;;) {
        int before = optind > 0 ? optind : 1;
        /* '+': stop at the first argument that is no option; ':': report a missing value */
        int code = getopt_long(argc, argv, "+:", names, NULL);
        const char *argument = looked_at(argc, argv, before);
        if (code == -1) {
            break;
        }
        if (code == ':') {
            int index = optopt - FIRST_CODE;
            return bad_option(spec, message, size, "--%s needs a value, %s",
                              table->entries[index].name, table->entries[index].argument);
        }
        if (code == '?') {
            if (optopt >= FIRST_CODE) {
                return bad_option(spec, message, size, "--%s takes no value",
                                  table->entries[optopt - FIRST_CODE].name);
            }
            if (strcmp(argument, "-h") == 0) {
                return OPTIONS_HELP;
            }
            return unknown_option(spec, table, argument, message, size);
        }
        const Entry *entry = &table->entries[code - FIRST_CODE];
        if (!is_whole_name(argument, entry->name)) {
            return unknown_option(spec, table, argument, message, size);
        }
        if (entry->value == &values->help) {
            return OPTIONS_HELP; /* whatever else is on the line */
        }
        OptionsStatus status = take_value(spec, entry, optarg, message, size);
        if (status != OPTIONS_OK) {
            return status;
        }
    }
    if (optind < argc) {
        return bad_option(spec, message, size,
                          "\"%s\" is not an option; --help lists those there are", argv[optind]);
    }
    return OPTIONS_OK;
}

/* Checks the files that --plot will write, and that --json names none of them. */
static OptionsStatus check_pictures(const LessonSpec *spec, const Values *values, char *message,
                                    size_t size) {
    for (size_t i = 0; i < LESSON_PICTURES && spec->pictures[i] != NULL; ++i) {
        char path[PATH_MAX], reason[512];
        if (!output_file_variant(values->plot_path, spec->pictures[i], path, sizeof path)) {
            return bad_option(spec, message, size, "--plot \"%s\": the name is too long",
                              values->plot_path);
        }
        if (!output_file_check(path, reason, sizeof reason)) {
            return bad_option(spec, message, size, "--plot: %s", reason);
        }
        if (values->json_path != NULL && strcmp(values->json_path, path) == 0 &&
            strncmp(path, "/dev/", 5) != 0) {
            return bad_option(spec, message, size,
                              "--json and --plot: both write \"%s\"; each needs a file of its own",
                              path);
        }
    }
    return OPTIONS_OK;
}

static size_t first_of(bool on_cpu_device, size_t cpu, size_t otherwise) {
    return on_cpu_device && cpu > 0 ? cpu : otherwise;
}

OptionsStatus options_parse(int argc, char **argv, const LessonSpec *spec, bool on_cpu_device,
                            Options *options, char *message, size_t message_size) {
    const Values defaults = {.rows = first_of(on_cpu_device, spec->cpu_rows, spec->rows),
                             .cols = first_of(on_cpu_device, spec->cpu_cols, spec->cols),
                             .n = first_of(on_cpu_device, spec->cpu_n, spec->n),
                             .seed = 42,
                             .warmup = SIZE_MAX,
                             .device = "0"};
    Values values = defaults;
    values.rows = values.cols = values.n = 0; /* not given; 0 is not allowed */
    Table table = make_table(spec, &values);
    if (message_size > 0) {
        message[0] = '\0';
    }
    *options = (Options){0};
    OptionsStatus status = read_all(argc, argv, spec, &table, &values, message, message_size);
    if (status == OPTIONS_HELP) {
        values = defaults; /* the help text shows them */
        values.warmup = 0;
        write_help(spec, &table, message, message_size);
    }
    if (status != OPTIONS_OK) {
        return status;
    }
    options->sizes_given = values.rows > 0 || values.cols > 0 || values.n > 0;
    values.rows = values.rows > 0 ? values.rows : defaults.rows;
    values.cols = values.cols > 0 ? values.cols : defaults.cols;
    values.n = values.n > 0 ? values.n : defaults.n;
    options->rows = values.rows;
    options->cols = values.cols;
    options->n = values.n;
    if (values.json_path != NULL && values.plot_path != NULL &&
        strcmp(values.json_path, values.plot_path) == 0 &&
        strncmp(values.json_path, "/dev/", 5) != 0) {
        return bad_option(spec, message, message_size,
                          "--json and --plot: both name \"%s\"; each needs a file of its own",
                          values.plot_path);
    }
    if (values.plot_path != NULL) {
        status = check_pictures(spec, &values, message, message_size);
        if (status != OPTIONS_OK) {
            return status;
        }
    }
    if (spec->rows > 0 && spec->cols > 0 && !size_product(values.rows, values.cols, &options->n)) {
        return bad_option(spec, message, message_size,
                          "--rows %zu --cols %zu: more elements than a 64-bit number can count",
                          values.rows, values.cols);
    }
    options->seed = values.seed;
    options->device = values.device;
    options->device_given = values.device != defaults.device;
    options->repeat = (int)values.repeat;
    options->warmup = values.warmup == SIZE_MAX ? -1 : (int)values.warmup;
    options->json_path = values.json_path;
    options->plot_path = values.plot_path;
    options->all = values.all;
    return OPTIONS_OK;
}
