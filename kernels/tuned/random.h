/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers made on the device: data that never has to cross from host
 * memory. The generator is Philox4x32-10 (common/philox.h), which has no state:
 * element i depends on the seed and on i alone, so that any grid, any block
 * size and the CPU give the same array. */
#ifndef KERNELS_RANDOM_H
#define KERNELS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = element i of the seed's standard normal sequence (mean 0, standard
 * deviation 1): the same bits as philox_normal_fill and philox_normal_cpu.
 *
 * Shapes: d_out: (n,) float32 in device memory, any float alignment.
 * Errors: n == 0 is a no-op. cudaErrorInvalidValue for a null pointer with
 *         n > 0 or one not aligned to 4 bytes, else the launch's own status.
 *         Returns before the kernel ends.
 * Cost:   4 n bytes written; about 10 rounds of 2 wide multiplications and a
 *         Box-Muller pair for every 4 numbers.
 * Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011);
 *         Box and Muller (1958). */
cudaError_t philox_normal_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream);

/* out[i] = element i of the seed's uniform sequence in [0, 1): the same bits
 * as philox_uniform_fill and philox_uniform_cpu. Otherwise as above. */
cudaError_t philox_uniform_gpu(size_t n, uint64_t seed, float *d_out, cudaStream_t stream);

/* CPU references: one element after the other, n == 0 allowed. The fast CPU
 * versions are philox_normal_fill and philox_uniform_fill in common/philox.h. */
void philox_normal_cpu(size_t n, uint64_t seed, float *out);
void philox_uniform_cpu(size_t n, uint64_t seed, float *out);

#ifdef __cplusplus
}
#endif

#endif /* KERNELS_RANDOM_H */
