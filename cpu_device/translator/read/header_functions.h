/* The functions that system headers, CUDA's among them, declare for all: those that a program's
 * call may mean beside its own of the same name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_HEADER_FUNCTIONS_H
#define CPU_DEVICE_TRANSLATOR_HEADER_FUNCTIONS_H

#include <stdint.h>

#include <map>
#include <string>

#include "cpu_device/translator/tokens.h"

class HeaderFunctions : private Tokens {
  public:
    explicit HeaderFunctions(const Source &src);

    /* A function that is seen without more, of C's or CUDA's, takes so many arguments. */
    bool global(const std::string &name, size_t arguments) const {
        return takes(global_, name, arguments);
    }
    /* The same for one of namespace std. */
    bool of_std(const std::string &name, size_t arguments) const {
        return takes(std_, name, arguments);
    }

  private:
    using Functions = std::map<std::string, uint64_t>; /* bit n: takes n arguments */

    void scan(size_t from, size_t to, Functions *into);
    size_t enter_namespace(size_t i, Functions *into);
    uint64_t arities(size_t open) const;
    static bool takes(const Functions &functions, const std::string &name, size_t arguments);

    Functions global_, std_, elsewhere_;
};

#endif
