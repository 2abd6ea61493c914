/* Times that can be trusted: the timer synchronises itself, drops warm-ups, takes
 * as many samples as its budget allows, and reports median and spread.
 *
 * What is timed is a function, so that it can be repeated. A rate above what the
 * device can do is never given as a plain number: see rate_check.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_TIMER_H_
#define COMMON_TIMER_H_

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A reading of the SM clock in MHz; 0: cannot be had. */
typedef double (*ClockReader)(void);

/* Zero fields mean the default, so {0} is a good choice. */
typedef struct TimerOptions {
    cudaStream_t stream;    /* the stream that work uses; 0: the default stream */
    int warmup;             /* calls dropped after the first; 0: 3; negative: none */
    int repeat;             /* samples; 0: as many as fit budget_ms, 10 to 200 */
    double budget_ms;       /* time to spend when repeat is 0; 0: 500 */
    ClockReader read_clock; /* before and after the samples; 0: sm_clock_mhz */
} TimerOptions;

typedef struct TimerStats {
    double first_ms;  /* the very first call, host clock, synchronised; in no other figure */
    double median_ms; /* of the samples, per call */
    double min_ms, max_ms;
    double spread;  /* (90th - 10th percentile) / median */
    size_t repeats; /* samples */
    size_t batch;   /* calls per sample: more than 1 for work shorter than about 1 ms */
    size_t warmups; /* calls dropped, without the first */
    double clock_before_mhz, clock_after_mhz; /* SM clock; 0: not reported */
    bool
        doubtful; /* spread above TIMER_SPREAD_LIMIT, too few samples, or the clock changed by 5 % */
} TimerStats;

/* A spread above this makes the figure doubtful: print fewer digits, no ratio. */
#define TIMER_SPREAD_LIMIT 0.10
/* Fewer have no spread that would say anything. */
#define TIMER_LEAST_SAMPLES 3

/* Work to time: enqueue it on `stream` and return the status. */
typedef cudaError_t (*GpuWork)(void *context, cudaStream_t stream);
typedef void (*CpuWork)(void *context);

/* Device time of work, by events on its stream. The device is kept busy while
 * samples are enqueued, so launch latency is not in the figure; the queue never
 * fills, so per-call figures stay flat however many samples are taken.
 *
 * Errors: whatever work or the runtime returns, and what a launch in work left
 * for cudaGetLastError; *stats is then zero. An error left before is dropped.
 * On return the stream has been synchronised. */
cudaError_t time_gpu(GpuWork work, void *context, const TimerOptions *options, TimerStats *stats);

/* Host time from calling work to the end of everything it put on the stream: for
 * a GPU function with its transfers. Same rules; batch is 1. */
cudaError_t time_gpu_end_to_end(GpuWork work, void *context, const TimerOptions *options,
                                TimerStats *stats);

/* Host time of a CPU function. options->stream is not used. */
void time_cpu(CpuWork work, void *context, const TimerOptions *options, TimerStats *stats);

/* Milliseconds on a clock that never goes back; only differences mean anything. */
double host_clock_ms(void);

/* Statistics of samples that a lesson took itself: sorts them in place and fills
 * median, min, max, spread, repeats, doubtful; the other fields become 0. */
void timer_stats_from(double *samples_ms, size_t count, TimerStats *stats);

/* bytes in ms, as GB/s (10^9 bytes per second); 0 if ms <= 0. */
double gbps_from(double bytes, double ms);

/* Why a rate may be shown, or may not. */
typedef enum RateVerdict {
    RATE_OK = 0,
    RATE_NO_TIME,          /* time is 0, negative or NaN: nothing was measured */
    RATE_IN_CACHE,         /* above the ceiling, and the data fit the L2 cache */
    RATE_NOT_SYNCHRONISED, /* far above the ceiling (over 3 times): launch time, not run time */
    RATE_ABOVE_CEILING,    /* above the ceiling, reason unknown: bytes counted wrongly? */
    RATE_TOO_SHORT         /* shorter than RATE_SHORTEST_MS: launch time, whatever the rate is */
} RateVerdict;

/* Of less than this, launching is a large part: 5 us. */
#define RATE_SHORTEST_MS 0.005

typedef struct RateCheck {
    double gbps;         /* the rate found */
    double ceiling_gbps; /* measured in the same run (ceiling.h); 0: unknown */
    double peak_gbps;    /* theoretical peak of the memory; 0: not reported */
    size_t working_set;  /* bytes that one call touches; 0: unknown */
    size_t l2_bytes;     /* the device's L2 cache; 0: unknown */
    double ms;           /* the time that the rate is of; 0: unknown */
} RateCheck;

/* Judges a rate. A measured copy ceiling may be passed by 10 % (kernels that only
 * read or only write are faster than a copy, and measurements differ), a
 * theoretical peak not at all. */
RateVerdict rate_check(const RateCheck *check);

/* The rate as text: "4,123 GB/s, 97.3 % of the copy ceiling" if it may be shown,
 * else a sentence that gives the reason and the way out, and no plain result:
 * "not a memory rate: …, because the data stay in the L2 cache; take n = …".
 * element_size is for the suggested n; 0: bytes are suggested. */
size_t rate_describe(const RateCheck *check, size_t element_size, char *text, size_t size);

/* Hand-made timings at two sizes: true if the time grew too little for run time
 * (the work grew at least 4-fold and the time less than a quarter of that), so
 * that it is launch time. Text for the student goes to text (may be null). */
bool timing_is_launch_only(double work_small, double ms_small, double work_large, double ms_large,
                           char *text, size_t size);

/* "0.435 ms (median of 40 x 3, spread 0.8 %)"; fewer digits, and a warning, if
 * doubtful. Returns the length as snprintf does. */
size_t timer_describe(const TimerStats *stats, char *text, size_t size);

/* The SM clock of the current device now, through the driver's NVML; 0 if that
 * cannot be had. */
double sm_clock_mhz(void);

#ifdef __cplusplus
}
#endif

#endif
