/* Shapes and strides, and packing strided host data. Private to device_array.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_STRIDED_H_
#define COMMON_STRIDED_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/device_array.h"

/* Elements of a shape; false if the bytes (times element_size) overflow size_t. */
bool strided_count(int ndim, const size_t *shape, size_t element_size, size_t *count);

/* Strides of a C-order array with that shape. */
void strided_c_strides(int ndim, const size_t *shape, size_t element_size, ptrdiff_t *strides);

bool strided_is_contiguous(int ndim, const size_t *shape, const ptrdiff_t *strides,
                           size_t element_size);

/* May two different elements share bytes? Never false for an array that has such;
 * true also for some unusual interleaved arrays that have none. */
bool strided_may_overlap(int ndim, const size_t *shape, const ptrdiff_t *strides,
                         size_t element_size);

bool strided_same_shape(int ndim_a, const size_t *shape_a, int ndim_b, const size_t *shape_b);

/* "float32 (3, 4), strides (16, 4) bytes" */
size_t strided_describe(DType dtype, int ndim, const size_t *shape, const ptrdiff_t *strides,
                        char *text, size_t size);

/* Merges axes that lie behind one another, and drops those of length 1: the same
 * elements in the same order, with runs as long as possible. */
HostArray strided_collapse(const HostArray *x);

/* Bytes [offset, offset + bytes) of x's elements in C order, to or from `packed`.
 * x is a HostArray that was collapsed; offset and bytes are whole elements. The
 * types fit StagedFill and StagedDrain (staged_copy.h). */
void strided_pack(void *x, void *packed, size_t offset, size_t bytes);
void strided_unpack(void *x, const void *packed, size_t offset, size_t bytes);

#endif
