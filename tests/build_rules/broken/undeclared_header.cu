/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/build_rules/broken/undeclared.h"

int uses_undeclared(void) { return UNDECLARED; }
