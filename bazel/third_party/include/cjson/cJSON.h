/* One spelling of cJSON's header for both places it comes from (see ../../BUILD).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cJSON.h> /* IWYU pragma: export */
