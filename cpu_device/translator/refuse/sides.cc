/* Host names in device code, device names in host code, and launches of what is no kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include <algorithm>

#include "cpu_device/translator/read/library.h"
#include "cpu_device/translator/read/names.h"

namespace {

const char *const kNotRelaxed =
    " is not allowed: declare it __host__ __device__. nvcc's flag --expt-relaxed-constexpr allows it";

/* CUDA's own that host functions may not call. */
const std::set<std::string> kDeviceLibrary = {
    "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
    "__syncwarp", "__threadfence", "__threadfence_block", "__threadfence_system",
    "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync", "__any_sync", "__all_sync", "__activemask",
    "atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicExch", "atomicCAS",
    "atomicInc", "atomicDec", "atomicAnd", "atomicOr", "atomicXor"};

}  // namespace

/* ---- what a name is ---- */

/* Somewhere in the function, its parameters included; in a class's, also as a member of any. */
bool Names::declared_in(const Function &f, const std::string &name) const {
  if (f.place != kFree && class_names_.count(name)) return true;
  for (size_t i : places_.of(name, f.head, f.scope_end))
    if (declares(i) &&
        (f.place == kLambda || !(i < f.body && punct(i + 1) == '(')))
      return true;
  return false;
}

/* Anywhere in the program, as something other than a function. */
bool Names::declared_as_variable(const std::string &name) const {
  for (size_t i : places_.of(name))
    if (!t_[i].system && punct(i + 1) != '(' && declares(i)) return true;
  return false;
}

/* Within sizeof(...), decltype(...) and such, where a name is not used. */
bool Names::unevaluated(size_t i) const {
  const size_t open = innermost_open(i);
  return open && (is(open - 1, "sizeof") || is(open - 1, "decltype") || is(open - 1, "alignof") ||
                  is(open - 1, "typeid"));
}

/* Token i is called as a function: name(...) or name<...>(...), and not a member. */
bool Names::is_call(size_t i) const {
  if (i == 0 || t_[i].kind != kName || punct(i - 1) == '.' || is(i - 1, "->")) return false;
  size_t next = i + 1;
  if (punct(next) == '<' && punct(next + 1) != '<' && closing_angle(next))
    next = closing_angle(next) + 1;
  return punct(next) == '(' && !unevaluated(i);
}

/* The program's functions that the call at token i may mean, by their names. */
std::vector<const Names::Function *> Names::callees(size_t i) const {
  std::vector<const Function *> out;
  const auto named = by_name_.find(text(i));
  if (named == by_name_.end()) return out;
  std::string path; /* that the call says: a::b:: */
  size_t first = i;
  for (; first > 1 && is(first - 1, "::") && t_[first - 2].kind == kName; first -= 2)
    path = text(first - 2) + "::" + path;
  const bool whole = first > 0 && is(first - 1, "::"); /* ::name */
  for (size_t n : named->second) {
    const Function &g = functions_[n];
    const size_t length = g.path.size(), said = path.size();
    if (whole ? g.path == path : length >= said && g.path.compare(length - said, said, path) == 0) out.push_back(&g);
  }
  return out;
}

/* The call at token i may be one of a header's function: C's or CUDA's, or one of std that it sees. */
bool Names::may_be_of_header(const Function &f, size_t i) const {
  if (is(i - 1, "::")) return false; /* the program's own namespace, or none: see callees */
  const std::string name = text(i);
  size_t open = i + 1;
  if (punct(open) == '<') open = closing_angle(open) + 1;
  const size_t given = headers_.count_between(open, closing(open));
  if (headers_.global(name, given)) return true;
  if (!headers_.of_std(name, given)) return false;
  if (f.for_device()) return uses_std_ && kConstexprOfStd.count(name) != 0; /* else it is the host's, too */
  if (uses_std_ || used_of_std_.count(name)) return true;
  for (size_t j = open + 1; j < closing(open); ++j)
    if (speaks_of_std(j)) return true;
  return false;
}

/* Token i, among a call's arguments, tells of an object of std, of which std's functions are seen. */
bool Names::speaks_of_std(size_t i) const {
  if (t_[i].kind != kName) return false;
  if (is(i, "std") || is(i, "begin") || is(i, "end")) return true;
  for (size_t j : places_.of(text(i))) {
    if (t_[j].system || !declares(j)) continue;
    size_t first = j;
    while (first > 0 && !strchr(";{}(,", punct(first - 1) ? punct(first - 1) : ' '))
      first = punct(first - 1) == '>' && opening_angle(first - 1) ? opening_angle(first - 1) : first - 1;
    for (size_t k = first; k < j; ++k)
      if (is(k, "std") || is(k, "auto")) return true;
  }
  return false;
}

