/* Brings lanes together again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/reconvergence.h"

/* So many things at one token have numbers: two of a write's, a loop's round, ends of branches. */
enum { kThings = 16, kFirstEnd = 4 };

void Reconvergence::add_path(size_t body) {
    if (paths_[body]) return;
    paths_[body] = true;
    edits_.declare_in(body, " const ::cpu_device::Path cu_path; ");
}

/* A lambda stands around token i: the function's variables are not its own. */
bool Reconvergence::in_lambda(size_t body, size_t i) const {
    for (size_t j = body + 1; j < i; ++j)
        if (punct(j) == '{' && closing(j) > i) {
            size_t before = j - 1;
            while (before > body &&
                   (is(before, "mutable") || is(before, "__device__") || is(before, "__host__")))
                --before;
            if (punct(before) == ')') before = opening(before) - 1;
            while (before > body && (is(before, "__device__") || is(before, "__host__"))) --before;
            if (punct(before) == ']') return true;
        }
    return false;
}

std::string Reconvergence::site(size_t body, size_t i, size_t n) const {
    const std::string place = std::to_string(kThings * i + n);
    return paths_.count(body) && !in_lambda(body, i)
               ? "cu_path.site(" + place + ")"
               : "::cpu_device::site_in_kernel(" + place + ")";
}

void Reconvergence::write() {
    for (const auto &function : points_) {
        const size_t body = function.first;
        /* Inner ones first: where several end at one token, that is the order of their ends. */
        for (size_t i = closing(body); --i > body;) {
            if (is(i, "switch") || (is(i, "if") && !is(i - 1, "else"))) write_branch(body, i);
            if (is(i, "for") || (is(i, "while") && punct(i + 1) == '(')) write_loop(body, i);
        }
    }
}

bool Reconvergence::any_in(size_t body, size_t first, size_t last) const {
    for (size_t i : points_.at(body))
        if (first < i && i < last) return true;
    return false;
}

/* The last token of the statement that begins at token i. */
size_t Reconvergence::statement_end(size_t i) const {
    if (punct(i) == '{') return closing(i);
    if (is(i, "for") || is(i, "while") || is(i, "switch")) return statement_end(closing(i + 1) + 1);
    if (is(i, "if")) {
        const size_t last = statement_end(closing(i + 1) + 1);
        return is(last + 1, "else") ? statement_end(last + 2) : last;
    }
    if (is(i, "do")) i = statement_end(i + 1) + 1;
    while (i + 1 < t_.size() && punct(i) != ';' && punct(i) != '}') {
        const char c = punct(i);
        i = (c == '(' || c == '[' || c == '{' ? closing(i) : i) + 1;
    }
    return i;
}

void Reconvergence::write_branch(size_t body, size_t i) {
    const size_t last = statement_end(i);
    if (last >= closing(body) || !any_in(body, closing(i + 1), last)) return;
    const size_t n = kFirstEnd + ends_[last]++ % (kThings - kFirstEnd);
    edits_.add(t_[i].begin, t_[i].begin, "{");
    edits_.add_after(last, "::cpu_device::step(" + site(body, last, n) + ");}");
}

/* In the loop's condition: behind `continue`, and behind what is still in the round before. */
void Reconvergence::write_loop(size_t body, size_t i) {
    const bool closes_do = is(i, "while") && punct(i - 1) == '}' && is(opening(i - 1) - 1, "do");
    const size_t open = i + 1, close = closing(open);
    const size_t first = closes_do ? opening(i - 1) : close,
                 last = closes_do ? i : statement_end(i);
    if (!any_in(body, first, last)) return;
    size_t condition = open + 1, end = close;
    if (is(i, "for")) {
        while (condition < close && punct(condition) != ';') {
            const char c = punct(condition);
            condition = (c == '(' || c == '[' || c == '{' ? closing(condition) : condition) + 1;
        }
        if (condition++ >= close) return; /* over a range */
        for (end = condition; punct(end) != ';';)
            end = (strchr("([{", punct(end) ? punct(end) : 'x') ? closing(end) : end) + 1;
    }
    for (size_t j = condition; j < end; ++j) /* one that declares something */
        if (t_[j].kind == kName && (t_[j + 1].kind == kName || is(j, "auto"))) return;
    const std::string round = "::cpu_device::stepped(" + site(body, last, 2) + ")";
    if (condition == end) return edits_.add(t_[end].begin, t_[end].begin, round);
    edits_.add(t_[condition].begin, t_[condition].begin, round + " && (");
    edits_.add_after(end - 1, ")");
}
