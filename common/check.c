/* CUDA errors, explained to a student. See check.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

typedef struct Advice {
    int code; /* not cudaError_t: some codes are newer than some toolkits */
    const char *text;
} Advice;

static const Advice ADVICE[] = {
    {1,
     "An argument is out of range: a null pointer, a size beyond the allocation, a copy in the "
     "wrong direction, or a launch with 0 or too many blocks or threads (at most 1,024 threads "
     "per block)."},
    {2,
     "The device has too little free memory. Take smaller sizes, free arrays that are no longer "
     "needed, and see with nvidia-smi who else uses this GPU."},
    {3, "CUDA could not start. See what `bazel run //bazel:doctor` says about driver and toolkit."},
    {4, "The program is ending, and CUDA has shut down already: do CUDA work before main returns."},
    {9,
     "Grid and block do not fit the device: no dimension may be 0, a block has at most 1,024 "
     "threads (64 in z), a grid at most 65,535 blocks in y and z. Round up the number of "
     "blocks: (n + block - 1) / block."},
    {11, "An argument is out of range; older toolkits use this code."},
    {12, "Row length or pitch is larger than a copy may have."},
    {13,
     "No __device__ or __constant__ variable of that kind is in this program: pass the variable "
     "itself, not its name in quotes, and link the .cu file that defines it."},
    {17, "This pointer was not made by cudaMalloc and the like, or was freed already."},
    {21,
     "Source and destination do not fit the direction: cudaMemcpyHostToDevice takes (device, "
     "host), cudaMemcpyDeviceToHost takes (host, device)."},
    {35,
     "The NVIDIA driver is missing, or older than the toolkit that this program was built with. "
     "Install a newer driver, build with an older toolkit, or run on the CPU device: "
     "--config=cpu."},
    {46,
     "The device is in use by another process in exclusive mode, or an earlier error and reset "
     "left it unusable. Wait, or choose another one with --device."},
    {98, "The kernel's address is not one that this program holds: was its .cu file linked in?"},
    {100,
     "There is no CUDA device. Is a GPU installed, is it hidden by CUDA_VISIBLE_DEVICES, and "
     "does nvidia-smi list it? Without one, run on the CPU device: --config=cpu."},
    {101,
     "There is no device of this number: they count from 0. `bazel run //lessons:01_device_query` "
     "lists them."},
    {200, "The code for this GPU could not be read: build the program again."},
    {201, "The CUDA context is gone: was cudaDeviceReset called, or did a fork() copy it?"},
    {205, "The device could not map this memory."},
    {209,
     "This program holds no code for this GPU. Build it for the GPU's architecture, for example "
     "--archs=sm_90, or with PTX that any newer GPU can take, --archs=compute_75."},
    {214,
     "The GPU's memory reported an error that it could not correct: this is a hardware fault."},
    {217,
     "These two devices cannot reach each other's memory (and a device needs no peer access to "
     "itself)."},
    {218,
     "The PTX in this program is invalid for this driver: build again, with a toolkit that is "
     "not newer than the driver."},
    {222,
     "The PTX in this program was made by a toolkit newer than the driver understands. Update "
     "the driver, or build for this GPU's own architecture, for example --archs=sm_90."},
    {400,
     "This stream or event does not exist on the current device: was it destroyed, or made on "
     "another device?"},
    {600, "The work has not finished yet. This is an answer, not a fault; synchronise to wait."},
    {700,
     "A kernel (or an asynchronous copy) touched memory that is not its own: an index past the "
     "end, a host pointer, a null pointer or freed memory. It happened in some launch before "
     "this call. Look for a missing `if (i < n)`, and run with --config=check or under "
     "compute-sanitizer to get the line. Every later CUDA call of this process fails too."},
    {701,
     "The kernel needs more registers or shared memory than a block of this size can have. Use "
     "fewer threads per block, or less shared memory."},
    {702,
     "The kernel ran longer than the display's watchdog allows (a few seconds): give each launch "
     "less work, or use a GPU that drives no display."},
    {704, "Peer access to that device is on already."},
    {709, "The CUDA context was destroyed while this process used it."},
    {710,
     "An assert() in a kernel failed; its text is above. Every later CUDA call of this process "
     "fails too."},
    {714, "A kernel hit a hardware stack error: too deep a recursion, or too large local arrays."},
    {715,
     "A kernel executed an instruction that is not valid there: often a __syncwarp or shuffle "
     "whose mask leaves out the calling thread."},
    {716,
     "A kernel accessed an address that is not a multiple of the type's size: a float4 access "
     "needs 16-byte alignment. Look at pointer casts and odd offsets."},
    {717,
     "A kernel used an address of one memory space in an operation for another one, such as a "
     "host or local address in an atomic for shared memory."},
    {718, "A kernel's program counter left its code: an overwritten stack or function pointer."},
    {719,
     "A kernel stopped for a reason of its own: a __trap(), or, under compute-sanitizer, the "
     "error printed above. Run with --config=check or under compute-sanitizer to get the "
     "line."},
    {720,
     "The kernel cannot be launched as a cooperative grid: more blocks than fit on the device "
     "at once."},
    {801, "This device or this build does not support the operation."},
    {802, "The system is not ready: on machines with NVSwitch, the fabric manager must run."},
    {803, "Driver and CUDA library do not match: a driver update needs a restart of the machine."},
    {804,
     "The driver does not support forward compatibility on this GPU: unset the path to the "
     "compatibility library, or update the driver."},
    {999, "The driver gives no reason. See `bazel run //bazel:doctor`, and the system's log."},
};