/* The program itself declares a type of this name. */
bool Names::is_type(const std::string &name) const {
  for (size_t i : places_.of(name)) {
    if (t_[i].system || i == 0) continue;
    if (is(i - 1, "struct") || is(i - 1, "class") || is(i - 1, "union") || is(i - 1, "enum") ||
        is(i - 1, "using"))
      return true;
  }
  return false;
}

/* ---- which code is whose ---- */

/* What arch.h makes of a function of both sides that asks for __CUDA_ARCH__:
 * { if (::cpu_device::on_device()) {device's} else {host's} }; else all is both sides'. */
Names::Part Names::device_part(const Function &f) const {
  const size_t open = f.body + 10;
  if (open + 1 >= t_.size() || !is(f.body + 1, "if") || !is(f.body + 6, "on_device"))
    return {f.body + 1, f.body_end};
  return {open + 1, closing(open)};
}

Names::Part Names::host_part(const Function &f) const {
  const Part device = device_part(f);
  if (device.first == f.body + 1) return device;
  return {device.end + 3, closing(device.end + 2)};
}

const Names::Function *Names::innermost_function(size_t i) const {
  const Function *found = nullptr;
  for (const auto *functions : {&functions_, &members_, &lambdas_})
    for (const Function &f : *functions)
      if (f.body && f.body < i && i < f.body_end && (!found || found->body < f.body)) found = &f;
  return found;
}

Names::Problems Names::problems() const {
  Problems all, out;
  for (const auto *functions : {&functions_, &members_, &lambdas_})
    for (const Function &f : *functions) {
      if (t_[f.head].system) continue;
      if (f.global) check_kernel(f, &all);
      if (!f.body || f.constant) continue;
      if (f.for_device()) {
        check_device(f, &all);
        check_language(f, &all);
        if (compiled_for_host(f)) check_host(f, true, &all);
      } else if (!f.on_both) {
        check_host(f, false, &all);
      }
      check_constant_memory(f, &all);
    }
  check_shared_on_host(&all);
  std::stable_sort(all.begin(), all.end(), [](const Problem &a, const Problem &b) {
    return a.warning != b.warning ? b.warning : a.token < b.token;
  });
  std::set<std::pair<int, int>> lines;
  for (const Problem &p : all)
    if (lines.insert({t_[p.token].file, t_[p.token].line}).second) out.push_back(p);
  return out;
}

/* A function of both sides that is in the program, called by the host or not, and that does not
 * ask for __CUDA_ARCH__. */
bool Names::compiled_for_host(const Function &f) const {
  return f.for_both() && f.place == kFree && !f.templated && !has(f.head, f.body, "static") &&
         !is_inline(f) && f.path.find(kUnnamed) == std::string::npos &&
         device_part(f).first == f.body + 1;
}

/* ---- device code ---- */

bool Names::is_inline(const Function &f) const {
  /* __forceinline__ is CUDA's own macro, so what it stands for lies before the head. */
  for (size_t i = f.head; i-- > 0 && t_[i].system && !strchr(";{}", punct(i) ? punct(i) : ' ');)
    if (is(i, "inline")) return true;
  return has(f.head, f.body, "inline");
}

/* nvcc makes device code of such functions only where the program uses them. */
bool Names::compiled_for_use_alone(const Function &f) const {
  return !is(f.name_at, "operator") && f.place != kLambda &&
         (f.place == kMember || f.templated || is_inline(f) ||
          (!f.global && (has(f.head, f.body, "static") || f.path.find(kUnnamed) != std::string::npos)));
}

void Names::check_device(const Function &f, Problems *out) const {
  if (compiled_for_use_alone(f) && uses_of(f.name) < 2) return;
  std::set<std::string> said;
  check_host_parameters(f, out);
  const Part part = device_part(f);
  for (size_t i = part.first; i < part.end; ++i) {
    if (t_[i].kind != kName || is(i + 1, "::")) continue;
    const bool of_object = punct(i - 1) == '.' || is(i - 1, "->");
    bool warning = f.for_both();
    std::string message = of_object ? host_method(f, i) : of_library(f, i);
    if (message.empty() && !of_object) message = host_constructor(f, i);
    if (message.empty() && !of_object && is(i - 1, "::")) {
      message = host_call(f, i, &warning);
    } else if (message.empty() && !of_object) {
      message = host_variable(f, i);
      const bool emitted = f.place == kFree && !f.templated && !has(f.head, f.body, "static");
      if (!message.empty()) warning = warning && !emitted;
      else message = host_call(f, i, &warning);
    }
    if (!message.empty() && said.insert(text(i)).second) out->push_back({i, message, warning});
  }
}

