/* What device code may not use of the C and C++ libraries, as nvcc refuses it, and what to do
 * instead.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_LIBRARY_H
#define CPU_DEVICE_TRANSLATOR_LIBRARY_H

#include <map>
#include <set>
#include <string>

/* Names by what is said after the refusal; all lists are of names that programs try in kernels. */
using Advice = std::map<std::string, std::string>;

/* Functions of the C library. */
extern const Advice kHostLibrary;
/* Types and objects of namespace std. */
extern const Advice kHostClasses;
/* Functions and types of std that nvcc takes with --expt-relaxed-constexpr alone. */
extern const Advice kConstexprOfStd;
/* Other functions of std; some of them are constexpr since C++20. */
extern const Advice kFunctionsOfStd;
/* Those of the above that are recognised without std:: after `using namespace std`. */
extern const std::set<std::string> kUsedUnqualified;

#endif
