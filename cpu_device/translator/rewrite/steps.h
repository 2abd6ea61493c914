/* Warps that move in step: writes to volatile arrays, which older programs let the threads of a
 * warp exchange values through, with no barrier between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_STEPS_H
#define CPU_DEVICE_TRANSLATOR_STEPS_H

#include <string>
#include <vector>

#include "cpu_device/translator/tokens.h"

class Steps : private Tokens {
 public:
  explicit Steps(const Source &src);

  /* A function of the device's: its first token, its { and its }. */
  void read(size_t begin, size_t body, size_t body_end);

  /* Tokens that name a volatile array or pointer before the [ ] of an element that is written. */
  const std::vector<size_t> &writes() const { return writes_; }

  struct Warning {
    size_t token;
    std::string message;
  };
  const std::vector<Warning> &warnings() const { return warnings_; }

 private:
  size_t declared(size_t i, size_t end) const;
  bool is_written(size_t name) const;
  bool exchanges(size_t name) const;
  bool barriers_between(size_t first, size_t last) const;
  void warn(const std::vector<size_t> &writes, size_t body, size_t body_end);

  std::vector<std::string> at_file_scope_;
  std::vector<size_t> writes_;
  std::vector<Warning> warnings_;
};

#endif
