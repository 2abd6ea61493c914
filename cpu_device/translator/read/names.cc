/* Declarations at namespace scope, where their names hold, and the device's built-in variables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

namespace {

const std::set<std::string> kBuiltins = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

}  // namespace

const char *const kUnnamed = "namespace::";

namespace {

/* After these a name is used, not declared. */
const std::set<std::string> kUsing = {
    "return", "else", "do",  "case", "goto",    "throw",  "new",   "delete",    "sizeof",  "typeid",
    "and",    "or",   "not", "xor",  "alignof", "bitand", "bitor", "co_return", "co_yield"};

/* These are followed by something in parentheses that is no parameter list. */
const std::set<std::string> kAttributes = {"__attribute__", "alignas",  "__launch_bounds__",
                                           "__align__",     "decltype", "noexcept",
                                           "__declspec",    "explicit"};

const std::set<std::string> kNumbers = {"bool", "char",     "short",  "int",   "long",
                                        "float", "unsigned", "signed", "double", "size_t"};

}  // namespace

Names::Names(const Source &src, bool relaxed_constexpr)
    : Tokens(src), places_(src), headers_(src), relaxed_constexpr_(relaxed_constexpr) {
  scan(0, t_.size() - 1, "");
  find_device_lambdas();
  for (size_t i = 0; i < functions_.size(); ++i) by_name_[functions_[i].name].push_back(i);
  for (size_t i = 1; i + 1 < t_.size(); ++i) {
    if (t_[i].kind != kName) continue;
    uses_std_ = uses_std_ || (!t_[i].system && is(i, "std") && is(i - 1, "namespace") &&
                              punct(i + 1) == ';');
    if (!t_[i].system && is(i - 1, "using") && is(i, "std") && punct(i + 3) == ';') used_of_std_.insert(text(i + 2));
    if (t_[i].system) {
      if (punct(i + 1) == '(' && file(i).compare(0, 5, "/usr/") != 0)
        kit_calls_.insert(std::string_view(src_.text).substr(t_[i].begin, t_[i].end - t_[i].begin));
    } else if (kBuiltins.count(text(i)) && declares(i)) {
      hidden_[text(i)].push_back({i, scope_end(i)});
    }
  }
}

