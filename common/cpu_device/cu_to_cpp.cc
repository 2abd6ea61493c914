/* cu_to_cpp: makes ordinary C++ of a .cu file, for the CPU device.
 *
 *   cu_to_cpp SOURCE.cu OUTPUT.cc -- COMPILER FLAGS...
 *
 * The compiler preprocesses the source; in what comes out this program rewrites, token by
 * token, what is CUDA's alone: the keywords, launches and __shared__ declarations. Lines stay
 * where they were, so messages of the second compilation point at the student's own text.
 * What it cannot translate is an error with file and line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cu_arch.h"
#include "cu_leaves.h"
#include "cu_names.h"
#include "cu_phases.h"
#include "cu_ptx.h"
#include "cu_steps.h"
#include "cu_tokens.h"

namespace {

const char *const WARN_OF_DOUBLE = "warning \"-Wdouble-promotion\"";

/* ---- edits ---- */

struct Edit {
  size_t begin, end;
  std::string with;
};

class Translator : private Tokens {
 public:
  struct Options {
    bool warn_of_double = true, relaxed_constexpr = false;
    bool cut = true;           /* kernels at their barriers, where that can be done */
  };
  Translator(const Source &src, const Options &options)
      : Tokens(src),
        names_(src, options.relaxed_constexpr),
        leaves_(src),
        phases_(src, names_, leaves_),
        options_(options) {}

  bool run() {
    const Names::Problem bracket = names_.unmatched_bracket();
    if (bracket.token) return fail(bracket.token, bracket.message), false;
    for (const Names::Problem &p : names_.problems())
      p.warning ? warn(p.token, p.message) : fail(p.token, p.message);
    find_functions();
    keep_in_step();
    if (options_.warn_of_double) find_float_code();
    for (size_t i = 0; i + 1 < t_.size(); ++i) {
      if (is_cluster_dims(i)) remove_cluster_dims(i); /* to the preprocessor, a system header's */
      if (t_[i].system) continue;
      if (is(i, "__shared__")) {
        i = shared_declaration(i);
      } else if (t_[i].kind == kName) {
        keyword(i);
      } else if (opens_launch(i)) {
        launch(i);
      }
    }
    if (failed_) return false;
    std::map<size_t, std::string> limits;
    for (const Names::Insertion &c : names_.constant_limits()) limits[c.after] += asserted(c.about, c.text);
    for (const auto &limit : limits) edits_.push_back({t_[limit.first].end, t_[limit.first].end, limit.second});
    for (const auto &entry : watched_) in_bodies_[entry.first].insert(0, entry.second);
    for (const auto &entry : in_bodies_) replace(entry.first, entry.first, "{" + entry.second);
    for (const auto &entry : watched_) in_bodies_[entry.first].erase(0, entry.second.size());
    return !failed_;
  }

  /* The text with the edits made; what was not replaced keeps its line and column. */
  std::string result() const { return result(0, src_.text.size(), phases_.edits(), true); }

 private:
  struct Function {
    std::string name;
    size_t begin;              /* its first CUDA keyword */
    size_t body, body_end;     /* tokens of { and } */
    bool kernel;
  };

  /* What, after an edit, makes the compiler count on from where its end is in the source. */
  std::string back_in_place(const Edit &e, bool copy) const {
    const auto next = std::lower_bound(t_.begin(), t_.end(), e.end,
                                       [](const Token &t, size_t begin) { return t.begin < begin; });
    const auto lines = [&](size_t from, size_t to) {
      return (size_t)std::count(src_.text.begin() + (long)from, src_.text.begin() + (long)to, '\n');
    };
    const size_t swallowed = lines(e.begin, e.end), old_size = e.end - e.begin;
    if (lines(e.end, next->begin) != 0) return std::string(swallowed, '\n');
    if (swallowed == 0 && e.with.size() <= old_size) return std::string(old_size - e.with.size(), ' ');
    return "\n# " + std::to_string(next->line) + " \"" + src_.files[(size_t)next->file] + (copy ? "\" 3\n" : "\"\n") +
           std::string(e.end - src_.text.rfind('\n', e.end - 1) - 1, ' ');
  }

  /* The source's text from `at` to `end` with the edits, and with `phases` before and above them. */
  std::string result(size_t at, size_t end, const std::vector<PhaseEdit> &phases, bool whole) const {
    std::map<size_t, const Edit *> own;
    for (const Edit &e : edits_)
      if (at <= e.begin && e.end <= end) own[e.begin] = &e;
    /* By place; what goes in before a place, before what takes its text's; phases first. */
    std::map<std::tuple<size_t, bool, bool>, Edit> ordered;
    for (const auto &entry : own)
      ordered[{entry.first, entry.second->end > entry.first, true}] = *entry.second;
    for (const PhaseEdit &e : phases) ordered[{e.begin, e.end > e.begin, false}] = {e.begin, e.end, e.with};
    if (whole)
      for (const Phases::Copy &c : phases_.used_copies()) {
        const size_t place = t_[c.body_end].end;
        ordered[{place, false, false}] = {place, place, copy(c)};
      }
    std::string out;
    for (const auto &entry : ordered) {
      const Edit &e = entry.second;
      if (e.begin < at) continue; /* within text that another edit replaced */
      out.append(src_.text, at, e.begin - at);
      out += e.with + back_in_place(e, !whole);
      at = e.end;
    }
    return out.append(src_.text, at, end - at);
  }

