/* The toolkit has a header of this name: what it declares stands in driver_types.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "driver_types.h"
