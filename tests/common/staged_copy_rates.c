/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of copies of a fresh pageable array: cudaMemcpy against staged copies of
 * several settings. For choosing the defaults in common/staged_copy.c:
 *   bazel run --config=gpu //tests/common:staged_copy_rates -- 921600000 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/options.h"
#include "common/parallel.h"
#include "common/philox.h"
#include "common/staged_copy.h"
#include "common/text.h"
#include "common/timer.h"

enum { TURNS = 5 };

/* Best of a few turns, each with an array that was just allocated. */
static double to_device_gbps(char *d, size_t bytes, bool staged) {
    double best_ms = 1e300;
    for (int turn = 0; turn < TURNS; turn++) {
        char *x = malloc(bytes);
        if (x == NULL) exit(1);
        philox_bits_fill((uint32_t *)x, bytes / 4, (uint64_t)turn);
        double start_ms = host_clock_ms();
        CUDA_CHECK(staged ? staged_copy_to_device(d, x, bytes)
                          : cudaMemcpy(d, x, bytes, cudaMemcpyHostToDevice));
        double ms = host_clock_ms() - start_ms;
        best_ms = ms < best_ms ? ms : best_ms;
        free(x);
    }
    return gbps_from((double)bytes, best_ms);
}

/* fresh: into memory that no page of has been touched. */
static double to_host_gbps(const char *d, size_t bytes, bool staged, bool fresh) {
    double best_ms = 1e300;
    for (int turn = 0; turn < TURNS; turn++) {
        char *x = malloc(bytes);
        if (x == NULL) exit(1);
        if (!fresh) memset(x, turn + 1, bytes);
        double start_ms = host_clock_ms();
        CUDA_CHECK(staged ? staged_copy_to_host(x, d, bytes)
                          : cudaMemcpy(x, d, bytes, cudaMemcpyDeviceToHost));
        double ms = host_clock_ms() - start_ms;
        best_ms = ms < best_ms ? ms : best_ms;
        free(x);
    }
    return gbps_from((double)bytes, best_ms);
}

static void print_line(const char *name, char *d, size_t bytes, bool staged) {
    printf("%-44s %10.2f %12.2f %12.2f\n", name, to_device_gbps(d, bytes, staged),
           to_host_gbps(d, bytes, staged, false), to_host_gbps(d, bytes, staged, true));
    fflush(stdout);
}

int main(int argc, char **argv) {
    uint64_t bytes = 921600000;
    char *d;
    if (argc > 1 && !parse_size(argv[1], 4096, (uint64_t)1 << 40, &bytes)) {
        fprintf(stderr, "%s: \"%s\" is no number of bytes\n", argv[0], argv[1]);
        return 2;
    }
    bytes = bytes / 4 * 4;
    CUDA_CHECK(cudaMalloc((void **)&d, bytes));
    printf("%s, %zu cores, best of %d\n", text_bytes((double)bytes), parallel_threads(), TURNS);
    printf("%-44s %10s %12s %12s\n", "GB/s", "to device", "to host", "to fresh");
    print_line("cudaMemcpy", d, bytes, false);
    print_line("defaults", d, bytes, true);
    const size_t slot_kib[] = {256, 512, 1024, 2048, 4096, 8192};
    const size_t threads[] = {4, 8, 12, 16};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        for (size_t s = 0; s < sizeof slot_kib / sizeof slot_kib[0]; s++) {
            for (int plain = 0; plain < 2; plain++) {
                StagedCopyConfig config = {.threads = threads[t],
                                           .slot_bytes = slot_kib[s] << 10,
                                           .slots = slot_kib[s] < 1024 ? 4 : 2,
                                           .plain_stores = plain != 0};
                if (threads[t] > parallel_threads()) continue;
                CUDA_CHECK(staged_copy_configure(&config));
                print_line(text_format("%zu threads, %zu x %zu KiB, %s stores", config.threads,
                                       config.slots, slot_kib[s], plain ? "plain" : "streaming"),
                           d, bytes, true);
            }
        }
    }
    CUDA_CHECK(staged_copy_release());
    CUDA_CHECK(cudaFree(d));
    return 0;
}