  /* A device function again, for whole blocks. What the compiler warns of it says once. */
  std::string copy(const Phases::Copy &c) const {
    auto more = in_bodies_.find(c.body);
    const std::string declarations = more == in_bodies_.end() ? "" : more->second;
    const std::string place = " \"" + file(c.body) + "\"";
    return "\n# " + std::to_string(t_[c.body].line) + place + " 3\n" + c.head + declarations +
           result(t_[c.body].end, t_[c.body_end].begin, c.edits, false) + "}\n# " +
           std::to_string(t_[c.body_end].line) + place + "\n";
  }

  void replace(size_t first, size_t last, std::string with) {
    edits_.push_back({t_[first].begin, t_[last].end, std::move(with)});
  }
  void fail(size_t i, const std::string &message) {
    fprintf(stderr, "%s:%d: error: %s\n", file(i).c_str(), t_[i].line,
            message.c_str());
    failed_ = true;
  }

  void warn(size_t i, const std::string &message) {
    fprintf(stderr, "%s:%d: warning: %s (docs/cpu_device.md)\n", file(i).c_str(), t_[i].line,
            message.c_str());
  }

  void keep_in_step() {
    Steps steps(src_);
    for (const Function &f : functions_) steps.read(f.begin, f.body, f.body_end);
    for (size_t i : steps.writes())
      replace(i, i, "::cpu_device::in_step(" + text(i) + ", " + std::to_string(i) + ")");
    for (const Steps::Warning &w : steps.warnings()) warn(w.token, w.message);
  }

  /* ---- functions that run on the device ---- */

  void find_functions() {
    for (size_t i = 0; i + 1 < t_.size(); ++i) {
      if (t_[i].system || !(is(i, "__global__") || is(i, "__device__") || is(i, "__constant__") ||
                              is(i, "__managed__")))
        continue;
      size_t end = i;
      if (note_device_lambda(i)) continue;
      Function f = {};
      bool variable = false;
      if (read_function(i, &f, &end, &variable)) {
        f.begin = i;
        f.kernel = f.kernel || is(i, "__global__");
        functions_.push_back(f);
        leaves_.note(f.name, f.begin, f.body, f.body_end);
        if (options_.cut) phases_.add({f.name, f.begin, f.body, f.body_end, f.kernel, in_namespace(f.begin, true)});
        if (f.kernel) ++kernels_named_[f.name];
        if (f.kernel && has_pack(f)) variadic_.insert(f.name);
        i = f.body; /* lambdas and such inside are looked at too */
      } else if (variable && !function_around(i)) {
        device_variable(i, end);
        i = end;
      }
    }
    for (const Function &f : functions_)
      if (f.kernel && in_namespace(f.begin)) register_kernel(f);
  }

  /* [=] __device__ (int i) { ... }: what is in it is device code. */
  bool note_device_lambda(size_t i) {
    size_t first = i, at = i + 1;
    while (first > 0 && (is(first - 1, "__host__") || is(first - 1, "__device__"))) --first;
    while (is(at, "__host__") || is(at, "__device__")) ++at;
    if (first == 0 || open_of(first - 1) != ']' || open_of(at) != '(') return false;
    at = closing(at);
    while (at + 1 < t_.size() && open_of(at) != '{' && open_of(at) != ';') ++at;
    if (open_of(at) == '{') device_lambdas_.emplace_back(at, closing(at));
    return true;
  }

  /* Only namespaces (and extern "C") are open around the token, and no template<...> stands
     before its declaration, or one may. */
  bool in_namespace(size_t i, bool templates = false) const {
    size_t first = i;
    while (first > 0 && open_of(first - 1) != ';' && open_of(first - 1) != '}' &&
           open_of(first - 1) != '{') {
      --first;
      if (is(first, "template") && !templates) return false;
    }
    int depth = 0;
    for (size_t j = first; j-- > 0;) {
      if (open_of(j) == '}') ++depth;
      if (open_of(j) != '{' || depth-- > 0) continue;
      depth = 0;
      bool name_space = false;
      for (size_t k = j; k-- > 0 && j - k < 6;) {
        if (is(k, "namespace") || t_[k].kind == kText) name_space = true;
        if (open_of(k) == ';' || open_of(k) == '}' || open_of(k) == '{') break;
      }
      if (!name_space) return false;
    }
    return true;
  }

  /* Among the function's parameters is a pack: T... args. */
  bool has_pack(const Function &f) const {
    for (size_t j = f.begin; j + 2 < f.body; ++j)
      if (open_of(j) == '.' && open_of(j + 1) == '.' && open_of(j + 2) == '.') return true;
    return false;
  }

  /* What host_defines.h makes of __cluster_dims__(x, y, z). */
  bool is_cluster_dims(size_t i) const {
    return is(i, "__attribute__") && open_of(i + 1) == '(' && open_of(i + 2) == '(' &&
           is(i + 3, "cluster_dims") && open_of(i + 4) == '(';
  }

  void remove_cluster_dims(size_t i) {
    if (in_namespace(i)) return replace(i, closing(i + 1), "");
    fail(i, "__cluster_dims__ of a template is not supported on the CPU device: launch it with "
            "cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension");
  }

  /* The runtime learns of them where the kernel is defined; nothing where it has none. */
  std::string cluster_dims(const Function &f, const std::string &name) const {
    size_t i = f.begin;
    while (i > 0 && open_of(i - 1) != ';' && open_of(i - 1) != '}' && open_of(i - 1) != '{') --i;
    while (i < f.body && !is_cluster_dims(i)) ++i;
    if (i >= f.body) return "";
    return " static ::cpu_device::ClusterDims cu_cluster" + std::to_string(t_[i].begin) +
           "((const void *)" + name + ", " + text(i + 5, closing(i + 4) - 1) + ");";
  }

