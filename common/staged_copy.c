/* Copies of pageable memory through pinned buffers filled by all cores. See
 * staged_copy.h.
 *
 * The data is cut into chunks that fit a buffer (slot): small ones at the beginning
 * and at the end, where the bus waits for the first and the caller for the last.
 * Every worker thread has slots of its own and takes the next free chunk: to the device,
 * it waits until its slot's former copy is done, fills the slot and puts the copy
 * on the stage's stream; to the host, it keeps copies into its slots under way and
 * empties them in turn. benchmarks/results/2026-12-01_transfer_sweep.txt says how
 * sizes and numbers were chosen.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "common/staged_copy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "common/check.h"
#include "common/device_range.h"
#include "common/parallel.h"
#include "common/text.h"

enum {
    MAX_WORKERS = 16,
    WORKERS = 8, /* more do not fill a bus of 55 GB/s any better */
    MAX_SLOTS = 8,
    MAX_DEVICES = 64,
    MIN_SLOT = 4096,
    MIN_CHUNK = 256 << 10,        /* below it, starting a copy costs more than the copy */
    PAST_CACHE_BELOW = 128 << 20, /* above it, most slots are in the cache when filled again */
    HUGE_PAGE = 2 << 20,
};

typedef struct Slot {
    char *pinned;
    cudaEvent_t done; /* the slot's last copy */
    bool busy;        /* done has been recorded and not been waited for */
} Slot;

/* The buffers that a device's copies go through. */
typedef struct Stage {
    cudaStream_t stream; /* does not wait for, nor hold up, the default stream */
    cudaEvent_t before;  /* the work that must come first */
    char *pinned;        /* all slots' memory */
    Slot slots[MAX_WORKERS][MAX_SLOTS];
} Stage;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* one copy at a time; guards all below */
static Stage *stages[MAX_DEVICES];
static size_t
    asked_for[MAX_DEVICES]; /* bytes that a stage could have copied, while there was none */
static StagedCopyConfig config = {.slots = 2};
static bool configured;

/* One copy: either direction. */
typedef struct Job {
    Stage *stage;
    int device;
    char *device_side;
    size_t bytes, unit; /* chunks are multiples of unit, but the last */
    atomic_size_t next; /* the first byte that no worker has taken yet */
    atomic_int status;  /* the first error */
    StagedFill fill;    /* to the device */
    StagedDrain drain;  /* to the host */
    void *context;
} Job;

static void use_defaults(void) {
    if (config.threads == 0) {
        config.threads = WORKERS;
    }
    if (config.threads > MAX_WORKERS) {
        config.threads = MAX_WORKERS;
    }
    if (config.threads > parallel_threads()) {
        config.threads = parallel_threads();
    }
    if (config.slots == 0) {
        config.slots = 2;
    }
    if (config.slots > MAX_SLOTS) {
        config.slots = MAX_SLOTS;
    }
    if (config.slot_bytes == 0) {
        config.slot_bytes = 4 << 20;
    }
    if (config.slot_bytes < MIN_SLOT) {
        config.slot_bytes = MIN_SLOT;
    }
    config.slot_bytes = (config.slot_bytes + MIN_SLOT - 1) / MIN_SLOT * MIN_SLOT;
    if (config.direct_below == 0) {
        config.direct_below = 512 << 10;
    }
    if (config.stage_after == 0) {
        config.stage_after = 32 << 20;
    }
    configured = true;
}

/* --- Setting up and giving back; `turn` is held --- */

static cudaError_t release_stage(int device) {
    Stage *stage = stages[device];
    cudaError_t first = cudaSuccess;
    if (stage == NULL) {
        return cudaSuccess;
    }
    stages[device] = NULL;
    asked_for[device] = 0;
    for (size_t worker = 0; worker < MAX_WORKERS; ++worker) {
        for (size_t slot = 0; slot < MAX_SLOTS; ++slot) {
            if (stage->slots[worker][slot].done != NULL) {
                cudaError_t status = cudaEventDestroy(stage->slots[worker][slot].done);
                first = first == cudaSuccess ? status : first;
            }
        }
    }
    if (stage->before != NULL) {
        cudaError_t status = cudaEventDestroy(stage->before);
        first = first == cudaSuccess ? status : first;
    }
    if (stage->stream != NULL) {
        cudaError_t status = cudaStreamDestroy(stage->stream);
        first = first == cudaSuccess ? status : first;
    }
    if (stage->pinned != NULL) {
        cudaError_t status = cudaFreeHost(stage->pinned);
        first = first == cudaSuccess ? status : first;
    }
    free(stage);
    return first;
}

