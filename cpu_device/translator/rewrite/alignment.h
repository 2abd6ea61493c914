/* Where a pointer that a cast has made is followed: see cpu_device/alignment.h.
 *
 *   *(float *)(bytes + 1)            *::cpu_device::aligned<...>((float *)(bytes + 1))
 *   float4 *v = (float4 *)x; v[i]    ::cpu_device::aligned<...>(v)[i]
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_ALIGNMENT_H
#define CPU_DEVICE_TRANSLATOR_ALIGNMENT_H

#include <set>
#include <string>

#include "cpu_device/translator/edits.h"

class Alignment : private Rewriter {
  public:
    Alignment(const Source &src, Edits *edits) : Rewriter(src, edits) {}

    /* Tokens that other edits go around: nothing is done there. */
    void leave(size_t first, size_t last);

    /* A function of the device's: its { and its }. */
    void write(size_t body, size_t body_end);

  private:
    size_t cast_end(size_t i, bool *narrow) const;
    size_t operand_end(size_t i) const;
    void note_variable(size_t cast);
    void write_cast(size_t i, size_t last);
    void write_variable(size_t i);
    void wrap(size_t first, size_t last, bool star);

    std::set<size_t> left_;
    std::set<std::string> variables_;
};

#endif
