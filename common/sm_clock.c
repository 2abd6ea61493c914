/* The GPU's clock, asked of the driver's management library (NVML), which is
 * loaded only if it is there. See sm_clock_mhz in timer.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "common/timer.h"

#ifdef LAB_CPU_DEVICE

/* The CPU device has no clock of its own. */
double sm_clock_mhz(void) { return 0; }

#else

/* From NVML's public interface; its header is not part of every toolkit. */
typedef struct NvmlDevice *NvmlHandle;
typedef int (*NvmlInit)(void);
typedef int (*NvmlHandleByPci)(const char *, NvmlHandle *);
typedef int (*NvmlClockInfo)(NvmlHandle, int, unsigned *);
enum { NVML_OK = 0, NVML_CLOCK_SM = 1 };

static NvmlHandleByPci handle_by_pci; /* null: no NVML */
static NvmlClockInfo clock_info;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

/* A function of the library, through memcpy: C has no cast from object to function. */
static void find_function(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void load(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    NvmlInit init = NULL;
    if (library == NULL) {
        return;
    }
    find_function(library, "nvmlInit_v2", &init);
    find_function(library, "nvmlDeviceGetHandleByPciBusId_v2", &handle_by_pci);
    find_function(library, "nvmlDeviceGetClockInfo", &clock_info);
    if (init == NULL || clock_info == NULL || init() != NVML_OK) {
        handle_by_pci = NULL;
    }
}

double sm_clock_mhz(void) {
    int device = 0;
    char address[32] = "";
    NvmlHandle handle = NULL;
    unsigned mhz = 0;
    pthread_once(&loaded, load);
    if (handle_by_pci == NULL) {
        return 0;
    }
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetPCIBusId(address, sizeof address, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    if (handle_by_pci(address, &handle) != NVML_OK ||
        clock_info(handle, NVML_CLOCK_SM, &mhz) != NVML_OK) {
        return 0;
    }
    return mhz;
}

#endif
