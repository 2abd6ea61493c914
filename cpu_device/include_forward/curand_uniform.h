/* The toolkit has a header of this name: what it declares stands in curand_kernel.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "curand_kernel.h"
