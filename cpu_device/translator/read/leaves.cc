/* Finds device functions that never wait, by their calls and loops.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/leaves.h"

namespace {

const std::set<std::string> kHarmless = {
    "if", "for", "while", "switch", "return", "sizeof", "alignof", "decltype", "void", "bool",
    "char", "short", "int", "long", "unsigned", "signed", "float", "double", "size_t", "dim3",
    "static_cast", "reinterpret_cast", "const_cast", "__attribute__", "defined", "int8_t",
    "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
    "min", "max", "abs", "fabs", "fabsf", "sqrt", "sqrtf", "rsqrt", "rsqrtf", "cbrt", "cbrtf",
    "exp", "expf", "exp2f", "log", "logf", "log2f", "log10f", "pow", "powf", "sin", "sinf",
    "cos", "cosf", "tan", "tanf", "tanh", "tanhf", "atan2f", "hypotf", "fma", "fmaf", "fmin",
    "fmax", "fminf", "fmaxf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "round",
    "roundf", "rint", "rintf", "fmod", "fmodf", "isnan", "isinf", "isfinite", "erf", "erff",
    "atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor",
    "__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__stwb", "__stcg", "__stcs",
    "__stwt", "__fadd_rn", "__fsub_rn", "__fmul_rn", "__fdiv_rn", "__fsqrt_rn", "__fmaf_rn",
    "__frcp_rn", "__umulhi", "__mulhi", "__popc", "__clz", "__ffs", "__brev",
    "__float_as_int", "__float_as_uint", "__int_as_float", "__uint_as_float",
    "__float2int_rn", "__float2int_rz", "__sinf", "__cosf", "__expf", "__logf", "__powf",
    "exp2", "exp10f", "expm1f", "log1pf", "log2", "log10", "sincosf", "sincos", "__sincosf",
    "__tanf", "atanf", "atan", "atan2", "asinf", "acosf", "asin", "acos", "sinh", "cosh",
    "sinhf", "coshf", "hypot", "sinpif", "cospif", "sinpi", "cospi", "erfc", "erfcf", "erfinv",
    "erfinvf", "normcdf", "normcdff", "copysignf", "copysign", "lrintf", "llabs", "ldexpf",
    "ldexp", "signbit", "__exp10f", "__log2f", "__log10f", "__fdividef", "fdividef",
    "__saturatef", "__dp4a", "__sad", "__usad", "__umul24", "__mul24", "__umul64hi",
    "__mul64hi", "__popcll", "__clzll", "__ffsll", "__byte_perm", "__funnelshift_l",
    "__funnelshift_r", "__low2float", "__high2float", "__bfloat162float", "__float2bfloat16",
    "__float2half", "half", "__half", "half2", "__half2", "__nv_bfloat16",
    "atomicExch", "atomicCAS", "atomicInc", "atomicDec",
    "printf", "assert", "__assert_fail", "__trap", "thread_index", "block_index", "block_dim",
    "grid_dim", "on_device", "__builtin_memcpy", "memcpy"};

/* Families of intrinsics: make_float4, __hadd2 and __half2float, __vadd4, __fadd_rz. */
bool only_computes(const std::string &name) {
  if (name.compare(0, 5, "make_") == 0 || name.compare(0, 6, "curand") == 0) return true;
  if (name.size() < 6 || name.compare(0, 2, "__") != 0) return false;
  static const std::set<std::string> suffixes = {"_rn", "_rz", "_ru", "_rd"};
  return name[2] == 'h' || name[2] == 'v' || suffixes.count(name.substr(name.size() - 3));
}

bool is_atomic(const std::string &name) { return name.compare(0, 6, "atomic") == 0; }

}  // namespace

bool Leaves::is_harmless(const std::string &name) {
  return kHarmless.count(name) != 0 || only_computes(name);
}

/* Barriers and warp operations stand there. */
bool Leaves::synchronises(size_t first, size_t last) const {
  static const std::vector<std::string> beginnings = {"__sync", "__shfl", "__ballot", "__any", "__all",
                                                      "__match", "__reduce"};
  for (size_t i = first; i <= last; ++i) {
    if (t_[i].kind != kName) continue;
    const std::string name = text(i);
    if (name == "sync") return true;
    for (const std::string &b : beginnings)
      if (name.compare(0, b.size(), b) == 0) return true;
  }
  return false;
}

/* Words that stand where threads wait for each other. */
bool Leaves::says_wait(size_t first, size_t last) const {
  static const std::set<std::string> words = {"volatile", "asm", "__asm__", "__asm", "while",
                                              "atomicCAS", "atomicExch", "__nanosleep", "__activemask"};
  for (size_t i = first; i <= last; ++i)
    if (t_[i].kind == kName && words.count(text(i))) return true;
  return synchronises(first, last);
}

