/* What only the whole source tells: a brace that is missing, and memory that is too small.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cu_names.h"

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

Names::Problem Names::missing_brace() const {
  std::vector<size_t> open; /* { that are not closed; those of namespaces count as none */
  const Problem none = {0, "", false};
  Problem found = none;
  size_t last = 0;
  for (size_t i = 1; i + 1 < t_.size(); ++i) {
    if (t_[i].system) continue;
    last = i;
    if (open_of(i) == '{') {
      open.push_back(i);
    } else if (open_of(i) == '}') {
      if (open.empty()) return none; /* one too many: the compiler says so */
      open.pop_back();
    }
    const bool function = (is(i, "__global__") && open_of(i - 1) != ']' && !is(i - 1, "friend")) ||
                          (is(i, "main") && is(i - 1, "int") && open_of(i + 1) == '(');
    if (!function || found.token) continue;
    for (size_t brace : open)
      if (!opens_namespace(brace))
        found = {i, "expected a \"}\" before this function: the \"{\" of line " +
                        std::to_string(t_[brace].line) + " is not closed", false};
  }
  if (open.empty()) return none;
  if (found.token) return found;
  return {last, "expected a \"}\" at the end of the file: the \"{\" of line " +
                    std::to_string(t_[open.back()].line) + " is not closed", false};
}

/* namespace a { or extern "C" { */
bool Names::opens_namespace(size_t i) const {
  for (size_t j = i; j-- > 0 && (t_[j].kind == kName || t_[j].kind == kText || is(j, "::"));)
    if (is(j, "namespace") || t_[j].kind == kText) return true;
  return false;
}