  /* Lets cudaLaunchKernel find the kernel by its address. */
  void register_kernel(const Function &f) {
    std::string name = f.name;
    if (kernels_named_[f.name] > 1) name = "((void (*)(" + parameters(f) + "))" + f.name + ")";
    edits_.push_back({t_[f.body_end].end, t_[f.body_end].end,
                      " static ::cpu_device::KernelEntry cu_kernel" +
                          std::to_string(t_[f.begin].begin) + "(\"" + f.name + "\", " + name +
                          ", ::cpu_device::TagProbe{}.symbol<(" + name + ")>());" +
                          cluster_dims(f, name)});
  }

  /* The parameter list, without default values, as in the type of a pointer to the function. */
  std::string parameters(const Function &f) const {
    size_t close = f.body - 1;
    while (open_of(close) != ')') --close;
    std::string list;
    for (size_t j = opening(close) + 1; j < close; ++j) {
      if (open_of(j) == '=')
        while (j < close && open_of(j) != ',') j = open_of(j) == '(' ? closing(j) + 1 : j + 1;
      if (j < close) list += text(j) + " ";
    }
    return list;
  }

  /* A variable of the device's, declared from token i to its end: all of them lie together, so
     that the host can be kept from touching them. */
  void device_variable(size_t i, size_t end) {
    bool constant = false, managed = false;
    for (size_t j = i; j < end; ++j) {
      if (is(j, "const") || is(j, "constexpr")) constant = true;
      if (is(j, "__managed__")) managed = true;
    }
    for (size_t j = i; j-- > 0 && t_[j].kind == kName;) {
      if (is(j, "const") || is(j, "constexpr")) constant = true;
      if (is(j, "__managed__")) managed = true;
    }
    if (constant) return; /* nobody writes it */
    sections_[i] = managed ? "cu_managed" : "cu_device";
  }

  /* A definition that begins at token i: its name and its body. Otherwise *variable tells
     whether it declares one, up to token *end. */
  bool read_function(size_t i, Function *f, size_t *end, bool *variable) const {
    size_t name = 0;
    for (size_t j = i + 1; j + 1 < t_.size(); ++j) {
      const char c = open_of(j);
      if (is(j, "__global__")) f->kernel = true;
      if (is(j, "__launch_bounds__") || is(j, "__attribute__") || is(j, "alignas") ||
          is(j, "decltype") || is(j, "__align__")) {
        if (open_of(j + 1) == '(') j = closing(j + 1);
        continue;
      }
      if (is(j, "operator")) {
        name = j;
        while (open_of(j + 1) != '(' || is(j + 1, "()")) ++j;
        if (open_of(j + 1) == '(' && open_of(j + 2) == ')' && open_of(j + 3) == '(') j += 2;
        continue;
      }
      if (t_[j].kind == kName) name = j;
      if (c == '<') {
        const size_t close = closing_angle(j);
        if (!close) return false;
        j = close;
        continue;
      }
      if (c == ';' || c == '=' || c == '[' || c == '{' || c == '}') {
        *variable = name && c != '}';
        for (*end = j; *end + 1 < t_.size() && open_of(*end) != ';'; ++*end)
          if (open_of(*end) == '{' || open_of(*end) == '(') *end = closing(*end);
        return false;
      }
      if (c == '(') {
        if (!name) return false;
        size_t after = closing(j) + 1;
        while (after + 1 < t_.size() && open_of(after) != '{' && open_of(after) != ';' &&
               open_of(after) != '=') {
          if (open_of(after) == '(') after = closing(after);
          ++after;
        }
        if (open_of(after) != '{') return false;
        f->name = text(name);
        f->body = after;
        f->body_end = closing(after);
        *end = f->body_end;
        return true;
      }
    }
    return false;
  }

  /* ---- floats that become double ---- */

  /* In device code that never says "double", a float that becomes one comes of a literal such
     as 0.5 for 0.5f, or of a constant: the compiler is asked to warn there, and only there. */
  void find_float_code() {
    for (const Function &f : functions_) {
      bool initialisers = false; /* of a constructor: the first { need not be the body's */
      for (size_t i = f.begin; i < f.body; ++i) initialisers = initialisers || open_of(i) == ':';
      if (!initialisers) note_float_code(f.begin, f.body, f.body_end);
    }
    for (const auto &body : device_lambdas_)
      if (!function_around(body.first)) note_float_code(body.first, body.first, body.second);
  }

  void note_float_code(size_t begin, size_t body, size_t body_end) {
    for (size_t i = begin; i < body_end; ++i)
      if (is(i, "double")) return;
    float_code_.emplace_back(body, body_end);
    watched_[body] = pragmas(body, true, {"push", WARN_OF_DOUBLE});
    /* Behind the brace, where a missing ';' is told at the line that lacks it; but before one
       that ends a part of an expression. */
    const char next = open_of(body_end + 1);
    const bool in_expression = next && strchr(";,)]}", next);
    replace(body_end, body_end, in_expression ? pragmas(body_end, false, {"pop"}) + "}"
                                              : "}" + pragmas(body_end, true, {"pop"}));
  }

  /* GCC diagnostic pragmas on lines of their own, to go before token i, or after it. What
     follows them keeps its line and column. */
  std::string pragmas(size_t i, bool after, const std::vector<const char *> &words) const {
    const size_t at = after ? t_[i].end : t_[i].begin;
    const size_t line_start = src_.text.rfind('\n', at - 1) + 1;
    std::string lines = "\n";
    for (const char *word : words) lines += std::string("#pragma GCC diagnostic ") + word + "\n";
    return lines + "# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n" +
           std::string(at - line_start, ' ');
  }

