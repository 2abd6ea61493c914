/* Copies between arrays of any strides on the device. See strided_copy.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/strided_copy.h"

#include <stdint.h>

typedef struct StridedCopy {
    char *to;
    const char *from;
    size_t count, element_size;
    int ndim;
    size_t shape[LAB_MAX_DIMS];
    ptrdiff_t to_strides[LAB_MAX_DIMS], from_strides[LAB_MAX_DIMS];
} StridedCopy;

__global__ void strided_copy_kernel(StridedCopy copy) {
    size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < copy.count; i += threads) {
        char *to = copy.to;
        const char *from = copy.from;
        size_t rest = i;
        for (int axis = copy.ndim - 1; axis >= 0; --axis) {
            ptrdiff_t index = (ptrdiff_t)(rest % copy.shape[axis]);
            rest /= copy.shape[axis];
            to += copy.to_strides[axis] * index;
            from += copy.from_strides[axis] * index;
        }
        switch (copy.element_size) { /* one access each, not byte by byte */
        case 1: *(uint8_t *)to = *(const uint8_t *)from; break;
        case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
        case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
        default: *(uint64_t *)to = *(const uint64_t *)from; break;
        }
    }
}

extern "C" cudaError_t strided_copy_gpu(const DeviceArray *to, const DeviceArray *from,
                                        cudaStream_t stream) {
    const unsigned block = 256;
    const size_t most_blocks = 65536; /* more elements than that many blocks take turns */
    StridedCopy copy = {};
    copy.to = (char *)to->data;
    copy.from = (const char *)from->data;
    copy.count = 1;
    copy.element_size = dtype_size(from->dtype);
    copy.ndim = from->ndim;
    for (int axis = 0; axis < from->ndim; ++axis) {
        copy.count *= from->shape[axis];
        copy.shape[axis] = from->shape[axis];
        copy.to_strides[axis] = to->strides[axis];
        copy.from_strides[axis] = from->strides[axis];
    }
    if (copy.count == 0) {
        return cudaSuccess;
    }
    size_t blocks = (copy.count + block - 1) / block;
    blocks = blocks < most_blocks ? blocks : most_blocks;
    strided_copy_kernel<<<(unsigned)blocks, block, 0, stream>>>(copy);
    return cudaGetLastError();
}
