/* A table of device allocations. See device_memory.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/device_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/text.h"

typedef struct Entry {
    void *d;
    int device;
    size_t holders; /* 0: the entry is free */
    uint32_t uses;  /* how often the entry was taken: the upper half of the name */
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static Entry *table;
static size_t table_size, alive;

static uint64_t name_of(size_t index) {
    return (uint64_t)table[index].uses << 32 | (uint32_t)(index + 1);
}

/* The living entry of that name, or null. */
static Entry *find(uint64_t name) {
    size_t index = (size_t)(uint32_t)name - 1;
    if ((uint32_t)name == 0 || index >= table_size || table[index].holders == 0 ||
        name_of(index) != name) {
        return NULL;
    }
    return &table[index];
}

/* A free entry's index; grows the table. False if host memory is short. */
static bool free_entry(size_t *index) {
    for (size_t i = 0; i < table_size; ++i) {
        if (table[i].holders == 0) {
            *index = i;
            return true;
        }
    }
    size_t grown = table_size == 0 ? 16 : 2 * table_size;
    Entry *bigger = realloc(table, grown * sizeof *bigger);
    if (bigger == NULL) {
        return false;
    }
    for (size_t i = table_size; i < grown; ++i) {
        bigger[i] = (Entry){0};
    }
    *index = table_size;
    table = bigger;
    table_size = grown;
    return true;
}

static cudaError_t allocate(size_t bytes, void **d) {
    *d = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    cudaError_t status = cudaMalloc(d, bytes);
    if (status == cudaErrorMemoryAllocation) {
        size_t free_bytes = 0, total = 0;
        (void)cudaGetLastError(); /* not sticky; the caller gets it as the result */
        if (cudaMemGetInfo(&free_bytes, &total) == cudaSuccess) {
            return lab_fail(status, "%s of device memory were asked for, %s of %s are free",
                            text_bytes((double)bytes), text_bytes((double)free_bytes),
                            text_bytes((double)total));
        }
    }
    return status;
}

cudaError_t device_memory_new(size_t bytes, void **d, int *device, uint64_t *name) {
    *d = NULL;
    *name = 0;
    cudaError_t status = cudaGetDevice(device);
    if (status == cudaSuccess) {
        status = allocate(bytes, d);
    }
    if (status != cudaSuccess) {
        *d = NULL;
        return status;
    }
    pthread_mutex_lock(&lock);
    size_t index;
    bool found = free_entry(&index);
    if (found) {
        table[index].d = *d;
        table[index].device = *device;
        table[index].holders = 1;
        ++table[index].uses;
        ++alive;
        *name = name_of(index);
    }
    pthread_mutex_unlock(&lock);
    if (!found) {
        (void)cudaFree(*d);
        *d = NULL;
        return lab_fail(cudaErrorMemoryAllocation, "no host memory to keep count of an array");
    }
    return cudaSuccess;
}

bool device_memory_hold(uint64_t name) {
    pthread_mutex_lock(&lock);
    Entry *entry = find(name);
    if (entry != NULL) {
        ++entry->holders;
    }
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

/* cudaFree with the owner current, as streams of the owner are what it waits for. */
static cudaError_t free_on(int device, void *d) {
    int current = device;
    if (d == NULL) {
        return cudaSuccess;
    }
    if (cudaGetDevice(&current) == cudaSuccess && current != device) {
        cudaSetDevice(device);
    }
    cudaError_t status = cudaFree(d);
    if (current != device) {
        cudaSetDevice(current);
    }
    return status;
}

cudaError_t device_memory_drop(uint64_t name) {
    void *d = NULL;
    int device = 0;
    bool last = false;
    pthread_mutex_lock(&lock);
    Entry *entry = find(name);
    if (entry != NULL && --entry->holders == 0) {
        last = true;
        d = entry->d;
        device = entry->device;
        --alive;
    }
    pthread_mutex_unlock(&lock);
    return last ? free_on(device, d) : cudaSuccess;
}

bool device_memory_is_alive(uint64_t name) {
    pthread_mutex_lock(&lock);
    bool is_alive = find(name) != NULL;
    pthread_mutex_unlock(&lock);
    return is_alive;
}

size_t device_memory_count(void) {
    pthread_mutex_lock(&lock);
    size_t count = alive;
    pthread_mutex_unlock(&lock);
    return count;
}
