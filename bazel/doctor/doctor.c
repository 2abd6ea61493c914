/* bazel run //bazel:doctor
 *
 * Says in plain words what was found on this machine, which device programs will use and
 * why, and how to fix each thing that is wrong. What Bazel found when it configured the
 * build is compiled in (local_cuda_facts.h); the driver is asked now.
 * Exit status: 0 if all that the chosen device needs is there, 1 if not, 2 for bad options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bazel/build_info.h"
#include "bazel/doctor/driver.h"
#include "local_cuda_facts.h"

enum { NO_DEVICE = 100, STUB_LIBRARY = 34, MAX_ADVICE = 16 };

#ifndef WSL_DRIVER_FOLDER /* tests name another */
#define WSL_DRIVER_FOLDER "/usr/lib/wsl/lib"
#endif

static struct {
    char text[1024];
    int needed; /* the chosen device does not work without it */
} advice[MAX_ADVICE];
static int advice_count;

static int uses_gpu(void) { return strcmp(BUILD_DEVICE, "gpu") == 0; }

__attribute__((format(printf, 1, 2))) static void advise(const char *format, ...) {
    va_list args;
    if (advice_count == MAX_ADVICE) return;
    va_start(args, format);
    vsnprintf(advice[advice_count].text, sizeof advice[0].text, format, args);
    va_end(args);
    /* Everything that can be wrong here concerns the GPU. */
    advice[advice_count++].needed = uses_gpu();
}

__attribute__((format(printf, 2, 3))) static void row(const char *label, const char *format, ...) {
    va_list args;
    printf("%-22s", label);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void print_lines(const char *label, const char *lines) {
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        row(label, "%.*s", (int)length, lines);
        label = "";
        lines += length + (lines[length] == '\n');
    }
}

static int toolkit_version(void) {
    int major = 0, minor = 0;
    return sscanf(FACT_VERSION, "%d.%d", &major, &minor) == 2 ? major * 1000 + minor * 10 : 0;
}

/* "compute_75\ncompute_90" -> "7.5 9.0" */
static void print_capabilities(const char *archs) {
    printf("%-22scompute capability", "  builds for");
    for (const char *at = archs; (at = strstr(at, "compute_")) != NULL; at++) {
        int number = atoi(at + strlen("compute_"));
        printf(" %d.%d", number / 10, number % 10);
    }
    putchar('\n');
}

static void report_toolkit(void) {
    if (!*FACT_NVCC) {
        row("CUDA toolkit", "none");
        print_lines("  looked at", FACT_TRIED);
        if (FACT_HAS_GPU || uses_gpu())
            advise(
                "There is no CUDA toolkit. For GPU programs install one (https://developer.nvidia.com/cuda-downloads),\n"
                "or set CUDA_HOME to the folder that holds its bin/nvcc. The CPU device needs none.");
    } else {
        row("CUDA toolkit", "%s in %s (found through %s)", FACT_VERSION, FACT_TOP,
            FACT_NVCC_FOUND_BY);
        print_capabilities(FACT_KNOWN_ARCHS);
    }
    if (*FACT_WRONG_VARIABLE) advise("%s Correct it, or unset it.", FACT_WRONG_VARIABLE);
}

static void report_compiler(void) {
    const char *found = *FACT_HOST_COMPILER ? FACT_HOST_COMPILER : "none";
    const char *version =
        *FACT_HOST_COMPILER_VERSION ? FACT_HOST_COMPILER_VERSION : "version unknown";
    if (*FACT_HOST_COMPILER_NAMED_BY)
        row("host compiler", "%s, %s (named by %s)", version, found, FACT_HOST_COMPILER_NAMED_BY);
    else row("host compiler", "%s, %s", version, found);
    if (!*FACT_NVCC) return;
    if (FACT_OWN_CCBIN) row("  for nvcc", "this distribution's nvcc picks its own");
    else if (*FACT_NEWEST_HOST_COMPILER)
        row("  for nvcc", "it takes up to %s", FACT_NEWEST_HOST_COMPILER);
    if (*FACT_COMPILER_PROBLEM) advise("%s", FACT_COMPILER_PROBLEM);
}

static int on_wsl(void) {
    return access("/dev/dxg", F_OK) == 0 || access(WSL_DRIVER_FOLDER, F_OK) == 0;
}

static void check_library_place(const Driver *driver) {
    if (strstr(driver->library, "/stubs/") || driver->init_error == STUB_LIBRARY)
        advise(
            "%s is the toolkit's stub, which is only there to link with. Take its folder out of LD_LIBRARY_PATH,\n"
            "so that the driver's own libcuda.so.1 is found.",
            driver->library);
    else if (on_wsl() &&
             strncmp(driver->library, WSL_DRIVER_FOLDER, strlen(WSL_DRIVER_FOLDER)) != 0)
        advise(
            "This is WSL, where the driver is Windows' own and its library lies in %s, but %s was loaded.\n"
            "Remove the Linux driver package, or set LD_LIBRARY_PATH=%s.",
            WSL_DRIVER_FOLDER, driver->library, WSL_DRIVER_FOLDER);
}

static void check_driver_version(const Driver *driver) {
    int toolkit = toolkit_version();
    if (!driver->version || !toolkit || driver->version >= toolkit) return;
    if (driver->version / 1000 == toolkit / 1000)
        advise(
            "The driver supports CUDA up to %d.%d, the toolkit is %s: machine code runs, PTX is refused. Build with\n"
            "machine code for your GPU (--archs=sm_NN), or update the driver.",
            driver->version / 1000, driver->version % 1000 / 10, FACT_VERSION);
    else
        advise(
            "The driver supports CUDA up to %d.%d, but the toolkit is %s: programs end with error 35. Update the driver,\n"
            "or set CUDA_HOME to a toolkit of at most %d.%d.",
            driver->version / 1000, driver->version % 1000 / 10, FACT_VERSION,
            driver->version / 1000, driver->version % 1000 / 10);
}

