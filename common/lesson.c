/* The frame that all lessons share. See lesson.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/lesson.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bazel/build_info.h"
#include "common/ceiling.h"
#include "common/check.h"
#include "common/lesson_memory.h"
#include "common/lesson_picture.h"
#include "common/paragraph.h"
#include "common/parallel.h"
#include "common/staged_copy.h"

enum { MESSAGE = 4096 };

/* --- Beginning --- */

/* Sets the status to exit with, and gives back what the beginning took. */
static bool stop(Lesson *lesson, int status) {
    lesson->status = status;
    record_free(lesson->record);
    lesson->record = NULL;
    return false;
}

static bool refuse(Lesson *lesson, int status, const char *reason) {
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", lesson->name, reason);
    return stop(lesson, status);
}

static TimerOptions timer_of(const Lesson *lesson) {
    int warmup = lesson->options.warmup;
    return (TimerOptions){.repeat = lesson->options.repeat,
                          /* here -1 is "not given"; there 0 is, and -1 is none */
                          .warmup = warmup < 0    ? 0
                                    : warmup == 0 ? -1
                                                  : warmup,
                          .budget_ms = lesson->on_cpu_device ? 40 : 0};
}

bool lesson_options(Lesson *lesson, int argc, char **argv, const LessonSpec *spec) {
    char message[MESSAGE];
    *lesson = (Lesson){.name = spec->program, .spec = spec};
#ifdef LAB_CPU_DEVICE
    lesson->on_cpu_device = true;
#endif
    lesson->optimised = strcmp(BUILD_COMPILATION_MODE, "dbg") != 0;
    switch (options_parse(argc, argv, spec, lesson->on_cpu_device, &lesson->options, message,
                          sizeof message)) {
    case OPTIONS_HELP:
        if (fputs(message, stdout) < 0 || fflush(stdout) != 0) {
            fprintf(stderr, "%s: --help could not be printed: %s\n", spec->program,
                    strerror(errno));
            return stop(lesson, LESSON_WRONG);
        }
        return stop(lesson, LESSON_RIGHT);
    case OPTIONS_BAD: fprintf(stderr, "%s\n", message); return stop(lesson, LESSON_BAD_OPTION);
    case OPTIONS_OK: break;
    }
    lesson->timer = timer_of(lesson);
    if (lesson->options.json_path != NULL) {
        lesson->record = record_new(lesson->name);
    }
    return true;
}

static size_t attribute(enum cudaDeviceAttr name, int device) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, name, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value > 0 ? (size_t)value : 0;
}

/* Makes the device current and fills in what the lesson prints about it. */
static cudaError_t take_device(Lesson *lesson) {
    struct cudaDeviceProp properties;
    cudaError_t status = cudaSetDevice(lesson->device);
    if (status == cudaSuccess) {
        status = cudaGetDeviceProperties(&properties, lesson->device);
    }
    if (status != cudaSuccess) {
        return status;
    }
    snprintf(lesson->device_name, sizeof lesson->device_name, "%s", properties.name);
    lesson->cc_major = properties.major;
    lesson->cc_minor = properties.minor;
    lesson->sm_count = properties.multiProcessorCount;
    lesson->l2_bytes = attribute(cudaDevAttrL2CacheSize, lesson->device);
    lesson->peak_gbps = memory_peak_gbps(lesson->device);
    return cudaMemGetInfo(&lesson->free_bytes, &lesson->total_bytes);
}

static void print_first_line(const Lesson *lesson) {
    if (lesson->on_cpu_device) {
        size_t cores = parallel_threads();
        printf("%s on the CPU device%s: your kernels run on this computer's %zu core%s.\n",
               lesson->name, lesson->device > 0 ? text_format(" (number %d)", lesson->device) : "",
               cores, cores == 1 ? "" : "s");
        print_paragraph(3, BUILD_DEVICE_REASON);
    } else {
        print_lines(0, 3,
                    text_format("%s on device %d: %s, capability %d.%d, %d SMs, %s", lesson->name,
                                lesson->device, lesson->device_name, lesson->cc_major,
                                lesson->cc_minor, lesson->sm_count,
                                text_memory((double)lesson->total_bytes)));
    }
    if (!lesson->optimised) {
        printf("Built with -c dbg: the code is not optimised, and its times say nothing.\n");
    }
    fflush(stdout);
}