  /* The arguments of a printf that is a statement of its own do become double, and may.
     True if token i, the first of the call, begins such a statement; `last` is its ). */
  bool is_statement(size_t i, size_t last) const {
    if (open_of(last + 1) != ';') return false;
    const char before = open_of(i - 1);
    if (before == ';' || before == '{' || before == '}') return true;
    if (is(i - 1, "else") || is(i - 1, "do")) return true;
    if (before == ':') {
      size_t at = i - 1;
      while (open_of(at) != ';' && open_of(at) != '{' && open_of(at) != '}' && !is(at, "case") &&
             !is(at, "default"))
        --at;
      return t_[at].kind == kName;
    }
    if (before != ')') return false;
    const size_t head = opening(i - 1) - 1;
    return is(head, "if") || is(head, "for") || is(head, "while") || is(head, "constexpr");
  }

  std::string calmed(size_t first, size_t last, const std::string &call) {
    bool watched = false;
    for (const auto &code : float_code_) watched = watched || (code.first < first && last < code.second);
    if (!watched || !is_statement(first, last)) return call;
    replace(last + 1, last + 1, ";" + pragmas(last + 1, true, {WARN_OF_DOUBLE}) + "}");
    return "{" + pragmas(first, false, {"ignored \"-Wdouble-promotion\""}) + call;
  }

  const Function *function_around(size_t i) const {
    for (const Function &f : functions_)
      if (f.body < i && i < f.body_end) return &f;
    return nullptr;
  }

  /* ---- keywords ---- */

  void keyword(size_t i) {
    auto section = sections_.find(i);
    if (section != sections_.end()) {
      replace(i, i, "__attribute__((section(\"" + section->second + "\")))");
      return;
    }
    if (unsupported(i)) return;
    if (device_call(i)) return;
    if (inline_ptx(i)) return;
    if (names_.is_builtin(i)) return replace(i, i, "(::cpu_device::" + builtin_call(text(i)) + "())");
    drop_kernel_cast(i);
    know_kernel(i);
    static const std::set<std::string> gone = {"__global__",  "__host__",    "__device__",
                                               "__constant__", "__managed__", "__grid_constant__"};
    const std::string name = text(i);
    if (gone.count(name)) {
      replace(i, i, "");
    } else if (name == "__launch_bounds__" && open_of(i + 1) == '(') {
      replace(i, closing(i + 1), "");
    } else if (name == "__noinline__" && !(i && (open_of(i - 1) == '(' || open_of(i - 1) == ','))) {
      replace(i, i, "__attribute__((noinline))");
    }
  }

  /* printf and clock are the C library's in host code, and the device's own in device code. */
  bool device_call(size_t i) {
    const bool print = is(i, "printf"), clock = is(i, "clock");
    if (!(print || clock) || open_of(i + 1) != '(' || (clock && open_of(i + 2) != ')')) return false;
    if (i == 0 || open_of(i - 1) == '.' || is(i - 1, "->") || t_[i - 1].kind == kName) {
      /* A member, or a declaration; but what follows a keyword is a call. */
      static const std::set<std::string> before = {"return", "else", "do"};
      if (i == 0 || !before.count(text(i - 1))) return false;
    }
    if (!function_around(i) && !in_device_lambda(i)) return false;
    size_t first = i;
    if (is(i - 1, "::")) first = is(i - 2, "std") ? i - 2 : i - 1;
    if (print) replace(first, i, calmed(first, closing(i + 1), "::cpu_device::device_printf"));
    else replace(first, i, "::cpu_device::device_clock");
    return true;
  }

  bool is_asm(size_t i) const { return is(i, "asm") || is(i, "__asm__") || is(i, "__asm"); }

  /* asm volatile("..." : outputs : inputs : ...) in device code is PTX. */
  bool inline_ptx(size_t i) {
    if (!is_asm(i) || !(function_around(i) || in_device_lambda(i))) return false;
    size_t open = i + 1;
    while (is(open, "volatile") || is(open, "__volatile__")) ++open;
    if (open_of(open) != '(') return false;
    const size_t close = closing(open);
    std::string ptx, unsupported;
    std::vector<PtxOperand> operands;
    int part = 0; /* 0: instructions, 1: outputs, 2: inputs, 3: what else they change */
    for (size_t j = open + 1; j < close; ++j) {
      if (is(j, "::")) part += 2;
      else if (open_of(j) == ':') ++part;
      else if (part == 0 && t_[j].kind == kText) ptx += unquoted(text(j));
      else if (open_of(j) == '(' && part < 3) {
        operands.push_back({unquoted(text(j - 1)), operand(j + 1, closing(j))});
        j = closing(j);
      }
    }
    if (ptx.find_first_not_of(" \t\n;") == std::string::npos) return true; /* a fence for the compiler */
    const std::string cpp = ptx_as_cpp(ptx, operands, &unsupported);
    if (cpp.empty()) {
      fail(i, "inline PTX \"" + unsupported + "\" is not supported on the CPU device: see docs/cpu_device.md, "
              "\"What is supported\"");
      return true;
    }
    replace(i, close, "do { " + cpp + "} while (0)");
    return true;
  }

  /* An operand's expression; it is not looked at again, so the device's names are put in here. */
  std::string operand(size_t first, size_t end) const {
    std::string s;
    for (size_t j = first; j < end; ++j) {
      s += names_.is_builtin(j) ? "::cpu_device::" + builtin_call(text(j)) + "()" : text(j);
      if (t_[j].end != t_[j + 1].begin) s += " "; /* "<<" is two tokens */
    }
    return s;
  }

