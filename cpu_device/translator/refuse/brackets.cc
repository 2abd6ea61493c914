/* A bracket that is missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/problems.h"

namespace {

class Brackets : private Tokens {
  public:
    Brackets(const Source &src, const Names &names) : Tokens(src), names_(names) {}
    Problem unmatched() const;

  private:
    std::string problem(size_t open, size_t i) const;
    bool begins_function(size_t i) const;

    const Names &names_;
};

/* Why token i, a closing bracket or a semicolon, cannot stand where the bracket at token `open` is
 * the last that was opened; empty: it can. */
std::string Brackets::problem(size_t open, size_t i) const {
    const char c = punct(i), opened = punct(open);
    const char wanted = opened == '(' ? ')' : opened == '[' ? ']' : '}';
    if (c == wanted || (c == ';' && opened == '{')) return "";
    if (c == ';' && opened == '(' &&
        (is(open - 1, "for") || is(open - 1, "if") || is(open - 1, "switch") ||
         is(open - 1, "while") || is(open - 1, "constexpr")))
        return "";
    return std::string("expected a \"") + wanted + "\" before \"" + c + "\": the \"" + opened +
           "\" of line " + std::to_string(t_[open].line) + " is not closed";
}

Problem Brackets::unmatched() const {
    std::vector<size_t> open;
    const Problem none = {0, "", false};
    Problem function = none; /* one that begins within another */
    size_t last = 0;
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].system) continue;
        last = i;
        const char c = punct(i);
        if (c == '(' || c == '[' || c == '{') open.push_back(i);
        if (!function.token && begins_function(i))
            for (size_t brace : open)
                if (punct(brace) == '{' && !names_.opens_namespace(brace))
                    function = {i,
                                "expected a \"}\" before this function: the \"{\" of line " +
                                    std::to_string(t_[brace].line) + " is not closed",
                                false};
        if (c != ')' && c != ']' && c != '}' && c != ';') continue;
        if (open.empty() && c != ';') return none; /* one too many: the compiler says so */
        if (open.empty()) continue;
        const std::string why = problem(open.back(), i);
        /* Where the line is that lacks it: that of the ; or ), but a } may be far away. */
        if (!why.empty()) return {c == '}' ? open.back() : i, why, false};
        if (c != ';') open.pop_back();
    }
    if (open.empty()) return none;
    if (function.token) return function;
    return {last,
            "expected a \"}\" at the end of the file: the \"{\" of line " +
                std::to_string(t_[open.back()].line) + " is not closed",
            false};
}

/* What stands at namespace scope alone. */
bool Brackets::begins_function(size_t i) const {
    return (is(i, "__global__") && punct(i - 1) != ']' && !is(i - 1, "friend")) ||
           (is(i, "main") && is(i - 1, "int") && punct(i + 1) == '(');
}

} // namespace

Problem unmatched_bracket(const Source &src, const Names &names) {
    return Brackets(src, names).unmatched();
}
