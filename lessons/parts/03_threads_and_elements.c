/* SPDX-License-Identifier: Apache-2.0 */
/* See 03_threads_and_elements.h. Part of a lesson's main, so CUDA_CHECK may exit. */
#include "lessons/parts/03_threads_and_elements.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "common/check.h"
#include "common/lesson_pictures.h"
#include "common/lesson_table.h"
#include "common/recorded.h"
#include "kernels/tuned/elementwise.h"
#include "kernels/add.h"

enum { SIGNED_MAX = 2000000 };

/* The first and last elements of blocks, one in the middle, and the last of all. */
static size_t pick_elements(size_t n, size_t *elements) {
    const size_t wished[] = {0, 255, 256, 1000003, n - 1};
    size_t count = 0;
    for (size_t i = 0; i < sizeof wished / sizeof wished[0]; i++) {
        if (wished[i] < n && (count == 0 || wished[i] > elements[count - 1])) {
            elements[count++] = wished[i];
        }
    }
    return count;
}

/* Counts elements whose recorded owner is not block i / BLOCK, thread i % BLOCK. */
static size_t count_wrong_owners(size_t n, const uint32_t *block, const uint32_t *thread) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += block[i] != i / BLOCK || thread[i] != i % BLOCK;
    return wrong;
}

/* How many elements are signed: two 4-byte numbers each, in half of what the lesson's own
 * arrays have left. */
static size_t signatures_that_fit(size_t n) {
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    size_t most = free_bytes / 16 < SIGNED_MAX ? free_bytes / 16 : SIGNED_MAX;
    return n < most ? n : most;
}

bool show_threads_and_elements(Lesson *lesson, size_t n) {
    const size_t signed_n = signatures_that_fit(n);
    const size_t bytes = signed_n * sizeof(uint32_t);
    uint32_t *block = malloc(bytes), *thread = malloc(bytes);
    uint32_t *d_block = NULL, *d_thread = NULL;
    if (block == NULL || thread == NULL) {
        fprintf(stderr, "no host memory for %s\n", text_bytes(2.0 * (double)bytes));
        exit(LESSON_WRONG);
    }
    CUDA_CHECK(cudaMalloc((void **)&d_block, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_thread, bytes));
    CUDA_CHECK(cudaMemset(d_block, 0xFF, bytes));
    CUDA_CHECK(cudaMemset(d_thread, 0xFF, bytes));
    CUDA_CHECK(owner_one_per_thread_gpu(signed_n, d_block, d_thread, BLOCK, 0));
    CUDA_CHECK(cudaMemcpy(block, d_block, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(thread, d_thread, bytes, cudaMemcpyDeviceToHost));

    ElementwisePlan plan = elementwise_plan(n, NULL, NULL, NULL);
    printf("3. Threads and elements:\n");
    printf("   Textbook: %s of %d, one element each, i = block * %d + thread.\n",
           text_counted(one_per_thread_blocks(n, BLOCK), "block"), BLOCK, BLOCK);
    printf("   Wide: %s of %u; a thread takes %u neighbours at a time.\n\n",
           text_counted(plan.blocks, "block"), plan.threads, plan.width);
    printf("   %13s   %-27s %s\n", "element", "textbook, (by formula)", "wide");

    size_t elements[8], count = pick_elements(n, elements);
    for (size_t k = 0; k < count; k++) {
        size_t i = elements[k], kit_block = 0;
        unsigned kit_thread = 0;
        char signature[64];
        elementwise_owner(&plan, i, &kit_block, &kit_thread);
        if (i < signed_n) {
            snprintf(signature, sizeof signature, "block %s, thread %u", text_count(block[i]),
                     thread[i]);
        } else {
            snprintf(signature, sizeof signature, "(block %s, thread %zu)", text_count(i / BLOCK),
                     i % BLOCK);
        }
        const bool left_over = plan.width > 1 && i >= plan.head + plan.groups * plan.width;
        printf("   %13s   %-27s block %s, thread %u%s\n", text_count(i), signature,
               text_count(kit_block), kit_thread, left_over ? " (left over)" : "");
    }

    size_t wrong = count_wrong_owners(signed_n, block, thread);
    printf("   %s elements checked: %s say block i / %d, thread i %% %d.\n\n", text_count(signed_n),
           wrong == 0 ? "all" : text_format("only %s", text_count(signed_n - wrong)), BLOCK, BLOCK);
    record_count(lesson->record, "owners_checked", signed_n);
    record_count(lesson->record, "owners_wrong", wrong);
    cudaFree(d_block);
    cudaFree(d_thread);
    free(block);
    free(thread);
    return wrong == 0;
}

/* How many of the floats behind element n - 1 no longer hold the poison. */
static size_t count_strays(const float *d_out, size_t n, size_t room) {
    float tail[BLOCK];
    unsigned char poison[sizeof(float)];
    size_t strays = 0;
    memset(poison, LAB_POISON_BYTE, sizeof poison);
    CUDA_CHECK(cudaMemcpy(tail, d_out + n, (room - n) * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < room - n; i++) strays += memcmp(&tail[i], poison, sizeof poison) != 0;
    return strays;
}

bool show_bounds_guard(Lesson *lesson) {
    const size_t n = 1000, blocks = one_per_thread_blocks(n, BLOCK), room = blocks * BLOCK;
    float *d_in = NULL, *d_out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_in, room * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_out, room * sizeof(float)));
    CUDA_CHECK(cudaMemset(d_in, 0, room * sizeof(float)));

    CUDA_CHECK(cudaMemset(d_out, LAB_POISON_BYTE, room * sizeof(float)));
    CUDA_CHECK(add_one_per_thread_gpu(n, d_in, d_in, d_out, BLOCK, 0));
    size_t with_guard = count_strays(d_out, n, room);

    CUDA_CHECK(cudaMemset(d_out, LAB_POISON_BYTE, room * sizeof(float)));
    CUDA_CHECK(add_without_guard_gpu(n, d_in, d_in, d_out, BLOCK, 0));
    size_t without_guard = count_strays(d_out, n, room);
    cudaFree(d_in);
    cudaFree(d_out);

    printf(
        "   The bounds guard, if (i < n): %s elements need %s blocks, %s threads.\n"
        "   The last %zu threads of block %s have no element. Floats that they write\n"
        "   behind the end: with the guard %zu, without it %zu. In a real program that\n"
        "   is another array's memory.\n\n",
        text_count(n), text_count(blocks), text_count(room), room - n, text_count(blocks - 1),
        with_guard, without_guard);
    record_count(lesson->record, "strays_with_guard", with_guard);
    record_count(lesson->record, "strays_without_guard", without_guard);
    if (lesson->options.plot_path != NULL)
        lesson_picture(lesson, "owners",
                       picture_owners(&(OwnersPicture){n, BLOCK, with_guard, without_guard}));
    return with_guard == 0 && without_guard == room - n;
}

