/* The size of constant memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cpu_device/translator/refuse/problems.h"

/* `name` without its unnamed namespaces. */
static std::string reachable(std::string name) {
    for (size_t at; (at = name.find(kUnnamed)) != std::string::npos;)
        name.erase(at, strlen(kUnnamed));
    return name;
}

/* One static_assert after each variable; the one by which all become too many fails. */
std::vector<Insertion> constant_limits(const Declarations &declarations) {
    std::vector<Insertion> out;
    std::string before;
    for (const Declarations::ConstantVariable &v : declarations.constants()) {
        const std::string sum =
            before + (before.empty() ? "" : " + ") + "sizeof(" + reachable(v.name) + ")";
        const std::string too_many_before = before.empty() ? "" : " || " + before + " > 65536";
        const std::string check =
            "static_assert(" + sum + " <= 65536" + too_many_before +
            ", \"uses too much constant data: the __constant__ variables of a "
            "source take 65536 bytes (0x10000) at most\");";
        out.push_back({v.end, v.token, check});
        before = sum;
    }
    return out;
}
