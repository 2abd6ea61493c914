/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of int32.h. The power is by plain repeated multiplication, an
 * other way than the kernel's, so that one checks the other. */
#include "kernels/tuned/int32.h"

void pow_int32_cpu(size_t n, const int32_t *x, int exponent, int32_t *out) {
    for (size_t i = 0; i < n; ++i) {
        uint32_t power = 1; /* unsigned: wraps, where signed would be undefined */
        for (int e = 0; e < exponent; ++e) power *= (uint32_t)x[i];
        out[i] = (int32_t)power;
    }
}

void divide_int32_cpu(size_t n, const int32_t *x, const int32_t *y, double *out) {
    for (size_t i = 0; i < n; ++i) out[i] = (double)x[i] / (double)y[i];
}
