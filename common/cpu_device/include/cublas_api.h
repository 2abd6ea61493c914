/* Of the toolkit, and not of the CPU device: the message says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#error "<cublas_api.h> is not supported on the CPU device: see docs/cpu_device.md, 'What is supported'"
