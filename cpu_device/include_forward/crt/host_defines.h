/* The toolkit has a header of this name: what it declares stands in host_defines.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host_defines.h"
