/* Only base's own files see this.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define PRIVATE_HEADER 1
