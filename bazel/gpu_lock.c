/* Linked into every GPU test: waits at the start until no other test uses the GPU, and
 * holds it to the end, so that tests side by side (--local_test_jobs) neither run out of
 * device memory nor disturb each other's times. Only test programs link it.
 * LAB_GPU_LOCK=0 turns it off.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The driver's own device files come first: sandboxes share them, unlike /tmp. */
static const char *const lock_files[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg",
                                         "/tmp/cuda_lab_gpu_lock"};

__attribute__((constructor)) static void lock_gpu(void) {
    const char *setting = getenv("LAB_GPU_LOCK");
    if (setting && strcmp(setting, "0") == 0) return;
    for (size_t i = 0; i < sizeof lock_files / sizeof *lock_files; i++) {
        int is_last = i + 1 == sizeof lock_files / sizeof *lock_files;
        int fd = open(lock_files[i], O_RDONLY | O_CLOEXEC | (is_last ? O_CREAT : 0), 0666);
        if (fd < 0) continue;
        if (flock(fd, LOCK_EX) == 0) return; /* released when the process ends */
        close(fd);
    }
}