void show_wide_owner(ElementwisePlan plan, size_t element) {
    size_t block = 0;
    unsigned thread = 0;
    elementwise_owner(&plan, element, &block, &thread);
    printf("     element %s is the work of block %s of %s, thread %u of %u\n", text_count(element),
           text_count(block), text_count(plan.blocks), thread, plan.threads);
}

/* Read and written for each element: x, the square; the square, x, the result. Fused: x, the
 * result. */
static const double TWO_STEPS_BYTES = 20, FUSED_BYTES = 8;

/* On the CPU device as a GPU took it; in a dbg build without times, which would say nothing. */
static void draw_fusion(Lesson *lesson, size_t n, const TimerStats *two_steps,
                        const TimerStats *fused) {
    TimerStats recorded[2];
    FusionPicture drawn = {.n = n, .device = lesson->device_name};
    if (lesson->on_cpu_device) {
        recorded_timer(lesson->name, "/operations/2/time", &recorded[0]);
        recorded_timer(lesson->name, "/operations/3/time", &recorded[1]);
        two_steps = &recorded[0], fused = &recorded[1];
        drawn.n = recorded_count(lesson->name, "/n");
        drawn.device = recorded_label();
    }
    if (lesson->on_cpu_device || lesson->optimised)
        drawn.two_steps = text_time(two_steps), drawn.fused = text_time(fused);
    lesson_picture(lesson, "fusion", picture_fusion(&drawn));
}

void show_fusion(Lesson *lesson, size_t n, const TimerStats *two_steps, const TimerStats *fused) {
    lesson_recorded_note(lesson);
    if (lesson->options.plot_path != NULL) draw_fusion(lesson, n, two_steps, fused);
    printf(
        "\n   x**2 * x as two operators writes x**2 to memory and reads it back: %s\n"
        "   against %s for the fused form, %.1f times as much.\n   ",
        text_bytes(TWO_STEPS_BYTES * (double)n), text_bytes(FUSED_BYTES * (double)n),
        TWO_STEPS_BYTES / FUSED_BYTES);
    if (lesson->on_cpu_device) {
        printf("The recorded times differ as much.\n\n");
    } else if (!lesson->optimised || two_steps->doubtful || fused->doubtful) {
        printf("(Times too doubtful for a ratio.)\n\n");
    } else {
        printf("It took %.1f times as long.\n\n", two_steps->median_ms / fused->median_ms);
    }
}
