/* Files written in one step. See output_file.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkostemp */
#endif
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_file_path(const char *path, char *full, size_t size) {
    const char *folder = getenv("BUILD_WORKING_DIRECTORY");
    int length;
    if (path == NULL || path[0] == '\0') {
        return false;
    }
    if (path[0] == '/' || folder == NULL || folder[0] == '\0') {
        length = snprintf(full, size, "%s", path);
    } else {
        length = snprintf(full, size, "%s/%s", folder, path);
    }
    return length >= 0 && (size_t)length < size;
}

bool output_file_variant(const char *path, const char *topic, char *variant, size_t size) {
    size_t stem = strlen(path);
    if (strncmp(path, "/dev/", 5) == 0) {
        return (size_t)snprintf(variant, size, "%s", path) < size;
    }
    if (stem > 4 && strcmp(path + stem - 4, ".svg") == 0 && path[stem - 5] != '/') {
        stem -= 4;
    }
    int length = snprintf(variant, size, "%.*s_%s.svg", (int)stem, path, topic);
    return length >= 0 && (size_t)length < size;
}

static bool fail(const char *path, const char *reason, char *message, size_t size) {
    snprintf(message, size, "cannot write \"%s\": %s", path, reason);
    return false;
}

/* Resolves path; reports whether it is there and is a device, pipe or the like. */
static bool look_at(const char *path, char *full, size_t full_size, bool *is_stream, char *message,
                    size_t size) {
    struct stat status;
    *is_stream = false;
    if (path == NULL || path[0] == '\0') {
        return fail("", "the file's name is empty", message, size);
    }
    if (!output_file_path(path, full, full_size)) {
        return fail(path, "the file's name is too long", message, size);
    }
    if (stat(full, &status) != 0) {
        return errno == ENOENT ? true : fail(path, strerror(errno), message, size);
    }
    if (S_ISDIR(status.st_mode)) {
        return fail(path, "it is a directory", message, size);
    }
    *is_stream = !S_ISREG(status.st_mode);
    if (access(full, W_OK) != 0) {
        return fail(path, strerror(errno), message, size);
    }
    return true;
}

/* Follows links, so that renaming replaces the file and not the link to it. */
static void follow_link(char *full, size_t size) {
    char *target = realpath(full, NULL);
    if (target != NULL && strlen(target) < size) {
        strcpy(full, target);
    }
    free(target);
}

/* Makes an empty temporary file beside `full`; returns its descriptor or -1. */
static int open_temporary(char *full, size_t full_size, char *temporary, size_t size) {
    follow_link(full, full_size);
    int length = snprintf(temporary, size, "%s.XXXXXX", full);
    if (length < 0 || (size_t)length >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkostemp(temporary, O_CLOEXEC);
}

bool output_file_check(const char *path, char *message, size_t size) {
    char full[PATH_MAX], temporary[PATH_MAX + 8];
    bool is_stream;
    if (!look_at(path, full, sizeof full, &is_stream, message, size)) {
        return false;
    }
    if (is_stream) {
        return true;
    }
    int file = open_temporary(full, sizeof full, temporary, sizeof temporary);
    if (file < 0) {
        return fail(path, strerror(errno), message, size);
    }
    close(file);
    unlink(temporary);
    return true;
}

static bool write_all(int file, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        text += written;
        left -= (size_t)written;
    }
    return true;
}

/* The permissions that open() would have given a new file, or those it has. */
static mode_t permissions(const char *full) {
    struct stat status;
    if (stat(full, &status) == 0) {
        return status.st_mode & 07777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool output_file_write(const char *path, const char *text, char *message, size_t size) {
    char full[PATH_MAX], temporary[PATH_MAX + 8];
    bool is_stream;
    if (!look_at(path, full, sizeof full, &is_stream, message, size)) {
        return false;
    }
    int file = is_stream ? open(full, O_WRONLY | O_CLOEXEC)
                         : open_temporary(full, sizeof full, temporary, sizeof temporary);
    if (file < 0) {
        return fail(path, strerror(errno), message, size);
    }
    bool good = write_all(file, text);
    int error = errno;
    if (close(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!is_stream) {
        if (good && (chmod(temporary, permissions(full)) != 0 || rename(temporary, full) != 0)) {
            good = false;
            error = errno;
        }
        if (!good) {
            unlink(temporary);
        }
    }
    return good ? true : fail(path, strerror(error), message, size);
}
