/* Element types of arrays, named as NumPy names them.
 *
 * Stands below device_array.h and compare.h; needs no CUDA header.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_DTYPE_H_
#define COMMON_DTYPE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum DType {
    DTYPE_FLOAT32 = 1, /* 0 is no type, so that a forgotten field is noticed */
    DTYPE_FLOAT64,
    DTYPE_INT8,
    DTYPE_UINT8,
    DTYPE_INT16,
    DTYPE_UINT16,
    DTYPE_INT32,
    DTYPE_UINT32,
    DTYPE_INT64,
    DTYPE_UINT64
} DType;

/* Bytes of one element; 0 for a value that is no DType. */
size_t dtype_size(DType dtype);

/* "float32", "uint8", …; "no type" for a value that is no DType. */
const char *dtype_name(DType dtype);

#ifdef __cplusplus
}
#endif

#endif
