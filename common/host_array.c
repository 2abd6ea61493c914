/* Descriptions of host memory. See device_array.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/device_array.h"
#include "common/strided.h"

/* A description that the functions of device_array.h refuse, naming ndim. */
static bool usable(int ndim, const size_t *shape) {
    return ndim >= 0 && ndim <= LAB_MAX_DIMS && (ndim == 0 || shape != NULL);
}

HostArray host_array_c(void *data, DType dtype, int ndim, const size_t *shape) {
    HostArray x = {.data = data, .dtype = dtype, .ndim = ndim};
    if (usable(ndim, shape)) {
        for (int axis = 0; axis < ndim; ++axis) {
            x.shape[axis] = shape[axis];
        }
        strided_c_strides(ndim, shape, dtype_size(dtype), x.strides);
    }
    return x;
}

HostArray host_array_strided(void *data, DType dtype, int ndim, const size_t *shape,
                             const ptrdiff_t *strides) {
    HostArray x = host_array_c(data, dtype, ndim, shape);
    for (int axis = 0; usable(ndim, shape) && strides != NULL && axis < ndim; ++axis) {
        x.strides[axis] = strides[axis];
    }
    return x;
}

size_t host_array_count(const HostArray *x) {
    size_t count = 1;
    for (int axis = 0; axis < x->ndim && axis < LAB_MAX_DIMS; ++axis) {
        count *= x->shape[axis];
    }
    return count;
}

bool host_array_is_contiguous(const HostArray *x) {
    return strided_is_contiguous(x->ndim, x->shape, x->strides, dtype_size(x->dtype));
}

size_t host_array_describe(const HostArray *x, char *text, size_t size) {
    return strided_describe(x->dtype, x->ndim, x->shape, x->strides, text, size);
}
