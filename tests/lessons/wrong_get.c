/* SPDX-License-Identifier: Apache-2.0 */
/* Linked in place of get (--wrap): changes the lowest bit of element 5, which no
 * tolerance would notice. */
#include "common/device_array.h"

cudaError_t __real_get(HostArray *x, const DeviceArray *a);
cudaError_t __wrap_get(HostArray *x, const DeviceArray *a);

cudaError_t __wrap_get(HostArray *x, const DeviceArray *a) {
    cudaError_t status = __real_get(x, a);
    if (status == cudaSuccess && host_array_count(x) > 100 && host_array_is_contiguous(x)) {
        ((unsigned char *)x->data)[5 * dtype_size(x->dtype)] ^= 1;
    }
    return status;
}
