/* Host names in device code, device names in host code, and launches of what is no kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include <algorithm>

#include "cu_names.h"

namespace {

/* Of the C and C++ libraries: calls that teaching programs try in kernels, and nvcc refuses. */
const std::set<std::string> kHostLibrary = {"rand",  "srand", "fprintf", "puts", "putchar",
                                            "scanf", "fopen", "fread",   "exit", "getenv"};
const std::set<std::string> kHostClasses = {
    "vector", "string", "map",           "set",        "list",  "deque", "cout",   "cerr",
    "endl",   "sort",   "unordered_map", "unique_ptr", "queue", "stack", "mt19937"};

/* CUDA's own that host functions may not call. */
const std::set<std::string> kDeviceLibrary = {
    "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
    "__syncwarp", "__threadfence", "__threadfence_block", "__threadfence_system",
    "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
    "__ballot_sync", "__any_sync", "__all_sync", "__activemask",
    "atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicExch", "atomicCAS",
    "atomicInc", "atomicDec", "atomicAnd", "atomicOr", "atomicXor"};

}  // namespace

/* Somewhere in the function, its parameters included. */
bool Names::declared_in(const Function &f, const std::string &name) const {
  for (size_t i = f.head; i < f.body_end; ++i)
    if (t_[i].kind == kName && is(i, name.c_str()) && declares(i) &&
        !(i < f.body && open_of(i + 1) == '('))
      return true;
  return false;
}

/* Anywhere in the program, as something other than a function. */
bool Names::declared_as_variable(const std::string &name) const {
  for (size_t i = 1; i + 1 < t_.size(); ++i)
    if (!t_[i].system && t_[i].kind == kName && is(i, name.c_str()) && open_of(i + 1) != '(' &&
        declares(i))
      return true;
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
  if (i == 0 || t_[i].kind != kName || open_of(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::"))
    return false;
  size_t next = i + 1;
  if (open_of(next) == '<' && open_of(next + 1) != '<' && closing_angle(next))
    next = closing_angle(next) + 1;
  return open_of(next) == '(' && !unevaluated(i);
}

bool Names::known_to_system(const std::string &name) const {
  return system_calls_.count(std::string_view(name)) != 0;
}

std::vector<Names::Problem> Names::problems() const {
  std::vector<Problem> out;
  for (const Function &f : functions_) {
    if (!f.body || f.on_both || t_[f.body].system) continue;
    if (f.global || f.device) check_device(f, &out);
    else check_host(f, &out);
  }
  return out;
}

void Names::check_device(const Function &f, std::vector<Problem> *out) const {
  std::set<std::string> said;
  const std::string where = std::string(" a ") + f.kind() + " function(\"" + f.name + "\")";
  auto say = [&](size_t i, const std::string &message) {
    if (said.insert(text(i)).second) out->push_back({i, message});
  };
  for (size_t i = f.body + 1; i < f.body_end; ++i) {
    if (t_[i].kind != kName || open_of(i - 1) == '.' || is(i - 1, "->") || is(i + 1, "::"))
      continue;
    const std::string name = text(i);
    const bool of_std = is(i - 1, "::") && is(i - 2, "std");
    if (of_std && kHostClasses.count(name)) {
      say(i, "std::" + name + " is the host's: it cannot be used in" + where);
      continue;
    }
    if (is(i - 1, "::")) continue;
    auto variable = variables_.find(name);
    if (variable != variables_.end() && !device_variables_.count(name) && !by_name_.count(name) &&
        !unevaluated(i) && !declared_in(f, name)) {
      const bool refused =
          std::all_of(variable->second.begin(), variable->second.end(), [&](const Variable &v) {
            return !v.constant && f.path.compare(0, v.path.size(), v.path) == 0;
          });
      if (refused)
        say(i,
            "identifier \"" + name +
                "\" is undefined in device code: it is a variable of the host's. "
                "Pass it to the kernel as an argument, or make it a __device__ or __constant__ "
                "variable");
      continue;
    }
    if (!is_call(i)) continue;
    auto called = by_name_.find(name);
    if (called == by_name_.end()) {
      if (name.size() > 5 && name.compare(0, 4, "cuda") == 0 && isupper((unsigned char)name[4]))
        say(i, name +
                   " in device code (dynamic parallelism) is not supported on the CPU device: see "
                   "docs/cpu_device.md, \"What is supported\"");
      else if (kHostLibrary.count(name) && !declared_in(f, name))
        say(i, "calling a __host__ function(\"" + name + "\") from" + where + " is not allowed");
      continue;
    }
    const bool host_only = std::all_of(called->second.begin(), called->second.end(), [&](size_t n) {
      const Function &g = functions_[n];
      return !g.global && !g.device && !g.on_both && f.path.compare(0, g.path.size(), g.path) == 0;
    });
    if (host_only && !known_to_system(name) && !declared_in(f, name))
      say(i, "calling a __host__ function(\"" + name + "\") from" + where +
                 " is not allowed: declare it __device__, or __host__ __device__");
  }
}

void Names::check_host(const Function &f, std::vector<Problem> *out) const {
  std::set<std::string> said;
  for (size_t i = f.body + 1; i < f.body_end; ++i) {
    if (is(i, "__device__") || is(i, "__global__")) { /* a lambda for the device */
      while (i < f.body_end && open_of(i) != '{' && open_of(i) != ';') ++i;
      if (open_of(i) == '{') i = closing(i);
      continue;
    }
    if (!is_call(i)) continue;
    const std::string name = text(i);
    auto called = by_name_.find(name);
    if (kDeviceLibrary.count(name) && called == by_name_.end() && !declared_in(f, name) &&
        said.insert(name).second) {
      out->push_back({i, "calling a __device__ function(\"" + name +
                             "\") from a __host__ function(\"" + f.name +
                             "\") is not allowed: call it in a kernel"});
      continue;
    }
    if (called == by_name_.end() || declares(i)) continue;
    const auto all = [&](auto which) {
      return std::all_of(called->second.begin(), called->second.end(),
                         [&](size_t n) { return which(functions_[n]); });
    };
    const bool kernel = all([](const Function &g) { return g.global; });
    const bool device = all([](const Function &g) { return g.device && !g.on_both; });
    if ((!kernel && !device) || known_to_system(name) || declared_in(f, name) ||
        !said.insert(name).second)
      continue;
    const char before = open_of(i - 1);
    const bool statement = before == ';' || before == '{' || before == '}' || before == ')' ||
                           before == ':' || is(i - 1, "else") || is(i - 1, "do");
    if (kernel && statement)
      out->push_back({i, "a __global__ function call must be configured: launch it with " + name +
                             "<<<grid, block>>>(...)"});
    if (device)
      out->push_back(
          {i, "calling a __device__ function(\"" + name + "\") from a __host__ function(\"" +
                  f.name +
                  "\") is not allowed: declare it __host__ __device__, or call it in a kernel"});
  }
}

std::string Names::launch_problem(size_t token) const {
  const std::string name = text(token);
  auto known = by_name_.find(name);
  if (known == by_name_.end()) {
    for (size_t i = 0; i + 1 < t_.size(); ++i)
      if (t_[i].kind == kName && is(i, name.c_str()) &&
          !(open_of(i + 1) == '<' && open_of(i + 2) == '<'))
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