static _Thread_local char last_message[960];

const char *lab_last_message(void) { return last_message; }

void lab_clear_message(void) { last_message[0] = '\0'; }

cudaError_t lab_fail(cudaError_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_message, sizeof last_message, format, arguments);
    va_end(arguments);
    return status;
}

const char *cuda_error_advice(cudaError_t status) {
    for (size_t i = 0; i < sizeof ADVICE / sizeof ADVICE[0]; ++i) {
        if (ADVICE[i].code == (int)status) {
            return ADVICE[i].text;
        }
    }
    return "";
}

size_t cuda_error_describe(char *text, size_t size, const char *file, int line, const char *call,
                           cudaError_t status) {
    TextBuffer buffer = text_buffer(text, size);
    const char *advice = cuda_error_advice(status);
    text_append(&buffer, "%s:%d: CUDA error %d, %s: %s\n  in: %s", file, line, (int)status,
                cudaGetErrorName(status), cudaGetErrorString(status), call);
    bool is_runtime_call = strncmp(call, "cuda", 4) == 0; /* then the message is an older one */
    if (last_message[0] != '\0' && !is_runtime_call) {
        /* The library knows this case: general advice would only distract. */
        text_append(&buffer, "\n  why: %s", last_message);
    } else if (advice[0] != '\0') {
        text_append(&buffer, "\n  what to do: %s", advice);
    }
    return buffer.length;
}

void cuda_check_fail(const char *file, int line, const char *call, cudaError_t status) {
    char text[2048];
    cuda_error_describe(text, sizeof text, file, line, call, status);
    fflush(stdout); /* what was printed so far comes first */
    fprintf(stderr, "%s\n", text);
    exit(EXIT_FAILURE);
}

/* No launch gives these: an allocation, a copy or a query has left them. */
static bool is_from_another_call(cudaError_t status) {
    static const int codes[] = {2, 11, 12, 13, 17, 21, 101, 217, 600, 704, 705};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        if (codes[i] == (int)status) {
            return true;
        }
    }
    return false;
}

void cuda_check_launch(const char *file, int line, dim3 grid, dim3 block, size_t shared_bytes,
                       cudaError_t status) {
    char shape[1024], text[2048];
    int faults = launch_explain(grid, block, shared_bytes, shape, sizeof shape);
    if (faults == 0 && is_from_another_call(status)) {
        fprintf(stderr,
                "%s:%d: error %d, %s, was left by a call before this launch, which is not meant: "
                "after a failure that is dealt with, call cudaGetLastError() once\n",
                file, line, (int)status, cudaGetErrorName(status));
        return;
    }
    lab_clear_message();
    if (faults > 0) {
        lab_fail(status, "the launch did not happen");
    } else if (status == cudaErrorInvalidValue) {
        lab_fail(status,
                 "the launch did not happen, or an earlier call left this error, which "
                 "was not cleared with cudaGetLastError()");
    }
    cuda_error_describe(text, sizeof text, file, line, "kernel launch", status);
    lab_clear_message();
    fflush(stdout);
    fprintf(stderr, "%s\n  %s\n", text, shape);
    exit(EXIT_FAILURE);
}

