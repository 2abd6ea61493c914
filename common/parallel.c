/* One pool of threads for loops over whole arrays. See parallel.h.
 *
 * A job is handed over through a generation number: workers sleep until it
 * changes, run the body once, and report back. pool.turn is held for a whole job,
 * so there is one job at a time; a caller that cannot have it works alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#endif
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

typedef struct Pool {
    pthread_mutex_t turn; /* held by the thread whose job runs */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t start, done;
    pthread_t threads[MAX_THREADS];
    size_t count; /* threads running, without the caller */
    pid_t owner;  /* threads do not survive fork() */
    unsigned generation;
    size_t workers;    /* of this job, with the caller */
    size_t unfinished; /* pool threads that still run it */
    ParallelBody body;
    void *context;
} Pool;

static Pool pool = {.turn = PTHREAD_MUTEX_INITIALIZER,
                    .lock = PTHREAD_MUTEX_INITIALIZER,
                    .start = PTHREAD_COND_INITIALIZER,
                    .done = PTHREAD_COND_INITIALIZER};

/* CPUs that the container's quota amounts to, rounded up; 0 if there is none. */
static size_t quota_cpus(void) {
    long long quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file == NULL) {
        return 0;
    }
    int fields = fscanf(file, "%lld %lld", &quota, &period);
    fclose(file);
    if (fields != 2 || quota <= 0 || period <= 0) {
        return 0; /* "max 100000" */
    }
    return (size_t)((quota + period - 1) / period);
}

static size_t count_threads(void) {
    const char *wanted = getenv("LAB_THREADS");
    if (wanted != NULL && *wanted != '\0') {
        char *end;
        unsigned long value = strtoul(wanted, &end, 10);
        if (*end == '\0' && value >= 1 && value <= MAX_THREADS) {
            return value;
        }
    }
    cpu_set_t cpus;
    size_t threads = 0;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        threads = (size_t)CPU_COUNT(&cpus);
    } else {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        threads = online > 0 ? (size_t)online : 1;
    }
    size_t quota = quota_cpus();
    if (quota > 0 && quota < threads) {
        threads = quota;
    }
    return threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
}

size_t parallel_threads(void) {
    static atomic_size_t threads;
    size_t known = atomic_load_explicit(&threads, memory_order_relaxed);
    if (known == 0) {
        known = count_threads();
        atomic_store_explicit(&threads, known, memory_order_relaxed);
    }
    return known;
}

/* A pool thread: worker 1, 2, … of each job that has that many. */
static void *work(void *argument) {
    size_t worker = (size_t)argument;
    pthread_mutex_lock(&pool.lock);
    /* The lock was held from this thread's creation until its first job was set. */
    unsigned seen = pool.generation - 1;
    for (;;) {
        while (pool.generation == seen) {
            pthread_cond_wait(&pool.start, &pool.lock);
        }
        seen = pool.generation;
        if (worker >= pool.workers) {
            continue;
        }
        ParallelBody body = pool.body;
        void *context = pool.context;
        size_t workers = pool.workers;
        pthread_mutex_unlock(&pool.lock);
        body(context, worker, workers);
        pthread_mutex_lock(&pool.lock);
        if (--pool.unfinished == 0) {
            pthread_cond_signal(&pool.done);
        }
    }
    return NULL; /* not reached */
}

/* Brings the pool to `wanted` threads if it can. Called with turn and lock held. */
static void grow_pool(size_t wanted) {
    if (pool.owner != getpid()) {
        pool.count = 0; /* first use, or a child after fork() */
        pool.owner = getpid();
        pthread_cond_init(&pool.start, NULL);
        pthread_cond_init(&pool.done, NULL);
    }
    while (pool.count < wanted) {
        if (pthread_create(&pool.threads[pool.count], NULL, work, (void *)(pool.count + 1)) != 0) {
            return; /* fewer threads are slower, not wrong */
        }
        ++pool.count;
    }
}

void parallel_run(size_t max_workers, ParallelBody body, void *context) {
    size_t workers = parallel_threads();
    if (max_workers > 0 && max_workers < workers) {
        workers = max_workers;
    }
    /* From inside a body the turn cannot be had either, as its caller holds it. */
    if (workers <= 1 || pthread_mutex_trylock(&pool.turn) != 0) {
        body(context, 0, 1);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    grow_pool(workers - 1);
    if (workers > pool.count + 1) {
        workers = pool.count + 1;
    }
    pool.body = body;
    pool.context = context;
    pool.workers = workers;
    pool.unfinished = workers - 1;
    ++pool.generation;
    pthread_cond_broadcast(&pool.start);
    pthread_mutex_unlock(&pool.lock);

    body(context, 0, workers);

    pthread_mutex_lock(&pool.lock);
    while (pool.unfinished > 0) {
        pthread_cond_wait(&pool.done, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.turn);
}

typedef struct RangeJob {
    size_t n, piece;
    atomic_size_t next; /* the next index that is still free */
    ParallelRange body;
    void *context;
} RangeJob;

static void run_pieces(void *context, size_t worker, size_t workers) {
    (void)worker;
    (void)workers;
    RangeJob *job = context;
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&job->next, job->piece, memory_order_relaxed);
        if (begin >= job->n) {
            return;
        }
        size_t end = job->n - begin > job->piece ? begin + job->piece : job->n;
        job->body(job->context, begin, end);
    }
}

void parallel_for(size_t n, size_t grain, ParallelRange body, void *context) {
    enum { PIECES_PER_THREAD = 4 }; /* evens out threads that start late or lose their core */
    if (n == 0) {
        return;
    }
    if (grain == 0) {
        grain = 1;
    }
    size_t grains = n / grain + (n % grain != 0);
    size_t pieces = parallel_threads() * PIECES_PER_THREAD;
    size_t grains_each = grains / pieces + (grains % pieces != 0);
    RangeJob job = {.n = n, .piece = grains_each * grain, .body = body, .context = context};
    atomic_init(&job.next, 0);
    size_t workers = n / job.piece + (n % job.piece != 0);
    parallel_run(workers, run_pieces, &job);
}
