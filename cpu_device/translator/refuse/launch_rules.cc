/* What is wrong with a launch, as far as names and numbers tell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

std::string Names::launch_problem(size_t token) const {
  const std::string name = text(token);
  auto known = by_name_.find(name);
  if (known == by_name_.end()) {
    for (size_t i : places_.of(name))
      if (!(punct(i + 1) == '<' && punct(i + 2) == '<'))
        return "";
    return "identifier \"" + name + "\" is undefined: no kernel of this name is declared before";
  }
  for (size_t n : known->second)
    if (functions_[n].global || functions_[n].on_both) return "";
  if (declared_as_variable(name)) return "";
  return std::string("a host function call cannot be configured: ") + name + " is a " +
         functions_[known->second.front()].kind() +
         " function, and <<<...>>> launches __global__ ones";
}

/* With how few and how many arguments a function can be called. */
std::pair<size_t, size_t> Names::arity(const Function &f) const {
  const size_t open = f.name_at + 1;
  if (punct(open) != '(') return {0, SIZE_MAX};
  const size_t close = closing(open);
  if (close == open + 2 && is(open + 1, "void")) return {0, 0};
  size_t most = headers_.count_between(open, close), defaults = 0;
  for (size_t i = open + 1; i < close; ++i) {
    const char c = punct(i);
    defaults += c == '=';
    if (c == '.') return {0, SIZE_MAX}; /* a parameter pack, or ellipsis */
    if (c == '(' || c == '[' || c == '{') i = closing(i);
  }
  return {most - defaults, most};
}

std::string Names::argument_problem(size_t token, size_t open) const {
  const auto known = by_name_.find(text(token));
  const size_t close = closing(open);
  if (known == by_name_.end() || declared_as_variable(text(token))) return "";
  for (size_t i = open; i < close; ++i)
    if (punct(i) == '<' || punct(i) == '[') return ""; /* less, or a template's; a lambda */
  const size_t given = headers_.count_between(open, close);
  bool more = false, fewer = false;
  std::pair<size_t, size_t> takes;
  for (size_t n : known->second) {
    if (!functions_[n].global) return "";
    takes = arity(functions_[n]);
    if (takes.first <= given && given <= takes.second) return "";
    more = more || given > takes.second;
    fewer = fewer || given < takes.first;
  }
  if (more && fewer)
    return "no instance of overloaded function \"" + text(token) + "\" takes " +
           std::to_string(given) + (given == 1 ? " argument" : " arguments");
  const size_t wanted = more ? takes.second : takes.first;
  return std::string(more ? "too many" : "too few") + " arguments in function call: kernel \"" +
         text(token) + "\" takes " + std::to_string(wanted) + ", and " + std::to_string(given) +
         (given == 1 ? " is given" : " are given");
}

size_t Names::host_lambda(size_t token, size_t open) const {
  const auto known = by_name_.find(text(token));
  if (known == by_name_.end()) return 0;
  for (size_t n : known->second)
    if (!functions_[n].global || !functions_[n].templated) return 0;
  for (size_t i = open + 1; i < closing(open); ++i) {
    if (punct(i) == '[' && (punct(i - 1) == '(' || punct(i - 1) == ',')) {
      size_t body = closing(i) + 1;
      const bool marked = is(body, "__device__") || is(body, "__host__");
      while (body < closing(open) && punct(body) != '{')
        body = punct(body) == '(' ? closing(body) + 1 : body + 1;
      const char after = punct(closing(body) + 1); /* ( where it is called at once */
      if (!marked && (after == ',' || after == ')')) return i;
    }
    if (punct(i) == '(' || punct(i) == '[' || punct(i) == '{') i = closing(i);
  }
  return 0;
}
