/* Times that can be trusted. See timer.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/check.h"
#include "common/text.h"

enum {
    DEFAULT_WARMUP = 3,
    MIN_SAMPLES = 10,
    MAX_SAMPLES = 200,
    MAX_BATCH = 200,      /* stays far below the launch queue's length, about 1,000 */
    ROUND_LAUNCHES = 400, /* calls put on the stream before it is waited for */
};

/* A sample lasts about this long, so that the clock's grain (0.5 us) and the
 * events' own cost (1 to 2 us) vanish. */
static const double SAMPLE_MS = 1.0;
static const double DEFAULT_BUDGET_MS = 500.0;

/* A change of clock by this much between beginning and end makes a time doubtful. */
static const double CLOCK_LIMIT = 0.05;

double host_clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

double gbps_from(double bytes, double ms) { return ms > 0 ? bytes / ms * 1e-6 : 0; }

/* --- Statistics --- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a fraction of the sorted samples lies below, interpolated. */
static double quantile(const double *sorted, size_t count, double fraction) {
    double place = fraction * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

void timer_stats_from(double *samples_ms, size_t count, TimerStats *stats) {
    *stats = (TimerStats){0};
    if (count == 0) {
        return;
    }
    qsort(samples_ms, count, sizeof *samples_ms, ascending);
    stats->repeats = count;
    stats->batch = 1;
    stats->min_ms = samples_ms[0];
    stats->max_ms = samples_ms[count - 1];
    stats->median_ms = quantile(samples_ms, count, 0.5);
    double width = quantile(samples_ms, count, 0.9) - quantile(samples_ms, count, 0.1);
    stats->spread = stats->median_ms > 0 ? width / stats->median_ms : 0;
    stats->doubtful = !(stats->spread <= TIMER_SPREAD_LIMIT) || count < TIMER_LEAST_SAMPLES;
}

static bool clock_moved(const TimerStats *stats) {
    double before = stats->clock_before_mhz, after = stats->clock_after_mhz;
    return before > 0 && after > 0 && fabs(after - before) > CLOCK_LIMIT * fmax(before, after);
}

/* --- How often --- */

typedef struct Plan {
    size_t warmups, samples, batch;
} Plan;

static size_t warmups_of(const TimerOptions *options) {
    return options->warmup < 0    ? 0
           : options->warmup == 0 ? DEFAULT_WARMUP
                                  : (size_t)options->warmup;
}

/* one_ms: what one call takes, roughly. */
static Plan plan_for(const TimerOptions *options, double one_ms, bool may_batch) {
    Plan plan = {.warmups = warmups_of(options), .batch = 1};
    double budget = options->budget_ms > 0 ? options->budget_ms : DEFAULT_BUDGET_MS;
    if (may_batch && one_ms < SAMPLE_MS) {
        double wanted = ceil(SAMPLE_MS / fmax(one_ms, 1e-6));
        plan.batch = wanted > MAX_BATCH ? MAX_BATCH : (size_t)wanted;
    }
    if (options->repeat > 0) {
        plan.samples = (size_t)options->repeat;
        return plan;
    }
    double fit = budget / fmax(one_ms * (double)plan.batch, 1e-6);
    plan.samples = fit < MIN_SAMPLES ? MIN_SAMPLES : fit > MAX_SAMPLES ? MAX_SAMPLES : (size_t)fit;
    if (options->budget_ms > 0 && fit < MIN_SAMPLES) {
        plan.samples = fit < 3 ? 3 : (size_t)fit; /* a budget that was asked for is kept */
    }
    return plan;
}

/* --- GPU work, by events --- */

/* Enqueues work once. A launch in it that failed counts, though the work may not look: there
 * would be nothing to time. */
static cudaError_t enqueue(GpuWork work, void *context, cudaStream_t stream) {
    cudaError_t status = work(context, stream);
    if (status != cudaSuccess) {
        return status;
    }
    status = cudaGetLastError();
    if (status == cudaSuccess) {
        return status;
    }
    return lab_fail(status,
                    "the work to time left this error, from a launch that did not happen as "
                    "it seems, and returned cudaSuccess: let it return cudaGetLastError()");
}

/* Enqueues work once and waits; the host's time for it. */
static cudaError_t run_once(GpuWork work, void *context, cudaStream_t stream, double *elapsed_ms) {
    double begin = host_clock_ms();
    cudaError_t status = enqueue(work, context, stream);
    if (status == cudaSuccess) {
        status = cudaStreamSynchronize(stream);
    }
    *elapsed_ms = host_clock_ms() - begin;
    return status;
}

/* Samples [from, to): one call more in front keeps the device busy while the host
 * enqueues the rest, so that no launch latency is measured. */
static cudaError_t run_round(GpuWork work, void *context, cudaStream_t stream, size_t batch,
                             cudaEvent_t *events, double *samples, size_t from, size_t to) {
    cudaError_t status = enqueue(work, context, stream);
    for (size_t i = from; i < to && status == cudaSuccess; ++i) {
        if (i == from) {
            status = cudaEventRecord(events[0], stream);
        }
        for (size_t call = 0; call < batch && status == cudaSuccess; ++call) {
            status = enqueue(work, context, stream);
        }
        if (status == cudaSuccess) {
            status = cudaEventRecord(events[i - from + 1], stream);
        }
    }
    if (status == cudaSuccess) {
        status = cudaStreamSynchronize(stream);
    }
    for (size_t i = from; i < to && status == cudaSuccess; ++i) {
        float ms = 0;
        status = cudaEventElapsedTime(&ms, events[i - from], events[i - from + 1]);
        samples[i] = (double)ms / (double)batch;
    }
    return status;
}

static cudaError_t run_rounds(GpuWork work, void *context, cudaStream_t stream, const Plan *plan,
                              cudaEvent_t *events, size_t round, double *samples) {
    cudaError_t status = cudaSuccess;
    for (size_t from = 0; from < plan->samples && status == cudaSuccess; from += round) {
        size_t to = plan->samples - from < round ? plan->samples : from + round;
        status = run_round(work, context, stream, plan->batch, events, samples, from, to);
    }
    return status;
}

/* Samples of the plan in one round; at least 1. */
static size_t round_of(const Plan *plan) {
    size_t round = ROUND_LAUNCHES / plan->batch;
    round = round < plan->samples ? round : plan->samples;
    return round > 0 ? round : 1;
}

static cudaError_t sample_with_events(GpuWork work, void *context, cudaStream_t stream,
                                      const Plan *plan, double *samples) {
    size_t round = round_of(plan), made = 0;
    cudaError_t status = cudaSuccess;
    cudaEvent_t *events = calloc(round + 1, sizeof *events);
    if (events == NULL) {
        return lab_fail(cudaErrorMemoryAllocation, "no host memory for %zu events", round + 1);
    }
    while (made < round + 1 && status == cudaSuccess) {
        status = cudaEventCreate(&events[made]);
        made += status == cudaSuccess;
    }
    if (status == cudaSuccess) {
        status = run_rounds(work, context, stream, plan, events, round, samples);
    }
    if (status != cudaSuccess) {
        (void)cudaStreamSynchronize(stream); /* nothing may run on when the caller frees */
    }
    for (size_t i = 0; i < made; ++i) {
        (void)cudaEventDestroy(events[i]);
    }
    free(events);
    return status;
}

static cudaError_t sample_with_clock(GpuWork work, void *context, cudaStream_t stream,
                                     const Plan *plan, double *samples) {
    cudaError_t status = cudaSuccess;
    for (size_t i = 0; i < plan->samples && status == cudaSuccess; ++i) {
        status = run_once(work, context, stream, &samples[i]);
    }
    return status;
}

typedef cudaError_t (*Sampler)(GpuWork, void *, cudaStream_t, const Plan *, double *);

/* First call, an estimate, warm-ups, then the sampler. */
static cudaError_t measure(GpuWork work, void *context, const TimerOptions *options, bool may_batch,
                           Sampler sampler, TimerStats *stats) {
    static const TimerOptions defaults = {0};
    options = options != NULL ? options : &defaults;
    lab_clear_message();
    *stats = (TimerStats){0};
    cudaStream_t stream = options->stream;
    double first_ms = 0, one_ms = 0;
    cudaError_t status = cudaStreamSynchronize(stream); /* earlier work is not timed, */
    (void)cudaGetLastError();                           /* earlier errors are dropped */
    if (status == cudaSuccess) {
        status = run_once(work, context, stream, &first_ms);
    }
    one_ms = first_ms;
    size_t warmups = warmups_of(options);
    for (size_t i = 0; i < warmups && status == cudaSuccess; ++i) {
        double ms = 0;
        status = run_once(work, context, stream, &ms);
        one_ms = i == 0 || ms < one_ms ? ms : one_ms;
    }
    if (status != cudaSuccess) {
        return status;
    }
    Plan plan = plan_for(options, one_ms, may_batch);
    double *samples = calloc(plan.samples, sizeof *samples);
    if (samples == NULL) {
        return lab_fail(cudaErrorMemoryAllocation, "no host memory for %zu samples", plan.samples);
    }
    ClockReader read_clock = options->read_clock != NULL ? options->read_clock : sm_clock_mhz;
    double clock_before = read_clock();
    status = sampler(work, context, stream, &plan, samples);
    double clock_after = read_clock();
    if (status == cudaSuccess) {
        timer_stats_from(samples, plan.samples, stats);
        stats->first_ms = first_ms;
        stats->batch = plan.batch;
        stats->warmups = plan.warmups;
        stats->clock_before_mhz = clock_before;
        stats->clock_after_mhz = clock_after;
        stats->doubtful = stats->doubtful || clock_moved(stats);
    }
    free(samples);
    return status;
}

cudaError_t time_gpu(GpuWork work, void *context, const TimerOptions *options, TimerStats *stats) {
    return measure(work, context, options, true, sample_with_events, stats);
}

cudaError_t time_gpu_end_to_end(GpuWork work, void *context, const TimerOptions *options,
                                TimerStats *stats) {
    return measure(work, context, options, false, sample_with_clock, stats);
}

/* --- CPU work --- */

static double clock_calls(CpuWork work, void *context, size_t calls) {
    double begin = host_clock_ms();
    for (size_t i = 0; i < calls; ++i) {
        work(context);
    }
    return (host_clock_ms() - begin) / (double)calls;
}

void time_cpu(CpuWork work, void *context, const TimerOptions *options, TimerStats *stats) {
    static const TimerOptions defaults = {0};
    options = options != NULL ? options : &defaults;
    *stats = (TimerStats){0};
    double first_ms = clock_calls(work, context, 1), one_ms = first_ms;
    size_t warmups = warmups_of(options);
    for (size_t i = 0; i < warmups; ++i) {
        double ms = clock_calls(work, context, 1);
        one_ms = i == 0 || ms < one_ms ? ms : one_ms;
    }
    Plan plan = plan_for(options, one_ms, true);
    double *samples = calloc(plan.samples, sizeof *samples);
    double single; /* without memory for many, one sample is still a time */
    double *taken = samples != NULL ? samples : &single;
    size_t count = samples != NULL ? plan.samples : 1;
    for (size_t i = 0; i < count; ++i) {
        taken[i] = clock_calls(work, context, plan.batch);
    }
    timer_stats_from(taken, count, stats);
    stats->first_ms = first_ms;
    stats->batch = plan.batch;
    stats->warmups = plan.warmups;
    free(samples);
}

size_t timer_describe(const TimerStats *stats, char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    if (stats->repeats == 0) {
        text_append(&buffer, "not measured");
        return buffer.length;
    }
    if (stats->doubtful) {
        text_append(&buffer, "about %s (", text_ms_about(stats->median_ms));
    } else {
        text_append(&buffer, "%s (", text_ms(stats->median_ms));
    }
    text_append(&buffer, "median of %zu", stats->repeats);
    if (stats->batch > 1) {
        text_append(&buffer, " x %zu", stats->batch);
    }
    text_append(&buffer, ", spread %.1f %%)", stats->spread * 100);
    if (stats->spread > TIMER_SPREAD_LIMIT) {
        text_append(&buffer, "; doubtful: the samples differ by more than %.0f %%",
                    TIMER_SPREAD_LIMIT * 100);
    }
    if (stats->repeats < TIMER_LEAST_SAMPLES) {
        text_append(&buffer, "; doubtful: fewer than %d samples", TIMER_LEAST_SAMPLES);
    }
    if (clock_moved(stats)) {
        text_append(&buffer, "; doubtful: the SM clock went from %.0f to %.0f MHz",
                    stats->clock_before_mhz, stats->clock_after_mhz);
    }
    return buffer.length;
}
