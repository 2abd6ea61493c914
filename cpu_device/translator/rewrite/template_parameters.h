/* template <class T, int N = 4, class...> as the arguments <T, N, Ts...> that name the template within
 * itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_TEMPLATE_PARAMETERS_H
#define CPU_DEVICE_TRANSLATOR_TEMPLATE_PARAMETERS_H

#include <map>
#include <string>

#include "cpu_device/translator/edits.h"

class TemplateParameters : private Rewriter {
  public:
    TemplateParameters(const Source &src, Edits *edits) : Rewriter(src, edits) {}

    /* Returns true if the declaration whose first token is `first` is a template's. */
    bool begin_at(size_t first);

    /* template <>: an instance of a template stands by itself. */
    bool empty() const { return close_ == open_ + 1; }
    /* Returns the arguments, brackets included. A parameter that has no name is given one. */
    std::string arguments();
    /* Returns template <...> as it stands, with the names that arguments() gave. */
    std::string head() const;

  private:
    size_t after_bracket(size_t i) const;
    size_t end_of_parameter(size_t i) const;
    std::string parameter_name(size_t first, size_t end);
    std::string given_name(size_t i);

    size_t open_ = 0, close_ = 0;         /* < and > */
    std::map<size_t, std::string> given_; /* by the token that they follow */
};

#endif