static cudaError_t release_all(void) {
    cudaError_t first = cudaSuccess;
    int current = 0;
    bool any = false;
    for (int device = 0; device < MAX_DEVICES; ++device) {
        if (stages[device] == NULL) {
            continue;
        }
        if (!any && cudaGetDevice(&current) != cudaSuccess) {
            current = device;
        }
        any = true;
        cudaSetDevice(device);
        cudaError_t status = release_stage(device);
        first = first == cudaSuccess ? status : first;
    }
    if (any) {
        cudaSetDevice(current);
    }
    return first;
}

static cudaError_t build_stage(Stage *stage) {
    size_t slots = config.threads * config.slots;
    cudaError_t status =
        cudaHostAlloc((void **)&stage->pinned, slots * config.slot_bytes, cudaHostAllocDefault);
    if (status == cudaSuccess) {
        status = cudaStreamCreateWithFlags(&stage->stream, cudaStreamNonBlocking);
    }
    if (status == cudaSuccess) {
        status = cudaEventCreateWithFlags(&stage->before, cudaEventDisableTiming);
    }
    for (size_t i = 0; i < slots && status == cudaSuccess; ++i) {
        Slot *slot = &stage->slots[i / config.slots][i % config.slots];
        slot->pinned = stage->pinned + i * config.slot_bytes;
        status = cudaEventCreateWithFlags(&slot->done, cudaEventDisableTiming);
    }
    return status;
}

/* The current device's stage, for a copy of that many bytes. Made once the copies so far, with
 * this one, are long enough to pay for it. Null before that, and if it cannot be had. */
static Stage *stage_of(int device, size_t bytes) {
    if (device < 0 || device >= MAX_DEVICES) {
        return NULL;
    }
    if (stages[device] != NULL) {
        return stages[device];
    }
    asked_for[device] += bytes;
    if (asked_for[device] < config.stage_after) {
        return NULL;
    }
    stages[device] = calloc(1, sizeof *stages[device]);
    if (stages[device] != NULL && build_stage(stages[device]) != cudaSuccess) {
        release_stage(device);
        (void)cudaGetLastError(); /* copies without a stage are slower, not wrong */
    }
    return stages[device];
}

cudaError_t staged_copy_release(void) {
    lab_clear_message();
    pthread_mutex_lock(&turn);
    cudaError_t status = release_all();
    pthread_mutex_unlock(&turn);
    return status;
}

bool staged_copy_is_ready(void) {
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= MAX_DEVICES) {
        return false;
    }
    pthread_mutex_lock(&turn);
    bool ready = stages[device] != NULL;
    pthread_mutex_unlock(&turn);
    return ready;
}

cudaError_t staged_copy_configure(const StagedCopyConfig *wanted) {
    lab_clear_message();
    pthread_mutex_lock(&turn);
    cudaError_t status = release_all();
    config = wanted != NULL ? *wanted : (StagedCopyConfig){0};
    use_defaults();
    pthread_mutex_unlock(&turn);
    return status;
}

/* --- The workers --- */

static void note_error(Job *job, cudaError_t status) {
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&job->status, &none, (int)status);
}

/* Bytes of the chunk that begins at `offset`: a slot, but less near both ends, so that all
 * workers soon have one, and none is busy long after the others. */
static size_t chunk_at(const Job *job, size_t offset) {
    size_t to_end = job->bytes - offset;
    size_t near = offset < to_end ? offset : to_end;
    size_t chunk = near / config.threads;
    if (chunk < MIN_CHUNK) {
        chunk = MIN_CHUNK;
    }
    if (chunk > config.slot_bytes) {
        chunk = config.slot_bytes;
    }
    chunk = chunk / MIN_SLOT * MIN_SLOT / job->unit * job->unit;
    return chunk < to_end ? chunk : to_end;
}