/* The value of token i is needed when the program is compiled: in template arguments, lengths,
 * after constexpr. A value of the host's may be used so. */
bool Names::constant_expression(const Function &f, size_t i) const {
  for (size_t j = i; j > f.body && punct(j) != ';' && punct(j) != '{' && punct(j) != '}'; --j)
    if (is(j, "constexpr") || is(j, "static_assert") || is(j, "case") || is(j, "enum")) return true;
  for (size_t j = i; j-- > f.body && punct(j) != ';' && punct(j) != '{';)
    if (punct(j) == '<' && closing_angle(j) > i) return true;
  const size_t open = innermost_open(i);
  return punct(open) == '[' && declares(open - 1);
}

/* &name, as an operand by itself. */
bool Names::address_taken(size_t i) const {
  const char before = punct(i - 2);
  return punct(i - 1) == '&' && !declares(i) && before != '&' &&
         (is(i - 2, "return") || (before && strchr("(,=;{}?:", before)));
}

/* Why device code may not use the variable that token i may name; empty: it may. */
std::string Names::host_variable(const Function &f, size_t i) const {
  const std::string name = text(i);
  const auto variable = variables_.find(name);
  if (variable == variables_.end() || device_variables_.count(name) || by_name_.count(name) ||
      unevaluated(i) || declared_in(f, name))
    return "";
  const auto all = [&](auto which) {
    return std::all_of(variable->second.begin(), variable->second.end(), [&](const Variable &v) {
      return which(v) && f.path.compare(0, v.path.size(), v.path) == 0;
    });
  };
  const std::string undefined = "identifier \"" + name + "\" is undefined in device code: ";
  if (all([](const Variable &v) { return !v.constant; }))
    return undefined + "it is a variable of the host's. Pass it to the kernel as an argument, or "
                       "make it a __device__ or __constant__ variable";
  if (all([](const Variable &v) { return v.constant && v.array; }) && !constant_expression(f, i))
    return undefined + "a constexpr array lies in the host's memory. Make it a __constant__ "
                       "variable, or declare it in the function";
  if (all([](const Variable &v) { return v.constant; }) && address_taken(i) &&
      !constant_expression(f, i))
    return undefined + "device code may use the value of the host's constant, and not its "
                       "address. Make it a __constant__ variable, or copy it to one of the function's";
  return "";
}

/* Why device code may not call what token i names; empty: it may, or it is no call. */
std::string Names::host_call(const Function &f, size_t i, bool *warning) const {
  if (!is_call(i)) return "";
  const std::string name = text(i);
  const std::string where = std::string(" a ") + f.kind() + " function(\"" + f.name + "\")";
  const auto called = by_name_.find(name);
  if (called == by_name_.end()) {
    if (name.size() > 5 && name.compare(0, 4, "cuda") == 0 && isupper((unsigned char)name[4]) &&
        !f.for_both())
      return name +
             " in device code (dynamic parallelism) is not supported on the CPU device: see "
             "docs/cpu_device.md, \"What is supported\"";
    return "";
  }
  const bool qualified = is(i - 1, "::");
  const std::vector<const Function *> candidates = callees(i);
  if (candidates.empty() || may_be_of_header(f, i) || declared_in(f, name)) return "";
  const auto all = [&](auto which) {
    return std::all_of(candidates.begin(), candidates.end(), [&](const Function *g) { return which(*g); });
  };
  if (all([](const Function &g) { return g.global; }) && !f.for_both() && !declares(i))
    return "a __global__ function call must be configured, and a kernel cannot be called in device "
           "code: make \"" + name + "\" a __device__ function";
  if (all([&](const Function &g) {
        return !g.for_device() && !g.on_both && (qualified || f.path.compare(0, g.path.size(), g.path) == 0);
      }))
    return "calling a __host__ function(\"" + name + "\") from" + where +
           " is not allowed: declare it __device__, or __host__ __device__";
  if (!relaxed_constexpr_ && all([&](const Function &g) {
        return !g.for_device() && g.constant && (qualified || f.path.compare(0, g.path.size(), g.path) == 0);
      }))
    return "calling a constexpr __host__ function(\"" + name + "\") from" + where + kNotRelaxed;
  *warning = false;
  return "";
}

/* The same for x.name(...), and for `Class x;`, where all such names of the program are the
 * host's. */
