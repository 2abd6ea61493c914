/* Reads statements and declarations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/statements.h"

#include <set>

namespace {

const std::set<std::string> kNoDeclaration = {
    "return", "goto",     "delete",   "throw",    "new",           "case", "default", "using", "typedef",
    "break",  "continue", "operator", "template", "static_assert", "sizeof", "this"};
const std::set<std::string> kNotUnderstood = {"goto", "try",   "catch",   "asm",   "__asm__", "__asm",
                                              "case", "struct", "class",  "union", "enum",    "typedef",
                                              "using", "template", "default"};
const std::set<std::string> kBuiltinTypes = {
    "int",      "unsigned", "signed",  "long",    "short",    "char",     "bool",     "float",   "double",
    "size_t",   "int8_t",   "int16_t", "int32_t", "int64_t",  "uint8_t",  "uint16_t", "uint32_t", "uint64_t",
    "uint",     "uchar",    "ushort",  "ulong",   "ptrdiff_t"};
const std::set<std::string> kSpecifiers = {"const", "constexpr", "static", "volatile", "register", "typename",
                                           "__restrict__", "__restrict"};

}  // namespace

size_t Statements::after_angle(size_t i) const {
  if (punct(i) != '<') return i;
  const size_t close = closing_angle(i);
  return close ? close + 1 : i;
}

bool Statements::read(size_t open, std::vector<Statement> *list) const {
  const size_t end = closing(open);
  for (size_t i = open + 1; i < end;) {
    list->emplace_back();
    if (!read_statement(&i, end, &list->back())) return false;
  }
  return true;
}

bool Statements::read_statement(size_t *i, size_t end, Statement *s) const {
  size_t at = *i;
  s->first = at;
  auto part = [&](size_t from) {
    s->parts.emplace_back();
    at = from;
    return at < end && read_statement(&at, end, &s->parts.back());
  };
  if (punct(at) == '{') {
    s->kind = Statement::kBlock;
    s->last = closing(at);
    if (s->last >= end || !read(at, &s->parts)) return false;
    at = s->last + 1;
  } else if (is(at, "if") || is(at, "for") || is(at, "while")) {
    s->kind = is(at, "if") ? Statement::kIf : is(at, "for") ? Statement::kFor : Statement::kWhile;
    s->open = at + 1 + is(at + 1, "constexpr");
    s->close = closing(s->open);
    if (punct(s->open) != '(' || !part(s->close + 1)) return false;
    if (s->kind == Statement::kIf && at < end && is(at, "else")) {
      s->other = at;
      if (!part(at + 1)) return false;
    }
  } else if (is(at, "do")) {
    s->kind = Statement::kDo;
    if (!part(at + 1) || !is(at, "while")) return false;
    s->open = at + 1;
    s->close = closing(s->open);
    at = s->close + 2;
  } else if (is(at, "switch")) {
    s->kind = Statement::kOther;
    const size_t body = closing(at + 1) + 1;
    if (punct(body) != '{') return false;
    at = closing(body) + 1;
  } else {
    if (t_[at].kind == kName && kNotUnderstood.count(text(at))) return false;
    while (at < end && punct(at) != ';') {
      const char c = punct(at);
      if (c == ')' || c == ']' || c == '}') return false;
      at = c == '(' || c == '[' || c == '{' ? closing(at) + 1 : at + 1;
    }
    ++at;
  }
  if (at > end) return false;
  s->last = at - 1;
  *i = at;
  return true;
}

std::vector<std::pair<size_t, size_t>> Statements::between_commas(size_t first, size_t end) const {
  std::vector<std::pair<size_t, size_t>> out;
  if (first >= end) return out;
  size_t from = first;
  for (size_t i = first; i < end; ++i) {
    const char c = punct(i);
    if (c == '(' || c == '[' || c == '{') {
      i = closing(i);
    } else if (c == '<' && i > first && t_[i - 1].kind == kName) {
      const size_t after = after_angle(i);
      const char next = punct(after);
      if (after > i && after <= end && (next == '(' || next == '{' || is(after, "::"))) i = after - 1;
    } else if (c == ',') {
      out.emplace_back(from, i);
      from = i + 1;
    }
  }
  out.emplace_back(from, end);
  return out;
}

bool Statements::read_declaration(size_t first, size_t end, Declaration *d) const {
  *d = {};
  d->first = first;
  bool constant = false, typed = false;
  size_t i = first;
  for (; i < end && t_[i].kind == kName; ++i) {
    const std::string name = text(i);
    if (kNoDeclaration.count(name)) return false;
    if (name == "const" || name == "constexpr") constant = true;
    if (name == "static") d->is_static = true;
    if (kSpecifiers.count(name)) continue;
    if (kBuiltinTypes.count(name) && (!typed || d->builtin)) {
      d->builtin = typed = true;
      continue;
    }
    if (typed) break;
    typed = true;
    d->is_auto = name == "auto";
    while (is(i + 1, "::") && t_[i + 2].kind == kName) i += 2;
    const size_t after = after_angle(i + 1);
    if (after > i + 1) i = after - 1;
    while (is(i + 1, "::") && t_[i + 2].kind == kName) i += 2;
  }
  if (!typed || i >= end) return false;
  d->type_last = i - 1;
  while (i < end) {
    Declarator one = {};
    one.first = i;
    one.constant = constant;
    for (; i < end; ++i) {
      if (punct(i) == '*') {
        one.pointer = true;
        one.constant = false;
      } else if (punct(i) == '&') {
        one.reference = true;
      } else if (is(i, "const")) {
        one.constant = true;
      } else if (!is(i, "__restrict__") && !is(i, "__restrict") && !is(i, "volatile")) {
        break;
      }
    }
    if (i >= end || t_[i].kind != kName) return false;
    one.name = i++;
    for (; i < end && punct(i) == '['; i = closing(i) + 1) one.array = true;
    one.last = i - 1;
    if (i < end && punct(i) == '=') {
      one.init_first = i + 1;
      const auto pieces = between_commas(i + 1, end);
      one.init_last = pieces[0].second - 1;
      i = pieces[0].second;
    } else if (i < end && (punct(i) == '(' || punct(i) == '{')) {
      one.init_first = i + 1;
      one.init_last = closing(i) - 1;
      i = closing(i) + 1;
    }
    d->declarators.push_back(one);
    if (i < end && punct(i) != ',') return false;
    ++i;
  }
  return true;
}

bool Statements::is_expression(const Statement &s) const {
  size_t i = s.first;
  if (t_[i].kind != kName) return true;
  static const std::set<std::string> jumps = {"return", "break", "continue", "delete", "throw"};
  if (jumps.count(text(i))) return true;
  if (kBuiltinTypes.count(text(i)) || kSpecifiers.count(text(i)) || is(i, "auto")) return false;
  while (is(i + 1, "::") && t_[i + 2].kind == kName) i += 2;
  const size_t next = after_angle(i + 1);
  const char c = punct(next);
  if (c == '(') {
    const char after = punct(closing(next) + 1);
    return after != '[' && after != '(' && t_[closing(next) + 1].kind != kName;
  }
  if (c == '*' || c == '&') return touch(next) && (punct(next + 1) == '=' || punct(next + 1) == c);
  return c != 0 && c != '{' && (next == i + 1 || c == '.');
}

bool Statements::is_shared(const Statement &s) const {
  for (size_t i = s.first; s.kind == Statement::kSimple && i < s.last; ++i)
    if (is(i, "__shared__")) return true;
  return false;
}

bool Statements::is_address_of(size_t i) const {
  if (punct(i - 1) != '&' || (punct(i - 2) == '&' && touch(i - 2))) return false;
  const bool operand = (t_[i - 2].kind == kName && !is(i - 2, "return")) || t_[i - 2].kind == kNumber ||
                       punct(i - 2) == ')' || punct(i - 2) == ']';
  return !operand;
}
