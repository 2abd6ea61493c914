/* The edits that make C++ of a .cu file, the text that comes of them, and what is said of the
 * program on the way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_EDITS_H
#define CPU_DEVICE_TRANSLATOR_EDITS_H

#include <map>
#include <string>
#include <vector>

#include "cpu_device/translator/cut/phases.h"
#include "cpu_device/translator/tokens.h"

class Edits : private Tokens {
  public:
    explicit Edits(const Source &src) : Tokens(src) {}

    /* Of edits that replace text from one place on, the last is made; none within text that another
   * replaced. */
    void replace(size_t first, size_t last, const std::string &with) {
        add(t_[first].begin, t_[last].end, with);
    }
    void add(size_t begin, size_t end, const std::string &with) {
        edits_.push_back({begin, end, with});
    }
    void add_after(size_t i, const std::string &text) { add(t_[i].end, t_[i].end, text); }
    bool begins_at(size_t i) const;

    /* Declarations to add behind the { at token `body`. */
    void declare_in(size_t body, const std::string &declarations) {
        in_bodies_[body] += declarations;
    }
    /* The same, and what the body holds then stands in a block of its own. */
    void declare_around(size_t body, const std::string &declarations) {
        in_bodies_[body] += declarations + " {";
        ++blocks_[body];
    }
    /* Pragmas to add there, before these; in the second form of a function they are left out. */
    void watch(size_t body, const std::string &pragmas) { watched_[body] = pragmas; }

    /* An error in the program, or a warning of it, in the line of token i. */
    void fail(size_t i, const std::string &message);
    void warn(size_t i, const std::string &message) const;
    /* Prints what an option asked for, in the line of token i. */
    void note(size_t i, const std::string &message) const;
    bool failed() const { return failed_; }

    /* The whole text with all edits, and with those of `phases` before and above them. What was
   * not replaced keeps its line and column. */
    std::string text(const Phases &phases) const;

  private:
    std::string text(size_t at, size_t end, const std::vector<Edit> &phases,
                     const std::vector<Phases::Copy> &copies, const char *flags) const;
    std::string copy(const Phases::Copy &c) const;
    std::string guarded(const Phases::Copy &c) const;
    std::string back_in_place(const Edit &e, const char *flags) const;
    std::vector<Edit> with_bodies() const;

    std::vector<Edit> edits_;
    std::map<size_t, std::string> in_bodies_, watched_; /* by the {'s token */
    std::map<size_t, size_t> blocks_; /* more } that the body ends with, likewise */
    bool failed_ = false;
};

/* A part of the translator, which looks at tokens and makes edits. */
class Rewriter : protected Tokens {
  protected:
    Rewriter(const Source &src, Edits *edits) : Tokens(src), edits_(*edits) {}

    void replace(size_t first, size_t last, const std::string &with) {
        edits_.replace(first, last, with);
    }
    void fail(size_t i, const std::string &message) { edits_.fail(i, message); }
    void warn(size_t i, const std::string &message) { edits_.warn(i, message); }

    /* A line marker: what follows is, to the compiler's messages, where place `at` of the source
   * is, in the line of token i. flags: the marker's, as " 3". */
    std::string line_mark(size_t i, size_t at, const char *flags = "") const;
    /* A static_assert in a place of its own, of which messages point at token i. */
    std::string asserted(size_t i, const std::string &assertion) const;

    Edits &edits_;
};

#endif
