/* SDL's, where it is installed; else the message says what is missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if __has_include_next(<SDL2/SDL.h>)
#include_next <SDL2/SDL.h>
#else
#error "<SDL2/SDL.h> is SDL's and no part of the CPU device: install it, and name its folder with -I; see docs/cpu_device.md, 'What is supported'"
#endif
