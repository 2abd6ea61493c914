/* How programs are built on the machine that the tests pretend: see ../../BUILD.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define BUILD_DEVICE "gpu"
#define BUILD_DEVICE_REASON "A GPU was found."
#define BUILD_ARCHS "sm_80 compute_90"
