/* OpenGL's, where it is installed; else the message says what is missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if __has_include_next(<GLFW/glfw3.h>)
#include_next <GLFW/glfw3.h>
#else
#error "<GLFW/glfw3.h> is OpenGL's and no part of the CPU device: install it, and name its folder with -I; see docs/cpu_device.md, 'What is supported'"
#endif