  /* The characters of a string literal. */
  static std::string unquoted(const std::string &literal) {
    std::string s;
    for (size_t i = literal.find('"') + 1; i + 1 < literal.size(); ++i) {
      if (literal[i] != '\\') s += literal[i];
      else if (literal[++i] == 'n') s += '\n';
      else if (strchr("tr", literal[i])) s += ' ';
      else s += literal[i];
    }
    return s;
  }

  bool in_device_lambda(size_t i) const {
    for (const auto &body : device_lambdas_)
      if (body.first < i && i < body.second) return true;
    return false;
  }

  static std::string builtin_call(const std::string &name) {
    static const std::map<std::string, std::string> calls = {{"threadIdx", "thread_index"},
                                                             {"blockIdx", "block_index"},
                                                             {"blockDim", "block_dim"},
                                                             {"gridDim", "grid_dim"}};
    return calls.at(name);
  }

  /* cuInit and its kin; cuCadd and other functions of complex numbers are not. */
  static bool driver_call(const std::string &name) {
    return name.size() > 3 && name.compare(0, 2, "cu") == 0 && isupper((unsigned char)name[2]) &&
           (name[2] != 'C' || name.compare(0, 5, "cuCtx") == 0);
  }

  /* What the CPU device does not have is named here, the first of it, not by whatever the
     compiler would say. */
  bool unsupported(size_t i) {
    static const std::map<std::string, std::string> features = {
        {"texture", "texture references"}, {"cudaTextureObject_t", "textures"},
        {"cudaCreateTextureObject", "textures"}, {"cudaBindTexture", "textures"},
        {"cudaBindTexture2D", "textures"}, {"cudaBindTextureToArray", "textures"},
        {"tex1D", "textures"}, {"tex1Dfetch", "textures"}, {"tex2D", "textures"},
        {"tex3D", "textures"}, {"cudaSurfaceObject_t", "surfaces"},
        {"cudaCreateSurfaceObject", "surfaces"}, {"surf2Dread", "surfaces"},
        {"surf2Dwrite", "surfaces"}, {"cudaMallocArray", "CUDA arrays"},
        {"cudaMalloc3DArray", "CUDA arrays"}, {"cudaMemcpyToArray", "CUDA arrays"},
        {"cudaGraphicsMapResources", "graphics interoperation"},
        {"cudaGraphicsGLRegisterBuffer", "graphics interoperation"},
        {"cudaIpcGetMemHandle", "memory shared between processes"},
        {"surface", "surface references"}, {"CUcontext", "driver API calls"},
        {"CUmodule", "driver API calls"}, {"CUfunction", "driver API calls"},
        {"wmma", "tensor cores (wmma)"}};
    const std::string name = text(i);
    if (i && (open_of(i - 1) == '.' || is(i - 1, "->"))) return false;
    auto at = features.find(name);
    std::string feature = at == features.end() ? "" : at->second;
    if ((name == "texture" || name == "surface") && open_of(i + 1) != '<') return false;
    if (name == "wmma" && !is(i + 1, "::")) return false;
    if (driver_call(name) && open_of(i + 1) == '(' && !names_.is_function(name))
      feature = "driver API calls (" + name + ")";
    if (feature.empty()) return false;
    if (!named_unsupported_) fail(i, feature + " are not supported on the CPU device: see docs/cpu_device.md, "
                                     "\"What is supported\"");
    named_unsupported_ = true;
    return true;
  }

  /* cudaLaunchKernel((void *)kernel<T>, ...): without the cast, its template sees the types. */
  void drop_kernel_cast(size_t i) {
    static const std::set<std::string> calls = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"};
    if (!calls.count(text(i)) || open_of(i + 1) != '(') return;
    size_t at = i + 2;
    if (open_of(at) == '(') {
      const size_t close = closing(at);
      size_t j = at + 1;
      if (is(j, "const")) ++j;
      if (is(j, "void") && open_of(j + 1) == '*' && j + 2 == close) replace(at, close, "");
    } else if ((is(at, "reinterpret_cast") || is(at, "static_cast")) && open_of(at + 1) == '<') {
      const size_t close = closing_angle(at + 1);
      if (close && open_of(close + 1) == '(') replace(at, close, "");
    }
  }

  /* (void *)kernel<T>, as for cudaKernelNodeParams::func: the runtime learns how to call it. */
  void know_kernel(size_t i) {
    if (!is(i, "void") || open_of(i + 1) != '*' || open_of(i + 2) != ')') return;
    const size_t first = is(i - 1, "const") ? i - 2 : i - 1;
    const size_t name = open_of(i + 3) == '&' ? i + 4 : i + 3;
    if (open_of(first) != '(' || kernels_named_.count(text(name)) == 0) return;
    for (const Edit &e : edits_)
      if (e.begin == t_[first].begin) return; /* drop_kernel_cast was here */
    replace(first, i + 2, "::cpu_device::known_kernel->*");
  }

  /* ---- launches ---- */

  /* Formatters write `<< <` and `>> >`. */
  bool opens_launch(size_t i) const {
    return open_of(i) == '<' && open_of(i + 1) == '<' && open_of(i + 2) == '<' && i > 0 &&
           !is(i - 1, "operator");
  }

  /* The first token of the expression that names the kernel and ends before token `i`. */
  size_t callee_start(size_t i) const {
    size_t at = i - 1;
    for (;;) {
      if (open_of(at) == '>' && !is(at, "->")) {
        const size_t open = opening_angle(at);
        if (!open) return i;
        at = open - 1;
        continue;
      }
      if (open_of(at) == ')' || open_of(at) == ']') {
        const bool subscript = open_of(at) == ']';
        at = opening(at);
        if (at > 0 && (subscript || t_[at - 1].kind == kName)) {
          static const std::set<std::string> before = {"return", "else", "do", "if", "while", "for"};
          if (!before.count(text(at - 1))) {
            --at;
            continue;
          }
        }
        return at;
      }
      if (t_[at].kind != kName) return i;
      if (at > 0 && (is(at - 1, "::") || is(at - 1, ".") || is(at - 1, "->"))) {
        const bool scope = is(at - 1, "::");
        if (at < 2 || (scope && t_[at - 2].kind != kName && open_of(at - 2) != '>')) return at - 1;
        if (scope && is(at - 2, "return")) return at - 1;
        at -= 2;
        continue;
      }
      return at;
    }
  }

