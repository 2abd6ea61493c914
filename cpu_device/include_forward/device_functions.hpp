/* The toolkit has a header of this name: what it declares stands in device_functions.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_functions.h"
