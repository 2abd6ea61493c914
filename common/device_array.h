/* An array that lives on the device, with shape and strides, in the spirit of
 * PyCUDA's gpuarray: to_gpu brings it there, get brings it back.
 *
 * Memory is counted: a view keeps the memory alive, and the last device_array_free
 * gives it back. Every call checks that the array is alive and on the current
 * device, so mistakes end in a sentence (lab_last_message), not in a crash.
 * Strides are in bytes, as NumPy's, and may be negative.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_DEVICE_ARRAY_H_
#define COMMON_DEVICE_ARRAY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "common/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAB_MAX_DIMS = 8 };

/* Host memory, described. It belongs to the caller. ndim 0 is one element. */
typedef struct HostArray {
    void *data;
    DType dtype;
    int ndim;
    size_t shape[LAB_MAX_DIMS];
    ptrdiff_t strides[LAB_MAX_DIMS];
} HostArray;

/* Device memory, described. Read the fields; leave changing them to the functions
 * here. {0} is an array that holds nothing yet, and may be freed. */
typedef struct DeviceArray {
    void *data; /* device pointer to element (0, …, 0); null if there are 0 elements */
    DType dtype;
    int ndim;
    size_t shape[LAB_MAX_DIMS];
    ptrdiff_t strides[LAB_MAX_DIMS];
    int device;      /* the device that the memory is on */
    uint64_t memory; /* names the memory; 0: none */
} DeviceArray;

/* Row-major (C order) description of `data`. shape has ndim entries. */
HostArray host_array_c(void *data, DType dtype, int ndim, const size_t *shape);

/* Any strides, in bytes; data points at element (0, …, 0). */
HostArray host_array_strided(void *data, DType dtype, int ndim, const size_t *shape,
                             const ptrdiff_t *strides);

/* Elements (product of the shape; 1 for ndim 0), and their bytes. */
size_t host_array_count(const HostArray *x);
size_t device_array_count(const DeviceArray *a);
size_t device_array_bytes(const DeviceArray *a);

/* True if the elements are one run of memory in C order, as arrays of 0 or 1 element are. */
bool host_array_is_contiguous(const HostArray *x);
bool device_array_is_contiguous(const DeviceArray *a);

/* New contiguous array on the current device, contents undefined.
 *
 * Errors: cudaErrorInvalidValue for a bad dtype, ndim, null pointer, or a size
 *         over size_t; cudaErrorMemoryAllocation with what was asked and what is
 *         free. *out is {0} then, and nothing leaks. *out is overwritten
 *         without being read: free its old contents first. */
cudaError_t device_array_empty(DeviceArray *out, DType dtype, int ndim, const size_t *shape);

/* New contiguous array on the current device with the elements of x, in C order
 * whatever x's strides are: strided data is packed on its way (staged_copy.h).
 *
 * Errors: as device_array_empty; null x->data with elements to copy; a device
 *         pointer in x (direction reversed). Complete on return. */
cudaError_t to_gpu(DeviceArray *out, const HostArray *x);

/* x[…] = a[…]: the elements of a into the host array x, whatever the strides of
 * either. Ordered after earlier work on the default stream; complete on return.
 *
 * Errors: cudaErrorInvalidValue if a holds nothing, was freed or belongs to
 *         another device, if dtype or shape differ, if x is on the device, or if
 *         elements of x share memory (stride 0). x is untouched then. */
cudaError_t get(HostArray *x, const DeviceArray *a);

/* a[…] = x[…] into memory that is there already. Rules as for get. */
cudaError_t device_array_set(DeviceArray *a, const HostArray *x);

/* Drops a's hold on its memory and makes *a {0}. Harmless for {0}, for an array
 * freed before, and for a copy of the struct of one that was. Waits for running
 * kernels when it gives memory back. Works from any current device. */
cudaError_t device_array_free(DeviceArray *a);

/* Views: *out looks at the memory of a, and must be freed as well. out may be a
 * itself, which then becomes the view.
 *
 * slice: along `axis`, `count` elements, the first at `start`, `step` apart (may
 *        be negative, not 0); all must lie inside.
 * reshape: same elements in C order; a must be contiguous.
 * transpose: axes in the order given (null: reversed).
 * Errors: cudaErrorInvalidValue with the reason. */
cudaError_t device_array_view(DeviceArray *out, const DeviceArray *a);
cudaError_t device_array_slice(DeviceArray *out, const DeviceArray *a, int axis, size_t start,
                               size_t count, ptrdiff_t step);
cudaError_t device_array_reshape(DeviceArray *out, const DeviceArray *a, int ndim,
                                 const size_t *shape);
cudaError_t device_array_transpose(DeviceArray *out, const DeviceArray *a, const int *axes);

/* New contiguous array with the elements of a in C order, copied on the device. */
cudaError_t device_array_copy(DeviceArray *out, const DeviceArray *a);

/* Fills all bytes of the memory that a contiguous array covers (see LAB_POISON_BYTE). */
cudaError_t device_array_fill_bytes(DeviceArray *a, int byte);

/* Before a launch: is a alive, and on the current device? cudaSuccess, or
 * cudaErrorInvalidValue with the sentence. */
cudaError_t device_array_check(const DeviceArray *a);

/* Allocations of this module not yet given back, in this process: for leak tests. */
size_t device_array_live_count(void);

/* "float32 (3, 4), strides (16, 4) bytes", as snprintf. */
size_t host_array_describe(const HostArray *x, char *text, size_t size);
size_t device_array_describe(const DeviceArray *a, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