/* --- Launches --- */

typedef struct LaunchLimits {
    unsigned grid[3], block[3], threads;
    size_t shared, shared_optin;
} LaunchLimits;

/* An attribute of the current device, or `otherwise` where that cannot be had. */
static unsigned attribute(enum cudaDeviceAttr name, int device, unsigned otherwise) {
    int value = 0;
    if (device < 0 || cudaDeviceGetAttribute(&value, name, device) != cudaSuccess || value <= 0) {
        return otherwise;
    }
    return (unsigned)value;
}

static LaunchLimits current_limits(void) {
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess) {
        device = -1;
    }
    LaunchLimits limits = {.grid = {attribute(cudaDevAttrMaxGridDimX, device, 2147483647u),
                                    attribute(cudaDevAttrMaxGridDimY, device, 65535u),
                                    attribute(cudaDevAttrMaxGridDimZ, device, 65535u)},
                           .block = {attribute(cudaDevAttrMaxBlockDimX, device, 1024u),
                                     attribute(cudaDevAttrMaxBlockDimY, device, 1024u),
                                     attribute(cudaDevAttrMaxBlockDimZ, device, 64u)},
                           .threads = attribute(cudaDevAttrMaxThreadsPerBlock, device, 1024u),
                           .shared = attribute(cudaDevAttrMaxSharedMemoryPerBlock, device, 49152u)};
    limits.shared_optin =
        attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device, (unsigned)limits.shared);
    (void)cudaGetLastError(); /* a failed query must not look like the launch's error */
    return limits;
}

static int check_dimensions(const char *what, dim3 shape, const unsigned *limits,
                            TextBuffer *text) {
    const unsigned values[3] = {shape.x, shape.y, shape.z};
    int faults = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (values[axis] == 0) {
            text_append(text, "\n  %s.%c is 0: %s", what, "xyz"[axis],
                        what[0] == 'g' ? "an integer division that rounds down gives 0 blocks for "
                                         "small sizes; round up, (n + block - 1) / block"
                                       : "every dimension must be at least 1");
            ++faults;
        } else if (values[axis] > limits[axis]) {
            text_append(text, "\n  %s.%c is %s: this device allows at most %s", what, "xyz"[axis],
                        text_count(values[axis]), text_count(limits[axis]));
            ++faults;
        }
    }
    return faults;
}

int launch_explain(dim3 grid, dim3 block, size_t shared_bytes, char *text, size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    LaunchLimits limits = current_limits();
    text_append(&buffer, "grid (%s, %s, %s) blocks, block (%s, %s, %s) threads", text_count(grid.x),
                text_count(grid.y), text_count(grid.z), text_count(block.x), text_count(block.y),
                text_count(block.z));
    if (shared_bytes > 0) {
        text_append(&buffer, ", %s bytes of dynamic shared memory", text_count(shared_bytes));
    }
    int faults = check_dimensions("grid", grid, limits.grid, &buffer);
    faults += check_dimensions("block", block, limits.block, &buffer);
    bool absurd = block.x > 65536 || block.y > 65536 || block.z > 65536; /* named already */
    uint64_t threads = absurd ? 0 : (uint64_t)block.x * block.y * block.z;
    if (threads > limits.threads) {
        text_append(&buffer, "\n  a block of %s x %s x %s has %s threads: at most %s are allowed",
                    text_count(block.x), text_count(block.y), text_count(block.z),
                    text_count(threads), text_count(limits.threads));
        ++faults;
    }
    if (shared_bytes > limits.shared_optin) {
        text_append(&buffer,
                    "\n  %s bytes of shared memory are more than a block can have on this "
                    "device, %s bytes",
                    text_count(shared_bytes), text_count(limits.shared_optin));
        ++faults;
    } else if (shared_bytes > limits.shared) {
        text_append(&buffer,
                    "\n  more than %s bytes of shared memory must be asked for: "
                    "cudaFuncSetAttribute(kernel, "
                    "cudaFuncAttributeMaxDynamicSharedMemorySize, %zu)",
                    text_count(limits.shared), shared_bytes);
        ++faults;
    }
    return faults;
}