static bool take_chunk(Job *job, size_t *offset, size_t *bytes) {
    if (atomic_load_explicit(&job->status, memory_order_relaxed) != cudaSuccess) {
        return false;
    }
    size_t begin = atomic_load_explicit(&job->next, memory_order_relaxed);
    do {
        if (begin == job->bytes) {
            return false;
        }
        *bytes = chunk_at(job, begin);
    } while (!atomic_compare_exchange_weak_explicit(&job->next, &begin, begin + *bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    *offset = begin;
    return true;
}

static cudaError_t wait_for(Slot *slot) {
    if (!slot->busy) {
        return cudaSuccess;
    }
    slot->busy = false;
    return cudaEventSynchronize(slot->done);
}

static cudaError_t start_copy(Job *job, Slot *slot, size_t offset, size_t bytes) {
    char *d = job->device_side + offset;
    cudaError_t status =
        job->fill != NULL
            ? cudaMemcpyAsync(d, slot->pinned, bytes, cudaMemcpyHostToDevice, job->stage->stream)
            : cudaMemcpyAsync(slot->pinned, d, bytes, cudaMemcpyDeviceToHost, job->stage->stream);
    if (status == cudaSuccess) {
        status = cudaEventRecord(slot->done, job->stage->stream);
        slot->busy = status == cudaSuccess;
    }
    return status;
}

static void fill_worker(void *context, size_t worker, size_t workers) {
    (void)workers;
    Job *job = context;
    cudaError_t status = cudaSetDevice(job->device); /* each thread has its own current device */
    size_t offset, bytes;
    for (size_t turn_of = 0; status == cudaSuccess && take_chunk(job, &offset, &bytes); ++turn_of) {
        Slot *slot = &job->stage->slots[worker][turn_of % config.slots];
        status = wait_for(slot);
        if (status == cudaSuccess) {
            job->fill(job->context, slot->pinned, offset, bytes);
            status = start_copy(job, slot, offset, bytes);
        }
    }
    if (status != cudaSuccess) {
        note_error(job, status);
    }
}

static void drain_worker(void *context, size_t worker, size_t workers) {
    (void)workers;
    Job *job = context;
    Slot *slots = job->stage->slots[worker];
    size_t offsets[MAX_SLOTS], sizes[MAX_SLOTS];
    size_t started = 0, drained = 0;
    bool more = true;
    cudaError_t status = cudaSetDevice(job->device);
    while (status == cudaSuccess) {
        while (more && started - drained < config.slots && status == cudaSuccess) {
            size_t i = started % config.slots;
            more = take_chunk(job, &offsets[i], &sizes[i]);
            if (more) {
                status = start_copy(job, &slots[i], offsets[i], sizes[i]);
                ++started;
            }
        }
        if (status != cudaSuccess || started == drained) {
            break;
        }
        size_t i = drained++ % config.slots;
        status = wait_for(&slots[i]);
        if (status == cudaSuccess) {
            job->drain(job->context, slots[i].pinned, offsets[i], sizes[i]);
        }
    }
    if (status != cudaSuccess) {
        note_error(job, status);
    }
}

/* Runs the job on the current device; `turn` is held and the stage is there. */
static cudaError_t run_job(Job *job) {
    Stage *stage = job->stage;
    atomic_init(&job->next, 0);
    atomic_init(&job->status, cudaSuccess);

    /* As cudaMemcpy does: after what the default stream holds now. */
    cudaError_t status = cudaEventRecord(stage->before, 0);
    if (status == cudaSuccess) {
        status = cudaStreamWaitEvent(stage->stream, stage->before, 0);
    }
    if (status != cudaSuccess) {
        return status;
    }
    size_t chunks = job->bytes / MIN_CHUNK + 1, workers = config.threads;
    if (MIN_CHUNK <= config.slot_bytes && chunks < workers) {
        workers = chunks;
    }
    parallel_run(workers, job->fill != NULL ? fill_worker : drain_worker, job);
    status = cudaStreamSynchronize(stage->stream);
    for (size_t worker = 0; worker < config.threads; ++worker) {
        for (size_t slot = 0; slot < config.slots; ++slot) {
            stage->slots[worker][slot].busy = false;
        }
    }
    cudaError_t first = (cudaError_t)atomic_load(&job->status);
    return first != cudaSuccess ? first : status;
}

/* --- One run of bytes on the host --- */

static void copy_out_plain(void *context, const void *pinned, size_t offset, size_t bytes) {
    memcpy((char *)context + offset, pinned, bytes);
}

static void copy_in_plain(void *context, void *pinned, size_t offset, size_t bytes) {
    memcpy(pinned, (const char *)context + offset, bytes);
}

/* Stores past the cache: the destination is not read soon by this core, and need not be
 * fetched before it is overwritten. */
#if defined(__x86_64__)
static void copy_out_sse2(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)(from + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(from + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(from + i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(from + i + 48));
        _mm_stream_si128((__m128i *)(to + i), a);
        _mm_stream_si128((__m128i *)(to + i + 16), b);
        _mm_stream_si128((__m128i *)(to + i + 32), c);
        _mm_stream_si128((__m128i *)(to + i + 48), d);
    }
}

__attribute__((target("avx"))) static void copy_out_avx(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(from + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(from + i + 32));
        _mm256_stream_si256((__m256i *)(to + i), a);
        _mm256_stream_si256((__m256i *)(to + i + 32), b);
    }
}

static void copy_past_cache(char *to, const char *from, size_t bytes) {
    size_t head = (64 - (uintptr_t)to % 64) % 64;
    if (bytes < 256) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    size_t middle = (bytes - head) / 64 * 64;
    if (__builtin_cpu_supports("avx")) {
        copy_out_avx(to + head, from + head, middle);
    } else {
        copy_out_sse2(to + head, from + head, middle);
    }
    _mm_sfence(); /* before anybody hears that the copy is complete */
    memcpy(to + head + middle, from + head + middle, bytes - head - middle);
}
#else
static void copy_past_cache(char *to, const char *from, size_t bytes) { memcpy(to, from, bytes); }
#endif

static void copy_in_past_cache(void *context, void *pinned, size_t offset, size_t bytes) {
    copy_past_cache(pinned, (const char *)context + offset, bytes);
}

static void copy_out_past_cache(void *context, const void *pinned, size_t offset, size_t bytes) {
    copy_past_cache((char *)context + offset, pinned, bytes);
}

/* Asks for large pages where the destination has none yet: a fresh array then
 * costs 512 times fewer page faults. Only a hint; memory that is there stays. */
static void ask_for_huge_pages(void *to, size_t bytes) {
#ifdef MADV_HUGEPAGE
    uintptr_t begin = ((uintptr_t)to + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)to + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (end > begin && end - begin >= 2 * (uintptr_t)HUGE_PAGE) {
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    }
#else
    (void)to;
    (void)bytes;
#endif
}

/* --- Checks and the ways to copy --- */

static enum cudaMemoryType kind_of(const void *pointer, int *device) {
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
        (void)cudaGetLastError(); /* old toolkits refuse ordinary memory */
        return cudaMemoryTypeUnregistered;
    }
    *device = attributes.device;
    return attributes.type;
}

