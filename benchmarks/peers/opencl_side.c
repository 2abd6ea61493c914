/* SPDX-License-Identifier: Apache-2.0 */
/* PoCL's side, or that of any OpenCL platform with a CPU: the kernels of kernels.cl with the
 * same launches as cuda_side.cu.
 *
 * LAB_PEER_KERNELS names the folder of kernels.cl and shapes.h. The platform is the first one
 * that has a CPU. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchmarks/peers/shapes.h"
#include "benchmarks/peers/side.h"

enum { MAX_KERNELS = 2 };

static cl_device_id g_device;
static cl_context g_context;
static cl_command_queue g_queue;
static cl_kernel g_kernel[MAX_KERNELS];
static cl_mem d_in[PEER_INPUTS], d_scratch[PEER_SCRATCHES], d_out;
static double g_build_ms;

static bool ok(cl_int error, const char *what) {
    if (error != CL_SUCCESS) fprintf(stderr, "OpenCL: %s gives error %d\n", what, error);
    return error == CL_SUCCESS;
}

static double clock_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- device and kernels ---- */

static bool find_cpu(void) {
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 8; ++i)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &g_device, NULL) == CL_SUCCESS)
            return true;
    fprintf(stderr, "no OpenCL platform has a CPU: install pocl-opencl-icd\n");
    return false;
}

static char *read_kernels(const char *folder, size_t *length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.cl", folder);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot read %s: LAB_PEER_KERNELS is to name its folder\n", path);
        return NULL;
    }
    enum { MAX_SOURCE = 1 << 16 };
    char *text = malloc(MAX_SOURCE);
    *length = text != NULL ? fread(text, 1, MAX_SOURCE, file) : 0;
    fclose(file);
    return text;
}

