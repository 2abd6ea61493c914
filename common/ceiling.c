/* What the device's memory can do. See ceiling.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/ceiling.h"

#include "common/check.h"
#include "common/timer.h"

typedef struct Copy {
    void *to;
    const void *from;
    size_t bytes;
} Copy;

static cudaError_t copy_once(void *context, cudaStream_t stream) {
    const Copy *copy = context;
    return cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice, stream);
}

/* Short: a ceiling is measured in front of every lesson's table. */
static const double BUDGET_MS = 100;

static cudaError_t rate_of(const Copy *copy, double bytes_moved, cudaStream_t stream,
                           double *gbps) {
    TimerOptions options = {.stream = stream, .budget_ms = BUDGET_MS};
    TimerStats stats;
    cudaError_t status = time_gpu(copy_once, (void *)(size_t)copy, &options, &stats);
    *gbps = status == cudaSuccess ? gbps_from(bytes_moved, stats.median_ms) : 0;
    return status;
}

cudaError_t measure_copy_ceiling_in(void *d_to, const void *d_from, size_t bytes,
                                    cudaStream_t stream, double *gbps) {
    lab_clear_message();
    if (gbps == NULL) {
        return lab_fail(cudaErrorInvalidValue, "nowhere to put the rate: a null pointer");
    }
    *gbps = 0;
    if (d_to == NULL || d_from == NULL || bytes == 0) {
        return lab_fail(cudaErrorInvalidValue, "a ceiling needs two arrays of at least 1 byte");
    }
    Copy copy = {d_to, d_from, bytes};
    return rate_of(&copy, 2.0 * (double)bytes, stream, gbps);
}

cudaError_t measure_copy_ceiling(size_t bytes, cudaStream_t stream, double *gbps) {
    void *d_from = NULL, *d_to = NULL;
    lab_clear_message();
    if (gbps == NULL || bytes == 0) {
        return lab_fail(cudaErrorInvalidValue,
                        "a ceiling needs at least 1 byte, and a place for "
                        "the result");
    }
    *gbps = 0;
    cudaError_t status = cudaMalloc(&d_from, bytes);
    if (status == cudaSuccess) {
        status = cudaMalloc(&d_to, bytes);
    }
    if (status == cudaSuccess) {
        /* Not zeros: some memories compress them, and copy faster than real data. */
        status = cudaMemsetAsync(d_from, 0x5A, bytes, stream);
    }
    if (status == cudaSuccess) {
        status = measure_copy_ceiling_in(d_to, d_from, bytes, stream, gbps);
    }
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
    }
    (void)cudaFree(d_to);
    (void)cudaFree(d_from);
    return status;
}

double memory_peak_gbps(int device) {
    int khz = 0, bits = 0;
    bool known =
        cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess;
    (void)cudaGetLastError();
    if (!known || khz <= 0 || bits <= 0) {
        return 0;
    }
    return 2.0 * khz * 1e3 * (bits / 8.0) * 1e-9; /* two transfers per clock */
}
