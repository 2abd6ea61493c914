/* Asks the compiler to warn of floats that become double, and not to at a printf.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/doubles.h"

#include <string.h>

namespace {

const char *const kWarnOfDouble = "warning \"-Wdouble-promotion\"";

} // namespace

void Doubles::watch() {
    for (const DeviceFunction &f : device_.functions()) {
        bool initialisers = false; /* of a constructor: the first { need not be the body's */
        for (size_t i = f.begin; i < f.body; ++i) initialisers = initialisers || punct(i) == ':';
        if (!initialisers) watch(f.begin, f.body, f.body_end);
    }
    for (const auto &body : device_.lambdas())
        if (!device_.function_around(body.first)) watch(body.first, body.first, body.second);
}

void Doubles::watch(size_t begin, size_t body, size_t body_end) {
    for (size_t i = begin; i < body_end; ++i)
        if (is(i, "double")) return;
    watched_.emplace_back(body, body_end);
    edits_.watch(body, pragmas(body, true, {"push", kWarnOfDouble}));
    /* Behind the brace, where a missing ';' is reported at the line that lacks it; but before one
     that ends a part of an expression, or a method: bodies in a class are compiled after the class,
     and with them the pragmas in them. */
    const char next = punct(body_end + 1);
    const bool in_expression = next && strchr(";,)]}", next);
    replace(body_end, body_end,
            in_expression || !device_.in_namespace(begin, true)
                ? pragmas(body_end, false, {"pop"}) + "}"
                : "}" + pragmas(body_end, true, {"pop"}));
}

/* GCC diagnostic pragmas on lines of their own, to go before token i, or after it. What
 * follows them keeps its line and column. */
std::string Doubles::pragmas(size_t i, bool after, const std::vector<const char *> &words) const {
    std::string lines;
    for (const char *word : words) lines += std::string("\n#pragma GCC diagnostic ") + word;
    return lines + line_mark(i, after ? t_[i].end : t_[i].begin);
}

/* True if token i, the first of a call, begins a statement that is this call; `last` is its ). */
bool Doubles::is_statement(size_t i, size_t last) const {
    if (punct(last + 1) != ';') return false;
    const char before = punct(i - 1);
    if (before == ';' || before == '{' || before == '}') return true;
    if (is(i - 1, "else") || is(i - 1, "do")) return true;
    if (before == ':') {
        size_t at = i - 1;
        while (punct(at) != ';' && punct(at) != '{' && punct(at) != '}' && !is(at, "case") &&
               !is(at, "default"))
            --at;
        return t_[at].kind == kName;
    }
    if (before != ')') return false;
    const size_t head = opening(i - 1) - 1;
    return is(head, "if") || is(head, "for") || is(head, "while") || is(head, "constexpr");
}

std::string Doubles::calmed(size_t first, size_t last, const std::string &call) {
    bool watched = false;
    for (const auto &body : watched_)
        watched = watched || (body.first < first && last < body.second);
    if (!watched || !is_statement(first, last)) return call;
    replace(last + 1, last + 1, ";" + pragmas(last + 1, true, {kWarnOfDouble}) + "}");
    return "{" + pragmas(first, false, {"ignored \"-Wdouble-promotion\""}) + call;
}