  /* Before token i, on another line, stands what needs a semicolon. */
  bool continues_statement(size_t i) const {
    static const std::set<std::string> before = {"else", "do", "return"};
    const Token &t = t_[i - 1];
    return t.line != t_[i].line && t.file == t_[i].file &&
           (t.kind == kNumber || t.kind == kText || (open_of(i - 1) == ']' && open_of(i - 2) != ']') ||
            (t.kind == kName && !before.count(text(i - 1))));
  }

  /* How many expressions stand between two tokens. */
  size_t arguments_between(size_t first, size_t last) const {
    size_t n = last > first + 1;
    for (size_t j = first + 1; j < last; ++j) {
      const char c = open_of(j);
      if (c == '(' || c == '[' || c == '{') j = closing(j);
      n += c == ',';
    }
    return n;
  }

  /* The launch as a call that is never made, so that the compiler judges the arguments as it does
     those of functions: in its own words, in the program's own line. Empty where arguments cannot
     stand twice (lambdas), or no statement begins. Warnings are left to the launch itself. */
  std::string plain_call(size_t first, size_t last, size_t open) const {
    const char before = open_of(first - 1);
    const bool statement = (before && strchr(";{})", before)) || is(first - 1, "else") || is(first - 1, "do");
    const size_t close = closing(open);
    for (size_t j = open; j < close; ++j)
      if (open_of(j) == '{' || (open_of(j) == '[' && t_[j - 1].kind == kPunct && !strchr(")]", open_of(j - 1))))
        return "";
    if (!statement || close + 1 >= t_.size()) return "";
    const auto marker = [&](size_t j, const char *flags) {
      const size_t at = t_[j].begin, line_start = src_.text.rfind('\n', at) + 1;
      return "\n# " + std::to_string(t_[j].line) + " \"" + file(j) + "\"" + flags + "\n" +
             std::string(at - line_start, ' ');
    };
    const auto source = [&](size_t from, size_t to) {
      return src_.text.substr(t_[from].begin, t_[to].end - t_[from].begin);
    };
    return marker(first, " 3") + "(false ? (void)" + marker(first, " 3") + source(first, last) + marker(open, " 3") +
           source(open, close) + " : (void)0)," + marker(first, "");
  }

  void launch(size_t i) {
    const size_t first = callee_start(i);
    if (first >= i) return fail(i, "'<<<' without a kernel's name before it");
    if (continues_statement(first)) return fail(first - 1, "expected a \";\" at the end of this line");
    /* The end of the configuration: the last three of the first run of '>' outside brackets. */
    size_t close = i + 3;
    for (; close + 1 < t_.size(); ++close) {
      const char c = open_of(close);
      if (c == '(' || c == '[' || c == '{') close = closing(close);
      if (c == ';' || c == '}') return fail(i, "'<<<' without '>>>'");
      if (c == '>' && open_of(close + 1) == '>' && open_of(close + 2) == '>' && open_of(close + 3) != '>')
        break;
    }
    const size_t shape = arguments_between(i + 2, close);
    if (shape == 0)
      return fail(i, "a launch needs a grid and a block: kernel<<<grid, block>>>(...)");
    if (shape > 4)
      return fail(i, "too many arguments between <<< and >>>: grid, block, bytes of shared memory, stream");
    if (shape == 1)
      warn(i, "this launch has one thread a block: write kernel<<<grid, block>>>(...)");
    const size_t args = close + 3;
    if (args >= t_.size() || open_of(args) != '(')
      return fail(i, "a launch needs its arguments in parentheses after '>>>'");
    if (function_around(i))
      return fail(i, "a launch inside a kernel (dynamic parallelism) is not supported on the CPU "
                     "device: see docs/cpu_device.md, \"What is supported\"");
    const std::string kernel = text(first, i - 1);
    size_t base = i - 1;
    if (open_of(base) == '>') base = opening_angle(base) - 1;
    if (base == first) {
      std::string problem = names_.launch_problem(base);
      if (problem.empty()) problem = names_.argument_problem(base, args);
      if (!problem.empty()) return fail(base, problem);
      const size_t lambda = names_.host_lambda(base, args);
      if (lambda)
        return fail(lambda, "the closure type of a lambda of the host's cannot be used in the template argument type "
                            "of a __global__ function: mark it __device__, as in [=] __device__ (...) {...}");
    }
    const char *kind = leaves_.is_leaf(text(base))             ? "::cpu_device::kNeverWaits"
                       : phases_.takes_whole_block(text(base)) ? "::cpu_device::kWholeBlock"
                                                               : "::cpu_device::kMayWait";
    std::string quoted;
    for (char c : kernel) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    /* Only a name can be a function that is known when the program is compiled; and of a kernel
       with a parameter pack, a name tells nothing before the arguments are there. */
    const bool variadic = variadic_.count(text(base)) != 0;
    const std::string sign = variadic ? "0"
                                      : "[&](auto cu_p) -> decltype(cu_p(" + kernel + ")) { return cu_p(" +
                                            kernel + "); }";
    const std::string tag = variadic || (t_[first].kind != kName && !is(first, "::"))
                                ? "0"
                                : "[&](auto cu_p) -> decltype(cu_p.template symbol<(" + kernel +
                                      ")>()) { return cu_p.template symbol<(" + kernel + ")>(); }";
    const std::string check = plain_call(first, i - 1, args);
    replace(first, i + 2,
            check + "::cpu_device::launch<" + kind + ">(" + (check.empty() ? "" : "::cpu_device::checked") +
                "([=](const auto &...cu_a) { " + kernel +
                "(cu_a...); }), " + sign + ", " + tag + ", ::cpu_device::LaunchPlace{\"" + quoted + "\", \"" +
                file(i) + "\", " + std::to_string(t_[i].line) +
                ", nullptr}, ::cpu_device::LaunchShape(");
    replace(close, close + 2, "))");
  }

