/* Where the lanes of a warp that went different ways come together again: behind an if or a switch,
 * and in front of each round of a loop. A GPU's lanes do so by themselves. Here only those
 * branches and loops need it in which lanes look at each other without naming a mask: see
 * steps.h and sites.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_RECONVERGENCE_H
#define CPU_DEVICE_TRANSLATOR_RECONVERGENCE_H

#include <map>
#include <string>
#include <vector>

#include "cpu_device/translator/edits.h"

class Reconvergence : private Rewriter {
  public:
    Reconvergence(const Source &src, Edits *edits) : Rewriter(src, edits) {}

    /* In the function whose body begins at token `body`, lanes look at each other at token `i`. */
    void add(size_t body, size_t i) { points_[body].push_back(i); }

    /* There, cu_path says from where the function was called. */
    void add_path(size_t body);

    /* The site of the n-th thing at token i, as an expression: it grows along the function. */
    std::string site(size_t body, size_t i, size_t n) const;

    void write();

  private:
    bool in_lambda(size_t body, size_t i) const;
    size_t statement_end(size_t i) const;
    bool any_in(size_t body, size_t first, size_t last) const;
    void write_branch(size_t body, size_t i);
    void write_loop(size_t body, size_t i);

    std::map<size_t, std::vector<size_t>> points_; /* by the {'s token */
    std::map<size_t, bool> paths_;
    std::map<size_t, size_t> ends_; /* branches that end at a token */
};

#endif