/* Checks that d is on this device and host on the host; `host` may be null (packed copies).
 * *direct: the host side needs no staging. */
static cudaError_t check_sides(const void *d, const void *host, size_t bytes, bool to_device,
                               int *device, bool *direct) {
    int owner = -1, host_owner = -1;
    *direct = bytes < config.direct_below;
    if (d == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the device pointer is null, for a copy of %s bytes",
                        text_count(bytes));
    }
    cudaError_t status = cudaGetDevice(device);
    if (status != cudaSuccess) {
        return status;
    }
    enum cudaMemoryType kind = kind_of(d, &owner);
    enum cudaMemoryType host_kind =
        host != NULL ? kind_of(host, &host_owner) : cudaMemoryTypeUnregistered;
    if (kind != cudaMemoryTypeDevice && kind != cudaMemoryTypeManaged) {
        return lab_fail(cudaErrorInvalidValue,
                        "a copy %s the device was given %s pointer as its device side%s",
                        to_device ? "to" : "from",
                        kind == cudaMemoryTypeHost ? "a pinned host" : "an ordinary host",
                        host_kind == cudaMemoryTypeDevice
                            ? ", and a device pointer as its host side: the direction is reversed"
                            : " (or it was freed)");
    }
    if (host_kind == cudaMemoryTypeDevice) {
        return lab_fail(cudaErrorInvalidValue,
                        "a copy %s the device was given a device pointer as its host side: use "
                        "cudaMemcpy with cudaMemcpyDeviceToDevice",
                        to_device ? "to" : "from");
    }
    if (kind == cudaMemoryTypeDevice && owner != *device) {
        return lab_fail(cudaErrorInvalidValue,
                        "the memory belongs to device %d, but the current device is %d: call "
                        "cudaSetDevice(%d) first",
                        owner, *device, owner);
    }
    /* In chunks, an overrun could land in the neighbouring allocation unseen. */
    size_t room;
    if (device_range(d, &room) && bytes > room) {
        return lab_fail(cudaErrorInvalidValue,
                        "a copy of %s bytes does not fit: the device allocation has %s from there "
                        "to its end",
                        text_count(bytes), text_count(room));
    }
    *direct = *direct || host_kind == cudaMemoryTypeHost || host_kind == cudaMemoryTypeManaged;
    return cudaSuccess;
}