std::string Names::host_method(const Function &f, size_t i) const {
  if (f.for_both() || punct(i + 1) != '(') return "";
  const std::string name = text(i);
  bool known = false, constant = true;
  for (const Function &m : members_) {
    if (m.name != name) continue;
    if (m.for_device() || (m.on_both && (!m.constant || relaxed_constexpr_))) return "";
    known = true;
    constant = constant && m.constant;
  }
  if (!known || kit_calls_.count(std::string_view(name)) || declared_as_variable(name)) return "";
  for (const Function &g : functions_)
    if (g.name == name && (g.for_device() || g.constant)) return "";
  if (constant)
    return "calling a constexpr __host__ function(\"" + name + "\") from a " + f.kind() +
           " function(\"" + f.name + "\")" + kNotRelaxed;
  return "calling a __host__ function(\"" + name + "\") from a " + f.kind() + " function(\"" +
         f.name + "\") is not allowed: declare the method __device__, or __host__ __device__";
}

/* The same for `Class x;`, where the class can only be made by a constructor of the host's. */
std::string Names::host_constructor(const Function &f, size_t i) const {
  const bool made = t_[i + 1].kind == kName && punct(i + 2) == ';' && t_[i - 1].kind == kPunct &&
                    strchr(";{}", punct(i - 1));
  if (!made || f.for_both()) return "";
  const std::string name = text(i), path = name + "::";
  bool known = false;
  for (const Function &m : members_) {
    const size_t n = m.path.size();
    if (m.name != name || n < path.size() || m.path.compare(n - path.size(), path.size(), path) != 0 ||
        is(m.name_at - 1, "~"))
      continue;
    if (m.for_device() || m.on_both) return "";
    known = true;
  }
  if (!known) return "";
  return "calling a __host__ function(\"" + path + name + "\") from a " + f.kind() + " function(\"" +
         f.name + "\") is not allowed: declare the constructor __device__, or __host__ __device__";
}

/* Parameters that are the host library's objects may be passed, and not used. */
void Names::check_host_parameters(const Function &f, Problems *out) const {
  for (size_t i = f.head; i + 4 < f.body; ++i) {
    if (!is(i, "std") || !is(i + 1, "::") || kHostClasses.count(text(i + 2)) == 0) continue;
    const auto &type = *kHostClasses.find(text(i + 2));
    size_t name = i + 3;
    if (punct(name) == '<' && closing_angle(name)) name = closing_angle(name) + 1;
    if (punct(name) == '&') ++name;
    if (t_[name].kind != kName || !declares(name)) continue;
    for (size_t use = f.body + 1; use < f.body_end; ++use) {
      if (!is(use, text(name).c_str()) || (punct(use + 1) != '[' && punct(use + 1) != '.') ||
          punct(use - 1) == '.' || is(use - 1, "->"))
        continue;
      out->push_back({use, "calling a __host__ function of std::" + type.first + " from a " + f.kind() +
                               " function(\"" + f.name + "\") is not allowed" + type.second,
                      f.for_both()});
      break;
    }
  }
}

/* What device code may not use of the C and C++ libraries. */
std::string Names::of_library(const Function &f, size_t i) const {
  const std::string name = text(i);
  const std::string where = std::string(" a ") + f.kind() + " function(\"" + f.name + "\")";
  const bool of_std = is(i - 1, "::") && is(i - 2, "std") && !is(i - 3, "::");
  const bool global = !is(i - 1, "::") || (!of_std && t_[i - 2].kind != kName && punct(i - 2) != '>');
  if (of_std || (global && uses_std_ && kUsedUnqualified.count(name) && !declared_in(f, name) &&
                 !by_name_.count(name) && !variables_.count(name) && !class_names_.count(name) &&
                 !is_type(name))) {
    /* std::vector<int> *p says no more than a type. */
    const size_t close = punct(i + 1) == '<' ? closing_angle(i + 1) : 0;
    const bool pointer = close && (punct(close + 1) == '*' || punct(close + 1) == '&');
    const auto type = kHostClasses.find(name);
    if (type != kHostClasses.end() && !pointer)
      return "std::" + name + " is the host's: it cannot be used in" + where + type->second;
    const auto computed = kConstexprOfStd.find(name);
    if (computed != kConstexprOfStd.end() && !relaxed_constexpr_ && !pointer &&
        (punct(i + 1) == '(' || punct(i + 1) == '<') && !unevaluated(i))
      return "calling a constexpr __host__ function(\"std::" + name + "\") from" + where +
             " is not allowed: " + computed->second +
             ". nvcc's flag --expt-relaxed-constexpr allows it";
    const auto called = kFunctionsOfStd.find(name);
    if (called != kFunctionsOfStd.end() && !relaxed_constexpr_ &&
        (punct(i + 1) == '(' || punct(i + 1) == '<'))
      return "calling a __host__ function(\"std::" + name + "\") from" + where + " is not allowed" +
             called->second;
  }
  const auto c = kHostLibrary.find(name);
  if (c == kHostLibrary.end() || !(of_std || global) || by_name_.count(name) ||
      punct(i + 1) != '(' || unevaluated(i) || (!of_std && declared_in(f, name)))
    return "";
  return "calling a __host__ function(\"" + name + "\") from" + where + " is not allowed" + c->second;
}

