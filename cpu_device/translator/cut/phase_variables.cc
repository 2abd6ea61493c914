/* Finds what is the same for all threads of a block, and what can be computed anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phase_variables.h"

#include <string.h>

#include <algorithm>

#include "cpu_device/translator/read/vocabulary.h"

namespace {

/* Words of a type. */
bool touches_type(const std::string &word) {
    return vocabulary::is_arithmetic(word) || vocabulary::is_specifier(word);
}

} // namespace

/* ---- declarations ---- */

void PhaseVariables::find(bool kernel) {
    for (const Declaration &d : reader_.parameters()) {
        PhaseVariable v = variable_of(d, d.declarators[0]);
        v.parameter = true;
        v.of_kernel = kernel;
        v.scalar = d.builtin || v.declarator.pointer || v.declarator.array;
        v.uniform = kernel && !v.declarator.reference;
        all_.push_back(v);
    }
    collect(reader_.statements());
    find_uniform();
    find_derived();
}

PhaseVariable PhaseVariables::variable_of(const Declaration &d, const Declarator &one) {
    const int number = reader_.variable_at(one.name);
    const Reader::Variable &read = reader_.variables()[(size_t)number];
    PhaseVariable v = {};
    v.name = read.name;
    v.declaration = d;
    v.declarator = one;
    v.scope_end = read.scope_end;
    v.changes = read.changes;
    places_[number] = (int)all_.size();
    return v;
}

void PhaseVariables::collect_part(const Statement &s) {
    s.kind == Statement::kBlock ? collect(s.parts) : collect({s});
}

void PhaseVariables::collect(const std::vector<Statement> &list) {
    for (const Statement &s : list) {
        const bool cut = reader_.cuts(s.first, s.last);
        if (s.kind == Statement::kSimple) {
            if (!s.shared && !declare(s.first, false, cut) && s.last > s.first)
                sites_.push_back({s.first, s.last - 1, ifs_, false, 0});
        } else if (cut) {
            switch (s.kind) {
            case Statement::kBlock: collect(s.parts); break;
            case Statement::kIf:
                conditions_[s.first] = {s.open + 1, s.close - 1};
                ifs_.push_back(s.first);
                for (const Statement &part : s.parts) collect_part(part);
                ifs_.pop_back();
                break;
            case Statement::kFor:
                declare(s.open + 1, true, false);
                sites_.push_back({s.open + 1, s.close - 1, ifs_, true, s.last});
                collect_part(s.parts[0]);
                break;
            default:
                sites_.push_back({s.open + 1, s.close - 1, ifs_, true, s.last});
                collect_part(s.parts[0]);
            }
        }
    }
}

bool PhaseVariables::declare(size_t first, bool in_header, bool cut) {
    const Declaration *d = reader_.declaration(first);
    if (!d) return false;
    if (cut) not_uniform_.insert(first);
    for (const Declarator &one : d->declarators) {
        PhaseVariable v = variable_of(*d, one);
        v.ifs = ifs_;
        v.in_header = in_header;
        v.scalar = (d->builtin || one.pointer) && !one.array && !one.reference;
        v.uniform = !one.array && !one.reference && !cut && (v.scalar || d->is_auto) &&
                    (!d->is_static || (one.constant && one.init_first));
        declared_[first].push_back((int)all_.size());
        all_.push_back(v);
    }
    return true;
}

int PhaseVariables::at(size_t i) const {
    auto place = places_.find(reader_.variable_at(i));
    return place == places_.end() ? -1 : place->second;
}

/* An assignment, or an operator with one, begins at token i. */
bool PhaseVariables::is_assignment(size_t i) const {
    const char c = punct(i);
    if (c == '=') return !(is(i + 1, "=") && touch(i));
    if (!c || !touch(i)) return false;
    if ((c == '<' || c == '>') && punct(i + 1) == c && touch(i + 1)) return is(i + 2, "=");
    return strchr("+-*/%&|^", c) && is(i + 1, "=");
}

/* ---- the same for all threads ---- */

/* Punctuation that computes; anything that reads memory does not pass, nor a division by what may
 * be 0: it may be done where the program would not. */
bool PhaseVariables::token_is_plain(size_t i, size_t first) const {
    const char c = punct(i);
    if (strchr("[]{}~`", c) && c != '~') return false;
    if (is(i, "->") || is(i, "::")) return false;
    if (c == '*' || c == '&') {
        if (i == first) return false;
        const char before = punct(i - 1);
        if (c == '&' && before == '&' && touch(i - 1) && i - 1 > first) return true;
        if (before == ')') {
            const size_t open = opening(i - 1);
            bool cast = true;
            for (size_t j = open + 1; j < i - 1; ++j)
                cast = cast && (punct(j) == '*' || touches_type(text(j)));
            return !cast;
        }
        return t_[i - 1].kind == kNumber || t_[i - 1].kind == kName;
    }
    if (c == '/' || c == '%') {
        const size_t by = is(i + 1, "=") ? i + 2 : i + 1;
        if (t_[by].kind == kNumber) return text(by) != "0";
        return t_[by].kind == kName && ((around_.names.is_builtin(by) && !is(by, "threadIdx")) ||
                                        is(by, "warpSize") || around_.constants.count(text(by)));
    }
    if (c == '.') {
        if (i == first) return false;
        const int k = at(i - 1);
        return around_.names.is_builtin(i - 1) ||
               (k >= 0 && all_[(size_t)k].of_kernel && all_[(size_t)k].uniform);
    }
    return true;
}

