/* Files that a lesson writes: checked before the work starts, and written in one
 * step at its end, so that there is never half a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_OUTPUT_FILE_H_
#define COMMON_OUTPUT_FILE_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Can `path` be written? To be asked before the work starts; leaves no file.
 * False with one line in message: "cannot write FILE: reason". */
bool output_file_check(const char *path, char *message, size_t size);

/* Writes text to a temporary file beside `path` and renames it; a device or pipe
 * is written to directly. On failure false with one line in message, and the file
 * is as it was before. */
bool output_file_write(const char *path, const char *text, char *message, size_t size);

/* Where a relative path goes: under `bazel run`, the folder where the student
 * typed the command (BUILD_WORKING_DIRECTORY), else unchanged. False if size is
 * too small or path is empty. The functions above apply it. */
bool output_file_path(const char *path, char *full, size_t size);

/* The name of one file of several that share a name: "out.svg" and "queue" give "out_queue.svg";
 * a name without ".svg" gets it. What lies under /dev keeps its name. False if size is too small. */
bool output_file_variant(const char *path, const char *topic, char *variant, size_t size);

#ifdef __cplusplus
}
#endif

#endif
