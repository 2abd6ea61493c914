/* Arrays on the device. See device_array.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/device_array.h"

#include "common/check.h"
#include "common/device_memory.h"
#include "common/staged_copy.h"
#include "common/strided.h"
#include "common/strided_copy.h"
#include "common/text.h"

enum { DESCRIPTION = 160 };

size_t device_array_live_count(void) { return device_memory_count(); }

size_t device_array_count(const DeviceArray *a) {
    size_t count = 1;
    for (int axis = 0; axis < a->ndim; ++axis) {
        count *= a->shape[axis];
    }
    return count;
}

size_t device_array_bytes(const DeviceArray *a) {
    return device_array_count(a) * dtype_size(a->dtype);
}

bool device_array_is_contiguous(const DeviceArray *a) {
    return strided_is_contiguous(a->ndim, a->shape, a->strides, dtype_size(a->dtype));
}

size_t device_array_describe(const DeviceArray *a, char *text, size_t size) {
    return strided_describe(a->dtype, a->ndim, a->shape, a->strides, text, size);
}

/* --- Checks --- */

static cudaError_t check_shape(DType dtype, int ndim, const size_t *shape) {
    size_t count;
    if (dtype_size(dtype) == 0) {
        return lab_fail(cudaErrorInvalidValue, "%d is no element type: see DType", (int)dtype);
    }
    if (ndim < 0 || ndim > LAB_MAX_DIMS) {
        return lab_fail(cudaErrorInvalidValue, "%d dimensions: 0 to %d are allowed", ndim,
                        LAB_MAX_DIMS);
    }
    if (ndim > 0 && shape == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the shape is a null pointer");
    }
    if (!strided_count(ndim, shape, dtype_size(dtype), &count)) {
        return lab_fail(cudaErrorInvalidValue,
                        "this shape has more bytes than an address can hold");
    }
    return cudaSuccess;
}

static cudaError_t check_alive(const DeviceArray *a) {
    if (a == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the array is a null pointer");
    }
    if (a->memory == 0) {
        return lab_fail(cudaErrorInvalidValue,
                        "this array holds no device memory: call to_gpu or device_array_empty "
                        "first (or it was freed already)");
    }
    if (!device_memory_is_alive(a->memory)) {
        return lab_fail(cudaErrorInvalidValue,
                        "the memory of this array is gone: it was freed already, or the struct was "
                        "never filled by to_gpu");
    }
    return cudaSuccess;
}

cudaError_t device_array_check(const DeviceArray *a) {
    lab_clear_message();
    int current = 0;
    cudaError_t status = check_alive(a);
    if (status == cudaSuccess) {
        status = cudaGetDevice(&current);
    }
    if (status == cudaSuccess && a->device != current) {
        status = lab_fail(cudaErrorInvalidValue,
                          "the array belongs to device %d, but the current device is %d: call "
                          "cudaSetDevice(%d) first",
                          a->device, current, a->device);
    }
    return status;
}

/* Checks that x is a complete description of host memory. */
static cudaError_t check_host(const HostArray *x) {
    if (x == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the host array is a null pointer");
    }
    cudaError_t status = check_shape(x->dtype, x->ndim, x->shape);
    if (status != cudaSuccess) {
        return status;
    }
    if (host_array_count(x) == 0) {
        return cudaSuccess;
    }
    if (x->data == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the host array's data is a null pointer");
    }
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, x->data) != cudaSuccess) {
        (void)cudaGetLastError(); /* old toolkits refuse ordinary memory */
    } else if (attributes.type == cudaMemoryTypeDevice) {
        return lab_fail(cudaErrorInvalidValue,
                        "the host array's data points into device memory: the direction is "
                        "reversed");
    }
    return cudaSuccess;
}

static cudaError_t check_same(const HostArray *x, const DeviceArray *a) {
    if (x->dtype == a->dtype && strided_same_shape(x->ndim, x->shape, a->ndim, a->shape)) {
        return cudaSuccess;
    }
    char host[DESCRIPTION], device[DESCRIPTION];
    host_array_describe(x, host, sizeof host);
    device_array_describe(a, device, sizeof device);
    return lab_fail(cudaErrorInvalidValue,
                    "type or shape differ: the host array is %s, the device array is %s", host,
                    device);
}

/* --- Making and freeing --- */

/* No message is cleared, no shape checked: for callers that did. */
static cudaError_t make_empty(DeviceArray *out, DType dtype, int ndim, const size_t *shape) {
    DeviceArray made = {.dtype = dtype, .ndim = ndim};
    for (int axis = 0; axis < ndim; ++axis) {
        made.shape[axis] = shape[axis];
    }
    strided_c_strides(ndim, shape, dtype_size(dtype), made.strides);
    cudaError_t status =
        device_memory_new(device_array_bytes(&made), &made.data, &made.device, &made.memory);
    if (status == cudaSuccess) {
        *out = made;
    }
    return status;
}