/* A name that is none of the function's variables. */
bool PhaseVariables::same_for_all(size_t i) const {
    static const std::set<std::string> words = {"true",   "false",       "nullptr",  "__null",
                                                "sizeof", "static_cast", "warpSize", "min",
                                                "max",    "abs",         "auto"};
    const std::string name = text(i);
    if (around_.names.is_builtin(i)) return name != "threadIdx";
    if (around_.constants.count(name) || around_.types.is_enumerator(name)) return true;
    return (touches_type(name) || words.count(name)) && !around_.types.declares(name);
}

bool PhaseVariables::is_uniform(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i) {
        if (t_[i].kind == kNumber) continue;
        if (t_[i].kind == kPunct) {
            if (!token_is_plain(i, first)) return false;
            continue;
        }
        if (t_[i].kind != kName) return false;
        if (i > first && punct(i - 1) == '.') {
            if (punct(i + 1) == '(') return false; /* a member function: it may ask who calls */
            continue;
        }
        const int k = at(i), own = reader_.variable_at(i);
        if (k >= 0) {
            if (!all_[(size_t)k].uniform) return false;
        } else if (own >= 0) { /* of a shared array the address, never what is in it */
            const Reader::Variable &v = reader_.variables()[(size_t)own];
            if (v.storage != Reader::Variable::kShared || !v.dims || punct(i + 1) == '[')
                return false;
        } else if (!same_for_all(i)) {
            return false;
        }
    }
    return true;
}

bool PhaseVariables::changes_stay_uniform(const PhaseVariable &v) const {
    for (size_t change : v.changes) {
        auto site = std::find_if(sites_.begin(), sites_.end(), [&](const Site &s) {
            return s.first <= change && change <= s.last;
        });
        if (site == sites_.end() || !is_uniform(site->first, site->last)) return false;
        /* A statement `v op= ...;` or `++v;` and no more. */
        if (!site->header && change != site->first && change != site->first + 2) return false;
        for (size_t f : site->ifs) {
            const auto &condition = conditions_.at(f);
            if (std::find(v.ifs.begin(), v.ifs.end(), f) == v.ifs.end() &&
                !is_uniform(condition.first, condition.second))
                return false;
        }
    }
    return true;
}

void PhaseVariables::find_uniform() {
    for (bool changed = true; changed;) {
        changed = false;
        for (PhaseVariable &v : all_) {
            if (!v.uniform) continue;
            const Declarator &d = v.declarator;
            const bool stays =
                (!d.init_first || is_uniform(d.init_first, d.init_last)) && changes_stay_uniform(v);
            if (stays) continue;
            v.uniform = false;
            changed = true;
        }
    }
}

bool PhaseVariables::declares_uniform(size_t first) const {
    auto at = declared_.find(first);
    if (at == declared_.end()) return false;
    return std::all_of(at->second.begin(), at->second.end(),
                       [&](int k) { return all_[(size_t)k].uniform; });
}

bool PhaseVariables::changes_uniform(const Statement &s) const {
    if (s.kind != Statement::kSimple || declared_.count(s.first)) return false;
    for (const PhaseVariable &v : all_)
        for (size_t change : v.changes)
            if (s.first <= change && change <= s.last)
                return v.uniform && (change == s.first || change == s.first + 2) &&
                       is_uniform(s.first, s.last - 1);
    return false;
}

/* ---- computed anew ---- */

bool PhaseVariables::is_derived_from(size_t first, size_t last, size_t user) const {
    for (size_t i = first; i <= last; ++i) {
        if (t_[i].kind == kPunct && is_assignment(i) &&
            !(i > first && touch(i - 1) && strchr("<>=!", punct(i - 1) ? punct(i - 1) : ' ')))
            return false;
        const int k = at(i);
        if (k >= 0) {
            const PhaseVariable &v = all_[(size_t)k];
            if (v.derived) continue;
            if (!v.uniform) return false;
            for (size_t change : v.changes) {
                const bool steady = std::any_of(sites_.begin(), sites_.end(), [&](const Site &s) {
                    return s.header && s.first <= change && change <= s.last && s.last < user &&
                           user <= s.loop_last;
                });
                if (!steady) return false;
            }
        } else if (t_[i].kind == kPunct ? !token_is_plain(i, first)
                                        : !(around_.names.is_builtin(i) || is_uniform(i, i) ||
                                            (i > first && punct(i - 1) == '.'))) {
            return false;
        }
    }
    return true;
}

void PhaseVariables::find_derived() {
    for (const auto &entry : declared_) {
        if (not_uniform_.count(entry.first)) continue;
        for (int k : entry.second) {
            PhaseVariable &v = all_[(size_t)k];
            const Declarator &d = v.declarator;
            v.derived = !v.uniform && d.init_first && (v.scalar || v.declaration.is_auto) &&
                        !d.array && !d.reference && !v.declaration.is_static && !v.in_header &&
                        v.changes.empty() && is_derived_from(d.init_first, d.init_last, d.name);
        }
    }
}

bool PhaseVariables::declares_derived(size_t first) const {
    auto at = declared_.find(first);
    if (at == declared_.end()) return false;
    return std::all_of(at->second.begin(), at->second.end(),
                       [&](int k) { return all_[(size_t)k].derived; });
}

bool PhaseVariables::declares_mixture(size_t first) const {
    auto at = declared_.find(first);
    if (at == declared_.end()) return false;
    const auto kind = [&](int k) {
        return all_[(size_t)k].uniform ? 2 : all_[(size_t)k].derived ? 1 : 0;
    };
    return std::any_of(at->second.begin(), at->second.end(),
                       [&](int k) { return kind(k) != kind(at->second[0]); });
}