  /* ---- shared memory ---- */

  /* Rewrites the declaration around the __shared__ at token i; returns its last token. */
  size_t shared_declaration(size_t i) {
    size_t first = i, end = i;
    /* Back to where the statement begins: the type may stand before the keyword. */
    while (first > 0 && !strchr(";{}", open_of(first - 1) ? open_of(first - 1) : ' ')) {
      if (open_of(first - 1) == ')') first = opening(first - 1);
      else --first;
    }
    bool external = false;
    std::vector<size_t> names;
    size_t name = 0;
    for (end = first; end + 1 < t_.size(); ++end) {
      const char c = open_of(end);
      if (is(end, "extern")) external = true;
      if (is(end, "__attribute__") || is(end, "alignas") || is(end, "__align__") || is(end, "decltype")) {
        if (open_of(end + 1) == '(') end = closing(end + 1);
        continue;
      }
      if (c == '{' && names.empty()) {
        end = closing(end);
        continue;
      }
      if (c == '<') {
        const size_t close = closing_angle(end);
        if (close) end = close;
        continue;
      }
      if (t_[end].kind == kName) name = end;
      if (c == '[') {
        end = closing(end);
        if (t_[end + 1].kind == kName && !is(end + 1, "__attribute__")) return no_semicolon(end);
        continue;
      }
      if ((c == '=' || c == '(') && name > first && t_[name - 1].kind == kName &&
          t_[name - 1].line != t_[name].line)
        return no_semicolon(name - 1);
      if (c == '=' || c == '(')
        return fail(i, "initializer not allowed for __shared__ variable: one thread stores its first value, "
                       "before a __syncthreads()"), end;
      if (c == ',' || c == ';') {
        if (name) names.push_back(name);
        name = 0;
        if (c == ';') break;
      }
    }
    const Function *f = function_around(i);
    if (!f) return shared_at_file_scope(first, end, names, external);
    const std::string id = std::to_string(t_[i].begin);
    const std::string type = "CuShared" + id, object = "cu_shared" + id;
    if (external) return dynamic_array(first, end, names, type);
    replace_specifiers(first, end, "struct " + type + " { ");
    std::string after = "; } &" + object + " = ::cpu_device::shared<" + type + ">();";
    for (size_t n : names)
      after += " [[maybe_unused]] auto &" + text(n) + " = " + object + "." + text(n) + ";";
    after += shared_limit(i, *f, names, type);
    edits_.push_back({t_[end].begin, t_[end].end, after});
    return end;
  }

  size_t no_semicolon(size_t i) {
    return fail(i, "expected a \";\" after the __shared__ variable"), i;
  }

  /* ptxas refuses kernels whose __shared__ arrays are too large; arrays of no use it drops. Here
     those count that can be seen together, and are used more than once; the launch looks at all. */
  std::string shared_limit(size_t i, const Function &f, const std::vector<size_t> &names,
                           const std::string &type) {
    size_t calls = 0; /* the function's name is said */
    for (size_t j = 0; j + 1 < t_.size(); ++j) calls += !t_[j].system && is(j, f.name.c_str());
    if (!f.kernel && calls < 2) return "";
    std::string size;
    for (size_t n : names) {
      size_t uses = 0;
      for (size_t j = n + 1; j < f.body_end; ++j) uses += is(j, text(n).c_str());
      if (uses > 1) size += " + sizeof(" + type + "::" + text(n) + ")";
    }
    if (size.empty()) return "";
    std::string sum = "0";
    for (const auto &seen : shared_sizes_)
      if (f.body < seen.first && names_.scope_end(seen.first) > i) sum += seen.second;
    shared_sizes_.emplace_back(i, size);
    return asserted(names[0], "static_assert(" + sum + size + " <= 49152 || " + sum +
                                  " > 49152, \"uses too much shared data: the __shared__ variables of "
                                  "a kernel take 49152 bytes (0xc000) at most; dynamic shared memory "
                                  "may be larger\");");
  }

  /* A static_assert in a place of its own, of which messages point at token i. */
  std::string asserted(size_t i, const std::string &text) const {
    const size_t column = t_[i].begin - src_.text.rfind('\n', t_[i].begin) - 1, head = strlen("static_assert(");
    return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n" +
           std::string(column > head ? column - head : 0, ' ') + text;
  }

  /* extern __shared__ T name[]; becomes a reference to an array of no known length. */
  size_t dynamic_array(size_t first, size_t end, const std::vector<size_t> &names,
                       const std::string &type) {
    if (!dynamic_array_type(first, end, names, type)) return end;
    edits_.push_back({t_[end].begin, t_[end].end,
                      "; [[maybe_unused]] " + type + " &" + text(names[0]) + " = *(" + type +
                          " *)::cpu_device::dynamic_shared();"});
    return end;
  }

