/* cuRAND's host functions, which the CPU device does not have: a call is an error that says so.
 * The types are here for programs that include this header and use curand_kernel.h alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CURAND_H
#define CPU_DEVICE_CURAND_H
#include "cpu_device/names_begin.h"

#include "cuda_runtime_api.h"

typedef enum curandStatus { CURAND_STATUS_SUCCESS = 0 } curandStatus_t;
typedef enum curandRngType {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
} curandRngType_t;
typedef struct curandGenerator_st *curandGenerator_t;

#ifdef __cplusplus
extern "C" {
#endif

#define CPU_DEVICE_HOST_RANDOM_(name, ...)                                                       \
    curandStatus_t name(__VA_ARGS__)                                                             \
        __attribute__((error("cuRAND's host functions are not supported on the CPU device: see " \
                             "docs/cpu_device.md, 'What is supported'; curand_kernel.h is")));
CPU_DEVICE_HOST_RANDOM_(curandCreateGenerator, curandGenerator_t *g, curandRngType_t type)
CPU_DEVICE_HOST_RANDOM_(curandCreateGeneratorHost, curandGenerator_t *g, curandRngType_t type)
CPU_DEVICE_HOST_RANDOM_(curandDestroyGenerator, curandGenerator_t g)
CPU_DEVICE_HOST_RANDOM_(curandSetPseudoRandomGeneratorSeed, curandGenerator_t g,
                        unsigned long long seed)
CPU_DEVICE_HOST_RANDOM_(curandSetGeneratorOffset, curandGenerator_t g, unsigned long long offset)
CPU_DEVICE_HOST_RANDOM_(curandSetStream, curandGenerator_t g, cudaStream_t stream)
CPU_DEVICE_HOST_RANDOM_(curandGenerate, curandGenerator_t g, unsigned int *p, size_t n)
CPU_DEVICE_HOST_RANDOM_(curandGenerateUniform, curandGenerator_t g, float *p, size_t n)
CPU_DEVICE_HOST_RANDOM_(curandGenerateUniformDouble, curandGenerator_t g, double *p, size_t n)
CPU_DEVICE_HOST_RANDOM_(curandGenerateNormal, curandGenerator_t g, float *p, size_t n, float mean,
                        float deviation)
CPU_DEVICE_HOST_RANDOM_(curandGenerateNormalDouble, curandGenerator_t g, double *p, size_t n,
                        double mean, double deviation)
#undef CPU_DEVICE_HOST_RANDOM_

#ifdef __cplusplus
}
#endif

#include "cpu_device/names_end.h"

#endif
