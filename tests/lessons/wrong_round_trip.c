/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of four functions that lesson 02 uses (--wrap). The variable
 * WRONG says which of them is wrong in this run: the lesson must notice each.
 *   get_bit  changes the lowest bit of element 5, which no tolerance would notice
 *   get_gap  writes between the elements of an array that has gaps
 *   staged   changes one byte of what a staged copy brings back
 *   numbers  fills with the numbers of the next seed */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/device_array.h"

cudaError_t __real_get(HostArray *x, const DeviceArray *a);
cudaError_t __wrap_get(HostArray *x, const DeviceArray *a);
cudaError_t __real_staged_copy_to_host(void *to, const void *d_from, size_t bytes);
cudaError_t __wrap_staged_copy_to_host(void *to, const void *d_from, size_t bytes);
cudaError_t __real_philox_normal_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream);
cudaError_t __wrap_philox_normal_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream);

static bool wrong(const char *what) {
    const char *value = getenv("WRONG");
    return value != NULL && strcmp(value, what) == 0;
}

cudaError_t __wrap_get(HostArray *x, const DeviceArray *a) {
    cudaError_t status = __real_get(x, a);
    size_t item = dtype_size(x->dtype);
    if (status != cudaSuccess || host_array_count(x) <= 100) return status;
    unsigned char *bytes = x->data;
    bool gaps = x->ndim == 2 && x->strides[1] == 2 * (ptrdiff_t)item;
    if (wrong("get_bit") && host_array_is_contiguous(x)) bytes[5 * item] ^= 1;
    if (wrong("get_gap") && gaps) bytes[item] = 0;
    return status;
}

cudaError_t __wrap_staged_copy_to_host(void *to, const void *d_from, size_t bytes) {
    cudaError_t status = __real_staged_copy_to_host(to, d_from, bytes);
    if (status == cudaSuccess && wrong("staged")) ((unsigned char *)to)[bytes / 2] ^= 0x80;
    return status;
}

cudaError_t __wrap_philox_normal_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream) {
    return __real_philox_normal_gpu(n, seed + wrong("numbers"), d_out, stream);
}
