/* What the language of kernels leaves out: how a kernel may be declared, what may stand in
 * device code, who may write what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

namespace {

const std::set<std::string> kNumberTypes = {"bool",     "char",   "short",  "int",    "long",
                                            "unsigned", "signed", "float",  "double", "size_t",
                                            "int32_t",  "int64_t", "uint32_t", "uint64_t"};
/* What may stand before a kernel's name beside its type. */
const std::set<std::string> kSpecifiers = {"__global__", "static",    "inline", "extern",
                                           "__host__",   "constexpr", "__device__",
                                           "__inline__", "__noinline__"};

}  // namespace

/* ---- kernels ---- */

void Names::check_kernel(const Function &f, Problems *out) const {
  const auto say = [&](const std::string &message) { out->push_back({f.name_at, message, false}); };
  if (f.place == kMember && !is(f.name_at - 1, "::"))
    return say("a __global__ function or function template cannot be a member function: declare \"" +
               f.name + "\" outside of the class");
  if (f.device || f.host)
    return say("illegal combination of memory qualifiers: a kernel is __global__ alone, without "
               "__host__ or __device__");
  const size_t open = f.name_at + 1;
  if (punct(open) != '(') return;
  const size_t close = closing(open);
  bool nothing = false, number = false, deduced = false, type = false;
  for (size_t i = after_template(f.head); i < f.name_at; ++i) {
    if (punct(i) == '(') i = closing(i); /* of __launch_bounds__ or an attribute */
    if (punct(i) == '[' || punct(i) == '<') return;
    nothing = nothing || is(i, "void");
    number = number || kNumberTypes.count(text(i)) || punct(i) == '*';
    deduced = deduced || is(i, "auto");
    type = type || (t_[i].kind == kName && !kSpecifiers.count(text(i)) &&
                    text(i).compare(0, 2, "__") != 0);
  }
  if (deduced && !is(close + 1, "->"))
    return say("a __global__ function must not have a deduced return type: write void");
  if (number || (!nothing && !type))
    return say("a __global__ function must have a void return type: give \"" + f.name +
               "\" a pointer to write its results to");
  check_kernel_parameters(f, open, close, out);
}

void Names::check_kernel_parameters(const Function &f, size_t open, size_t close,
                                    Problems *out) const {
  for (size_t i = open + 1; i < close; ++i) {
    const char c = punct(i);
    if (is_undefined_type(f, i)) {
      out->push_back({i, "identifier \"" + text(i) + "\" is undefined", false});
      return;
    }
    if (c == '(' || c == '[' || c == '{') {
      i = closing(i);
    } else if (c == '.' && punct(i + 1) == '.' && i + 3 == close &&
               (punct(i - 1) == ',' || punct(i - 1) == '(')) {
      out->push_back({f.name_at, "a __global__ function cannot have ellipsis: name the parameters "
                                 "of \"" + f.name + "\"", false});
    } else if (c == '&' && punct(i + 1) == '&' && !f.templated) {
      out->push_back({f.name_at, "a __global__ function cannot have a parameter with rvalue "
                                 "reference type: pass it by value", false});
      return;
    } else if (is(i, "initializer_list") && is(i - 1, "::")) {
      out->push_back({f.name_at, "a __global__ function cannot have a parameter with type "
                                 "std::initializer_list: pass a pointer from cudaMalloc", false});
    }
  }
}

/* The name at token i is that of a parameter's type, and neither the program nor any header says
 * it anywhere else than among parameters of kernels. */
bool Names::is_undefined_type(const Function &f, size_t i) const {
  static const std::set<std::string> known = {"const", "volatile", "void", "auto", "wchar_t", "char16_t",
                                              "char32_t", "char8_t", "struct", "class", "enum", "typename"};
  const char after = punct(i + 1), before = punct(i - 1);
  const std::string name = text(i);
  if (t_[i].kind != kName || !(before == '(' || before == ',' || is(i - 1, "const")) ||
      !(after == '*' || after == '&' || t_[i + 1].kind == kName) || name[0] == '_' ||
      name.compare(0, 4, "cuda") == 0 || known.count(name) || kNumberTypes.count(name))
    return false;
  for (size_t j : places_.of(name)) {
    if (j < f.name_at || j > closing(f.name_at + 1)) return false;
  }
  return true;
}

/* ---- device code ---- */

void Names::check_language(const Function &f, Problems *out) const {
  if (f.templated && uses_of(f.name) < 2) return; /* nobody compiles it */
  const Part part = device_part(f);
  for (size_t i = part.first; i < part.end; ++i) {
    if (t_[i].kind != kName) continue;
    const auto say = [&](const std::string &message) { out->push_back({i, message, false}); };
    if ((is(i, "try") && punct(i + 1) == '{') || (is(i, "throw") && punct(i + 1) != '('))
      say("device code does not support exception handling: write what went wrong to memory that "
          "the host reads, or use assert()");
    else if (is(i, "dynamic_cast") || is(i, "typeid"))
      say("the operator '" + text(i) + "' is not allowed in device code");
    else if (is(i, "thread_local"))
      say("cannot use thread_local specifier for variable declarations in device code: the "
          "variables of a kernel are each thread's own");
    else if (punct(i + 1) == '[' && declares_array(f, i))
      check_array_length(f, i, out);
  }
}

/* A statement that begins with the array's type: `unsigned int *name[...`. */
bool Names::declares_array(const Function &f, size_t i) const {
  /* On two lines, it is rather a ; that is missing in between. */
  if (t_[i - 1].line != t_[i].line || !declares(i) || !opens_block(f, innermost_open(i))) return false;
  size_t j = i - 1;
  for (; t_[j].kind == kName || punct(j) == '*' || is(j, "::") || punct(j) == '>'; --j)
    if (punct(j) == '>' && (j = opening_angle(j)) == 0) return false;
  return strchr(";{}", punct(j) ? punct(j) : ' ') != nullptr;
}

