/* What names mean at a place of a .cu file: where a declaration holds, which names are the device's
 * built-in variables, which function a call may mean, which code is whose. Facts alone: what nvcc
 * refuses is in refuse/.
 *
 * This reads declarations by their looks and not as a compiler does. So it speaks only where a
 * name can mean but one thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_NAMES_H
#define CPU_DEVICE_TRANSLATOR_NAMES_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/read/declarations.h"
#include "cpu_device/translator/read/places.h"
#include "cpu_device/translator/tokens.h"

class Names : private Tokens {
  public:
    using Function = Declarations::Function;

    explicit Names(const Source &src);

    const Places &places() const { return places_; }
    const Declarations &declarations() const { return declarations_; }

    /* Token i means threadIdx, blockIdx, blockDim or gridDim as the device has them, and no
   * variable or member that the program calls so. */
    bool is_builtin(size_t i) const;

    /* What gives the built-in variable of that name: threadIdx, blockIdx, blockDim or gridDim. */
    static std::string builtin_call(const std::string &name);

    /* ---- names.cc: where a name is declared, and where that holds ---- */

    /* True if the name at token i is declared there: a variable, a parameter or a member. */
    bool declares(size_t i) const;

    /* Returns the last token at which what is declared at token i can be seen. */
    size_t scope_end(size_t i) const;

    /* True if a variable, parameter or member of this name can be seen at token i. */
    bool sees_variable(size_t i) const;

    /* True if the name is declared in the function, its parameters included; in a class's, also as a
   * member of any. */
    bool declared_in(const Function &f, const std::string &name) const;

    /* The same anywhere in the program, as something other than a function. */
    bool declared_as_variable(const std::string &name) const;

    /* True if the program itself declares a function, or a type, of this name. */
    bool is_function(const std::string &name) const { return !declarations_.named(name).empty(); }
    bool is_type(const std::string &name) const;

    /* Returns the numbers of the program's that are declared const, outside of functions. */
    std::vector<std::string> constants() const;

    /* { of `namespace a {` or `extern "C" {`. */
    bool opens_namespace(size_t i) const;

    /* ---- names_uses.cc: what is done with a name ---- */

    /* Within sizeof(...), decltype(...) and such, where a name is not used. */
    bool unevaluated(size_t i) const;

    /* Token i is called as a function: name(...) or name<...>(...), and not a member. */
    bool is_call(size_t i) const;

    /* The variable at token i is stored to: name = ..., name[i].x += ..., ++name. */
    bool is_written(size_t i) const;

    /* Returns how often the program says a name. */
    size_t uses_of(const std::string &name) const;

    /* Returns the program's functions that the call at token i may mean, by their names. */
    std::vector<const Function *> callees(size_t i) const;

    /* A stretch of a function's body that one side alone runs. */
    struct Part {
        size_t first, end;
    };
    Part device_part(const Function &f) const;
    Part host_part(const Function &f) const;

    /* Returns the function, method or lambda in whose body token i stands; null: none. */
    const Function *innermost_function(size_t i) const;

  private:
    bool holds_arguments(size_t open) const;

    const Places places_;
    const Declarations declarations_;
    std::map<std::string, std::vector<std::pair<size_t, size_t>>> hidden_; /* built-in names */
};

#endif
