/* The frame that all lessons share: options, the first line, checks before work
 * starts, wording of figures, and the last line. For mains: it prints.
 *
 * A lesson's main:
 *     static const LessonSpec SPEC = {.program = "03_elementwise", …};
 *     Lesson lesson;
 *     if (!lesson_begin(&lesson, argc, argv, &SPEC)) return lesson.status;
 *     …
 *     return lesson_end(&lesson, all_right);
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_LESSON_H_
#define COMMON_LESSON_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "common/compare.h"
#include "common/options.h"
#include "common/record.h"
#include "common/svg_picture.h"
#include "common/text.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses. */
enum {
    LESSON_RIGHT = 0,      /* done and verified, or --help */
    LESSON_WRONG = 1,      /* wrong result, or a CUDA error on the way */
    LESSON_BAD_OPTION = 2, /* a bad value, or more memory than there is */
    LESSON_NO_DEVICE = 3   /* no device that this program can run on */
};

typedef struct Lesson {
    const char *name;
    const LessonSpec *spec;
    int status; /* to exit with, where a function below returned false */
    Options options;
    TimerOptions timer; /* see lesson_timer */
    bool on_cpu_device; /* times here say nothing about a GPU: print no speed-up */
    bool optimised;     /* false in a dbg build: print no speed-up */
    int device;         /* ordinal, made current */
    char device_name[256];
    int cc_major, cc_minor, sm_count;
    size_t total_bytes, free_bytes;    /* device memory */
    size_t l2_bytes;                   /* 0: not reported */
    double peak_gbps;                  /* theoretical; 0: not reported */
    double copy_gbps;                  /* measured ceiling: lesson_measure_ceiling; 0 until then */
    Record *record;                    /* null without --json */
    const char *table;                 /* what a row is, since lesson_table; null before */
    Picture pictures[LESSON_PICTURES]; /* those of spec->pictures, since lesson_picture */
} Lesson;

/* Options, then the device, then the first line:
 *     03_elementwise on device 0: NVIDIA H200, capability 9.0, 132 SMs, 139.8 GiB
 * or, on the CPU device, with the reason for it in a second line,
 *     03_elementwise on the CPU device: your kernels run on this computer's 2 cores.
 *        No GPU was found: nvidia-smi is missing.
 * then the size: where no size was given and the default does not fit, a tenth of it,
 * once or more, said in one line; a size that was given fits or is refused, with what
 * it needs, what there is, and the largest size that fits.
 *
 * True if the lesson can go on. False after saying why, with lesson->status set: help,
 * a bad option, no device, a driver too old for this toolkit, a program that holds no
 * code for this GPU (with the Bazel flag that fixes it), or a size that does not fit. */
bool lesson_begin(Lesson *lesson, int argc, char **argv, const LessonSpec *spec);

/* The halves of lesson_begin, for a lesson that does something between them (01 explains
 * a missing device itself): the options alone, which print nothing unless they are bad,
 * and all the rest. lesson_end may follow either. */
bool lesson_options(Lesson *lesson, int argc, char **argv, const LessonSpec *spec);
bool lesson_start(Lesson *lesson);

/* Checks that n elements with that many bytes each fit the device and the host, for sizes
 * that no LessonSpec can say. False after one line as lesson_begin's. */
bool lesson_check_memory(Lesson *lesson, size_t n, size_t device_bytes_each,
                         size_t host_bytes_each);

/* Reports why no device can be used, and what to do: driver missing or too old, hidden by
 * CUDA_VISIBLE_DEVICES, no GPU. "" (and 0) if one can. Leaves no error behind. */
size_t device_preflight(char *text, size_t size);

/* The same for one device: checks that a program that holds `archs` ("sm_80 sm_90
 * compute_90"), built with toolkit `toolkit` ("13.0"), runs on compute capability
 * major.minor, under a driver of CUDA version `driver` (12040 is 12.4). */
size_t device_code_check(const char *archs, const char *toolkit, int major, int minor, int driver,
                         char *text, size_t size);

/* Device by ordinal ("1") or UUID ("GPU-8a2f…", a beginning that is unique is
 * enough). False with one line in message that lists what there is. */
bool device_find(const char *text, int *device, char *message, size_t size);

/* Measures the copy ceiling for arrays of `bytes` into lesson->copy_gbps (less
 * where memory is short, 0 where there is none) and records it. */
cudaError_t lesson_measure_ceiling(Lesson *lesson, size_t bytes);

/* The timer's options: --repeat and --warmup, on the default stream, and little time on the
 * CPU device, where times say nothing. A copy may be changed. */
const TimerOptions *lesson_timer(const Lesson *lesson);

/* `bytes` of host memory, never null: where there is none, says so and exits with
 * LESSON_WRONG, as CUDA_CHECK does. To be given back with free. */
void *lesson_host_memory(const Lesson *lesson, size_t bytes);

/* Prints the describe text of a comparison, indented, under `what`. True if it
 * was right. A wrong one is also recorded. */
bool lesson_report(Lesson *lesson, const char *what, const CompareResult *result,
                   const LaunchGeometry *geometry);

/* Keeps a picture, which must be one that the spec names, for lesson_end. Only with --plot: draw
 * nothing without options.plot_path. */
void lesson_picture(Lesson *lesson, const char *topic, Picture picture);

/* Writes the pictures, if one was asked for and all results were right, and says which; then
 * the JSON file, if one was asked for. Prints "OK", "NOT DONE …" or "WRONG …" as the last
 * line, gives buffers back. Returns the exit status. */
int lesson_end(Lesson *lesson, bool right);

/* --- Wording, besides text.h; texts stay valid as there. --- */

const char *text_time(const TimerStats *stats); /* median; fewer digits if doubtful */

/* The same without its unit, for a column of times in units of unit_ms (1e-3: us). */
const char *text_time_in(const TimerStats *stats, double unit_ms);

/* Rate of moving `bytes` in ms, "4,123 GB/s", and its share, "97.3 %", if it may
 * be shown (rate_check against the lesson's ceiling, peak and L2); else "(cache)",
 * "(launch)", "(short)" or "(?)", and lesson_rate_note then has the sentence. */
const char *lesson_rate(const Lesson *lesson, double bytes, double ms, size_t working_set);
const char *lesson_share(const Lesson *lesson, double bytes, double ms, size_t working_set);
const char *lesson_rate_note(const Lesson *lesson, double bytes, double ms, size_t working_set,
                             size_t element_size); /* "" if fine */

/* A matrix of up to 8 x 8 on stdout, as NumPy prints it, each row indented. */
void print_matrix(const float *x, size_t rows, size_t cols, const char *indent);

#ifdef __cplusplus
}
#endif

#endif
