/* Element types. See dtype.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/dtype.h"

static const struct {
    size_t size;
    const char *name;
} TYPES[] = {
    [DTYPE_FLOAT32] = {4, "float32"}, [DTYPE_FLOAT64] = {8, "float64"},
    [DTYPE_INT8] = {1, "int8"},       [DTYPE_UINT8] = {1, "uint8"},
    [DTYPE_INT16] = {2, "int16"},     [DTYPE_UINT16] = {2, "uint16"},
    [DTYPE_INT32] = {4, "int32"},     [DTYPE_UINT32] = {4, "uint32"},
    [DTYPE_INT64] = {8, "int64"},     [DTYPE_UINT64] = {8, "uint64"},
};

static int is_dtype(DType dtype) {
    return (int)dtype > 0 && (size_t)dtype < sizeof TYPES / sizeof TYPES[0];
}

size_t dtype_size(DType dtype) { return is_dtype(dtype) ? TYPES[dtype].size : 0; }

const char *dtype_name(DType dtype) { return is_dtype(dtype) ? TYPES[dtype].name : "no type"; }