cudaError_t device_array_empty(DeviceArray *out, DType dtype, int ndim, const size_t *shape) {
    lab_clear_message();
    if (out == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the array to fill is a null pointer");
    }
    *out = (DeviceArray){0};
    cudaError_t status = check_shape(dtype, ndim, shape);
    return status == cudaSuccess ? make_empty(out, dtype, ndim, shape) : status;
}

cudaError_t device_array_free(DeviceArray *a) {
    lab_clear_message();
    if (a == NULL) {
        return cudaSuccess;
    }
    uint64_t memory = a->memory;
    *a = (DeviceArray){0};
    return device_memory_drop(memory);
}

/* --- Copies --- */

/* x's elements into a contiguous array of the same shape on the current device. */
static cudaError_t upload(const DeviceArray *a, const HostArray *x) {
    size_t bytes = device_array_bytes(a);
    if (host_array_is_contiguous(x)) {
        return staged_copy_to_device(a->data, x->data, bytes);
    }
    HostArray collapsed = strided_collapse(x);
    return staged_fill_to_device(a->data, bytes, dtype_size(x->dtype), strided_pack, &collapsed);
}

static cudaError_t download(const HostArray *x, const DeviceArray *a) {
    size_t bytes = device_array_bytes(a);
    if (host_array_is_contiguous(x)) {
        return staged_copy_to_host(x->data, a->data, bytes);
    }
    HostArray collapsed = strided_collapse(x);
    return staged_drain_to_host(a->data, bytes, dtype_size(x->dtype), strided_unpack, &collapsed);
}

cudaError_t to_gpu(DeviceArray *out, const HostArray *x) {
    lab_clear_message();
    if (out == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the array to fill is a null pointer");
    }
    *out = (DeviceArray){0};
    cudaError_t status = check_host(x);
    if (status != cudaSuccess) {
        return status;
    }
    DeviceArray made;
    status = make_empty(&made, x->dtype, x->ndim, x->shape);
    if (status != cudaSuccess) {
        return status;
    }
    status = upload(&made, x);
    if (status == cudaSuccess) {
        *out = made;
    } else {
        (void)device_memory_drop(made.memory);
    }
    return status;
}

/* New contiguous array with a's elements; a has been checked. */
static cudaError_t make_contiguous(DeviceArray *out, const DeviceArray *a) {
    cudaError_t status = make_empty(out, a->dtype, a->ndim, a->shape);
    if (status != cudaSuccess) {
        return status;
    }
    size_t bytes = device_array_bytes(a);
    if (bytes > 0 && device_array_is_contiguous(a)) {
        status = cudaMemcpy(out->data, a->data, bytes, cudaMemcpyDeviceToDevice);
    } else if (bytes > 0) {
        status = strided_copy_gpu(out, a, 0);
    }
    if (status != cudaSuccess) {
        (void)device_memory_drop(out->memory);
        *out = (DeviceArray){0};
    }
    return status;
}

cudaError_t device_array_copy(DeviceArray *out, const DeviceArray *a) {
    cudaError_t status = device_array_check(a);
    if (status != cudaSuccess) {
        return status;
    }
    if (out == NULL || out == a) {
        return lab_fail(cudaErrorInvalidValue, "a copy needs a second array to go to");
    }
    *out = (DeviceArray){0};
    return make_contiguous(out, a);
}

cudaError_t get(HostArray *x, const DeviceArray *a) {
    cudaError_t status = device_array_check(a);
    if (status == cudaSuccess) {
        status = check_host(x);
    }
    if (status == cudaSuccess) {
        status = check_same(x, a);
    }
    if (status != cudaSuccess || host_array_count(x) == 0) {
        return status;
    }
    if (strided_may_overlap(x->ndim, x->shape, x->strides, dtype_size(x->dtype))) {
        char text[DESCRIPTION];
        host_array_describe(x, text, sizeof text);
        return lab_fail(cudaErrorInvalidValue, "elements of the host array share memory: %s", text);
    }
    if (device_array_is_contiguous(a)) {
        return download(x, a);
    }
    DeviceArray packed;
    status = make_contiguous(&packed, a);
    if (status == cudaSuccess) {
        status = download(x, &packed);
        cudaError_t freed = device_memory_drop(packed.memory);
        status = status == cudaSuccess ? freed : status;
    }
    return status;
}

cudaError_t device_array_set(DeviceArray *a, const HostArray *x) {
    cudaError_t status = device_array_check(a);
    if (status == cudaSuccess) {
        status = check_host(x);
    }
    if (status == cudaSuccess) {
        status = check_same(x, a);
    }
    if (status != cudaSuccess || host_array_count(x) == 0) {
        return status;
    }
    if (device_array_is_contiguous(a)) {
        return upload(a, x);
    }
    DeviceArray packed;
    status = make_empty(&packed, a->dtype, a->ndim, a->shape);
    if (status != cudaSuccess) {
        return status;
    }
    status = upload(&packed, x);
    if (status == cudaSuccess) {
        status = strided_copy_gpu(a, &packed, 0);
    }
    if (status == cudaSuccess) {
        status = cudaStreamSynchronize(0); /* complete on return, as promised */
    }
    cudaError_t freed = device_memory_drop(packed.memory);
    return status == cudaSuccess ? freed : status;
}

