/* Names that stand for volatile memory: what a declaration with `volatile` declares, and what is
 * declared with a type of which such a declaration made another name.
 *
 *   volatile __shared__ float tile[64];      tile
 *   typedef volatile int *Flags;             Flags, and what is declared with it
 *   struct Box { volatile int full; };       full
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_VOLATILE_NAMES_H
#define CPU_DEVICE_TRANSLATOR_VOLATILE_NAMES_H

#include <set>
#include <string>

#include "cpu_device/translator/tokens.h"

class VolatileNames : private Tokens {
  public:
    explicit VolatileNames(const Source &src);

    /* Declared outside of functions: variables, members, and other names of types. */
    bool holds(const std::string &name) const { return outside_.count(name) != 0; }
    bool holds(size_t i) const {
        return t_[i].kind == kName && !outside_.empty() && holds(text(i));
    }

    /* The names that a function or lambda knows so: those, and what it declares from token `begin`
   * to `end` itself, but for arrays of its own, which no other thread sees. */
    std::set<std::string> in(size_t begin, size_t end) const;

  private:
    std::vector<size_t> declared(size_t i, size_t end) const;
    bool begins_own_array(size_t i, size_t name) const;
    bool is_given_volatile(size_t i, size_t end) const;
    void add_declared(size_t i, size_t begin, size_t end, std::set<std::string> *names) const;

    std::set<std::string> outside_, types_;
};

#endif
