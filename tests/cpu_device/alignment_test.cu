/* Accesses that are not aligned to their type: 716 where a pointer comes of a cast, or was given to
 * the kernel so. What is aligned, or is not followed, is no error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/cpu_device/alone.h"

namespace {

struct __align__(8) Pair {
    int a, b;
};

__global__ void store_float(char *p) { *(float *)p = 1; }
__global__ void load_short(char *p) { p[8] = (char)*(const short *)p; }
__global__ void store_volatile(char *p) { *(volatile int *)p = 1; }
__global__ void store_element(char *p) { ((int *)p)[1] = 1; }
__global__ void store_named(char *p) { *reinterpret_cast<double *>(p) = 1; }
__global__ void store_named_element(char *p) {
    reinterpret_cast<float2 *>(p)[0] = make_float2(1, 2);
}
__global__ void store_by_variable(char *p) {
    float *v = (float *)p;
    for (int i = 0; i < 2; ++i) v[i] = 1;
}
__global__ void store_by_auto(char *p) {
    auto *v = reinterpret_cast<int *>(p + 4);
    *v = 3;
}
__global__ void store_pair(char *p) { *(Pair *)p = Pair{1, 2}; }
__global__ void store_member(char *p) { ((Pair *)p)->b = 3; }
__global__ void add_atomically(char *p) { atomicAdd((int *)p, 1); }
__global__ void store_shared(char *p) {
    __shared__ char s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    *(int *)(s + (size_t)p % 8) = 1;
}
/* Looks before it leaps. */
__global__ void store_if_aligned(char *p) {
    float4 *v = (float4 *)p;
    if ((size_t)p % 16 == 0) v[0] = make_float4(1, 2, 3, 4);
    else p[0] = 1;
}
__global__ void store_given(float *x) { x[0] = 1; }
__global__ void look_at_given(float *x, int *out) {
    if (x != nullptr) *out = 1;
}

/* The kernel's error with a pointer so many bytes off. */
cudaError_t error_at(void (*kernel)(char *), size_t offset) {
    char *d = nullptr;
    if (cudaMalloc((void **)&d, 256) != cudaSuccess) _Exit(99);
    kernel<<<1, 1>>>(d + offset);
    return cudaDeviceSynchronize();
}

#define EXPECT_AT(kernel, offset, error) \
    RUN_ALONE({ CHECK_ALONE(error, error_at(kernel, offset)); })

TEST(Alignment, OfCastsThatAreFollowed) {
    EXPECT_AT(store_float, 1, cudaErrorMisalignedAddress);
    EXPECT_AT(store_float, 2, cudaErrorMisalignedAddress);
    EXPECT_AT(load_short, 1, cudaErrorMisalignedAddress);
    EXPECT_AT(store_volatile, 2, cudaErrorMisalignedAddress);
    EXPECT_AT(store_element, 1, cudaErrorMisalignedAddress);
    EXPECT_AT(store_named, 4, cudaErrorMisalignedAddress);
    EXPECT_AT(store_named_element, 4, cudaErrorMisalignedAddress);
    EXPECT_AT(store_by_variable, 2, cudaErrorMisalignedAddress);
    EXPECT_AT(store_by_auto, 1, cudaErrorMisalignedAddress);
    EXPECT_AT(store_pair, 4, cudaErrorMisalignedAddress);
    EXPECT_AT(store_member, 2, cudaErrorMisalignedAddress);
    EXPECT_AT(add_atomically, 2, cudaErrorMisalignedAddress);
    EXPECT_AT(store_shared, 1, cudaErrorMisalignedAddress);
}

TEST(Alignment, ThatIsEnough) {
    EXPECT_AT(store_float, 4, cudaSuccess);
    EXPECT_AT(load_short, 2, cudaSuccess);
    EXPECT_AT(store_named, 8, cudaSuccess);
    EXPECT_AT(store_member, 4, cudaSuccess);
    EXPECT_AT(store_if_aligned, 4, cudaSuccess);
    EXPECT_AT(store_if_aligned, 16, cudaSuccess);
    EXPECT_AT(store_shared, 4, cudaSuccess);
}

TEST(Alignment, OfPointersThatAKernelIsGiven) {
    RUN_ALONE({
        char *d = nullptr;
        cudaMalloc((void **)&d, 256);
        look_at_given<<<1, 1>>>((float *)(d + 1), (int *)d);
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
        store_given<<<1, 1>>>((float *)(d + 1));
        CHECK_ALONE(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
        CHECK_ALONE(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
    });
}

} // namespace