  /* extern __shared__ T name[]; becomes the name of its type. */
  bool dynamic_array_type(size_t first, size_t end, const std::vector<size_t> &names,
                          const std::string &type) {
    if (names.size() != 1) {
      fail(first, "declare one extern __shared__ array at a time");
      return false;
    }
    replace_specifiers(first, end, "typedef ");
    for (size_t j = first; j < end; ++j)
      if (is(j, "alignas") || is(j, "__attribute__") || is(j, "__align__"))
        replace(j, closing(j + 1), "");
    replace(names[0], names[0], type);
    return true;
  }

  /* The array that stood outside of functions, after `end`: each function of the device's that
     speaks of it gets it as if declared there. */
  void declare_in_users(size_t end, const std::string &name, const std::string &type) {
    for (const Function &f : functions_) {
      if (f.body < end) continue;
      bool used = false, own = false;
      for (size_t j = f.begin; j < f.body_end; ++j) {
        if (!is(j, name.c_str()) || is(j - 1, ".") || is(j - 1, "->") || is(j - 1, "::")) continue;
        if (j < f.body) own = true; /* a parameter of that name */
        used = true;
      }
      if (used && !own)
        in_bodies_[f.body] += " [[maybe_unused]] " + type + " &" + name + " = *(" + type +
                              " *)::cpu_device::dynamic_shared();";
    }
  }

  /* `extern`, `static` and CUDA's keywords are no part of a member's declaration. */
  void replace_specifiers(size_t first, size_t end, const std::string &with) {
    edits_.push_back({t_[first].begin, t_[first].begin, with});
    bool at_first = true;
    for (size_t j = first; j < end; ++j) {
      if (is(j, "extern") || is(j, "static") || is(j, "__shared__") || is(j, "__device__")) {
        if (j == first && at_first) edits_.back().end = t_[j].end;
        else replace(j, j, "");
      }
      at_first = false;
    }
  }

  /* One copy for each operating-system thread, which runs one block at a time. */
  size_t shared_at_file_scope(size_t first, size_t end, const std::vector<size_t> &names,
                              bool external) {
    if (external) {
      const std::string type = "CuShared" + std::to_string(t_[first].begin);
      return dynamic_array_type(first, end, names, type) ? declare_in_users(end, text(names[0]), type), end : end;
    }
    for (size_t j = first; j < end; ++j)
      if (is(j, "__shared__") || is(j, "__device__")) replace(j, j, is(j, "__shared__") ? "thread_local" : "");
    return end;
  }

  Names names_;
  Leaves leaves_;
  Phases phases_;
  std::vector<Edit> edits_;
  std::vector<Function> functions_;
  std::vector<std::pair<size_t, size_t>> device_lambdas_;  /* tokens of { and } */
  std::vector<std::pair<size_t, std::string>> shared_sizes_; /* of declarations, by their __shared__ */
  std::map<std::string, int> kernels_named_;
  std::set<std::string> variadic_;           /* kernels with a parameter pack */
  std::map<size_t, std::string> sections_;   /* by the keyword's token */
  std::map<size_t, std::string> in_bodies_;  /* declarations to add after the { at that token */
  std::map<size_t, std::string> watched_;    /* pragmas to add there, before these */
  bool named_unsupported_ = false;
  std::vector<std::pair<size_t, size_t>> float_code_;      /* bodies without double: { and } */
  const Options options_;
  bool failed_ = false;
};

/* ---- files and processes ---- */

/* What `argv` prints; false, its own words on standard error, where it fails. */
bool output_of(char *const argv[], std::string *out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(argv[0], argv);
    fprintf(stderr, "cu_to_cpp: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  close(ends[1]);
  char buffer[1 << 16];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) out->append(buffer, (size_t)n);
  close(ends[0]);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/* What the command preprocesses, as tokens. */
bool read_source(std::vector<char *> command, Source *source) {
  command.push_back(nullptr);
  if (!output_of(command.data(), &source->text)) return false;
  tokenize(source);
  return true;
}

bool write_file(const char *path, const std::string &text) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  const bool written = fwrite(text.data(), 1, text.size(), f) == text.size();
  return fclose(f) == 0 && written;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 5 || strcmp(argv[3], "--") != 0) {
    fprintf(stderr, "usage: cu_to_cpp SOURCE.cu OUTPUT.cc -- COMPILER FLAGS...\n");
    return 2;
  }
  std::vector<char *> command(argv + 4, argv + argc);
  for (const char *more : {"-D__CUDACC__=1", "-D__NVCC__=1", "-DCPU_DEVICE_TRANSLATING=1",
                           "-include", "cuda_runtime.h", "-E", "-x", "c++", (const char *)argv[1]})
    command.push_back(const_cast<char *>(more));
  Source source;
  if (!read_source(command, &source)) return 1;
  if (mentions_arch(source)) {
    Source device, host = source;
    command.push_back(const_cast<char *>("-D__CUDA_ARCH__=900"));
    if (!read_source(command, &device)) return 1;
    source = Source();
    source.text = merged_readings(host, device);
    tokenize(&source);
  }
  Translator::Options options;
  for (const char *word : command) {
    if (!word) continue;
    if (!strcmp(word, "-w") || !strcmp(word, "-Wno-double-promotion")) options.warn_of_double = false;
    if (!strcmp(word, "-DCPU_DEVICE_RELAXED_CONSTEXPR")) options.relaxed_constexpr = true;
    if (!strcmp(word, "-DCPU_DEVICE_UNCUT")) options.cut = false;
  }
  Translator translator(source, options);
  if (!translator.run()) return 1;
  if (!write_file(argv[2], translator.result())) {
    fprintf(stderr, "cu_to_cpp: cannot write %s: %s\n", argv[2], strerror(errno));
    return 1;
  }
  return 0;
}
