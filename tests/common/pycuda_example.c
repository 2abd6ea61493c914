/* SPDX-License-Identifier: Apache-2.0 */
/* The program of docs/pycuda_to_c.md, so that the page stays true. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/lesson.h"
#include "common/philox.h"
#include "common/timer.h"
#include "kernels/tuned/elementwise.h"

static cudaError_t double_x(void *context, cudaStream_t stream) {
    DeviceArray *d = context; /* d[0]: x, d[1]: the result */
    return add_gpu(device_array_count(&d[0]), d[0].data, d[0].data, d[1].data, stream);
}

int main(void) {
    /* driver.Device.count(), Device(i).name(), .compute_capability(), .total_memory() */
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp device;
        CUDA_CHECK(cudaGetDeviceProperties(&device, i));
        printf("%d: %s, compute capability %d.%d, %s\n", i, device.name, device.major, device.minor,
               text_memory((double)device.totalGlobalMem));
    }

    /* x = numpy.random.randn(3, 3).astype(numpy.float32) */
    float x[9], y[9];
    const size_t shape[] = {3, 3};
    philox_normal_fill(x, 9, 42);
    HostArray host_x = host_array_c(x, DTYPE_FLOAT32, 2, shape);
    HostArray host_y = host_array_c(y, DTYPE_FLOAT32, 2, shape);

    /* x_gpu = gpuarray.to_gpu(x); y_gpu = x_gpu**2 * x_gpu; y = y_gpu.get() */
    DeviceArray d_x, d_y;
    CUDA_CHECK(to_gpu(&d_x, &host_x));
    CUDA_CHECK(device_array_empty(&d_y, DTYPE_FLOAT32, 2, shape));
    CUDA_CHECK(cube_fused_gpu(9, d_x.data, d_y.data, 0));
    CUDA_CHECK(get(&host_y, &d_y));
    print_matrix(x, 3, 3, "");
    print_matrix(y, 3, 3, "");

    /* numpy.allclose(y, x**3), but no NaN slips through and a difference is explained */
    float want[9];
    char text[512];
    cube_cpu(9, x, want);
    CompareResult result =
        compare_float32(9, y, want, COMPARE_ATOL_FLOAT32, COMPARE_RTOL_FLOAT32, false);
    compare_describe(&result, NULL, text, sizeof text);
    printf("%s\n", text);

    /* t = time.time(); x_gpu + x_gpu; time.time() - t: done right */
    DeviceArray d[2] = {d_x, d_y};
    TimerStats stats;
    CUDA_CHECK(time_gpu(double_x, d, NULL, &stats));
    timer_describe(&stats, text, sizeof text);
    printf("x + x: %s\n", text);

    CUDA_CHECK(device_array_free(&d_x));
    CUDA_CHECK(device_array_free(&d_y));
    return result.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
