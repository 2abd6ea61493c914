/* Where a source says each name, and which bracket is open where: found once, for all users.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PLACES_H
#define CPU_DEVICE_TRANSLATOR_PLACES_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu_device/translator/tokens.h"

class Places : private Tokens {
  public:
    explicit Places(const Source &src);

    /* Some of the tokens that say a name, in the order of the source. */
    struct Range {
        const size_t *first, *last;
        const size_t *begin() const { return first; }
        const size_t *end() const { return last; }
        size_t size() const { return (size_t)(last - first); }
    };
    /* Returns all tokens that say `name`, those of headers included. */
    Range of(const std::string &name) const;
    /* The same among tokens [first, end). */
    Range of(const std::string &name, size_t first, size_t end) const;

    /* Returns the bracket that is open at token i, and that which i closes; 0: none. */
    size_t around(size_t i) const { return around_[i]; }

  private:
    std::unordered_map<std::string_view, std::vector<size_t>> by_name_;
    std::vector<size_t> around_;
};

#endif
