/* The older place of nvtx3/nvToolsExt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "nvtx3/nvToolsExt.h"
