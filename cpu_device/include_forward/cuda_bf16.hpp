/* The toolkit has a header of this name: what it declares stands in cuda_bf16.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda_bf16.h"