/* Token i is the { of statements, and not of values. */
bool Names::opens_block(const Function &f, size_t i) const {
  if (punct(i) != '{' || i < f.body) return false;
  if (i == f.body || is(i - 1, "else") || is(i - 1, "do")) return true;
  const char before = punct(i - 1);
  if (before == '{') return opens_block(f, i - 1);
  return before == ')' || before == ';' || before == '}';
}

/* How often the program says a name. */
size_t Names::uses_of(const std::string &name) const {
  size_t n = 0;
  for (size_t i : places_.of(name)) n += !t_[i].system;
  return n;
}

/* i: the name of an array that is declared there. */
void Names::check_array_length(const Function &f, size_t i, Problems *out) const {
  for (size_t open = i + 1; punct(open) == '['; open = closing(open) + 1) {
    const std::string name = runtime_name(f, open + 1, closing(open));
    if (name.empty()) continue;
    bool shared = false;
    for (size_t j = i; j > f.body && !strchr(";{}", punct(j) ? punct(j) : ' '); --j)
      shared = shared || is(j, "__shared__");
    const std::string depends = ": the length of \"" + text(i) + "\" depends on \"" + name + "\". ";
    out->push_back(
        {i,
         (shared ? "a variable length array cannot have static storage duration" + depends +
                       "Declare extern __shared__ " + "...[], and give its size in bytes as the "
                       "launch's third argument"
                 : "expression must have a constant value" + depends +
                       "An array in device code needs a constant, or a template parameter"),
         false});
    return;
  }
}

/* Among tokens [first, end) one that names a value which is known only when the kernel runs;
 * empty: there is none. */
std::string Names::runtime_name(const Function &f, size_t first, size_t end) const {
  for (size_t i = first; i < end; ++i) {
    if (t_[i].kind != kName) continue;
    if (is(i, "sizeof") || is(i, "decltype")) {
      if (punct(i + 1) == '(') i = closing(i + 1);
      continue;
    }
    if (is_builtin(i)) return text(i);
    if (punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::") || is(i + 1, "::")) continue;
    size_t declared = 0;
    for (size_t j : places_.of(text(i), f.name_at + 1, first))
      if (declares(j) && scope_end(j) >= i) declared = j;
    if (!declared) continue;
    if (punct(innermost_open(declared)) == '(') return text(i); /* a parameter, or for's */
    size_t begin = declared;
    while (begin > f.name_at && !strchr(";{}(,<", punct(begin - 1) ? punct(begin - 1) : ' ')) --begin;
    bool constant = punct(begin - 1) == '<' || punct(begin - 1) == ','; /* a list: unclear */
    for (size_t j = begin; j < declared; ++j)
      constant = constant || is(j, "const") || is(j, "constexpr") || is(j, "auto") || is(j, "enum");
    if (!constant) return text(i);
  }
  return "";
}

/* ---- memory ---- */

/* The variable at token i is stored to: name = ..., name[i].x += ..., ++name. */
bool Names::is_written(size_t i) const {
  if ((punct(i - 1) == '+' && punct(i - 2) == '+') || (punct(i - 1) == '-' && punct(i - 2) == '-'))
    return true;
  size_t j = i + 1;
  while (punct(j) == '[' || (punct(j) == '.' && t_[j + 1].kind == kName))
    j = punct(j) == '[' ? closing(j) + 1 : j + 2;
  const char c = punct(j), next = punct(j + 1);
  if (c == '=') return next != '=';
  if (c == '+' || c == '-') return next == '=' || next == c;
  return c && strchr("*/%&|^", c) && next == '=';
}

void Names::check_constant_memory(const Function &f, Problems *out) const {
  for (size_t i = f.body + 1; i < f.body_end; ++i) {
    if (t_[i].kind != kName || punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::")) continue;
    const auto variable = device_variables_.find(text(i));
    if (variable == device_variables_.end() || !variable->second.constant_memory ||
        !is_written(i) || variables_.count(text(i)) || declared_in(f, text(i)))
      continue;
    const bool device = f.for_device();
    const std::string instead = ": the host writes __constant__ variables, with cudaMemcpyToSymbol";
    if (variable->second.number)
      out->push_back({i, "expression must be a modifiable lvalue: \"" + text(i) +
                             "\" is a __constant__ variable" + instead, false});
    else if (device)
      out->push_back({i, "cannot store to memory of the __constant__ variable \"" + text(i) +
                             "\" in device code" + instead, true});
  }
}

void Names::check_shared_on_host(Problems *out) const {
  for (size_t i = 1; i + 1 < t_.size(); ++i) {
    if (t_[i].system || !is(i, "__shared__")) continue;
    const Function *f = innermost_function(i);
    if (!f || f->constant || f->global || (f->device && !f->host)) continue;
    if (f->on_both && !f->for_both()) continue; /* a class's, of a side that is not said here */
    const Part part = device_part(*f);
    if (f->for_both() && part.first != f->body + 1 && part.first <= i && i < part.end) continue;
    bool external = is(i + 1, "extern"), for_device = false;
    for (size_t j = i; j > f->body; --j) {
      const char c = punct(j);
      if (c == ';' || c == '{' || c == '}') break;
      external = external || is(j, "extern");
    }
    for (size_t j = f->body; j < i; ++j) for_device = for_device || is(j, "__device__");
    if (!external && !for_device)
      out->push_back({i, "a static \"__shared__\" variable declaration is not allowed inside a host "
                         "function body: only __global__ and __device__ functions have shared "
                         "memory", false});
  }
}
