/* The toolkit has a header of this name: what it declares stands in reduce.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cooperative_groups/reduce.h"
