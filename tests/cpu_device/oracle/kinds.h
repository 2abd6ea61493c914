/* Kinds of variables, from types as clang writes them, in the words of the translator's beliefs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CPU_DEVICE_ORACLE_KINDS_H
#define TESTS_CPU_DEVICE_ORACLE_KINDS_H

#include <map>
#include <set>
#include <string>

namespace oracle {

/* Names of types that a program declares. */
struct TypeNames {
    std::map<std::string, std::string> aliases; /* and the type that each stands for */
    std::map<std::string, std::map<std::string, std::string>>
        structures; /* their data members' types */
    std::set<std::string> enumerations, template_types;
};

/* "array of 1 dimension of pointer to number" of "float *[4]". */
std::string kind_of(const std::string &type, const TypeNames &names);

} // namespace oracle

#endif
