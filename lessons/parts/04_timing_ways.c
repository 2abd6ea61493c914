/* SPDX-License-Identifier: Apache-2.0 */
/* See timing_ways.h. */
#include "lessons/parts/04_timing_ways.h"

#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "common/compare.h"
#include "common/staged_copy.h"
#include "kernels/tuned/elementwise.h"

static void run_on_cpu(void *context) {
    const TimingCase *c = context;
    if (c->multiply) multiply_fast_cpu(c->n, c->x, c->x, c->out);
    else add_fast_cpu(c->n, c->x, c->x, c->out);
}

cudaError_t timing_run_kernel(void *timing_case, cudaStream_t stream) {
    const TimingCase *c = timing_case;
    return c->multiply ? multiply_gpu(c->n, c->d_x, c->d_x, c->d_out, stream)
                       : add_gpu(c->n, c->d_x, c->d_x, c->d_out, stream);
}

cudaError_t timing_run_transfers(void *timing_case, cudaStream_t stream) {
    const TimingCase *c = timing_case;
    cudaError_t status = staged_copy_to_device(c->d_x, c->x, c->n * sizeof(float));
    if (status == cudaSuccess) status = timing_run_kernel(timing_case, stream);
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess) {
        status = staged_copy_to_host(c->out, c->d_out, c->n * sizeof(float));
    }
    return status;
}

const char *timing_way_name(const Lesson *lesson, TimingWay way) {
    static char name[64];
    const char *device = lesson->on_cpu_device ? "CPU device" : "GPU";
    switch (way) {
    case WAY_CPU_ONE_THREAD: return "CPU, 1 thread";
    case WAY_CPU_ALL_THREADS:
        snprintf(name, sizeof name, "CPU, %s", text_counted(elementwise_fast_cpu_threads(), "thread"));
        return name;
    case WAY_GPU_KERNEL: snprintf(name, sizeof name, "%s, kernel only", device); return name;
    case WAY_GPU_AND_WAIT: snprintf(name, sizeof name, "%s, launch + wait", device); return name;
    case WAY_GPU_TRANSFERS: snprintf(name, sizeof name, "%s + transfers", device); return name;
    case WAY_COUNT: break;
    }
    return "";
}

cudaError_t timing_measure(const TimingCase *timing_case, TimingWay way,
                           const TimerOptions *options, TimerStats *stats) {
    void *context = (void *)timing_case; /* the work functions only read it */
    switch (way) {
    case WAY_CPU_ONE_THREAD:
    case WAY_CPU_ALL_THREADS:
        elementwise_fast_cpu_set_threads(way == WAY_CPU_ONE_THREAD ? 1 : 0);
        time_cpu(run_on_cpu, context, options, stats);
        elementwise_fast_cpu_set_threads(0);
        return cudaSuccess;
    case WAY_GPU_KERNEL: return time_gpu(timing_run_kernel, context, options, stats);
    case WAY_GPU_AND_WAIT: return time_gpu_end_to_end(timing_run_kernel, context, options, stats);
    case WAY_GPU_TRANSFERS:
        return time_gpu_end_to_end(timing_run_transfers, context, options, stats);
    case WAY_COUNT: break;
    }
    return cudaErrorInvalidValue;
}

bool timing_verify(Lesson *lesson, const TimingCase *timing_case, float *want) {
    const TimingCase *c = timing_case;
    if (c->multiply) multiply_cpu(c->n, c->x, c->x, want);
    else add_cpu(c->n, c->x, c->x, want);

    memset(c->out, LAB_POISON_BYTE, c->n * sizeof(float));
    run_on_cpu((void *)timing_case);
    CompareResult cpu = compare_exact(c->n, c->out, want, DTYPE_FLOAT32);

    memset(c->out, LAB_POISON_BYTE, c->n * sizeof(float));
    CUDA_CHECK(cudaMemset(c->d_out, LAB_POISON_BYTE, c->n * sizeof(float)));
    CUDA_CHECK(timing_run_transfers((void *)timing_case, 0));
    CompareResult device = compare_exact(c->n, c->out, want, DTYPE_FLOAT32);

    if (cpu.wrong == 0 && device.wrong == 0) return true;
    if (cpu.wrong > 0) lesson_report(lesson, "the fast CPU version", &cpu, NULL);
    if (device.wrong > 0) {
        const ElementwisePlan plan = elementwise_plan(c->n, c->d_x, c->d_x, c->d_out);
        size_t block = 0;
        unsigned thread = 0;
        elementwise_owner(&plan, device.first_wrong, &block, &thread);
        lesson_report(lesson, c->multiply ? "x * x on the device" : "x + x on the device", &device,
                      NULL);
        printf("     element %s is the work of block %s of %s, thread %u of %u\n",
               text_count(device.first_wrong), text_count(block), text_count(plan.blocks), thread,
               plan.threads);
    }
    return false;
}
