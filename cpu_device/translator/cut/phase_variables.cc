/* Finds what is the same for all threads of a block, and what can be computed anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phase_variables.h"

#include <string.h>

#include <algorithm>

#include "cpu_device/translator/read/leaves.h"

namespace {

/* Words of types and operators, and functions of numbers alone. */
const std::set<std::string> kPlainNames = {
    "int",      "unsigned", "signed",   "long",     "short",    "char",     "bool",        "float",
    "double",   "size_t",   "int8_t",   "int16_t",  "int32_t",  "int64_t",  "uint8_t",     "uint16_t",
    "uint32_t", "uint64_t", "uint",     "const",    "constexpr", "auto",    "true",        "false",
    "nullptr",  "sizeof",   "static_cast", "warpSize", "min",   "max",      "abs",         "register"};

bool touches_type(const std::string &name) {
  return kPlainNames.count(name) && name != "true" && name != "false" && name != "nullptr" && name != "warpSize";
}

}  // namespace

/* ---- declarations ---- */

bool PhaseVariables::read(bool kernel, size_t open, size_t body, const std::vector<Statement> &list) {
  const size_t body_end = closing(body);
  for (const auto &piece : between_commas(open + 1, closing(open))) {
    if (piece.first == piece.second || (is(piece.first, "void") && piece.first + 1 == piece.second)) continue;
    Declaration d;
    size_t end = piece.first; /* the default value is not looked at */
    while (end < piece.second && punct(end) != '=') end = punct(end) == '(' ? closing(end) + 1 : end + 1;
    if (!read_declaration(piece.first, end, &d) || d.declarators.size() != 1) return false;
    PhaseVariable v = {};
    v.name = text(d.declarators[0].name);
    v.declaration = d;
    v.declarator = d.declarators[0];
    v.scope_end = body_end;
    v.parameter = true;
    v.of_kernel = kernel;
    v.scalar = d.builtin || v.declarator.pointer || v.declarator.array;
    v.uniform = kernel && !v.declarator.reference;
    all_.push_back(v);
  }
  if (!collect(list, body_end) || any_hides_another()) return false;
  find_changes(body);
  find_uniform();
  find_derived();
  return true;
}

/* What is computed anew among the users of the inner variable may need the outer one. */
bool PhaseVariables::any_hides_another() const {
  for (const PhaseVariable &outer : all_)
    for (const PhaseVariable &inner : all_)
      if (outer.name == inner.name && outer.declarator.name < inner.declarator.name &&
          inner.declarator.name <= outer.scope_end)
        return true;
  return false;
}

bool PhaseVariables::collect_part(const Statement &s) {
  return s.kind == Statement::kBlock ? collect(s.parts, s.last) : collect({s}, s.last);
}

bool PhaseVariables::collect(const std::vector<Statement> &list, size_t scope_end) {
  for (const Statement &s : list) {
    const bool cut = around_.cuts(s);
    if (s.kind == Statement::kSimple) {
      if (is_shared(s)) {
        for (size_t i = s.first; i < s.last; ++i)
          if (t_[i].kind == kName && punct(i + 1) == '[') shared_arrays_.insert(text(i));
          else if (t_[i].kind == kName && (punct(i + 1) == ';' || punct(i + 1) == ',')) shared_numbers_.insert(text(i));
      } else if (!declare(s.first, s.last, scope_end, false, cut) && s.last > s.first) {
        sites_.push_back({s.first, s.last - 1, ifs_, false, 0});
      }
    } else if (cut) {
      switch (s.kind) {
        case Statement::kBlock:
          if (!collect(s.parts, s.last)) return false;
          break;
        case Statement::kIf:
          conditions_[s.first] = {s.open + 1, s.close - 1};
          ifs_.push_back(s.first);
          for (const Statement &part : s.parts)
            if (!collect_part(part)) return false;
          ifs_.pop_back();
          break;
        case Statement::kFor: {
          size_t end = s.open + 1;
          while (end < s.close && punct(end) != ';') end = punct(end) == '(' ? closing(end) + 1 : end + 1;
          declare(s.open + 1, end, s.last, true, false);
          sites_.push_back({s.open + 1, s.close - 1, ifs_, true, s.last});
          if (!collect_part(s.parts[0])) return false;
          break;
        }
        case Statement::kWhile:
        case Statement::kDo:
          sites_.push_back({s.open + 1, s.close - 1, ifs_, true, s.last});
          if (!collect_part(s.parts[0])) return false;
          break;
        default:
          return false;
      }
    }
  }
  return true;
}

