/* How far an allocation reaches, asked of the driver: the runtime API has no such
 * call. See device_range.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/device_range.h"

#ifdef LAB_CPU_DEVICE

bool device_range(const void *d, size_t *bytes) {
    (void)d;
    (void)bytes;
    return false;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* cuMemGetAddressRange of the driver's public interface; 0 is success. */
typedef int (*AddressRange)(unsigned long long *base, size_t *size, unsigned long long d);

static AddressRange address_range; /* null: no driver */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "cuMemGetAddressRange_v2") : NULL;
    memcpy(&address_range, &symbol, sizeof symbol); /* C has no cast from object to function */
}

bool device_range(const void *d, size_t *bytes) {
    unsigned long long base = 0, address = (uintptr_t)d;
    size_t size = 0;
    pthread_once(&loaded, load);
    if (address_range == NULL || address_range(&base, &size, address) != 0 || address < base ||
        address - base > size) {
        return false;
    }
    *bytes = size - (size_t)(address - base);
    return true;
}

#endif