static cudaError_t copy_staged(void *d, size_t bytes, size_t unit, StagedFill fill,
                               StagedDrain drain, void *context, int device, bool *done) {
    Job job = {.stage = stage_of(device, bytes),
               .device = device,
               .device_side = d,
               .bytes = bytes,
               .unit = unit,
               .fill = fill,
               .drain = drain,
               .context = context};
    *done = job.stage != NULL;
    return *done ? run_job(&job) : cudaSuccess;
}

/* The two plain copies. `turn` is held. */
static cudaError_t copy_run(void *d, void *host, size_t bytes, bool to_device) {
    int device = 0;
    bool direct = false, done = false;
    cudaError_t status = check_sides(d, host, bytes, to_device, &device, &direct);
    if (status != cudaSuccess) {
        return status;
    }
    if (!direct) {
        if (!to_device) {
            ask_for_huge_pages(host, bytes);
        }
        bool fill_plain = config.plain_stores || bytes > PAST_CACHE_BELOW;
        StagedFill fill = fill_plain ? copy_in_plain : copy_in_past_cache;
        StagedDrain drain = config.plain_stores ? copy_out_plain : copy_out_past_cache;
        status = copy_staged(d, bytes, 1, to_device ? fill : NULL, to_device ? NULL : drain, host,
                             device, &done);
    }
    if (!done) {
        status = to_device ? cudaMemcpy(d, host, bytes, cudaMemcpyHostToDevice)
                           : cudaMemcpy(host, d, bytes, cudaMemcpyDeviceToHost);
    }
    return status;
}

static cudaError_t copy_checked(void *d, void *host, size_t bytes, bool to_device) {
    lab_clear_message();
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (host == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the host pointer is null, for a copy of %s bytes",
                        text_count(bytes));
    }
    pthread_mutex_lock(&turn);
    if (!configured) {
        use_defaults();
    }
    cudaError_t status = copy_run(d, host, bytes, to_device);
    pthread_mutex_unlock(&turn);
    return status;
}

cudaError_t staged_copy_to_device(void *d_to, const void *from, size_t bytes) {
    return copy_checked(d_to, (void *)(uintptr_t)from, bytes, true);
}

cudaError_t staged_copy_to_host(void *to, const void *d_from, size_t bytes) {
    return copy_checked((void *)(uintptr_t)d_from, to, bytes, false);
}

/* Packs all of a small array at once, or of any where no stage can be had. */
static cudaError_t packed_direct(void *d, size_t bytes, StagedFill fill, StagedDrain drain,
                                 void *context) {
    void *packed = malloc(bytes);
    if (packed == NULL) {
        return lab_fail(cudaErrorMemoryAllocation, "no host memory to pack %s bytes",
                        text_count(bytes));
    }
    cudaError_t status;
    if (fill != NULL) {
        fill(context, packed, 0, bytes);
        status = cudaMemcpy(d, packed, bytes, cudaMemcpyHostToDevice);
    } else {
        status = cudaMemcpy(packed, d, bytes, cudaMemcpyDeviceToHost);
        if (status == cudaSuccess) {
            drain(context, packed, 0, bytes);
        }
    }
    free(packed);
    return status;
}

static cudaError_t copy_packed(void *d, size_t bytes, size_t unit, StagedFill fill,
                               StagedDrain drain, void *context) {
    lab_clear_message();
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (unit == 0 || unit > MIN_SLOT || bytes % unit != 0 || (fill == NULL && drain == NULL)) {
        return lab_fail(cudaErrorInvalidValue,
                        "%zu bytes in units of %zu: a unit has 1 to %d bytes and divides the whole",
                        bytes, unit, MIN_SLOT);
    }
    pthread_mutex_lock(&turn);
    if (!configured) {
        use_defaults();
    }
    int device = 0;
    bool direct = false, done = false;
    cudaError_t status = check_sides(d, NULL, bytes, fill != NULL, &device, &direct);
    if (status == cudaSuccess && !direct) {
        status = copy_staged(d, bytes, unit, fill, drain, context, device, &done);
    }
    if (status == cudaSuccess && !done) {
        status = packed_direct(d, bytes, fill, drain, context);
    }
    pthread_mutex_unlock(&turn);
    return status;
}

cudaError_t staged_fill_to_device(void *d_to, size_t bytes, size_t unit, StagedFill fill,
                                  void *context) {
    return copy_packed(d_to, bytes, unit, fill, NULL, context);
}

cudaError_t staged_drain_to_host(const void *d_from, size_t bytes, size_t unit, StagedDrain drain,
                                 void *context) {
    return copy_packed((void *)(uintptr_t)d_from, bytes, unit, NULL, drain, context);
}
