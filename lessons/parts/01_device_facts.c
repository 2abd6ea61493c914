/* SPDX-License-Identifier: Apache-2.0 */
/* The table of device attributes, and how its rows are asked and written.
 *
 * Only queries that CUDA 11.8, 12 and 13 share; see device_facts.h. */
#include "lessons/parts/01_device_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const char NOT_REPORTED[] = "not reported";

/* clang-format off */
const FactRow FACT_ROWS[] = {
    {"The chip", "compute capability (major, minor)", "compute_capability", FACT_COUNT,
     {cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor}, true},
    {NULL, "streaming multiprocessors (SMs)", "multiprocessors", FACT_MEASURE_COUNT,
     {cudaDevAttrMultiProcessorCount}, true},
    {NULL, "SM clock, highest", "clock_khz", FACT_MEASURE_KHZ,
     {cudaDevAttrClockRate}, false},
    {NULL, "float32 to float64 speed ratio", "single_to_double_ratio", FACT_MEASURE_COUNT,
     {cudaDevAttrSingleToDoublePrecisionPerfRatio}, false},
    {NULL, "part of the processor (integrated)", "integrated", FACT_YES_NO,
     {cudaDevAttrIntegrated}, false},

    {"Memory", "memory clock, highest", "memory_clock_khz", FACT_MEASURE_KHZ,
     {cudaDevAttrMemoryClockRate}, false},
    {NULL, "memory bus width", "memory_bus_bits", FACT_MEASURE_BITS,
     {cudaDevAttrGlobalMemoryBusWidth}, false},
    {NULL, "error correction (ECC) on", "ecc_enabled", FACT_YES_NO,
     {cudaDevAttrEccEnabled}, false},
    {NULL, "L2 cache", "l2_cache_bytes", FACT_MEASURE_BYTES,
     {cudaDevAttrL2CacheSize}, true},
    {NULL, "constant memory", "constant_memory_bytes", FACT_BYTES,
     {cudaDevAttrTotalConstantMemory}, false},
    {NULL, "copy engines", "copy_engines", FACT_COUNT,
     {cudaDevAttrAsyncEngineCount}, false},

    {"Per SM", "threads", "max_threads_per_multiprocessor", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxThreadsPerMultiProcessor}, true},
    {NULL, "blocks", "max_blocks_per_multiprocessor", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxBlocksPerMultiprocessor}, false},
    {NULL, "shared memory", "shared_memory_per_multiprocessor_bytes", FACT_MEASURE_BYTES,
     {cudaDevAttrMaxSharedMemoryPerMultiprocessor}, true},
    {NULL, "32-bit registers", "registers_per_multiprocessor", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxRegistersPerMultiprocessor}, false},

    {"Per block", "threads, at most", "max_threads_per_block", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxThreadsPerBlock}, true},
    {NULL, "threads in x, y, z, at most", "max_block_dim", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ}, false},
    {NULL, "shared memory", "shared_memory_per_block_bytes", FACT_MEASURE_BYTES,
     {cudaDevAttrMaxSharedMemoryPerBlock}, true},
    {NULL, "shared memory with opt-in", "shared_memory_per_block_optin_bytes", FACT_MEASURE_BYTES,
     {cudaDevAttrMaxSharedMemoryPerBlockOptin}, false},
    {NULL, "shared memory, kept by CUDA", "reserved_shared_memory_per_block_bytes", FACT_BYTES,
     {cudaDevAttrReservedSharedMemoryPerBlock}, false},
    {NULL, "32-bit registers", "registers_per_block", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxRegistersPerBlock}, false},
    {NULL, "threads of a warp", "warp_size", FACT_MEASURE_COUNT,
     {cudaDevAttrWarpSize}, true},

    {"Per grid", "blocks in x, y, z, at most", "max_grid_dim", FACT_MEASURE_COUNT,
     {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ}, false},
    {NULL, "several kernels at a time", "concurrent_kernels", FACT_YES_NO,
     {cudaDevAttrConcurrentKernels}, false},
    {NULL, "grid-wide barriers (cooperative)", "cooperative_launch", FACT_YES_NO,
     {cudaDevAttrCooperativeLaunch}, false},

    {"Host and device", "one address space for both", "unified_addressing", FACT_YES_NO,
     {cudaDevAttrUnifiedAddressing}, false},
    {NULL, "managed memory", "managed_memory", FACT_YES_NO,
     {cudaDevAttrManagedMemory}, false},
    {NULL, "... host may use it beside a kernel", "concurrent_managed_access", FACT_YES_NO,
     {cudaDevAttrConcurrentManagedAccess}, false},
    {NULL, "... host reads it without moving it", "direct_managed_access_from_host", FACT_YES_NO,
     {cudaDevAttrDirectManagedMemAccessFromHost}, false},
    {NULL, "kernels may use malloc memory", "pageable_memory_access", FACT_YES_NO,
     {cudaDevAttrPageableMemoryAccess}, false},
    {NULL, "... by the host's page tables", "pageable_access_uses_host_page_tables", FACT_YES_NO,
     {cudaDevAttrPageableMemoryAccessUsesHostPageTables}, false},
    {NULL, "kernels may use pinned memory", "can_map_host_memory", FACT_YES_NO,
     {cudaDevAttrCanMapHostMemory}, false},
    {NULL, "memory pools (cudaMallocAsync)", "memory_pools", FACT_YES_NO,
     {cudaDevAttrMemoryPoolsSupported}, false},

    {"Use", "compute mode", "compute_mode", FACT_COMPUTE_MODE,
     {cudaDevAttrComputeMode}, false},
    {NULL, "kernels that run long are stopped", "kernel_time_limit", FACT_YES_NO,
     {cudaDevAttrKernelExecTimeout}, false},
};
/* clang-format on */
const size_t FACT_ROW_COUNT = sizeof FACT_ROWS / sizeof FACT_ROWS[0];