cudaError_t device_array_fill_bytes(DeviceArray *a, int byte) {
    cudaError_t status = device_array_check(a);
    if (status != cudaSuccess) {
        return status;
    }
    if (!device_array_is_contiguous(a)) {
        return lab_fail(cudaErrorInvalidValue, "only a contiguous array can be filled with bytes");
    }
    size_t bytes = device_array_bytes(a);
    return bytes == 0 ? cudaSuccess : cudaMemset(a->data, byte, bytes);
}

/* --- Views --- */

/* Puts the view made of a into out, which may be a itself. */
static cudaError_t finish_view(DeviceArray *out, const DeviceArray *a, const DeviceArray *view) {
    if (out == NULL) {
        return lab_fail(cudaErrorInvalidValue, "the view to fill is a null pointer");
    }
    if (out != a && !device_memory_hold(a->memory)) {
        return lab_fail(cudaErrorInvalidValue, "the memory of this array is gone");
    }
    *out = *view;
    return cudaSuccess;
}

static cudaError_t begin_view(const DeviceArray *a) {
    lab_clear_message();
    return check_alive(a);
}

cudaError_t device_array_view(DeviceArray *out, const DeviceArray *a) {
    cudaError_t status = begin_view(a);
    if (status != cudaSuccess) {
        return status;
    }
    DeviceArray view = *a;
    return finish_view(out, a, &view);
}

cudaError_t device_array_slice(DeviceArray *out, const DeviceArray *a, int axis, size_t start,
                               size_t count, ptrdiff_t step) {
    cudaError_t status = begin_view(a);
    if (status != cudaSuccess) {
        return status;
    }
    if (axis < 0 || axis >= a->ndim) {
        return lab_fail(cudaErrorInvalidValue, "axis %d of an array with %d dimensions", axis,
                        a->ndim);
    }
    size_t length = a->shape[axis];
    size_t stride = step < 0 ? 0 - (size_t)step : (size_t)step;
    size_t room = step < 0 ? start : length - 1 - start; /* past the first element */
    bool inside = count == 0
                      ? start <= length
                      : start < length && (count == 1 || step == 0 || room / stride >= count - 1);
    if (step == 0 || !inside) {
        return lab_fail(
            cudaErrorInvalidValue,
            "%zu elements from %zu in steps of %td do not lie within axis %d, which has "
            "%zu",
            count, start, step, axis, length);
    }
    DeviceArray view = *a;
    view.shape[axis] = count;
    if (count > 1) { /* else the stride is never used, and step may be anything */
        view.strides[axis] = a->strides[axis] * step;
    }
    if (device_array_count(&view) > 0) {
        view.data = (char *)a->data + a->strides[axis] * (ptrdiff_t)start;
    }
    return finish_view(out, a, &view);
}

cudaError_t device_array_reshape(DeviceArray *out, const DeviceArray *a, int ndim,
                                 const size_t *shape) {
    cudaError_t status = begin_view(a);
    if (status == cudaSuccess) {
        status = check_shape(a->dtype, ndim, shape);
    }
    if (status != cudaSuccess) {
        return status;
    }
    DeviceArray view = *a;
    view.ndim = ndim;
    for (int axis = 0; axis < ndim; ++axis) {
        view.shape[axis] = shape[axis];
    }
    strided_c_strides(ndim, shape, dtype_size(a->dtype), view.strides);
    if (device_array_count(&view) != device_array_count(a)) {
        return lab_fail(cudaErrorInvalidValue, "the new shape has %s elements, the array has %s",
                        text_count(device_array_count(&view)), text_count(device_array_count(a)));
    }
    if (!device_array_is_contiguous(a)) {
        char text[DESCRIPTION];
        device_array_describe(a, text, sizeof text);
        return lab_fail(cudaErrorInvalidValue,
                        "only a contiguous array can be reshaped without a copy; this one is %s: "
                        "call device_array_copy first",
                        text);
    }
    return finish_view(out, a, &view);
}

cudaError_t device_array_transpose(DeviceArray *out, const DeviceArray *a, const int *axes) {
    cudaError_t status = begin_view(a);
    if (status != cudaSuccess) {
        return status;
    }
    DeviceArray view = *a;
    bool used[LAB_MAX_DIMS] = {false};
    for (int axis = 0; axis < a->ndim; ++axis) {
        int from = axes != NULL ? axes[axis] : a->ndim - 1 - axis;
        if (from < 0 || from >= a->ndim || used[from]) {
            return lab_fail(cudaErrorInvalidValue,
                            "the axes are not an order of 0 to %d: number %d is %d", a->ndim - 1,
                            axis, from);
        }
        used[from] = true;
        view.shape[axis] = a->shape[from];
        view.strides[axis] = a->strides[from];
    }
    return finish_view(out, a, &view);
}