bool PhaseVariables::declare(size_t first, size_t end, size_t scope_end, bool in_header, bool cut) {
  Declaration d;
  if (!read_declaration(first, end, &d)) return false;
  if (cut) not_uniform_.insert(first);
  for (const Declarator &one : d.declarators) {
    PhaseVariable v = {};
    v.name = text(one.name);
    v.declaration = d;
    v.declarator = one;
    v.scope_end = scope_end;
    v.ifs = ifs_;
    v.in_header = in_header;
    v.scalar = (d.builtin || one.pointer) && !one.array && !one.reference;
    v.uniform = !one.array && !one.reference && !cut && (v.scalar || d.is_auto) &&
                (!d.is_static || (one.constant && one.init_first));
    declared_[first].push_back((int)all_.size());
    all_.push_back(v);
  }
  return true;
}

int PhaseVariables::at(size_t i) const {
  if (t_[i].kind != kName || punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::")) return -1;
  const std::string name = text(i);
  for (size_t k = all_.size(); k-- > 0;) {
    const PhaseVariable &v = all_[k];
    if (v.name == name && v.declarator.name <= i && i <= v.scope_end) return (int)k;
  }
  return -1;
}

/* ---- changes ---- */

/* An assignment, or an operator with one, begins at token i. */
bool PhaseVariables::is_assignment(size_t i) const {
  const char c = punct(i);
  if (c == '=') return !(is(i + 1, "=") && touch(i));
  if (!c || !touch(i)) return false;
  if ((c == '<' || c == '>') && punct(i + 1) == c && touch(i + 1)) return is(i + 2, "=");
  return strchr("+-*/%&|^", c) && is(i + 1, "=");
}

bool PhaseVariables::passed_by_reference(size_t i) const {
  const char before = punct(i - 1), after = punct(i + 1);
  if ((before != '(' && before != ',') || (after != ')' && after != ',')) return false;
  size_t open = i - 1;
  for (int depth = 0; open > 0; --open) {
    const char c = punct(open);
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') {
      if (depth == 0) break;
      --depth;
    }
    if (c == ';') return false;
  }
  if (punct(open) != '(') return false;
  size_t called = open - 1;
  if (punct(called) == '>' && opening_angle(called)) called = opening_angle(called) - 1;
  if (t_[called].kind != kName) return false;
  const std::string name = text(called);
  if (punct(called - 1) == '.' || is(called - 1, "->")) return true;
  if (around_.references.count(name)) return true;
  return !(around_.functions.count(name) || Leaves::is_harmless(name) || name.compare(0, 7, "__shfl_") == 0 ||
           name == "__ballot_sync" || name == "__any_sync" || name == "__all_sync");
}

/* `(v)++`, `(c ? v : w) = 1`, `&(v)`. */
bool PhaseVariables::changed_in_parentheses(size_t i) const {
  size_t open = i - 1;
  for (; open > 0 && punct(open) != '('; --open) {
    const char c = punct(open);
    if (c == ';' || c == '{' || c == '}') return false;
    if (c == ')' || c == ']') open = opening(open);
  }
  const char before = punct(open - 1);
  if (t_[open - 1].kind == kName || before == '*' || before == ')') return false;
  const size_t after = closing(open) + 1;
  const char next = punct(after);
  if (before == '&' && open + 2 == after - 1) return true;
  return is_assignment(after) || ((next == '+' || next == '-') && punct(after + 1) == next && touch(after));
}

/* `int &r = v;`, and who changes r changes v. */
bool PhaseVariables::initialises_reference(size_t i) const {
  for (size_t j = i - 1; j > 2; --j) {
    const char c = punct(j);
    if (c == '{' && j == i - 1 && t_[j - 1].kind == kName && punct(j - 2) == '&') return true;
    if (c == ';' || c == '{' || c == '}') return false;
    if (c == '=' && !is(j + 1, "=") && t_[j - 1].kind == kName && punct(j - 2) == '&') return true;
  }
  return false;
}

bool PhaseVariables::is_changed(size_t i, const PhaseVariable &v) const {
  if (passed_by_reference(i) || initialises_reference(i) || changed_in_parentheses(i)) return true;
  size_t after = i + 1;
  const bool points = v.declarator.pointer || (v.parameter && v.declarator.array);
  if (points && (punct(after) == '[' || is(after, "->"))) return false;
  while (punct(after) == '.' || punct(after) == '[')
    after = punct(after) == '.' ? after + 2 : closing(after) + 1;
  if (punct(after) == '(' && after > i + 1) return true; /* a member function */
  if (is_assignment(after)) return true;
  const char next = punct(after), before = punct(i - 1);
  if ((next == '+' || next == '-') && punct(after + 1) == next && touch(after)) return true;
  if ((before == '+' || before == '-') && punct(i - 2) == before && touch(i - 2)) return true;
  return is_address_of(i);
}

