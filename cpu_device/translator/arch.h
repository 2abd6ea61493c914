/* __CUDA_ARCH__: device code that is written once for the host and once for the device.
 *
 * nvcc reads a source several times, with __CUDA_ARCH__ defined for the device alone. Here the
 * program is one, so both readings are put together: bodies of device functions come from the
 * device's reading, all else from the host's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_ARCH_H
#define CPU_DEVICE_TRANSLATOR_ARCH_H

#include <string>

#include "cpu_device/translator/tokens.h"

/* Some file of the program's own speaks of __CUDA_ARCH__. */
bool mentions_arch(const Source &source);

/* The text of `host`, where functions that are the device's alone are those of `device`, and
 * functions of both, where they differ, ask at run time where they are. A function is the same
 * in both readings if its file and its declaration are. */
std::string merged_readings(const Source &host, const Source &device);

#endif