/* The { of the device's constructor, destructor or operator that begins at token i; 0: none does. */
size_t Leaves::unnamed_body(size_t i) const {
  static const std::set<std::string> before = {"__host__", "__device__", "inline", "explicit", "constexpr", "__inline__"};
  size_t open = i + 1;
  if (is(i, "operator")) {
    while (open + 1 < t_.size() && punct(open) != '(' && punct(open) != ';') ++open;
    if (punct(open + 1) == ')' && punct(open + 2) == '(') open += 2; /* operator()() */
  } else if (is(i, "__device__")) {
    for (;; ++open) {
      if (is(open, "__attribute__")) open = closing(open + 1); /* __forceinline__ is one */
      else if (!(t_[open].kind == kName && before.count(text(open))) && punct(open) != '~') break;
    }
    if (t_[open++].kind != kName) return 0; /* a constructor has no type before its name */
  }
  if (punct(open) != '(') return 0;
  bool members = false; /* the initialisers are gone through */
  size_t body = closing(open) + 1;
  for (; body + 1 < t_.size(); ++body) {
    const char c = punct(body);
    if (c == ':') members = true;
    if (c == ';' || c == '}' || c == '=') return 0;
    if (c == '{' && !(members && t_[body - 1].kind == kName)) return body;
    if (c == '(' || c == '{') body = closing(body);
  }
  return 0;
}

Leaves::Leaves(const Source &src) : Tokens(src), volatile_names_(src), objects_wait_(false), unnamed_wait_(false) {
  for (size_t i = 1; i + 4 < t_.size() && !unnamed_wait_; ++i) {
    if (t_[i].system || !(is(i, "operator") || is(i, "__device__"))) continue;
    const size_t body = unnamed_body(i);
    unnamed_wait_ = body && synchronises(body, closing(body));
  }
  for (size_t i = 1; i + 4 < t_.size() && !objects_wait_; ++i) {
    if (t_[i].system) continue;
    const bool method = is(i, "operator") && punct(i + 1) == '(' && punct(i + 2) == ')' && punct(i + 3) == '(';
    const bool lambda = is(i, "__device__") && (punct(i - 1) == ']' || is(i - 1, "__host__"));
    if (!method && !lambda) continue;
    size_t body = method ? closing(i + 3) + 1 : i + 1;
    while (body + 1 < t_.size() && punct(body) != '{' && punct(body) != ';')
      body = punct(body) == '(' ? closing(body) + 1 : body + 1;
    objects_wait_ = punct(body) == '{' && says_wait(body, closing(body));
  }
}

/* The name at token i is a parameter of the function or a variable in it: calling it is calling a
 * function object. */
bool Leaves::is_object(size_t i, size_t begin, size_t body) const {
  const std::string name = text(i);
  for (size_t j = begin + 1; j < i; ++j) {
    if (t_[j].kind != kName || !is(j, name.c_str())) continue;
    const char before = punct(j - 1), after = punct(j + 1);
    const bool typed = t_[j - 1].kind == kName || before == '>' || (before == '&' && j < body);
    if (typed && (j < body ? after == ',' || after == ')' || after == '=' : after == ';' || after == '{' || after == '='))
      return !is(j - 1, "return") && !is(j - 1, "else");
  }
  return false;
}

/* The call at token i is more than a statement of its own. */
bool Leaves::result_is_used(size_t i) const {
  const char before = punct(i - 1);
  const bool begins = before == ';' || before == '{' || before == '}' || before == ')' ||
                      is(i - 1, "else") || is(i - 1, "do");
  return !begins || punct(i + 1) != '(' || punct(closing(i + 1) + 1) != ';';
}

Leaves::Read Leaves::read(const std::set<std::string> &waiting, size_t begin, size_t body,
                          size_t body_end) const {
  bool leaf = true, loops = false, atomics = false;
  for (size_t i = begin; i < body_end && leaf; ++i) {
    if (t_[i].kind != kName) continue;
    const std::string name = text(i);
    loops = loops || name == "while" || name == "for" || name == "goto";
    if (name == "volatile" || name == "__ldcv" || name == "asm" || name == "__asm__" ||
        name == "__asm" || volatile_names_.holds(name))
      leaf = false;
    if (i <= body) continue;
    size_t next = i + 1;
    if (punct(next) == '<' && closing_angle(next)) next = closing_angle(next) + 1;
    if (punct(next) != '(') continue;
    /* Only a plain name is cut at: x.f() and space::f() may be others, or this one, whole. */
    const bool qualified = punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::");
    if (!qualified && waiting.count(name)) continue;
    if (is_atomic(name)) atomics = atomics || result_is_used(i);
    if (is_harmless(name) || (!objects_wait_ && is_object(i, begin, body))) continue;
    auto known = known_.find(name);
    leaf = leaf && known != known_.end() && known->second.leaf;
    atomics = atomics || (known != known_.end() && known->second.atomics);
  }
  return {leaf && !(loops && atomics) && !unnamed_wait_, atomics};
}

void Leaves::note(const std::string &name, size_t begin, size_t body, size_t body_end) {
  const Read r = read({}, begin, body, body_end);
  auto at = known_.emplace(name, r).first;
  at->second.leaf = at->second.leaf && r.leaf;
  at->second.atomics = at->second.atomics || r.atomics;
}

bool Leaves::is_leaf(const std::string &name) const {
  auto known = known_.find(name);
  return known != known_.end() && known->second.leaf;
}

bool Leaves::waits_only_at(const std::set<std::string> &waiting, size_t begin, size_t body,
                           size_t body_end) const {
  return read(waiting, begin, body, body_end).leaf;
}
