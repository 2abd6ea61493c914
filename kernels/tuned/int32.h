/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations on int32 arrays, and the rules for the type of their
 * results, which are the same on every device:
 *
 *   int32 ** exponent >= 0   int32, exact; a result that does not fit wraps
 *                            modulo 2^32 (two's complement), as NumPy's does
 *   int32 ** exponent < 0    refused, as in NumPy: the result is no integer
 *   int32 / int32            float64, one rounding; x / 0 is an infinity, 0 / 0
 *                            NaN. C's own `/` would cut 1 / 2 down to 0
 *
 * Launchers share the rules on n, errors and time of elementwise.h. */
#ifndef KERNELS_INT32_H
#define KERNELS_INT32_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x[i]^exponent by repeated squaring. d_out may be d_x.
 * Errors: cudaErrorInvalidValue also for exponent < 0.
 * Cost:   8 n bytes moved. */
cudaError_t pow_int32_gpu(size_t n, const int32_t *d_x, int exponent, int32_t *d_out,
                          cudaStream_t stream);

/* out[i] = x[i] / y[i] in float64. d_out: (n,) float64, 8-byte aligned, no
 * overlap with the inputs.
 * Cost: 16 n bytes moved; double arithmetic, which consumer GPUs do slowly. */
cudaError_t divide_int32_gpu(size_t n, const int32_t *d_x, const int32_t *d_y, double *d_out,
                             cudaStream_t stream);

/* CPU references. pow_int32_cpu: exponent >= 0. */
void pow_int32_cpu(size_t n, const int32_t *x, int exponent, int32_t *out);
void divide_int32_cpu(size_t n, const int32_t *x, const int32_t *y, double *out);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_INT32_H */