/* The line of a /proc file that begins with `key`, from behind its colon; "" if there is none. */
static const char *line_of(const char *path, const char *key, char *line, int size) {
    FILE *file = fopen(path, "r");
    const char *found = "";
    while (file != NULL && fgets(line, size, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *colon = strchr(line, ':');
            line[strcspn(line, "\n")] = '\0';
            found = colon != NULL ? colon + 1 + strspn(colon + 1, " \t") : "";
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static void record_host(Lesson *lesson) {
    char line[256], date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    }
    Record *host = record_object(lesson->record, "host");
    record_text(host, "date", date);
    record_text(host, "processor", line_of("/proc/cpuinfo", "model name", line, sizeof line));
    record_count(host, "cores", parallel_threads());
    record_text(host, "kernel_driver",
                line_of("/proc/driver/nvidia/version", "NVRM version", line, sizeof line));
}

static void record_device(Lesson *lesson) {
    Record *device = record_object(lesson->record, "device");
    record_text(device, "kind", lesson->on_cpu_device ? "cpu" : "gpu");
    record_text(device, "name", lesson->device_name);
    record_count(device, "ordinal", (uint64_t)lesson->device);
    record_text(device, "compute_capability",
                text_format("%d.%d", lesson->cc_major, lesson->cc_minor));
    record_count(device, "multiprocessors", (uint64_t)lesson->sm_count);
    record_count(device, "total_bytes", lesson->total_bytes);
    Record *build = record_object(lesson->record, "build");
    record_text(build, "mode", BUILD_COMPILATION_MODE);
    record_text(build, "archs", BUILD_ARCHS);
    record_text(build, "toolkit", BUILD_TOOLKIT_VERSION);
    record_flag(build, "fused_multiply_add", BUILD_FMAD && !lesson->on_cpu_device);
    record_host(lesson);
    if (!lesson->spec->no_seed) {
        record_count(lesson->record, "seed", lesson->options.seed);
    }
}

/* After the size was fitted. */
static void record_size(Lesson *lesson) {
    if (lesson->options.n > 0) {
        record_count(lesson->record, "n", lesson->options.n);
    }
    if (lesson->spec->rows > 0) {
        record_count(lesson->record, "rows", lesson->options.rows);
        record_count(lesson->record, "cols", lesson->options.cols);
    }
}

bool lesson_start(Lesson *lesson) {
    char message[MESSAGE];
    if (device_preflight(message, sizeof message) > 0) {
        return refuse(lesson, LESSON_NO_DEVICE, message);
    }
    if (!device_find(lesson->options.device, &lesson->device, message, sizeof message)) {
        return refuse(lesson, LESSON_BAD_OPTION, message);
    }
    int major = (int)attribute(cudaDevAttrComputeCapabilityMajor, lesson->device);
    int minor = (int)attribute(cudaDevAttrComputeCapabilityMinor, lesson->device);
    int driver = 0;
    (void)cudaDriverGetVersion(&driver);
    if (device_code_check(BUILD_ARCHS, BUILD_TOOLKIT_VERSION, major, minor, driver, message,
                          sizeof message) > 0) {
        return refuse(lesson, LESSON_NO_DEVICE, message);
    }
    cudaError_t error = take_device(lesson);
    if (error != cudaSuccess) {
        cuda_error_describe(message, sizeof message, __FILE__, __LINE__, "starting the device",
                            error);
        return refuse(lesson, LESSON_NO_DEVICE, message);
    }
    print_first_line(lesson);
    record_device(lesson);
    if (!lesson_fit_memory(lesson)) {
        return stop(lesson, LESSON_BAD_OPTION);
    }
    record_size(lesson);
    return true;
}

bool lesson_begin(Lesson *lesson, int argc, char **argv, const LessonSpec *spec) {
    return lesson_options(lesson, argc, argv, spec) && lesson_start(lesson);
}

/* --- Measuring --- */

cudaError_t lesson_measure_ceiling(Lesson *lesson, size_t bytes) {
    const size_t least = 4096;
    cudaError_t status = measure_copy_ceiling(bytes, 0, &lesson->copy_gbps);
    while (status == cudaErrorMemoryAllocation && bytes / 2 >= least) {
        bytes /= 2; /* the lesson's own arrays may leave too little room for two more */
        status = measure_copy_ceiling(bytes, 0, &lesson->copy_gbps);
    }
    if (status == cudaErrorMemoryAllocation) {
        status = cudaSuccess; /* no room left at all: the ceiling stays unknown */
        lesson->copy_gbps = 0;
    }
    record_number(lesson->record, "copy_ceiling_gbps", lesson->copy_gbps);
    return status;
}

const TimerOptions *lesson_timer(const Lesson *lesson) { return &lesson->timer; }

static RateCheck check_of(const Lesson *lesson, double bytes, double ms, size_t working_set) {
    return (RateCheck){.gbps = gbps_from(bytes, ms),
                       .ms = ms,
                       .ceiling_gbps = lesson->copy_gbps,
                       .peak_gbps = lesson->peak_gbps,
                       .working_set = working_set,
                       .l2_bytes = lesson->l2_bytes};
}

/* On the CPU device the memory is the computer's, with caches of its own: there
 * only launch time is no rate. */
static RateVerdict verdict_of(const Lesson *lesson, const RateCheck *check) {
    RateVerdict verdict = rate_check(check);
    bool harmless = verdict == RATE_IN_CACHE || verdict == RATE_ABOVE_CEILING;
    return lesson->on_cpu_device && harmless ? RATE_OK : verdict;
}

static const char *verdict_mark(RateVerdict verdict) {
    switch (verdict) {
    case RATE_OK: return "";
    case RATE_NO_TIME: return "(no time)";
    case RATE_IN_CACHE: return "(cache)";
    case RATE_NOT_SYNCHRONISED: return "(launch)";
    case RATE_ABOVE_CEILING: return "(?)";
    case RATE_TOO_SHORT: return "(short)";
    }
    return "(?)";
}

const char *lesson_rate(const Lesson *lesson, double bytes, double ms, size_t working_set) {
    RateCheck check = check_of(lesson, bytes, ms, working_set);
    RateVerdict verdict = verdict_of(lesson, &check);
    return verdict == RATE_OK ? text_rate(check.gbps) : verdict_mark(verdict);
}

const char *lesson_share(const Lesson *lesson, double bytes, double ms, size_t working_set) {
    RateCheck check = check_of(lesson, bytes, ms, working_set);
    RateVerdict verdict = verdict_of(lesson, &check);
    if (verdict != RATE_OK) {
        return verdict_mark(verdict);
    }
    if (!(lesson->copy_gbps > 0)) {
        return "-";
    }
    return text_format("%.1f %%", 100 * check.gbps / lesson->copy_gbps);
}

const char *lesson_rate_note(const Lesson *lesson, double bytes, double ms, size_t working_set,
                             size_t element_size) {
    static _Thread_local char note[512];
    RateCheck check = check_of(lesson, bytes, ms, working_set);
    note[0] = '\0';
    if (verdict_of(lesson, &check) != RATE_OK) {
        rate_describe(&check, element_size, note, sizeof note);
    }
    return note;
}

const char *text_time(const TimerStats *stats) {
    if (stats->repeats == 0) {
        return "not measured";
    }
    return stats->doubtful ? text_format("~%s", text_ms_about(stats->median_ms))
                           : text_ms(stats->median_ms);
}

const char *text_time_in(const TimerStats *stats, double unit_ms) {
    double value = stats->median_ms / unit_ms;
    if (stats->repeats == 0) {
        return "-";
    }
    return stats->doubtful ? text_format("~%s", text_digits(value, 2)) : text_digits(value, 3);
}

/* --- Results --- */

bool lesson_report(Lesson *lesson, const char *what, const CompareResult *result,
                   const LaunchGeometry *geometry) {
    char text[MESSAGE];
    compare_describe(result, geometry, text, sizeof text);
    size_t column = (size_t)printf("   %s: ", what);
    print_lines(column, 3, text);
    Record *check = record_row(lesson->record, "checks");
    record_text(check, "what", what);
    record_count(check, "elements", result->n);
    record_count(check, "wrong", result->wrong);
    record_count(check, "max_ulp", result->max_ulp);
    if (result->wrong > 0) {
        record_count(check, "first_wrong", result->first_wrong);
        record_number(check, "expected", result->want);
        record_number(check, "found", result->got);
        record_text(check, "description", text);
    }
    return result->wrong == 0;
}

int lesson_end(Lesson *lesson, bool right) {
    char message[MESSAGE];
    int status = right ? LESSON_RIGHT : LESSON_WRONG;
    cudaError_t error = staged_copy_release();
    if (right && error != cudaSuccess) {
        cuda_error_describe(message, sizeof message, __FILE__, __LINE__, "ending the lesson",
                            error);
        fflush(stdout);
        fprintf(stderr, "%s\n", message);
        status = LESSON_WRONG;
    }
    if (!lesson_write_pictures(lesson, right)) {
        status = LESSON_WRONG;
    }
    record_flag(lesson->record, "right", status == LESSON_RIGHT);
    if (lesson->options.json_path != NULL) {
        if (!record_write(lesson->record, lesson->options.json_path, message, sizeof message)) {
            fflush(stdout);
            fprintf(stderr, "%s: --json: %s\n", lesson->name, message);
            status = LESSON_WRONG;
        }
        record_free(lesson->record);
        lesson->record = NULL;
    }
    puts(status == LESSON_RIGHT ? "OK"
         : right                ? "NOT DONE: the results were right, but see above."
                                : "WRONG: see above.");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: its output could not be written in full\n", lesson->name);
        status = LESSON_WRONG;
    }
    return status;
}

void print_matrix(const float *x, size_t rows, size_t cols, const char *indent) {
    enum { MOST = 8 };
    size_t shown_rows = rows < MOST ? rows : MOST, shown_cols = cols < MOST ? cols : MOST;
    for (size_t row = 0; row < shown_rows; ++row) {
        printf("%s%s", indent, row == 0 ? "[[" : " [");
        for (size_t col = 0; col < shown_cols; ++col) {
            double value = (double)x[row * cols + col];
            printf("%s%12.8f", col > 0 ? " " : "", isnan(value) ? (double)NAN : value);
        }
        printf("%s]%s\n", shown_cols < cols ? " ..." : "",
               row + 1 < shown_rows ? ""
               : shown_rows < rows  ? " ..."
                                    : "]");
    }
}