/* ---- host code ---- */

/* What to say where the host reads or writes, by its name, a variable that lies in the device's
 * memory; empty: it does not, or it is not clear. */
std::string Names::device_variable(const Function &f, size_t i) const {
  const std::string name = text(i);
  const auto variable = device_variables_.find(name);
  if (t_[i].kind != kName || variable == device_variables_.end() || variable->second.managed ||
      variables_.count(name) || by_name_.count(name) || punct(i - 1) == '.' || is(i - 1, "->") ||
      is(i - 1, "::") || unevaluated(i) || declared_in(f, name))
    return "";
  const std::string what = std::string("a ") + variable->second.keyword + " variable \"" + name +
                           "\" cannot be directly ";
  const bool shared = variable->second.keyword == std::string("__shared__");
  if (is_written(i))
    return what + "written in a host function" + (shared ? "" : ": use cudaMemcpyToSymbol");
  const size_t open = innermost_open(i);
  const bool printed = punct(open) == '(' && (is(open - 1, "printf") || is(open - 1, "fprintf"));
  const bool element = punct(i + 1) == '[' && punct(i - 1) != '&' && punct(open) != '(';
  if ((printed && punct(i - 1) != '&') || element || is(i - 1, "return"))
    return what + "read in a host function" + (shared ? "" : ": use cudaMemcpyFromSymbol");
  return "";
}

/* only_builtins: the function is of both sides. */
void Names::check_host(const Function &f, bool only_builtins, Problems *out) const {
  std::set<std::string> said;
  for (size_t i = f.body + 1; i < f.body_end; ++i) {
    if (is(i, "__device__") || is(i, "__global__")) { /* a lambda for the device */
      while (i < f.body_end && punct(i) != '{' && punct(i) != ';') ++i;
      if (punct(i) == '{') i = closing(i);
      continue;
    }
    const std::string name = text(i);
    if (t_[i].kind == kName && is_builtin(i) && !unevaluated(i) && said.insert(name).second) {
      out->push_back({i, "identifier \"" + name + "\" is undefined in host code: only kernels and "
                         "__device__ functions run in threads and blocks, and \"" + f.name +
                             "\" is a " + f.kind() + " function", false});
      continue;
    }
    if (only_builtins) continue;
    const std::string touched = device_variable(f, i);
    if (!touched.empty() && said.insert(name).second) out->push_back({i, touched, true});
    if (!is_call(i)) continue;
    auto called = by_name_.find(name);
    if (kDeviceLibrary.count(name) && called == by_name_.end() && !declared_in(f, name) &&
        said.insert(name).second) {
      out->push_back({i, "calling a __device__ function(\"" + name +
                             "\") from a __host__ function(\"" + f.name +
                             "\") is not allowed: call it in a kernel", false});
      continue;
    }
    const std::vector<const Function *> candidates = callees(i);
    if (candidates.empty() || declares(i)) continue;
    const auto all = [&](auto which) {
      return std::all_of(candidates.begin(), candidates.end(), [&](const Function *g) { return which(*g); });
    };
    const bool kernel = all([](const Function &g) { return g.global; });
    const bool device = all([](const Function &g) { return g.device && !g.on_both; });
    if ((!kernel && !device) || may_be_of_header(f, i) || declared_in(f, name) ||
        !said.insert(name).second)
      continue;
    const char before = punct(i - 1);
    const bool statement = before == ';' || before == '{' || before == '}' || before == ')' ||
                           before == ':' || is(i - 1, "else") || is(i - 1, "do");
    if (kernel && statement)
      out->push_back({i, "a __global__ function call must be configured: launch it with " + name +
                             "<<<grid, block>>>(...)", false});
    if (device)
      out->push_back(
          {i, "calling a __device__ function(\"" + name + "\") from a __host__ function(\"" +
                  f.name +
                  "\") is not allowed: declare it __host__ __device__, or call it in a kernel", false});
  }
}
