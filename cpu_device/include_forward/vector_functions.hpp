/* The toolkit has a header of this name: what it declares stands in vector_functions.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "vector_functions.h"
