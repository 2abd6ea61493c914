/* SPDX-License-Identifier: Apache-2.0 */
/* See fresh_process.h. */
#include "common/fresh_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* True if all of the bytes were written to, or read from, the file descriptor. */
static bool write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, size -= (size_t)done;
    }
    return true;
}

static bool read_all(int fd, char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = read(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, size -= (size_t)done;
    }
    return true;
}

/* True if the process ended with status 0; else `why` says how it ended. */
static bool wait_for(pid_t process, char *why, size_t why_size) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno == EINTR) continue;
        snprintf(why, why_size, "its process was lost: %s", strerror(errno));
        return false;
    }
    if (WIFSIGNALED(status)) {
        snprintf(why, why_size, "its process was ended by signal %d", WTERMSIG(status));
        return false;
    }
    if (WEXITSTATUS(status) == 0) return true;
    snprintf(why, why_size, "its process ended with status %d", WEXITSTATUS(status));
    return false;
}

bool in_fresh_process(void (*work)(void *context, void *result), void *context, void *result,
                      size_t size, char *why, size_t why_size) {
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(why, why_size, "no pipe to another process: %s", strerror(errno));
        return false;
    }
    fflush(NULL); /* or the other process would hold the same text, to print it again */
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        work(context, result);
        /* Not exit: what main has registered for its end is not this process's. */
        _exit(write_all(ends[1], result, size) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    if (process < 0) {
        snprintf(why, why_size, "no other process could be started: %s", strerror(errno));
        close(ends[0]);
        return false;
    }
    bool whole = read_all(ends[0], result, size);
    close(ends[0]);
    if (!wait_for(process, why, why_size)) return false;
    if (!whole) snprintf(why, why_size, "its process ended without an answer");
    return whole;
}
