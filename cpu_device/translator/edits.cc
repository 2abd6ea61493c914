/* Collects edits, and makes the text of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/edits.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <tuple>

bool Edits::begins_at(size_t i) const {
    for (const Edit &e : edits_)
        if (e.begin == t_[i].begin) return true;
    return false;
}

void Edits::fail(size_t i, const std::string &message) {
    fprintf(stderr, "%s:%d: error: %s\n", file(i).c_str(), t_[i].line, message.c_str());
    failed_ = true;
}

void Edits::warn(size_t i, const std::string &message) const {
    if (src_.foreign.count(t_[i].file)) return;
    fprintf(stderr, "%s:%d: warning: %s (docs/cpu_device.md)\n", file(i).c_str(), t_[i].line,
            message.c_str());
}

void Edits::note(size_t i, const std::string &message) const {
    fprintf(stderr, "%s:%d: note: %s\n", file(i).c_str(), t_[i].line, message.c_str());
}

std::string Edits::text(const Phases &phases) const {
    return text(0, src_.text.size(), phases.edits(), phases.used_copies(), "");
}

/* The source's text from `at` to `end` with the edits, and with `phases` before and above them. */
std::string Edits::text(size_t at, size_t end, const std::vector<Edit> &phases,
                        const std::vector<Phases::Copy> &copies, const char *flags) const {
    /* By place; what goes in before a place, before what takes its text's; phases first. */
    std::map<std::tuple<size_t, bool, bool>, Edit> ordered;
    for (const Edit &e : with_bodies()) {
        if (e.begin < at || e.end > end) continue;
        const bool replaces = e.end > e.begin;
        Edit &there = ordered[{e.begin, replaces, true}];
        /* What goes in at one place stands in the order in which it came, and once. */
        if (replaces || there.with.empty()) there = e;
        else if (there.with.find(e.with) == std::string::npos) there.with += e.with;
    }
    for (const Edit &e : phases) ordered[{e.begin, e.end > e.begin, false}] = e;
    for (const Phases::Copy &c : copies) {
        const size_t place = t_[c.body_end].end;
        if (c.guard.empty()) {
            ordered[{place, false, false}] = {place, place, copy(c)};
        } else {
            const size_t first = t_[c.body].end, last = t_[c.body_end].begin;
            ordered[{first, false, false}] = {first, first, guarded(c)};
            ordered[{last, false, false}] = {last, last, "}"};
        }
    }
    std::string out;
    for (const auto &entry : ordered) {
        const Edit &e = entry.second;
        if (e.begin < at) continue; /* within text that another edit replaced */
        out.append(src_.text, at, e.begin - at);
        out += e.with + back_in_place(e, flags);
        at = e.end;
    }
    return out.append(src_.text, at, end - at);
}

std::vector<Edit> Edits::with_bodies() const {
    std::map<size_t, std::string> braces = watched_;
    for (const auto &body : in_bodies_) braces[body.first] += body.second;
    std::vector<Edit> all = edits_;
    for (const auto &brace : braces)
        all.push_back({t_[brace.first].begin, t_[brace.first].end, "{" + brace.second});
    for (const auto &block : blocks_) {
        const Token &end = t_[closing(block.first)];
        all.push_back({end.begin, end.end, std::string(block.second + 1, '}')});
    }
    return all;
}

/* A device function again, for whole blocks. What the compiler warns of it says once. */
std::string Edits::copy(const Phases::Copy &c) const {
    auto more = in_bodies_.find(c.body);
    const std::string declarations = more == in_bodies_.end() ? "" : more->second;
    auto blocks = blocks_.find(c.body);
    const std::string ends(1 + (blocks == blocks_.end() ? 0 : blocks->second), '}');
    const std::string place = " \"" + file(c.body) + "\"";
    return "\n# " + std::to_string(t_[c.body].line) + place + " 3\n" + c.head + declarations +
           text(t_[c.body].end, t_[c.body_end].begin, c.edits, {}, " 3") + ends + "\n# " +
           std::to_string(t_[c.body_end].line) + place + "\n";
}

/* A kernel's form for whole blocks, for those of the template's types that it is for; what follows
 * is the kernel as it stands, for others. */
std::string Edits::guarded(const Phases::Copy &c) const {
    return " if constexpr (" + c.guard + ") {\n# " + std::to_string(t_[c.body].line) + " \"" +
           file(c.body) + "\" 3\n" + text(t_[c.body].end, t_[c.body_end].begin, c.edits, {}, " 3") +
           "} else {";
}

/* What, after an edit, makes the compiler count on from where its end is in the source. */
std::string Edits::back_in_place(const Edit &e, const char *flags) const {
    const auto next = std::lower_bound(
        t_.begin(), t_.end(), e.end, [](const Token &t, size_t begin) { return t.begin < begin; });
    const auto lines = [&](size_t from, size_t to) {
        return (size_t)std::count(src_.text.begin() + (long)from, src_.text.begin() + (long)to,
                                  '\n');
    };
    const size_t swallowed = lines(e.begin, e.end), old_size = e.end - e.begin;
    if (lines(e.end, next->begin) != 0) return std::string(swallowed, '\n');
    if (swallowed == 0 && e.with.size() <= old_size)
        return std::string(old_size - e.with.size(), ' ');
    return "\n# " + std::to_string(next->line) + " \"" + src_.files[(size_t)next->file] + "\"" +
           (src_.foreign.count(next->file) ? " 3" : flags) + "\n" +
           std::string(e.end - src_.text.rfind('\n', e.end - 1) - 1, ' ');
}

/* ---- for classes that make edits ---- */

std::string Rewriter::line_mark(size_t i, size_t at, const char *flags) const {
    const size_t line_start = src_.text.rfind('\n', at - 1) + 1;
    return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"" +
           (src_.foreign.count(t_[i].file) ? " 3" : flags) + "\n" +
           std::string(at - line_start, ' ');
}

std::string Rewriter::asserted(size_t i, const std::string &assertion) const {
    const size_t column = t_[i].begin - src_.text.rfind('\n', t_[i].begin) - 1,
                 head = strlen("static_assert(");
    return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n" +
           std::string(column > head ? column - head : 0, ' ') + assertion;
}
