/* Shapes, strides and packing. See strided.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/strided.h"

#include <stdint.h>
#include <string.h>

#include "common/text.h"

bool strided_count(int ndim, const size_t *shape, size_t element_size, size_t *count) {
    size_t product = 1;
    bool empty = false;
    for (int axis = 0; axis < ndim; ++axis) {
        empty = empty || shape[axis] == 0;
    }
    for (int axis = 0; axis < ndim && !empty; ++axis) {
        if (__builtin_mul_overflow(product, shape[axis], &product)) {
            return false;
        }
    }
    *count = empty ? 0 : product;
    size_t bytes;
    return !__builtin_mul_overflow(*count, element_size, &bytes) && bytes <= PTRDIFF_MAX;
}

void strided_c_strides(int ndim, const size_t *shape, size_t element_size, ptrdiff_t *strides) {
    size_t stride = element_size;
    for (int axis = ndim - 1; axis >= 0; --axis) {
        strides[axis] = (ptrdiff_t)stride;
        stride *= shape[axis] > 0 ? shape[axis] : 1;
    }
}

bool strided_is_contiguous(int ndim, const size_t *shape, const ptrdiff_t *strides,
                           size_t element_size) {
    size_t expected = element_size;
    bool contiguous = true;
    for (int axis = ndim - 1; axis >= 0; --axis) {
        if (shape[axis] == 0) {
            return true;
        }
        if (shape[axis] > 1) { /* the stride of an axis of length 1 is never used */
            contiguous = contiguous && strides[axis] == (ptrdiff_t)expected;
            expected *= shape[axis];
        }
    }
    return contiguous;
}

static size_t magnitude(ptrdiff_t stride) {
    return stride < 0 ? 0 - (size_t)stride : (size_t)stride;
}

bool strided_may_overlap(int ndim, const size_t *shape, const ptrdiff_t *strides,
                         size_t element_size) {
    /* With the axes from the smallest stride to the largest, each step must pass
     * over all that the smaller ones reach. */
    bool used[LAB_MAX_DIMS] = {false};
    size_t reach = element_size; /* bytes from the first byte to the last, plus 1 */
    for (int turn = 0; turn < ndim; ++turn) {
        int next = -1;
        for (int axis = 0; axis < ndim; ++axis) {
            if (!used[axis] && (next < 0 || magnitude(strides[axis]) < magnitude(strides[next]))) {
                next = axis;
            }
        }
        used[next] = true;
        if (shape[next] == 0) {
            return false;
        }
        if (shape[next] == 1) {
            continue;
        }
        if (magnitude(strides[next]) < reach) {
            return true;
        }
        reach += magnitude(strides[next]) * (shape[next] - 1);
    }
    return false;
}

bool strided_same_shape(int ndim_a, const size_t *shape_a, int ndim_b, const size_t *shape_b) {
    return ndim_a == ndim_b &&
           (ndim_a <= 0 || memcmp(shape_a, shape_b, (size_t)ndim_a * sizeof *shape_a) == 0);
}

size_t strided_describe(DType dtype, int ndim, const size_t *shape, const ptrdiff_t *strides,
                        char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    text_append(&buffer, "%s (", dtype_name(dtype));
    for (int axis = 0; axis < ndim && axis < LAB_MAX_DIMS; ++axis) {
        text_append(&buffer, axis > 0 ? ", %zu" : "%zu", shape[axis]);
    }
    text_append(&buffer, ndim == 1 ? ",), strides (" : "), strides (");
    for (int axis = 0; axis < ndim && axis < LAB_MAX_DIMS; ++axis) {
        text_append(&buffer, axis > 0 ? ", %td" : "%td", strides[axis]);
    }
    text_append(&buffer, ndim == 1 ? ",) bytes" : ") bytes");
    return buffer.length;
}

HostArray strided_collapse(const HostArray *x) {
    HostArray merged = {.data = x->data, .dtype = x->dtype, .ndim = 0};
    for (int axis = 0; axis < x->ndim; ++axis) {
        if (x->shape[axis] == 1) {
            continue;
        }
        int last = merged.ndim - 1;
        if (last >= 0 && merged.strides[last] == x->strides[axis] * (ptrdiff_t)x->shape[axis]) {
            merged.shape[last] *= x->shape[axis];
            merged.strides[last] = x->strides[axis];
        } else {
            merged.shape[merged.ndim] = x->shape[axis];
            merged.strides[merged.ndim] = x->strides[axis];
            ++merged.ndim;
        }
    }
    if (merged.ndim == 0) { /* one element: a run of one */
        merged.ndim = 1;
        merged.shape[0] = 1;
        merged.strides[0] = (ptrdiff_t)dtype_size(x->dtype);
    }
    return merged;
}

