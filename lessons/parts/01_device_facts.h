/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that cudaDeviceGetAttribute says about one device, as a table.
 *
 * Lesson 01 prints and records it. The rule to keep: only attribute queries,
 * no field of cudaDeviceProp beyond name, uuid and totalGlobalMem, because
 * CUDA 13 removed others (clockRate, deviceOverlap, ...) and programs that read
 * them no longer compile. What a device does not answer is "not reported",
 * never a guess, and never a 0 that a caller would divide by. */
#ifndef LESSONS_DEVICE_FACTS_H_
#define LESSONS_DEVICE_FACTS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cuda_runtime_api.h>

#include "common/record.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FACT_PARTS = 3, FACT_ROWS_MAX = 64, FACT_NAME_SIZE = 256, FACT_ID_SIZE = 64 };

/* How a fact's number is written. A "measure" is a quantity that no device has
 * 0 of (a clock, a bus width): there 0 means that the driver does not know. */
typedef enum {
    FACT_COUNT,
    FACT_MEASURE_COUNT,
    FACT_BYTES,
    FACT_MEASURE_BYTES,
    FACT_MEASURE_KHZ,
    FACT_MEASURE_BITS,
    FACT_YES_NO,
    FACT_COMPUTE_MODE,
} FactKind;

/* One row of the table: a heading (null: under the one before), what it is in
 * words, its key in JSON, and one to three attributes that belong together (the
 * rest 0). */
typedef struct {
    const char *heading;
    const char *label;
    const char *key;
    FactKind kind;
    enum cudaDeviceAttr attributes[FACT_PARTS];
    bool basic; /* shown without --all: what lessons 02 to 10 build on */
} FactRow;

extern const FactRow FACT_ROWS[];
extern const size_t FACT_ROW_COUNT;

/* The answers of one device. value[row][part] counts only where
 * reported[row][part] is true. Text is empty where it is not reported. */
typedef struct {
    int device;
    char name[FACT_NAME_SIZE];
    char uuid[FACT_ID_SIZE];
    char pci_address[FACT_ID_SIZE];
    size_t total_memory_bytes;
    bool reported[FACT_ROWS_MAX][FACT_PARTS];
    int value[FACT_ROWS_MAX][FACT_PARTS];
} DeviceFacts;

/* Asks the device all questions of the table. An attribute that it does not
 * answer is left as not reported, and no CUDA error stays behind.
 * Errors: the status of cudaGetDeviceProperties (no such device, no driver). */
cudaError_t device_facts_read(int device, DeviceFacts *facts);

/* True, and *value set, where the device reported that attribute. */
bool device_facts_attribute(const DeviceFacts *facts, enum cudaDeviceAttr attribute, int *value);

/* Peak of the memory bus in GB/s (10^9 bytes): two transfers per memory clock
 * times the width of the bus. False where clock or width are not reported. */
bool device_facts_bandwidth_gbps(const DeviceFacts *facts, double *gbps);

/* True where the device is a slice of a GPU (Multi-Instance GPU): its figures
 * are the slice's, not the card's. visible is CUDA_VISIBLE_DEVICES or null. */
bool device_facts_is_mig(const DeviceFacts *facts, const char *visible);

/* One fact as text, "not reported" where any of its parts is unknown. */
void device_facts_format(const DeviceFacts *facts, size_t row, char *text, size_t size);

/* The basic facts of one device, or all, as a two-column table with headings. */
void device_facts_print(FILE *out, const DeviceFacts *facts, const char *visible, bool all);

/* What stands below the tables: where the rest is, and what the CPU device's figures mean. */
void device_facts_print_end(bool all, bool on_cpu_device);

/* All facts of one device into a record, by the table's keys: whole numbers, true
 * or false for yes and no, null for what is not reported. A fact of several parts
 * becomes several keys: "..._major", "..._minor"; "..._x", "..._y", "..._z". */
void device_facts_record(Record *record, const DeviceFacts *facts, const char *visible);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_DEVICE_FACTS_H_ */
