/* What is wrong with a launch, as far as names and numbers show.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_LAUNCH_RULES_H
#define CPU_DEVICE_TRANSLATOR_LAUNCH_RULES_H

#include <string>
#include <utility>

#include "cpu_device/translator/read/header_functions.h"
#include "cpu_device/translator/read/names.h"

class LaunchRules : private Tokens {
  public:
    LaunchRules(const Source &src, const Names &names)
        : Tokens(src), names_(names), declarations_(names.declarations()) {}

    /* Returns why `token`, the name before <<<, is no kernel; empty where it may be one. */
    std::string launch_problem(size_t token) const;

    /* Returns why the arguments in the parentheses at token `open` cannot be those of the kernel that
   * `token` names, by their number; empty where they may be. */
    std::string argument_problem(size_t token, size_t open) const;

    /* Returns a lambda among the arguments there that is not marked __device__; 0: none. */
    size_t host_lambda(size_t token, size_t open) const;

  private:
    std::pair<size_t, size_t> arity(const Declarations::Function &f) const;

    const Names &names_;
    const Declarations &declarations_;
};

#endif
