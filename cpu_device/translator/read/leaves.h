/* Which device functions never wait: nothing in them can make a thread wait for another, neither
 * a barrier, nor a call that might, nor a loop that another thread's store may have to end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_LEAVES_H
#define CPU_DEVICE_TRANSLATOR_LEAVES_H

#include <map>
#include <set>
#include <string>

#include "cpu_device/translator/read/volatile_names.h"
#include "cpu_device/translator/tokens.h"

class Leaves : private Tokens {
 public:
  explicit Leaves(const Source &src);

  /* A definition: its first token, its { and its }. Functions are noted in their order. */
  void note(const std::string &name, size_t begin, size_t body, size_t body_end);

  /* All functions of this name that were noted never wait; false: none was. */
  bool is_leaf(const std::string &name) const;

  /* The definition waits nowhere but at calls of `waiting`. */
  bool waits_only_at(const std::set<std::string> &waiting, size_t begin, size_t body,
                     size_t body_end) const;

  /* A function of CUDA's or the C library's, or a keyword, that waits for nobody and changes no
   * argument of its. */
  static bool is_harmless(const std::string &name);

 private:
  struct Read {
    bool leaf;
    bool atomics; /* whose results are looked at: a loop around them may wait for others */
  };
  Read read(const std::set<std::string> &waiting, size_t begin, size_t body, size_t body_end) const;
  bool result_is_used(size_t i) const;
  bool is_object(size_t i, size_t begin, size_t body) const;
  bool says_wait(size_t first, size_t last) const;

  bool synchronises(size_t first, size_t last) const;
  size_t unnamed_body(size_t i) const;

  VolatileNames volatile_names_;
  bool objects_wait_;            /* some function object's or device lambda's body may */
  bool unnamed_wait_;            /* some constructor or operator does: no call tells where */
  std::map<std::string, Read> known_;
};

#endif
