/* What only the whole source tells: a bracket that is missing, and memory that is too small.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cpu_device/translator/read/names.h"

/* `name` without its unnamed namespaces. */
static std::string reachable(std::string name) {
  for (size_t at; (at = name.find(kUnnamed)) != std::string::npos;) name.erase(at, strlen(kUnnamed));
  return name;
}

/* One static_assert after each variable; the one by which all become too many fails. */
std::vector<Names::Insertion> Names::constant_limits() const {
  std::vector<Insertion> out;
  std::string before;
  for (const ConstantVariable &v : constants_) {
    const std::string sum = before + (before.empty() ? "" : " + ") + "sizeof(" + reachable(v.name) + ")";
    const std::string too_many_before = before.empty() ? "" : " || " + before + " > 65536";
    const std::string check = "static_assert(" + sum + " <= 65536" + too_many_before +
                              ", \"uses too much constant data: the __constant__ variables of a "
                              "source take 65536 bytes (0x10000) at most\");";
    out.push_back({v.end, v.token, check});
    before = sum;
  }
  return out;
}

/* Why token i, a closing bracket or a semicolon, cannot stand where the bracket at token `open` is
 * the last that was opened; empty: it can. */
std::string Names::bracket_problem(size_t open, size_t i) const {
  const char c = punct(i), opened = punct(open);
  const char wanted = opened == '(' ? ')' : opened == '[' ? ']' : '}';
  if (c == wanted || (c == ';' && opened == '{')) return "";
  if (c == ';' && opened == '(' && (is(open - 1, "for") || is(open - 1, "if") || is(open - 1, "switch") ||
                                    is(open - 1, "while") || is(open - 1, "constexpr")))
    return "";
  return std::string("expected a \"") + wanted + "\" before \"" + c + "\": the \"" + opened + "\" of line " +
         std::to_string(t_[open].line) + " is not closed";
}

Names::Problem Names::unmatched_bracket() const {
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
        if (punct(brace) == '{' && !opens_namespace(brace))
          function = {i, "expected a \"}\" before this function: the \"{\" of line " +
                             std::to_string(t_[brace].line) + " is not closed", false};
    if (c != ')' && c != ']' && c != '}' && c != ';') continue;
    if (open.empty() && c != ';') return none; /* one too many: the compiler says so */
    if (open.empty()) continue;
    const std::string problem = bracket_problem(open.back(), i);
    /* Where the line is that lacks it: that of the ; or ), but a } may be far away. */
    if (!problem.empty()) return {c == '}' ? open.back() : i, problem, false};
    if (c != ';') open.pop_back();
  }
  if (open.empty()) return none;
  if (function.token) return function;
  return {last, "expected a \"}\" at the end of the file: the \"{\" of line " +
                    std::to_string(t_[open.back()].line) + " is not closed", false};
}

/* What stands at namespace scope alone. */
bool Names::begins_function(size_t i) const {
  return (is(i, "__global__") && punct(i - 1) != ']' && !is(i - 1, "friend")) ||
         (is(i, "main") && is(i - 1, "int") && punct(i + 1) == '(');
}

/* namespace a { or extern "C" { */
bool Names::opens_namespace(size_t i) const {
  for (size_t j = i; j-- > 0 && (t_[j].kind == kName || t_[j].kind == kText || is(j, "::"));)
    if (is(j, "namespace") || t_[j].kind == kText) return true;
  return false;
}
