/* Lesson 00: a first program. y[i] = 2 * x[i], for a million numbers, on the GPU.
 *
 * You learn: where data lie, how a kernel is launched, and when its result is there.
 * Run:       bazel run //lessons:00_first_program
 * Prints:    one line. Exit status 0: every element was right.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Every CUDA call returns an error code. A program that ignores it carries on with garbage. */
#define CHECK(call)                                                                           \
    do {                                                                                      \
        const cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                           \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error)); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

/* The kernel. Each thread runs it once, and takes one element: number i. */
__global__ void twice(int n, const float *x, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i]; /* the guard: the last block has threads to spare */
}

int main(int argc, char **argv) {
    if (argc > 1) return fprintf(stderr, "%s takes no options\n", argv[0]), 2;
    const int n = 1000003;
    const size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    if (x == NULL || y == NULL) return fprintf(stderr, "not enough memory\n"), 1;
    for (int i = 0; i < n; ++i) x[i] = (float)i;

    float *d_x, *d_y; /* 1. Memory on the device. The host must not touch it: hence the d_ */
    CHECK(cudaMalloc((void **)&d_x, bytes));
    CHECK(cudaMalloc((void **)&d_y, bytes));

    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice)); /* 2. x to the device */

    const int threads = 256, blocks = (n + threads - 1) / threads; /* 3. Blocks, rounded up */
    twice<<<blocks, threads>>>(n, d_x, d_y);
    CHECK(cudaGetLastError());      /* Could it be launched? */
    CHECK(cudaDeviceSynchronize()); /* Wait. Did it run to its end? */

    CHECK(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost)); /* 4. y back to the host */

    int wrong = 0; /* 5. One right element proves little: check them all */
    for (int i = 0; i < n; ++i) wrong += y[i] != 2 * x[i];
    printf("%d blocks of %d threads, %d elements: %d are wrong\n", blocks, threads, n, wrong);

    CHECK(cudaFree(d_x)); /* 6. Free what was allocated */
    CHECK(cudaFree(d_y));
    free(x), free(y);
    return wrong != 0;
}
