/* SPDX-License-Identifier: Apache-2.0 */
#define UNDECLARED 1