static bool build(const Problem *p) {
    const char *folder = getenv("LAB_PEER_KERNELS");
    if (folder == NULL) folder = "benchmarks/peers";
    size_t length;
    char *source = read_kernels(folder, &length);
    if (source == NULL) return false;
    char options[4200], log[8192] = "";
    snprintf(options, sizeof options, "-I %s", folder);
    const double begin = clock_ms();
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(g_context, 1, (const char **)&source, &length, &error);
    free(source);
    if (!ok(error, "clCreateProgramWithSource")) return false;
    error = clBuildProgram(program, 1, &g_device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        clGetProgramBuildInfo(program, g_device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        return ok(error, "clBuildProgram");
    }
    const char *names[MAX_KERNELS] = {PEER_CASE[p->id].name, NULL};
    if (p->id == SCAN) names[0] = "scan_blocks", names[1] = "scan_add";
    if (p->id == SUM_GRID_STRIDE) names[1] = "sum_classic";
    for (int i = 0; i < MAX_KERNELS && names[i] != NULL; ++i) {
        g_kernel[i] = clCreateKernel(program, names[i], &error);
        if (!ok(error, names[i])) return false;
    }
    g_build_ms = clock_ms() - begin;
    return true;
}

/* ---- launches ---- */

/* Enqueues kernel `which` in groups of group_x x group_y. `shape` has a letter for each
 * argument that follows: i, an int, or b, a buffer. */
static bool enqueue(int which, size_t groups_x, size_t groups_y, size_t group_x, size_t group_y,
                    const char *shape, ...) {
    va_list arguments;
    va_start(arguments, shape);
    bool good = true;
    for (cl_uint i = 0; shape[i] != '\0' && good; ++i) {
        const cl_int number = shape[i] == 'i' ? va_arg(arguments, int) : 0;
        const cl_mem buffer = shape[i] == 'b' ? va_arg(arguments, cl_mem) : NULL;
        good = ok(shape[i] == 'i' ? clSetKernelArg(g_kernel[which], i, sizeof number, &number)
                                  : clSetKernelArg(g_kernel[which], i, sizeof buffer, &buffer),
                  "clSetKernelArg");
    }
    va_end(arguments);
    const size_t global[2] = {groups_x * group_x, groups_y * group_y};
    const size_t local[2] = {group_x, group_y};
    return good && ok(clEnqueueNDRangeKernel(g_queue, g_kernel[which], 2, NULL, global, local, 0,
                                             NULL, NULL),
                      "clEnqueueNDRangeKernel");
}

static size_t groups_for(size_t n) { return blocks_for(n, BLOCK); }

static bool run_sum(const Problem *p) {
    cl_mem x = d_in[0];
    size_t left = p->n;
    bool good = true;
    for (int level = 0; left > 1 && good; ++level) {
        size_t groups = groups_for(left);
        const bool strides = level == 0 && p->id == SUM_GRID_STRIDE;
        if (strides && groups > STRIDE_BLOCKS) groups = STRIDE_BLOCKS;
        const cl_mem sums = groups == 1 ? d_out : d_scratch[level];
        const int which = p->id == SUM_GRID_STRIDE && !strides ? 1 : 0;
        good = enqueue(which, groups, 1, BLOCK, 1, "ibb", (int)left, x, sums);
        x = sums;
        left = groups;
    }
    return good;
}

static bool run_scan(const Problem *p) {
    size_t count[PEER_SCRATCHES];
    cl_mem level_out[PEER_SCRATCHES], x = d_in[0], out = d_out;
    size_t left = p->n;
    int level = 0;
    for (;; ++level) {
        if (!enqueue(0, groups_for(left), 1, BLOCK, 1, "ibbb", (int)left, x, out, d_scratch[level]))
            return false;
        count[level] = left;
        level_out[level] = out;
        left = groups_for(left);
        if (left == 1) break;
        x = out = d_scratch[level];
    }
    for (; level > 0; --level)
        if (!enqueue(1, groups_for(count[level - 1]), 1, BLOCK, 1, "ibb", (int)count[level - 1],
                     level_out[level - 1], level_out[level]))
            return false;
    return true;
}

static bool run_histogram(const Problem *p) {
    const size_t groups = groups_for(p->n) < STRIDE_BLOCKS ? groups_for(p->n) : STRIDE_BLOCKS;
    const cl_int zero = 0;
    return ok(clEnqueueFillBuffer(g_queue, d_out, &zero, sizeof zero, 0, p->out_bytes, 0, NULL,
                                  NULL),
              "clEnqueueFillBuffer") &&
           enqueue(0, groups, 1, BLOCK, 1, "ibb", (int)p->n, d_in[0], d_out);
}

static bool launch(const Problem *p) {
    const int n = (int)p->n;
    const size_t groups = groups_for(p->n), tiles = blocks_for(p->n, TILE);
    const cl_mem x = d_in[0], y = d_in[1], out = d_out;
    switch (p->id) {
    case VECTOR_ADD:
    case BLACK_SCHOLES: return enqueue(0, groups, 1, BLOCK, 1, "ibbb", n, x, y, out);
    case NBODY:
    case STENCIL: return enqueue(0, groups, 1, BLOCK, 1, "ibb", n, x, out);
    case MANDELBROT: return enqueue(0, tiles, tiles, TILE, TILE, "ib", n, out);
    case MATRIX_PRODUCT:
    case MATRIX_PRODUCT_TILED: return enqueue(0, tiles, tiles, TILE, TILE, "ibbb", n, x, y, out);
    case SUM_CLASSIC:
    case SUM_GRID_STRIDE: return run_sum(p);
    case TRANSPOSE:
        return enqueue(0, blocks_for(p->n / 2, TRANSPOSE_TILE), blocks_for(p->n, TRANSPOSE_TILE),
                       TRANSPOSE_TILE, TRANSPOSE_ROWS, "iibb", n, n / 2, x, out);
    case SCAN: return run_scan(p);
    case HISTOGRAM: return run_histogram(p);
    case BARRIERS: return enqueue(0, groups, 1, BLOCK, 1, "bb", x, out);
    case LOCALS: return enqueue(0, blocks_for(p->n, LOCALS_BLOCK), 1, LOCALS_BLOCK, 1, "b", out);
    default: return false;
    }
}

/* ---- the side ---- */

static const char *lacks(PeerCaseId id) {
    return id == SUM_SHUFFLE ? "no subgroups in OpenCL C 1.2" : NULL;
}

static bool run(const Problem *p) { return launch(p) && ok(clFinish(g_queue), "clFinish"); }

static bool allocate(cl_mem *buffer, size_t bytes) {
    if (bytes == 0) return true;
    cl_int error;
    *buffer = clCreateBuffer(g_context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return ok(error, "clCreateBuffer");
}

static bool open_side(const Problem *p) {
    if (!find_cpu()) return false;
    cl_int error;
    g_context = clCreateContext(NULL, 1, &g_device, NULL, NULL, &error);
    if (!ok(error, "clCreateContext")) return false;
    g_queue = clCreateCommandQueue(g_context, g_device, 0, &error);
    if (!ok(error, "clCreateCommandQueue") || !build(p)) return false;
    for (int i = 0; i < PEER_INPUTS; ++i) {
        if (!allocate(&d_in[i], p->in_bytes[i])) return false;
        if (p->in_bytes[i] != 0 &&
            !ok(clEnqueueWriteBuffer(g_queue, d_in[i], CL_TRUE, 0, p->in_bytes[i], p->in[i], 0,
                                     NULL, NULL),
                "clEnqueueWriteBuffer"))
            return false;
    }
    for (int i = 0; i < PEER_SCRATCHES; ++i)
        if (!allocate(&d_scratch[i], p->scratch_bytes[i])) return false;
    return allocate(&d_out, p->out_bytes);
}

static bool poison(const Problem *p) {
    const cl_uint ones = 0xFFFFFFFFu;
    return ok(clEnqueueFillBuffer(g_queue, d_out, &ones, sizeof ones, 0, p->out_bytes, 0, NULL,
                                  NULL),
              "clEnqueueFillBuffer");
}

static bool fetch(const Problem *p, void *out) {
    return ok(clEnqueueReadBuffer(g_queue, d_out, CL_TRUE, 0, p->out_bytes, out, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

static const char *describe(void) {
    static char text[1024];
    char name[256] = "?", version[256] = "?";
    cl_platform_id platform;
    cl_uint units = 0;
    clGetDeviceInfo(g_device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(g_device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (clGetDeviceInfo(g_device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
        CL_SUCCESS)
        clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    snprintf(text, sizeof text, "%s, %u compute units; %s", name, units, version);
    return text;
}

static double build_ms(void) { return g_build_ms; }

int main(int argc, char **argv) {
    const Side side = {"opencl", lacks,    open_side, run,      poison,
                       fetch,    describe, NULL,      build_ms, false};
    return side_main(argc, argv, &side);
}
