/* What cu_to_cpp makes of printf, clock and assert in device code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_PRINTF_H
#define CPU_DEVICE_PRINTF_H

namespace cpu_device {

/* Puts the text into the device's buffer, which is printed when the host waits for the device;
 * on the host, prints it. The number of arguments; -1 for a null format. As on the device a
 * format is flags, width or *, precision in digits, h, l or ll, and one of cdiouxXpeEfgGaAs; any
 * other specification, and those of arguments beyond the 32nd, are printed as they stand. */
int device_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

long device_clock();

/* An assertion failed: says so, for this thread, and the kernel ends with cudaErrorAssert once the
 * other threads have had their turn. Returns only where a thread cannot end alone, in kernels that
 * take a whole block; on the host it ends the program. */
void assert_failed(const char *expression, const char *file, unsigned line, const char *function);

} // namespace cpu_device

#endif
