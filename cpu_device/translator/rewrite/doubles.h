/* Floats that become double. In device code that never says "double", one that does comes of a
 * literal such as 0.5 for 0.5f, or of a constant: the compiler is asked to warn there, and only
 * there. The arguments of a printf do become double, and may.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_DOUBLES_H
#define CPU_DEVICE_TRANSLATOR_DOUBLES_H

#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/edits.h"

class Doubles : private Rewriter {
  public:
    Doubles(const Source &src, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), device_(device) {}

    /* Puts device code that never says "double" between pragmas. */
    void watch();

    /* `call` is to take the place of a call's name, [first, name]; the call ends at token last.
   * Returns what is to stand there so that it is not warned of. */
    std::string calmed(size_t first, size_t last, const std::string &call);

  private:
    void watch(size_t begin, size_t body, size_t body_end);
    std::string pragmas(size_t i, bool after, const std::vector<const char *> &words) const;
    bool is_statement(size_t i, size_t last) const;

    const DeviceCode &device_;
    std::vector<std::pair<size_t, size_t>> watched_; /* tokens of { and } */
};

#endif