bool Names::is_builtin(size_t i) const {
  const std::string name = text(i);
  if (!kBuiltins.count(name) || t_[i].system) return false;
  if (i && (punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::"))) return false;
  auto hidden = hidden_.find(name);
  if (hidden != hidden_.end())
    for (const auto &range : hidden->second)
      if (range.first <= i && i <= range.second) return false;
  return true;
}

std::string Names::builtin_call(const std::string &name) {
  static const std::map<std::string, std::string> calls = {{"threadIdx", "::cpu_device::thread_index()"},
                                                           {"blockIdx", "::cpu_device::block_index()"},
                                                           {"blockDim", "::cpu_device::block_dim()"},
                                                           {"gridDim", "::cpu_device::grid_dim()"}};
  return calls.at(name);
}

/* ---- declarations ---- */

bool Names::has(size_t first, size_t last, const char *text) const {
  for (size_t i = first; i < last; ++i)
    if (is(i, text)) return true;
  return false;
}

/* The token after the next ; outside of brackets. */
size_t Names::after_statement(size_t i, size_t to) const {
  for (; i < to; ++i) {
    const char c = punct(i);
    if (c == ';') return i + 1;
    if (c == '}') return i;
    if (c == '(' || c == '[' || c == '{') i = closing(i);
  }
  return to;
}

/* i: `template`; the token after its <...>. */
size_t Names::after_template(size_t i) const {
  while (is(i, "template") && punct(i + 1) == '<') {
    const size_t close = closing_angle(i + 1);
    if (!close) return i + 1;
    i = close + 1;
  }
  return is(i, "template") ? i + 1 : i;
}

/* i: `operator`; the last token before its parameters' parenthesis. */
size_t Names::before_parameters(size_t i, size_t to) const {
  if (punct(i + 1) == '(' && punct(i + 2) == ')') i += 2;
  while (i + 1 < to && punct(i + 1) != '(') ++i;
  return i;
}

void Names::scan(size_t from, size_t to, const std::string &path) {
  for (size_t i = from; i < to;) {
    if (t_[i].system || punct(i) == ';' || punct(i) == '}') {
      ++i;
    } else if (is(i, "namespace") || (is(i, "inline") && is(i + 1, "namespace"))) {
      size_t open = is(i, "inline") ? i + 2 : i + 1;
      std::string name;
      for (; open < to && punct(open) != '{' && punct(open) != ';'; ++open) {
        if (is(open, "__attribute__")) open = closing(open + 1);
        else if (punct(open) == '[') open = closing(open);
        else if (t_[open].kind == kName && !is(open, "inline")) name += text(open) + "::";
      }
      if (name.empty()) name = kUnnamed;
      if (punct(open) == '{') scan(open + 1, closing(open), path + name);
      i = punct(open) == '{' ? closing(open) + 1 : open + 1;
    } else if (is(i, "extern") && t_[i + 1].kind == kText) {
      if (punct(i + 2) == '{') {
        scan(i + 3, closing(i + 2), path);
        i = closing(i + 2) + 1;
      } else {
        i = declaration(i + 2, to, path);
      }
    } else if (is(i, "using") || is(i, "typedef") || is(i, "static_assert") || is(i, "friend") ||
               is(i, "asm") || is(i, "__asm__")) {
      i = after_statement(i, to);
    } else {
      i = declaration(i, to, path);
    }
  }
}

/* Reads the declaration at token i, a variable or a function; the token after it. */
size_t Names::declaration(size_t i, size_t to, const std::string &path) {
  const size_t start = i;
  size_t name = 0;
  bool type = false; /* a class or an enum is spoken of */
  bool enumerators = false;
  if (is(after_template(i), "using")) return after_statement(i, to); /* template <class T> using Four = T[4]; */
  for (size_t j = after_template(i); j < to; ++j) {
    const char c = punct(j);
    if (t_[j].kind == kName && kAttributes.count(text(j))) {
      if (punct(j + 1) == '(') j = closing(j + 1);
    } else if (is(j, "class") || is(j, "struct") || is(j, "union") || is(j, "enum")) {
      type = true;
      enumerators = enumerators || is(j, "enum");
    } else if (is(j, "operator")) {
      name = j;
      j = before_parameters(j, to);
    } else if (t_[j].kind == kName) {
      name = j;
    } else if (c == '<') {
      const size_t close = closing_angle(j);
      if (!close) return after_statement(j, to);
      j = close;
    } else if (c == '{' && type) { /* variables may follow the type's members */
      const size_t end = after_statement(closing(j) + 1, to);
      if (!enumerators) scan_class(j, path + (name ? text(name) + "::" : ""), is(start, "template"));
      if (t_[closing(j) + 1].kind == kName) add_variables(start, closing(j) + 1, end, path);
      return end;
    } else if (c == '(') {
      if (!name || punct(j + 1) == '*' || t_[j + 1].kind == kNumber || t_[j + 1].kind == kText)
        return after_statement(j, to);
      size_t after = closing(j) + 1;
      while (after < to && punct(after) != '{' && punct(after) != ';' &&
             punct(after) != '=') {
        if (punct(after) == '(') after = closing(after);
        ++after;
      }
      const bool body = after < to && punct(after) == '{';
      add_function(start, name, body ? after : 0, body ? closing(after) : after, path);
      return body ? closing(after) + 1 : after_statement(after, to);
    } else if (c == ';' || c == '=' || c == '[' || c == ',' || c == '{') {
      const size_t end = after_statement(j, to);
      if (name && !type) add_variables(start, name, end, path);
      return end;
    }
  }
  return to;
}

Names::Function Names::function_of(size_t start, size_t name, size_t body, size_t end,
                                   const std::string &path) const {
  Function f = {};
  f.name = text(name);
  f.path = path;
  f.head = start;
  f.name_at = name;
  f.body = body;
  f.body_end = f.scope_end = end;
  f.templated = is(start, "template");
  for (size_t i = start; i < (body ? body : end); ++i) {
    f.global = f.global || is(i, "__global__");
    f.device = f.device || is(i, "__device__");
    f.host = f.host || is(i, "__host__");
    f.constant = f.constant || is(i, "constexpr") || is(i, "consteval");
  }
  return f;
}

void Names::add_function(size_t start, size_t name, size_t body, size_t end,
                         const std::string &path) {
  Function f = function_of(start, name, body, end, path);
  const bool of_class = is(name - 1, "::") || is(name - 1, "~");
  f.place = of_class ? kMember : kFree;
  f.on_both = of_class || f.constant || f.for_both();
  functions_.push_back(f);
}

/* All that `int a = 1, *b, c[3];` declares; name: the first one. */
void Names::add_variables(size_t start, size_t name, size_t end, const std::string &path) {
  const bool device = has(start, end, "__device__") || has(start, end, "__constant__") ||
                      has(start, end, "__managed__") || has(start, end, "__shared__") ||
                      has(start, name, "texture") || has(start, name, "surface");
  const bool in_constant_memory = has(start, end, "__constant__");
  const char *const keyword = in_constant_memory                ? "__constant__"
                              : has(start, end, "__shared__") ? "__shared__"
                                                              : "__device__";
  const bool constant = has(start, name, "const") || has(start, name, "constexpr");
  const bool computed = has(start, name, "constexpr");
  for (size_t i = name; i < end;) {
    while (i < end && t_[i].kind != kName) ++i;
    if (i >= end) return;
    const bool array = punct(i + 1) == '[';
    const bool pointer = punct(i - 1) == '*' || punct(i - 1) == '&';
    if (in_constant_memory && !has(start, name, "extern") && !is(start, "template"))
      constants_.push_back({"::" + path + text(i), i, end - 1});
    if (device)
      device_variables_[text(i)] = {keyword, has(start, end, "__managed__"), in_constant_memory,
                                    !array && kNumbers.count(text(i - 1)) != 0};
    else
      variables_[text(i)].push_back({path, computed || (constant && !array && !pointer), array});
    for (++i; i < end && punct(i) != ',' && punct(i) != ';'; ++i) {
      const char c = punct(i);
      if (c == '(' || c == '[' || c == '{') i = closing(i);
    }
  }
}

std::vector<std::string> Names::constants() const {
  std::vector<std::string> out;
  for (const auto &entry : variables_) {
    bool constant = !device_variables_.count(entry.first);
    for (const Variable &v : entry.second) constant = constant && v.constant;
    if (constant) out.push_back(entry.first);
  }
  return out;
}

/* ---- where a name is declared, and where that holds ---- */

/* The parenthesis at token `open`, behind a name, is that of a call, and no parameter list. */
bool Names::holds_arguments(size_t open) const {
  const size_t around = innermost_open(open);
  return around && punct(around) == '{' && !opens_namespace(around) && punct(closing(open) + 1) != '{' &&
         !is(open - 1, "for") && !is(open - 1, "catch");
}

/* Whether the name at token i is declared there: a variable, a parameter or a member. */
bool Names::declares(size_t i) const {
  if (i < 2) return false;
  const char before = punct(i - 1), after = punct(i + 1);
  if (t_[i - 1].kind == kName) return !kUsing.count(text(i - 1));
  if (!strchr(",)=;([{:", after ? after : ' ') || is(i + 1, "::")) return false;
  if (before == '*' || before == '&') {
    size_t type = i - 1;
    while (type > 0 && (punct(type) == '*' || punct(type) == '&')) --type;
    const size_t open = innermost_open(i);
    if (punct(type) == ',') return punct(open) != '(';
    if (t_[type].kind != kName && punct(type) != '>') return false;
    if (punct(open) == '(' && open && t_[open - 1].kind == kName && holds_arguments(open)) return false;
    size_t begin = type;
    while (begin > 0 && (t_[begin - 1].kind == kName || is(begin - 1, "::"))) --begin;
    const char edge = punct(begin - 1);
    if (kUsing.count(text(begin))) return false;
    return begin == 0 || edge == ';' || edge == '{' || edge == '}' || edge == '(' || edge == ',' ||
           edge == '<';
  }
  if (before == '>') {
    const size_t open = opening_angle(i - 1);
    if (!open || t_[open - 1].kind != kName) return false;
    for (size_t k = open; k < i; ++k)
      if (t_[k].kind == kPunct && !strchr("<>,:*&()[]", punct(k))) return false;
    return true;
  }
  if (before == ',') {
    const size_t open = innermost_open(i);
    if (punct(open) == '[') return is(open - 1, "auto");
    if (punct(open) == '(' && !is(open - 1, "for")) return false;
    size_t begin = i - 1;
    while (begin > open + 1 && punct(begin - 1) != ';' && punct(begin - 1) != '}') {
      --begin;
      if (punct(begin) == ')' || punct(begin) == ']') begin = opening(begin);
    }
    const char second = punct(begin + 1);
    return t_[begin].kind == kName &&
           (t_[begin + 1].kind == kName || second == '*' || second == '<' || is(begin + 1, "::"));
  }
  return before == '[' && is(i - 2, "auto");
}

bool Names::sees_variable(size_t i) const {
  for (size_t j : places_.of(text(i))) {
    if (t_[j].system || j == i) continue;
    const bool pointer = punct(j - 1) == '*' && punct(j - 2) == '(' && punct(j + 1) == ')'; /* void (*f)(int) */
    if (!pointer && (punct(j + 1) == '(' || !declares(j))) continue;
    size_t open = innermost_open(pointer ? j - 2 : j);
    if (!open || opens_namespace(open)) continue;
    const size_t end = scope_end(pointer ? j - 2 : j);
    const bool member = punct(open) == '{' && opens_class(open);
    if (i <= end && (j < i || (member && open < i))) return true;
  }
  return false;
}

/* Before the { at token `open` stands the head of a class. */
bool Names::opens_class(size_t open) const {
  for (size_t j = open; j-- > 0 && !strchr(";{})", punct(j) ? punct(j) : ' ');)
    if (is(j, "struct") || is(j, "class") || is(j, "union")) return true;
  return false;
}

/* The last token at which a name declared at token i can be seen. */
size_t Names::scope_end(size_t i) const {
  size_t open = innermost_open(i);
  if (!open) return t_.size() - 1;
  if (punct(open) == '[') open = innermost_open(open);
  if (punct(open) == '{') return closing(open);
  size_t after = closing(open) + 1;
  while (after + 1 < t_.size() && punct(after) != '{' && punct(after) != ';') {
    if (punct(after) == '(') after = closing(after);
    ++after;
  }
  if (punct(after) == '{') return closing(after);
  return is(open - 1, "for") ? after : closing(open);
}
