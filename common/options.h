/* The command-line options that all lessons share, read strictly: a bad value is
 * named with what is allowed.
 *
 * Only parses; checks that need a device (memory, --device) are in lesson.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_OPTIONS_H_
#define COMMON_OPTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest --rows, --cols or --n that is taken for a number: 10^12. */
#define OPTIONS_MAX_SIZE 1000000000000u

typedef struct Options {
    size_t rows, cols;     /* as given, or the defaults */
    size_t n;              /* --n, or rows * cols where the lesson has a matrix */
    uint64_t seed;         /* 42 unless given */
    const char *device;    /* an ordinal or a UUID, as given; "0" if it was not */
    int repeat;            /* 0: not given, the timer chooses */
    int warmup;            /* -1: not given, the timer chooses */
    const char *json_path; /* null: not given */
    const char *plot_path; /* null: not given */
    bool all;              /* --all: everything, not one screen a section */
    bool sizes_given;      /* --rows, --cols or --n was given */
    bool device_given;     /* --device was given */
} Options;

/* An option of one lesson only. */
typedef enum OptionKind {
    OPTION_SIZE, /* value: size_t *, digits only, min to max */
    OPTION_FLAG, /* value: bool *, takes no argument */
    OPTION_TEXT, /* value: const char ** */
    OPTION_FILE  /* value: const char **, a file to write: checked as --json is */
} OptionKind;

typedef struct OptionExtra {
    const char *name;     /* "block", for --block */
    const char *argument; /* "THREADS", for the help text; null for a flag */
    const char *help;
    OptionKind kind;
    void *value;       /* holds the default before parsing */
    uint64_t min, max; /* OPTION_SIZE only */
} OptionExtra;

enum { LESSON_PICTURES = 4 }; /* at most, in a lesson */

/* What a lesson takes and needs. Fill in with designated initialisers; zero fields mean
 * that the lesson does not have the option, or does not need the memory. */
typedef struct LessonSpec {
    const char *program;                       /* "03_elementwise" */
    const char *about;                         /* one line, for --help */
    size_t rows, cols;                         /* defaults; 0: no --rows, no --cols */
    size_t n;                                  /* default; 0: no --n */
    size_t cpu_rows, cpu_cols, cpu_n;          /* defaults on the CPU device; 0: as above */
    size_t device_bytes_each, host_bytes_each; /* of all its arrays, for each element */
    size_t device_bytes_least;                 /* of device memory, at any size */
    bool has_all;                              /* --all */
    const char *pictures[LESSON_PICTURES];     /* topics: --plot x.svg writes x_TOPIC.svg of each */
    bool no_seed, no_timing;                   /* without --seed; without --repeat and --warmup */
    const OptionExtra *extra;
    size_t extra_count;
} LessonSpec;

typedef enum OptionsStatus {
    OPTIONS_OK = 0,
    OPTIONS_HELP, /* --help: message holds the help text; print it, exit with 0 */
    OPTIONS_BAD   /* message holds one line; print it to stderr, exit with 2 */
} OptionsStatus;

/* Reads argv through getopt_long. No prefix of a name counts as the name, digits
 * are the only numbers, and arguments that are no options are refused. Files to
 * write are checked now, before any work (output_file.h).
 *
 * on_cpu_device chooses among the defaults. *options and the extras' values are
 * unspecified unless OPTIONS_OK. message is always terminated. */
OptionsStatus options_parse(int argc, char **argv, const LessonSpec *spec, bool on_cpu_device,
                            Options *options, char *message, size_t message_size);

/* Reads a whole number made of digits only, min to max. False, and *value
 * unchanged, for anything else: "", "-1", "12x", "1e12", " 7", "99…9". */
bool parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* *product = a * b; false, and unchanged, if that is more than size_t holds. */
bool size_product(size_t a, size_t b, size_t *product);

#ifdef __cplusplus
}
#endif

#endif
