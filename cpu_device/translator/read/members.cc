/* Functions that are no free ones: those of classes, and lambdas for the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

namespace {

const std::set<std::string> kMemberAttributes = {"__attribute__", "alignas",  "__launch_bounds__",
                                           "__align__",     "decltype", "noexcept",
                                           "explicit"};

}  // namespace

/* What stands between the braces of a class; open: its {. */
void Names::scan_class(size_t open, const std::string &path, bool templated) {
  const size_t to = closing(open);
  for (size_t i = open + 1; i < to;) {
    const bool label = is(i, "public") || is(i, "private") || is(i, "protected");
    if (punct(i) == ';' || punct(i) == ':' || label) ++i;
    else i = member(i, to, path, templated);
  }
}

/* Reads one member's declaration; the token after it. */
size_t Names::member(size_t i, size_t to, const std::string &path, bool templated) {
  const size_t start = i;
  const bool skipped = is(i, "using") || is(i, "typedef") || is(i, "static_assert") || is(i, "friend");
  size_t name = 0;
  bool type = false, enumerators = false;
  for (size_t j = after_template(i); j < to; ++j) {
    const char c = punct(j);
    if (t_[j].kind == kName && kMemberAttributes.count(text(j))) {
      if (punct(j + 1) == '(') j = closing(j + 1);
    } else if (is(j, "class") || is(j, "struct") || is(j, "union") || is(j, "enum")) {
      type = true;
      enumerators = enumerators || is(j, "enum");
    } else if (is(j, "operator")) {
      name = j;
      j = before_parameters(j, to);
    } else if (t_[j].kind == kName) {
      name = j;
      class_names_.insert(text(j));
    } else if (c == '<') {
      const size_t close = closing_angle(j);
      if (!close) return after_statement(j, to);
      j = close;
    } else if (c == '{' && type) {
      if (!enumerators) scan_class(j, path + (name ? text(name) + "::" : ""), templated);
      for (size_t k = closing(j) + 1; k < to && punct(k) != ';'; ++k)
        if (t_[k].kind == kName) class_names_.insert(text(k));
      return after_statement(closing(j) + 1, to);
    } else if (c == '(' && name) {
      size_t after = closing(j) + 1;
      bool initialisers = false; /* of a constructor: a(1), b{2} */
      for (; after < to && punct(after) != ';' && punct(after) != '='; ++after) {
        if (punct(after) == ':' ) initialisers = true;
        if (punct(after) == '{') {
          if (!initialisers || !(t_[after - 1].kind == kName || punct(after - 1) == '>')) break;
          after = closing(after);
        } else if (punct(after) == '(') {
          after = closing(after);
        }
      }
      const bool body = after < to && punct(after) == '{';
      if (!skipped) {
        Function f = function_of(start, name, body ? after : 0, body ? closing(after) : after, path);
        f.place = kMember;
        f.templated = f.templated || templated;
        /* What is = default, and a constructor by itself, belongs to both sides. */
        f.on_both = f.constant || f.for_both() || (after < to && punct(after) == '=');
        members_.push_back(f);
      }
      return body ? closing(after) + 1 : after_statement(after, to);
    } else if (c == ';' || c == '=' || c == '[' || c == '{' || c == ':') {
      const size_t end = after_statement(j, to);
      for (size_t k = j; k < end; ++k) { /* int a = 1, b[2]; */
        if (punct(k) == '(' || punct(k) == '[' || punct(k) == '{') k = closing(k);
        else if (t_[k].kind == kName) class_names_.insert(text(k));
      }
      return end;
    }
  }
  return to;
}

/* [=] __device__ (int i) { ... }: names of the function around it are seen in its body. */
void Names::find_device_lambdas() {
  for (size_t i = 1; i + 1 < t_.size(); ++i) {
    if (t_[i].system || punct(i - 1) != ']' || !(is(i, "__device__") || is(i, "__host__")))
      continue;
    Function f = {};
    f.name = "lambda";
    f.place = kLambda;
    f.name_at = i;
    size_t j = i;
    for (; is(j, "__device__") || is(j, "__host__") || is(j, "constexpr"); ++j) {
      f.device = f.device || is(j, "__device__");
      f.host = f.host || is(j, "__host__");
    }
    if (punct(j) == '(') j = closing(j) + 1;
    while (j + 1 < t_.size() && punct(j) != '{' && punct(j) != ';') ++j;
    if (!f.device || punct(j) != '{') continue;
    f.body = j;
    f.body_end = f.scope_end = closing(j);
    f.head = i;
    for (const auto *functions : {&functions_, &members_})
      for (const Function &g : *functions)
        if (g.body && g.body < i && i < g.body_end) {
          f.head = g.head;
          f.path = g.path;
          f.scope_end = g.body_end;
        }
    lambdas_.push_back(f);
  }
}
