/* Watchdogs, and waits with an end. See watchdog.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "common/text.h"

struct Watchdog {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped_now;
    bool stopped;
    double limit_s;
    struct timespec end; /* on CLOCK_MONOTONIC */
    char what[200];
    void (*release)(void *);
    void *context;
};

const char *watchdog_lazy_loading(void) {
    return "If a kernel runs that waits for the host or for another kernel, the first launch of "
           "another kernel can wait for it in turn: its code is loaded only then (lazy loading), "
           "which may have to wait until the device is idle. Load all kernels first, with "
           "cudaFuncGetAttributes for each or with CUDA_MODULE_LOADING=EAGER in the environment."
#ifdef LAB_CPU_DEVICE
           " (The CPU device loads nothing, but it runs one kernel at a time, so there such a program "
           "hangs in any case.)"
#endif
        ;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timespec seconds_from_now(double seconds) {
    const double most = 1e9; /* 30 years: no overflow */
    double at = seconds_now() + (seconds < most ? seconds > 0 ? seconds : 0 : most);
    time_t whole = (time_t)at;
    return (struct timespec){.tv_sec = whole, .tv_nsec = (long)((at - (double)whole) * 1e9)};
}

/* Not exit: that would wait for the very device, or run what main is in the middle of. */
static void end_process(const Watchdog *watchdog) {
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout); /* what was printed so far comes first */
        funlockfile(stdout);
    }
    char text[1024];
    TextBuffer buffer = text_buffer(text, sizeof text);
    text_append(&buffer, "gave up after %s: %s has not ended.\n%s\n",
                text_ms(watchdog->limit_s * 1000), watchdog->what, watchdog_lazy_loading());
    size_t length = strlen(text);
    for (size_t done = 0; done < length;) {
        ssize_t written = write(STDERR_FILENO, text + done, length - done);
        if (written <= 0 && errno != EINTR) {
            break;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    if (watchdog->release != NULL) {
        watchdog->release(watchdog->context);
    }
    _exit(EXIT_FAILURE);
}

static void *watch(void *argument) {
    Watchdog *watchdog = argument;
    int status = 0;
    pthread_mutex_lock(&watchdog->lock);
    while (!watchdog->stopped && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&watchdog->stopped_now, &watchdog->lock, &watchdog->end);
    }
    if (!watchdog->stopped) {
        end_process(watchdog); /* with the lock held: a stop that comes now comes too late */
    }
    pthread_mutex_unlock(&watchdog->lock);
    return NULL;
}

Watchdog *watchdog_start(double limit_s, const char *what, void (*release)(void *), void *context) {
    Watchdog *watchdog = calloc(1, sizeof *watchdog);
    if (watchdog == NULL) {
        return NULL;
    }
    watchdog->limit_s = limit_s;
    watchdog->end = seconds_from_now(limit_s);
    watchdog->release = release;
    watchdog->context = context;
    snprintf(watchdog->what, sizeof watchdog->what, "%s", what);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watchdog->stopped_now, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&watchdog->lock, NULL);
    if (pthread_create(&watchdog->thread, NULL, watch, watchdog) != 0) {
        pthread_cond_destroy(&watchdog->stopped_now);
        pthread_mutex_destroy(&watchdog->lock);
        free(watchdog);
        return NULL;
    }
    return watchdog;
}

void watchdog_stop(Watchdog *watchdog) {
    if (watchdog == NULL) {
        return;
    }
    pthread_mutex_lock(&watchdog->lock);
    watchdog->stopped = true;
    pthread_cond_signal(&watchdog->stopped_now);
    pthread_mutex_unlock(&watchdog->lock);
    pthread_join(watchdog->thread, NULL);
    pthread_cond_destroy(&watchdog->stopped_now);
    pthread_mutex_destroy(&watchdog->lock);
    free(watchdog);
}

cudaError_t watchdog_stream_wait(cudaStream_t stream, double limit_s, const char *what) {
    const struct timespec pause = {.tv_nsec = 100000}; /* 0.1 ms */
    double end = seconds_now() + limit_s;
    lab_clear_message();
    for (;;) {
        cudaError_t status = cudaStreamQuery(stream);
        if (status != cudaErrorNotReady) {
            return status;
        }
        if (seconds_now() >= end) {
            return lab_fail(status, "%s has not ended after %s. %s", what, text_ms(limit_s * 1000),
                            watchdog_lazy_loading());
        }
        nanosleep(&pause, NULL);
    }
}

cudaError_t load_kernels(const void *const *kernels, size_t count) {
    cudaError_t status = cudaSuccess;
    struct cudaFuncAttributes attributes;
    for (size_t i = 0; i < count && status == cudaSuccess; ++i) {
        status = cudaFuncGetAttributes(&attributes, kernels[i]);
    }
    return status;
}