/* Attributes of a row: the ones before the first 0, which is no attribute. */
static int fact_parts(size_t row) {
    int parts = 0;
    while (parts < FACT_PARTS && FACT_ROWS[row].attributes[parts] != 0) parts++;
    return parts;
}

static bool is_measure(FactKind kind) {
    return kind == FACT_MEASURE_COUNT || kind == FACT_MEASURE_BYTES || kind == FACT_MEASURE_KHZ ||
           kind == FACT_MEASURE_BITS;
}

/* As nvidia-smi -L and CUDA_VISIBLE_DEVICES write it. Sixteen zero bytes mean
 * that there is none. */
static void format_uuid(const cudaUUID_t *uuid, char *text, size_t size) {
    static const cudaUUID_t none;
    unsigned char b[16];
    memcpy(b, uuid->bytes, sizeof b);
    text[0] = '\0';
    if (memcmp(uuid->bytes, none.bytes, sizeof none.bytes) == 0) return;
    snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

cudaError_t device_facts_read(int device, DeviceFacts *facts) {
    memset(facts, 0, sizeof *facts);
    facts->device = device;

    struct cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceProperties(&properties, device);
    if (status != cudaSuccess) return status;
    snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    facts->total_memory_bytes = properties.totalGlobalMem;
    format_uuid(&properties.uuid, facts->uuid, sizeof facts->uuid);
    if (cudaDeviceGetPCIBusId(facts->pci_address, (int)sizeof facts->pci_address, device) !=
        cudaSuccess) {
        facts->pci_address[0] = '\0';
    }

    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        for (int part = 0; part < fact_parts(row); part++) {
            int value = 0;
            status = cudaDeviceGetAttribute(&value, FACT_ROWS[row].attributes[part], device);
            facts->value[row][part] = value;
            facts->reported[row][part] =
                status == cudaSuccess && !(is_measure(FACT_ROWS[row].kind) && value <= 0);
        }
    }
    cudaGetLastError(); /* an unknown attribute is an answer, not an error of ours */
    return cudaSuccess;
}

bool device_facts_attribute(const DeviceFacts *facts, enum cudaDeviceAttr attribute, int *value) {
    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        for (int part = 0; part < fact_parts(row); part++) {
            if (FACT_ROWS[row].attributes[part] != attribute) continue;
            *value = facts->value[row][part];
            return facts->reported[row][part];
        }
    }
    return false;
}

bool device_facts_bandwidth_gbps(const DeviceFacts *facts, double *gbps) {
    int clock_khz = 0, bus_bits = 0;
    if (!device_facts_attribute(facts, cudaDevAttrMemoryClockRate, &clock_khz) ||
        !device_facts_attribute(facts, cudaDevAttrGlobalMemoryBusWidth, &bus_bits)) {
        return false;
    }
    /* Memory of this kind moves data on both edges of its clock, hence the 2. */
    *gbps = 2.0 * clock_khz * 1e3 * (bus_bits / 8.0) / 1e9;
    return true;
}

bool device_facts_is_mig(const DeviceFacts *facts, const char *visible) {
    return strstr(facts->name, "MIG") != NULL || strncmp(facts->uuid, "MIG-", 4) == 0 ||
           (visible != NULL && strncmp(visible, "MIG-", 4) == 0);
}

static void format_part(FactKind kind, int value, char *text, size_t size) {
    static const char *const modes[] = {"shared by all processes", "exclusive to a thread",
                                        "prohibited: no process may use it",
                                        "exclusive to one process"};
    switch (kind) {
    case FACT_COUNT:
    case FACT_MEASURE_COUNT: snprintf(text, size, "%d", value); break;
    case FACT_BYTES:
    case FACT_MEASURE_BYTES:
        if (value >= 1 << 20) snprintf(text, size, "%.1f MiB (%d bytes)", value / 1048576.0, value);
        else if (value >= 1 << 10)
            snprintf(text, size, "%.0f KiB (%d bytes)", value / 1024.0, value);
        else snprintf(text, size, "%d bytes", value);
        break;
    case FACT_MEASURE_KHZ: snprintf(text, size, "%.0f MHz", value / 1e3); break;
    case FACT_MEASURE_BITS: snprintf(text, size, "%d bits", value); break;
    case FACT_YES_NO: snprintf(text, size, "%s", value ? "yes" : "no"); break;
    case FACT_COMPUTE_MODE:
        snprintf(text, size, "%s", value >= 0 && value < 4 ? modes[value] : NOT_REPORTED);
        break;
    }
}