void PhaseVariables::find_changes(size_t body) {
  for (size_t i = body + 1; i < closing(body); ++i) {
    const int k = at(i);
    if (k < 0 || all_[(size_t)k].declarator.name == i) continue;
    if (is_changed(i, all_[(size_t)k])) all_[(size_t)k].changes.push_back(i);
  }
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
      for (size_t j = open + 1; j < i - 1; ++j) cast = cast && (punct(j) == '*' || touches_type(text(j)));
      return !cast;
    }
    return t_[i - 1].kind == kNumber || t_[i - 1].kind == kName;
  }
  if (c == '/' || c == '%') {
    const size_t by = is(i + 1, "=") ? i + 2 : i + 1;
    if (t_[by].kind == kNumber) return text(by) != "0";
    return t_[by].kind == kName && ((names_.is_builtin(by) && !is(by, "threadIdx")) || is(by, "warpSize") ||
                                    around_.constants.count(text(by)));
  }
  if (c == '.') {
    if (i == first) return false;
    const int k = at(i - 1);
    return names_.is_builtin(i - 1) || (k >= 0 && all_[(size_t)k].of_kernel && all_[(size_t)k].uniform);
  }
  return true;
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
    const std::string name = text(i);
    const int k = at(i);
    if (k < 0 && shared_numbers_.count(name)) return false;
    if (k >= 0) {
      if (!all_[(size_t)k].uniform) return false;
    } else if (names_.is_builtin(i)) {
      if (name == "threadIdx") return false;
    } else if (shared_arrays_.count(name)) {
      if (punct(i + 1) == '[') return false;
    } else if (!kPlainNames.count(name) && !around_.constants.count(name)) {
      return false;
    }
  }
  return true;
}

bool PhaseVariables::changes_stay_uniform(const PhaseVariable &v) const {
  for (size_t change : v.changes) {
    auto site = std::find_if(sites_.begin(), sites_.end(),
                             [&](const Site &s) { return s.first <= change && change <= s.last; });
    if (site == sites_.end() || !is_uniform(site->first, site->last)) return false;
    /* A statement `v op= ...;` or `++v;` and no more. */
    if (!site->header && change != site->first && change != site->first + 2) return false;
    for (size_t f : site->ifs) {
      const auto &condition = conditions_.at(f);
      if (std::find(v.ifs.begin(), v.ifs.end(), f) == v.ifs.end() && !is_uniform(condition.first, condition.second))
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
      const bool stays = (!d.init_first || is_uniform(d.init_first, d.init_last)) && changes_stay_uniform(v);
      if (stays) continue;
      v.uniform = false;
      changed = true;
    }
  }
}

bool PhaseVariables::declares_uniform(size_t first) const {
  auto at = declared_.find(first);
  if (at == declared_.end()) return false;
  return std::all_of(at->second.begin(), at->second.end(), [&](int k) { return all_[(size_t)k].uniform; });
}

bool PhaseVariables::changes_uniform(const Statement &s) const {
  if (s.kind != Statement::kSimple || declared_.count(s.first)) return false;
  for (const PhaseVariable &v : all_)
    for (size_t change : v.changes)
      if (s.first <= change && change <= s.last)
        return v.uniform && (change == s.first || change == s.first + 2) && is_uniform(s.first, s.last - 1);
  return false;
}

/* ---- computed anew ---- */

bool PhaseVariables::is_derived_from(size_t first, size_t last, size_t user) const {
  for (size_t i = first; i <= last; ++i) {
    if (t_[i].kind == kPunct && is_assignment(i) && !(i > first && touch(i - 1) && strchr("<>=!", punct(i - 1) ? punct(i - 1) : ' ')))
      return false;
    const int k = at(i);
    if (k >= 0) {
      const PhaseVariable &v = all_[(size_t)k];
      if (v.derived) continue;
      if (!v.uniform) return false;
      for (size_t change : v.changes) {
        const bool steady = std::any_of(sites_.begin(), sites_.end(), [&](const Site &s) {
          return s.header && s.first <= change && change <= s.last && s.last < user && user <= s.loop_last;
        });
        if (!steady) return false;
      }
    } else if (t_[i].kind == kPunct ? !token_is_plain(i, first)
                                    : !(names_.is_builtin(i) || is_uniform(i, i) ||
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
      v.derived = !v.uniform && d.init_first && (v.scalar || v.declaration.is_auto) && !d.array && !d.reference && !v.declaration.is_static &&
                  !v.in_header && v.changes.empty() && is_derived_from(d.init_first, d.init_last, d.name);
    }
  }
}

bool PhaseVariables::declares_derived(size_t first) const {
  auto at = declared_.find(first);
  if (at == declared_.end()) return false;
  return std::all_of(at->second.begin(), at->second.end(), [&](int k) { return all_[(size_t)k].derived; });
}

bool PhaseVariables::declares_mixture(size_t first) const {
  auto at = declared_.find(first);
  if (at == declared_.end()) return false;
  const auto kind = [&](int k) { return all_[(size_t)k].uniform ? 2 : all_[(size_t)k].derived ? 1 : 0; };
  return std::any_of(at->second.begin(), at->second.end(), [&](int k) { return kind(k) != kind(at->second[0]); });
}