static void report_driver(const Driver *driver) {
    if (!driver->loaded) {
        row("driver", "none (%s)",
            *driver->library ? driver->library : "it crashed when it was asked");
        if (FACT_HAS_GPU || uses_gpu())
            advise(
                "The NVIDIA driver's library libcuda.so.1 cannot be loaded. Install the driver; in a container, give it the GPU\n"
                "(docker run --gpus all); on WSL, update the driver in Windows.");
        return;
    }
    if (driver->version)
        row("driver", "supports CUDA up to %d.%d (%s)", driver->version / 1000,
            driver->version % 1000 / 10, driver->library);
    else row("driver", "%s", driver->library);
    check_library_place(driver);
    if (*FACT_NVCC) check_driver_version(driver);
    if (driver->init_error && driver->init_error != NO_DEVICE && driver->init_error != STUB_LIBRARY)
        advise(
            "The driver does not start: cuInit gives error %d. `nvidia-smi` may tell more; after an update of the driver,\n"
            "restart the computer.",
            driver->init_error);
}

static void report_gpus(const Driver *all, const Driver *visible) {
    const char *setting = getenv("CUDA_VISIBLE_DEVICES");
    for (int i = 0; i < all->gpu_count; i++)
        row(i == 0 ? "GPUs" : "", "%s, compute capability %d.%d", all->gpus[i].name,
            all->gpus[i].capability_major, all->gpus[i].capability_minor);
    if (all->gpu_count == 0) {
        if (FACT_HAS_GPU) print_lines("GPUs", *FACT_GPUS ? FACT_GPUS : FACT_GPU_FOUND_BY);
        else row("GPUs", "none (%s)", FACT_GPU_FOUND_BY);
        if (uses_gpu() && all->loaded)
            advise(
                "No GPU was found: a GPU program builds here, but ends with \"no device\". Run it on a machine with a GPU.");
    }
    if (!setting) {
        row("CUDA_VISIBLE_DEVICES", "not set");
    } else {
        row("CUDA_VISIBLE_DEVICES", "'%s': programs see %d of %d GPUs", setting, visible->gpu_count,
            all->gpu_count);
        if (all->gpu_count > 0 && visible->gpu_count == 0)
            advise(
                "All GPUs are hidden by CUDA_VISIBLE_DEVICES='%s'. Unset it, or set it to the number or UUID of a GPU.",
                setting);
    }
    if (getenv("CUDA_DEVICE_ORDER")) row("CUDA_DEVICE_ORDER", "'%s'", getenv("CUDA_DEVICE_ORDER"));
}

/* Does the program hold machine code for this GPU, or PTX that its driver can compile? */
static int program_fits(int capability) {
    for (const char *at = BUILD_ARCHS; (at = strchr(at, '_')) != NULL; at++) {
        int number = atoi(at + 1);
        int is_ptx = at - BUILD_ARCHS >= 7 && strncmp(at - 7, "compute", 7) == 0;
        if (is_ptx ? number <= capability : number / 10 == capability / 10 && number <= capability)
            return 1;
    }
    return 0;
}

static void report_build(const Driver *visible) {
    if (!uses_gpu()) {
        row("device used", "the CPU device, on this computer's %ld cores",
            sysconf(_SC_NPROCESSORS_ONLN));
        row("", "%s", BUILD_DEVICE_REASON);
        return;
    }
    row("device used", "the GPU");
    row("", "%s", BUILD_DEVICE_REASON);
    row("  programs hold", "%s", BUILD_ARCHS);
    for (int i = 0; i < visible->gpu_count; i++) {
        int capability = visible->gpus[i].capability_major * 10 + visible->gpus[i].capability_minor;
        if (!program_fits(capability))
            advise(
                "Built for %s, which %s (compute capability %d.%d) cannot run. Build with --archs=sm_%d.",
                BUILD_ARCHS, visible->gpus[i].name, capability / 10, capability % 10, capability);
    }
}

static int print_advice(void) {
    int wrong = 0;
    for (int i = 0; i < advice_count; i++) {
        printf("%s%d. %s\n", i == 0 ? "\nTo fix:\n" : "", i + 1, advice[i].text);
        wrong |= advice[i].needed;
    }
    if (wrong)
        printf("\nThe GPU cannot be used before that. The CPU device can: add --config=cpu.\n");
    else if (advice_count)
        printf("\nAll that the CPU device needs is here; the above matters for a GPU only.\n");
    else printf("\nAll that the %s needs is here.\n", uses_gpu() ? "GPU" : "CPU device");
    return wrong;
}

int main(int argc, char **argv) {
    Driver all, visible;
    if (argc > 1) {
        int help = strcmp(argv[1], "--help") == 0;
        fprintf(help ? stdout : stderr,
                "%sUsage: bazel run //bazel:doctor\nSays what was found on this machine.\n",
                help ? "" : "doctor takes no options.\n");
        return help ? 0 : 2;
    }
    driver_ask(&all, 1);
    driver_ask(&visible, 0);
    report_toolkit();
    report_compiler();
    report_driver(&all);
    report_gpus(&all, &visible);
    report_build(&visible);
    return print_advice();
}