void device_facts_format(const DeviceFacts *facts, size_t row, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int part = 0; part < fact_parts(row); part++) {
        char piece[64];
        if (!facts->reported[row][part]) {
            snprintf(text, size, "%s", NOT_REPORTED);
            return;
        }
        format_part(FACT_ROWS[row].kind, facts->value[row][part], piece, sizeof piece);
        int written = snprintf(text + used, size - used, "%s%s", part > 0 ? ", " : "", piece);
        if (written < 0 || (size_t)written >= size - used) return;
        used += (size_t)written;
    }
}

static void print_line(FILE *out, const char *label, const char *text) {
    fprintf(out, "  %-38s %s\n", label, text[0] != '\0' ? text : NOT_REPORTED);
}

void device_facts_print(FILE *out, const DeviceFacts *facts, const char *visible, bool all) {
    char text[128] = "";
    const char *heading = NULL; /* of the rows to come, until it is printed */
    fprintf(out, "Device %d: %s%s\n", facts->device,
            facts->name[0] != '\0' ? facts->name : NOT_REPORTED,
            device_facts_is_mig(facts, visible)
                ? "  (MIG: a slice of a GPU, figures are the slice's)"
                : "");
    if (facts->total_memory_bytes > 0) {
        snprintf(text, sizeof text, "%.2f GiB (%" PRIu64 " bytes)",
                 facts->total_memory_bytes / 1073741824.0, (uint64_t)facts->total_memory_bytes);
    }
    print_line(out, "total memory", text);
    if (all) {
        print_line(out, "PCI address", facts->pci_address);
        print_line(out, "UUID", facts->uuid);
    }

    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        if (FACT_ROWS[row].heading != NULL) heading = FACT_ROWS[row].heading;
        if (all || FACT_ROWS[row].basic) {
            if (heading != NULL) fprintf(out, " %s\n", heading);
            heading = NULL;
            device_facts_format(facts, row, text, sizeof text);
            print_line(out, FACT_ROWS[row].label, text);
        }
        if (FACT_ROWS[row].attributes[0] == cudaDevAttrGlobalMemoryBusWidth) {
            double gbps = 0;
            text[0] = '\0';
            if (device_facts_bandwidth_gbps(facts, &gbps))
                snprintf(text, sizeof text, "%.0f GB/s", gbps);
            if (heading != NULL) fprintf(out, " %s\n", heading);
            heading = NULL;
            print_line(out, "bandwidth in theory: 2 x clock x width", text);
        }
    }
}

void device_facts_print_end(bool all, bool on_cpu_device) {
    if (!all)
        printf("\n--all shows the rest: clocks, buses, registers, grids, what both sides share.\n");
    if (on_cpu_device)
        printf(
            "%sThe CPU device keeps to an H200's limits, so that kernels meet the same ones;\n"
            "its rates are this computer's and say nothing about a GPU.\n",
            all ? "\n" : "");
}

static const char *text_or_null(const char *text) { return text[0] != '\0' ? text : NULL; }

void device_facts_record(Record *record, const DeviceFacts *facts, const char *visible) {
    static const char *const two[] = {"_major", "_minor"}, *const three[] = {"_x", "_y", "_z"};
    double gbps = 0;
    record_count(record, "device", (uint64_t)facts->device);
    record_text(record, "name", text_or_null(facts->name));
    record_text(record, "uuid", text_or_null(facts->uuid));
    record_text(record, "pci_address", text_or_null(facts->pci_address));
    record_flag(record, "mig", device_facts_is_mig(facts, visible));
    record_count(record, "total_memory_bytes", facts->total_memory_bytes);
    bool known = device_facts_bandwidth_gbps(facts, &gbps);
    record_number(record, "bandwidth_theoretical_gbps", known ? gbps : NAN);

    for (size_t row = 0; row < FACT_ROW_COUNT; row++) {
        int parts = fact_parts(row);
        for (int part = 0; part < parts; part++) {
            char key[96];
            int value = facts->value[row][part];
            snprintf(key, sizeof key, "%s%s", FACT_ROWS[row].key,
                     parts == 1 ? "" : (parts == 2 ? two : three)[part]);
            if (!facts->reported[row][part]) record_text(record, key, NULL);
            else if (FACT_ROWS[row].kind == FACT_YES_NO) record_flag(record, key, value != 0);
            else record_number(record, key, value);
        }
    }
}