/* count elements of a row, `stride` bytes apart. */
static void pack_row(char *packed, const char *from, ptrdiff_t stride, size_t size, size_t count) {
    if (stride == (ptrdiff_t)size) {
        memcpy(packed, from, count * size);
        return;
    }
    switch (size) { /* memcpy of a constant size is one load and store */
    case 4:
        for (size_t i = 0; i < count; ++i) {
            memcpy(packed + 4 * i, from + stride * (ptrdiff_t)i, 4);
        }
        return;
    case 8:
        for (size_t i = 0; i < count; ++i) {
            memcpy(packed + 8 * i, from + stride * (ptrdiff_t)i, 8);
        }
        return;
    default:
        for (size_t i = 0; i < count; ++i) {
            memcpy(packed + size * i, from + stride * (ptrdiff_t)i, size);
        }
    }
}

static void unpack_row(char *to, const char *packed, ptrdiff_t stride, size_t size, size_t count) {
    if (stride == (ptrdiff_t)size) {
        memcpy(to, packed, count * size);
        return;
    }
    switch (size) {
    case 4:
        for (size_t i = 0; i < count; ++i) {
            memcpy(to + stride * (ptrdiff_t)i, packed + 4 * i, 4);
        }
        return;
    case 8:
        for (size_t i = 0; i < count; ++i) {
            memcpy(to + stride * (ptrdiff_t)i, packed + 8 * i, 8);
        }
        return;
    default:
        for (size_t i = 0; i < count; ++i) {
            memcpy(to + stride * (ptrdiff_t)i, packed + size * i, size);
        }
    }
}

/* Where a walk through x in C order stands. */
typedef struct Walk {
    const HostArray *x;
    char *at; /* the present element */
    size_t index[LAB_MAX_DIMS];
} Walk;

static Walk walk_from(const HostArray *x, size_t element) {
    Walk walk = {.x = x, .at = x->data};
    for (int axis = x->ndim - 1; axis >= 0; --axis) {
        walk.index[axis] = element % x->shape[axis];
        element /= x->shape[axis];
        walk.at += x->strides[axis] * (ptrdiff_t)walk.index[axis];
    }
    return walk;
}

/* Goes on by `count` elements, which end at most with the row. */
static void walk_on(Walk *walk, size_t count) {
    const HostArray *x = walk->x;
    int axis = x->ndim - 1;
    walk->index[axis] += count;
    walk->at += x->strides[axis] * (ptrdiff_t)count;
    while (axis > 0 && walk->index[axis] == x->shape[axis]) {
        walk->at -= x->strides[axis] * (ptrdiff_t)x->shape[axis];
        walk->index[axis] = 0;
        --axis;
        ++walk->index[axis];
        walk->at += x->strides[axis];
    }
}

static size_t row_left(const Walk *walk, size_t wanted) {
    int axis = walk->x->ndim - 1;
    size_t left = walk->x->shape[axis] - walk->index[axis];
    return left < wanted ? left : wanted;
}

void strided_pack(void *context, void *packed, size_t offset, size_t bytes) {
    const HostArray *x = context;
    size_t size = dtype_size(x->dtype), left = bytes / size;
    char *to = packed;
    ptrdiff_t stride = x->strides[x->ndim - 1];
    for (Walk walk = walk_from(x, offset / size); left > 0;) {
        size_t count = row_left(&walk, left);
        pack_row(to, walk.at, stride, size, count);
        to += count * size;
        left -= count;
        walk_on(&walk, count);
    }
}

void strided_unpack(void *context, const void *packed, size_t offset, size_t bytes) {
    const HostArray *x = context;
    size_t size = dtype_size(x->dtype), left = bytes / size;
    const char *from = packed;
    ptrdiff_t stride = x->strides[x->ndim - 1];
    for (Walk walk = walk_from(x, offset / size); left > 0;) {
        size_t count = row_left(&walk, left);
        unpack_row(walk.at, from, stride, size, count);
        from += count * size;
        left -= count;
        walk_on(&walk, count);
    }
}
