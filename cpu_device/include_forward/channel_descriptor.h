/* The toolkit has a header of this name: what it declares stands in cuda_runtime_api.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda_runtime_api.h"
