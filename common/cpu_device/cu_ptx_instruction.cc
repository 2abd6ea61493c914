/* Instructions that teaching programs write inline: special registers, integer and float
 * arithmetic, carries, predicates, bits, conversions, loads and stores, atomics, warp operations,
 * fences, barriers, asynchronous copies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cu_ptx_instruction.h"

#include <ctype.h>
#include <stdlib.h>

#include <algorithm>
#include <set>

namespace {

const std::string kPtx = "::cpu_device::ptx::";
const std::string kUnsigned = "unsigned";

/* The type that holds twice as much; empty: none. */
std::string wider(const std::string &type) {
  static const std::map<std::string, std::string> types = {
      {"int16_t", "int"}, {"uint16_t", "unsigned"}, {"int", "int64_t"}, {"unsigned", "uint64_t"}};
  auto at = types.find(type);
  return at == types.end() ? "" : at->second;
}

bool is_float(const std::string &type) { return type == "float" || type == "double"; }
bool is_wide(const std::string &type) {
  return type == "uint64_t" || type == "int64_t" || type == "double";
}

class Instruction {
 public:
  Instruction(const std::string &text, const PtxRegisters &registers) : registers_(registers) {
    const size_t space = text.find_first_of(" \t\n");
    parts_ = ptx_split(text.substr(0, space), '.');
    if (space == std::string::npos) return;
    for (const std::string &a : ptx_split(text.substr(space), ','))
      arguments_.push_back(ptx_trimmed(a));
  }

  std::string as_cpp() {
    const std::string &name = parts_[0];
    const std::string type = ptx_type(parts_.back());
    std::string cpp;
    if (name == "membar" || name == "fence") return "::__threadfence()";
    if (name == "trap" || name == "brkpt") return "::__trap()";
    if (name == "prefetch" || name == "prefetchu") return "(void)0";
    if (name == "nanosleep") cpp = "::__nanosleep(" + value(0, kUnsigned) + ")";
    else if (name == "bar" || name == "barrier") cpp = barrier();
    else if (name == "cp") cpp = asynchronous_copy();
    else if (name == "activemask") cpp = result("::__activemask()");
    else if (name == "prmt") cpp = permutation();
    else if (type.empty()) return "";
    else if (name == "ld" || name == "st") cpp = memory(type);
    else if (name == "atom" || name == "red") cpp = atomic(type);
    else if (name == "mov") cpp = move(type);
    else if (name == "cvta") cpp = address();
    else if (name == "cvt") cpp = conversion(type);
    else if (name == "setp") cpp = comparison(type);
    else if (has("sync")) cpp = warp_operation(type);
    else cpp = arithmetic(type);
    return bad_ ? "" : cpp;
  }

 private:
  bool has(const std::string &part) const {
    return std::find(parts_.begin(), parts_.end(), part) != parts_.end();
  }
  size_t count() const { return arguments_.size(); }

  /* ---- operands ---- */

  std::string unknown() { return bad_ = true, ""; }

  std::string argument(size_t n) const { return n < count() ? arguments_[n] : ""; }

  /* A register, a special register or a number. */
  std::string expression(const std::string &text) {
    static const std::map<std::string, std::string> builtins = {{"tid", "thread_index"},
                                                                {"ntid", "block_dim"},
                                                                {"ctaid", "block_index"},
                                                                {"nctaid", "grid_dim"}};
    static const std::set<std::string> special = {
        "laneid",      "warpid",      "nwarpid",     "smid",           "nsmid",
        "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",    "lanemask_ge",
        "clock",       "clock64",     "globaltimer", "globaltimer_lo", "globaltimer_hi"};
    if (text.empty()) return unknown();
    const bool percent = text[0] == '%';
    const std::string name = text.substr(text.find_first_not_of('%'));
    if ((percent || !isdigit((unsigned char)name[0])) && registers_.count(name))
      return ptx_variable(name);
    if (percent) {
      if (special.count(name)) return kPtx + name + "()";
      if (name == "warp_size" || name == "WARP_SZ") return "32";
      const size_t dot = name.find('.');
      auto builtin = builtins.find(name.substr(0, dot));
      if (dot == std::string::npos || builtin == builtins.end()) return unknown();
      return "::cpu_device::" + builtin->second + "()" + name.substr(dot);
    }
    return number(text);
  }
  std::string number(const std::string &text) {
    if (text == "WARP_SZ") return "32";
    if (text.compare(0, 2, "0f") == 0 || text.compare(0, 2, "0F") == 0)
      return kPtx + "as<float>(0x" + text.substr(2) + "u)";
    if (text.compare(0, 2, "0d") == 0 || text.compare(0, 2, "0D") == 0)
      return kPtx + "as<double>((uint64_t)0x" + text.substr(2) + "u)";
    if (!(isdigit((unsigned char)text[0]) || text[0] == '-')) return unknown();
    return text.find_first_of("xX.Uu") != std::string::npos ? text : text + "ll";
  }

  /* Operand n as a value of a type. */
  std::string value(size_t n, const std::string &type) {
    return as(type, expression(argument(n)));
  }
  static std::string as(const std::string &type, const std::string &cpp) {
    return kPtx + "as<" + type + ">(" + cpp + ")";
  }
  std::string predicate(size_t n) {
    const std::string text = argument(n);
    return text[0] == '!' ? "!" + expression(text.substr(1)) : "(bool)" + expression(text);
  }
  bool is_predicate(size_t n) const {
    const std::string text = argument(n);
    auto at = registers_.find(text.substr(std::min(text.size(), text.find_first_not_of('%'))));
    return at != registers_.end() && at->second == "bool";
  }

  /* "{%0, %1}" */
  bool is_vector(size_t n) const { return !argument(n).empty() && argument(n)[0] == '{'; }
  std::vector<std::string> elements(size_t n) const {
    const std::string text = argument(n);
    std::vector<std::string> parts = ptx_split(text.substr(1, text.size() - 2), ',');
    for (std::string &p : parts) p = ptx_trimmed(p);
    return parts;
  }

  std::string assign(const std::string &to, const std::string &cpp) {
    return to == "_" ? "(void)(" + cpp + ")" : kPtx + "set(" + expression(to) + ", " + cpp + ")";
  }
  /* Sets the first operand. */
  std::string result(const std::string &cpp) { return assign(argument(0), cpp); }
  std::string call(const std::string &function, const std::vector<std::string> &values) {
    std::string cpp;
    for (const std::string &v : values) cpp += (cpp.empty() ? "(" : ", ") + v;
    return result(function + cpp + ")");
  }

  /* ---- memory ---- */

  /* "[%1 + 4]" as a pointer, in the memory that the instruction names. */
  std::string pointer(size_t n, const std::string &type) {
    std::string text = argument(n);
    if (text.size() < 3 || text[0] != '[' || text.back() != ']') return unknown();
    text = text.substr(1, text.size() - 2);
    const size_t plus = text.find('+');
    std::string base = expression(ptx_trimmed(text.substr(0, plus)));
    if (has("shared") || has("shared::cta")) base = kPtx + "from_shared(" + base + ")";
    const std::string offset =
        plus == std::string::npos ? "" : " + " + number(ptx_trimmed(text.substr(plus + 1)));
    return "(" + type + " *)((uintptr_t)" + base + offset + ")";
  }

  std::string memory(const std::string &type) {
    if (has("local") || has("param") || has("shared::cluster")) return "";
    const bool load = parts_[0] == "ld";
    const size_t at = load, what = !load;
    if (!(has("v2") || has("v4")))
      return load ? result(kPtx + "load(" + pointer(1, type) + ")")
                  : kPtx + "store(" + pointer(0, type) + ", " + value(1, type) + ")";
    if (!is_vector(what)) return "";
    const std::string from = pointer(at, type);
    std::string cpp = "{ " + type + " *const ptx_at = " + from + "; ";
    size_t i = 0;
    for (const std::string &e : elements(what)) {
      const std::string place = "ptx_at + " + std::to_string(i++);
      cpp += load ? assign(e, kPtx + "load(" + place + ")")
                  : kPtx + "store<" + type + ">(" + place + ", " + as(type, expression(e)) + ")";
      cpp += "; ";
    }
    return i == (has("v2") ? 2u : 4u) ? cpp + "}" : "";
  }

  std::string atomic(const std::string &type) {
    static const std::map<std::string, std::string> calls = {
        {"add", "Add"}, {"exch", "Exch"}, {"min", "Min"}, {"max", "Max"}, {"and", "And"},
        {"or", "Or"},   {"xor", "Xor"},   {"cas", "CAS"}, {"inc", "Inc"}, {"dec", "Dec"}};
    if (has("async") || has("v2") || has("v4") || has("shared::cluster")) return "";
    const size_t first = parts_[0] == "atom";
    const std::string device =
        type == "uint64_t" || type == "int64_t" ? "unsigned long long" : type;
    for (const auto &c : calls) {
      if (!has(c.first)) continue;
      std::string cpp =
          "::atomic" + c.second + "(" + pointer(first, device) + ", " + value(first + 1, device);
      if (c.first == "cas") cpp += ", " + value(first + 2, device);
      return first ? result(cpp + ")") : cpp + ")";
    }
    return "";
  }

  /* Copies are done when they are asked for, so there is nothing to wait for. */
  std::string asynchronous_copy() {
    if (!has("async") || has("bulk") || has("mbarrier") || has("reduce")) return "";
    if (has("commit_group") || has("wait_group") || has("wait_all")) return "(void)0";
    if (!(has("ca") || has("cg")) || !has("global") || count() < 3) return "";
    const std::string size = value(2, kUnsigned);
    std::string taken = size;
    if (is_predicate(3)) taken = predicate(3) + " ? 0 : " + size;
    else if (count() > 3) taken = value(3, kUnsigned);
    const std::string to = pointer(0, "void");
    std::string from = argument(1);
    if (from.size() < 3 || from[0] != '[') return "";
    from = "(const void *)(uintptr_t)" + expression(ptx_trimmed(from.substr(1, from.size() - 2)));
    return kPtx + "copy(" + to + ", " + from + ", " + size + ", " + taken + ")";
  }

  /* cvta.to.shared.u64: a generic address as one of that memory; without "to" the other way. */
  std::string address() {
    const std::string from = value(1, has("u32") ? kUnsigned : "uint64_t");
    if (!has("shared")) return result(from);
    return call(kPtx + (has("to") ? "to_shared" : "from_shared"), {from});
  }

  std::string barrier() {
    if (has("warp")) return "::__syncwarp(" + value(0, kUnsigned) + ")";
    return has("sync") && count() == 1 ? "::__syncthreads()" : "";
  }

  /* ---- between the lanes of a warp ---- */

  std::string warp_operation(const std::string &type) {
    const std::string mask = value(count() - 1, kUnsigned);
    if (parts_[0] == "vote") {
      for (const char *what : {"ballot", "all", "any"})
        if (has(what)) return call(std::string("::__") + what + "_sync", {mask, predicate(1)});
      return "";
    }
    if (parts_[0] == "match" && has("any"))
      return call("::__match_any_sync",
                  {mask, value(1, type == "uint64_t" ? "unsigned long long" : kUnsigned)});
    if (parts_[0] == "redux" && parts_.size() == 4)
      return call("::__reduce_" + parts_[2] + "_sync", {mask, value(1, type)});
    if (parts_[0] == "shfl" && count() == 5 && isdigit((unsigned char)argument(3)[0])) {
      static const std::map<std::string, std::string> ways = {
          {"idx", ""}, {"up", "_up"}, {"down", "_down"}, {"bfly", "_xor"}};
      auto way = ways.find(parts_[2]);
      const unsigned clamp = (unsigned)strtoul(argument(3).c_str(), nullptr, 0);
      if (way == ways.end() || (clamp & 31) != (parts_[2] == "up" ? 0u : 31u)) return "";
      const std::string width = std::to_string(32 - (clamp >> 8 & 31));
      const size_t bar = argument(0).find('|'); /* and whether the source is in the segment */
      std::string within;
      if (bar != std::string::npos) {
        within = "(" + value(2, kUnsigned) + ", " + width + ")";
        within = way->second.empty() ? "true" : kPtx + "shfl" + way->second + "_within" + within;
        within = assign(ptx_trimmed(argument(0).substr(bar + 1)), within) + "; ";
        arguments_[0] = ptx_trimmed(argument(0).substr(0, bar));
      }
      return within + call("::__shfl" + way->second + "_sync",
                           {mask, value(1, kUnsigned), value(2, kUnsigned), width});
    }
    return "";
  }

  /* ---- moves, conversions, comparisons ---- */

  /* Also "mov.b64 %0, {%1, %2}" and back: the first is the lowest. */
  std::string move(const std::string &type) {
    if (count() != 2) return "";
    if (!is_vector(0) && !is_vector(1)) return result(value(1, type));
    const std::vector<std::string> parts = elements(is_vector(0) ? 0 : 1);
    const unsigned bits = is_wide(type) ? 64 : 32, each = bits / (unsigned)parts.size();
    const std::string part = "uint" + std::to_string(each) + "_t";
    if (parts.size() != 2 && parts.size() != 4) return "";
    std::string whole = is_vector(0) ? "{ const auto ptx_whole = " +
                                           value(1, bits == 64 ? "uint64_t" : "uint32_t") + "; "
                                     : "";
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string shift = std::to_string(i * each);
      if (is_vector(0))
        whole += assign(parts[i], "(" + part + ")(ptx_whole >> " + shift + ")") + "; ";
      else
        whole += std::string(i ? " | " : "") + "(uint64_t)" + as(part, expression(parts[i])) +
                 " << " + shift;
    }
    if (is_vector(0)) return whole + "}";
    return result((bits == 64 ? "(" : "(uint32_t)(") + whole + ")");
  }

  /* cvt.rzi.s32.f32 */
  std::string conversion(const std::string &from) {
    static const std::map<std::string, std::string> to_integer = {
        {"rni", "::rint"}, {"rzi", "::trunc"}, {"rmi", "::floor"}, {"rpi", "::ceil"}};
    if (parts_.size() < 3 || count() != 2) return "";
    const std::string to = ptx_type(parts_[parts_.size() - 2]), what = value(1, from);
    if (to.empty() || (has("sat") && !is_float(from))) return "";
    if (!is_float(from)) {
      const bool exact = to == "double" && !is_wide(from);
      return is_float(to) && !has("rn") && !exact ? "" : result("(" + to + ")" + what);
    }
    for (const auto &r : to_integer) {
      if (!has(r.first)) continue;
      const std::string whole = r.second + "(" + what + ")";
      if (is_float(to)) return result("(" + to + ")" + whole);
      return call(kPtx + "to_integer<" + to + ">", {whole});
    }
    if (!is_float(to) || has("sat") || has("rz") || has("rm") || has("rp")) return "";
    return result("(" + to + ")" + what);
  }

  /* setp.lt.and.f32 p|q, a, b, c */
  std::string comparison(const std::string &type) {
    static const std::map<std::string, std::string> signs = {
        {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
        {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
    /* True for a NaN too: not the opposite. */
    static const std::map<std::string, std::string> opposites = {
        {"equ", "!="}, {"neu", "=="}, {"ltu", ">="}, {"leu", ">"}, {"gtu", "<="}, {"geu", "<"}};
    if (parts_.size() < 3 || count() < 3) return "";
    const std::string a = value(1, type), b = value(2, type), &name = parts_[1];
    const std::string differ = "(" + a + " < " + b + " || " + a + " > " + b + ")";
    std::string holds;
    if (signs.count(name)) {
      holds = "(" + a + " " + signs.at(name) + " " + b + ")";
      if (name == "ne" && is_float(type)) holds = differ;
    } else if (name == "neu") {
      holds = "!(" + a + " == " + b + ")";
    } else if (name == "equ") {
      holds = "!" + differ;
    } else if (opposites.count(name)) {
      holds = "!(" + a + " " + opposites.at(name) + " " + b + ")";
    } else {
      return "";
    }
    std::string second = "!" + holds;
    for (const char *with : {"and", "or", "xor"}) {
      if (!has(with)) continue;
      const std::string sign = with[0] == 'a' ? " & " : with[0] == 'o' ? " | " : " ^ ";
      const std::string third = predicate(3);
      holds = "(" + holds + sign + third + ")";
      second = "(" + second + sign + third + ")";
    }
    const std::vector<std::string> to = ptx_split(argument(0), '|');
    if (to.size() == 1) return assign(to[0], holds);
    return "{ const bool ptx_first = " + holds + ", ptx_second = " + second + "; " +
           assign(ptx_trimmed(to[0]), "ptx_first") + "; " +
           assign(ptx_trimmed(to[1]), "ptx_second") + "; }";
  }

  /* ---- arithmetic ---- */

  /* add, sub, mul, div, fma, rcp, sqrt of floats in another direction than the nearest. */
  std::string rounded(const std::string &type) {
    static const std::map<std::string, std::string> directions = {
        {"rz", "_rz"}, {"rm", "_rd"}, {"rp", "_ru"}};
    static const std::set<std::string> names = {"add", "sub", "mul", "div", "fma", "rcp", "sqrt"};
    if (!names.count(parts_[0])) return "";
    for (const auto &d : directions) {
      if (!has(d.first)) continue;
      const bool wide = type == "double";
      std::vector<std::string> values;
      for (size_t i = 1; i < count(); ++i) values.push_back(value(i, type));
      if (parts_[0] == "fma") return call((wide ? "::__fma" : "::__fmaf") + d.second, values);
      return call(std::string("::__") + (wide ? "d" : "f") + parts_[0] + d.second, values);
    }
    return "";
  }

  /* add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi.cc ... */
  std::string with_carry(const std::string &type) {
    const std::string &name = parts_[0];
    if (is_float(type) || type == "bool") return "";
    const std::string word = is_wide(type) ? "uint64_t" : kUnsigned;
    std::string a, b;
    if (name == "mad" || name == "madc") {
      if (count() != 4 || !(has("lo") || has("hi"))) return "";
      a = has("hi") ? high(type) : "(" + value(1, word) + " * " + value(2, word) + ")";
      a = kPtx + "as<" + word + ">(" + a + ")";
      b = value(3, word);
    } else {
      if (count() != 3) return "";
      a = value(1, word), b = value(2, word);
    }
    const std::string in = name.back() == 'c' ? ", true" : ", false";
    const std::string out = has("cc") ? ", true>" : ", false>";
    return call(kPtx + (name[0] == 's' ? "subtract<" : "add<") + word + in + out, {a, b});
  }

  /* The upper half of a product. */
  std::string high(const std::string &type) {
    static const std::map<std::string, std::string> calls = {{"int", "::__mulhi("},
                                                             {"unsigned", "::__umulhi("},
                                                             {"int64_t", "::__mul64hi("},
                                                             {"uint64_t", "::__umul64hi("}};
    auto found = calls.find(type);
    if (found == calls.end()) return unknown();
    return found->second + value(1, type) + ", " + value(2, type) + ")";
  }

  std::string permutation() {
    static const std::set<std::string> modes = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    const std::string mode = parts_.back(), u = kUnsigned;
    if (count() != 4 || !has("b32") || (mode != "b32" && !modes.count(mode))) return "";
    return call(kPtx + (mode == "b32" ? "prmt" : "prmt_mode<" + kPtx + mode + ">"),
                {value(1, u), value(2, u), value(3, u)});
  }

  std::string of_24_bits(const std::string &type) {
    const bool sum = parts_[0] == "mad24";
    if (!(type == "int" || type == kUnsigned) || !(has("lo") || has("hi")) || count() != (sum ? 4u : 3u))
      return "";
    const std::string product = kPtx + "mul24(" + value(1, type) + ", " + value(2, type) +
                                (has("hi") ? ", true)" : ", false)");
    if (!sum) return result(product);
    /* With .sat as without: that is what an H200 does. */
    return result("(" + type + ")(" + product + " + " + value(3, type) + ")");
  }

  /* Of one operand. */
  std::string unary(const std::string &type) {
    static const std::map<std::string, std::string> of_float = {
        {"abs", "::fabsf("}, {"sqrt", "::sqrtf("}, {"rsqrt", "::rsqrtf("}, {"sin", "::sinf("},
        {"cos", "::cosf("},  {"ex2", "::exp2f("},  {"lg2", "::log2f("},    {"tanh", "::tanhf("},
        {"rcp", "(1.0f / "}, {"neg", "(-"}};
    static const std::map<std::string, std::string> of_double = {{"abs", "::fabs("},
                                                                 {"sqrt", "::sqrt("},
                                                                 {"rsqrt", "::rsqrt("},
                                                                 {"rcp", "(1.0 / "},
                                                                 {"neg", "(-"}};
    static const std::map<std::string, std::string> of_word = {
        {"abs", "::abs("}, {"popc", "::__popc("}, {"clz", "::__clz("}, {"brev", "::__brev("}};
    static const std::map<std::string, std::string> of_wide = {
        {"abs", "::llabs("},
        {"popc", "::__popcll("},
        {"clz", "::__clzll("},
        {"brev", "::__brevll("}};
    const std::string a = value(1, type);
    if (parts_[0] == "bfind" && !is_float(type))
      return result(kPtx + (has("shiftamt") ? "bfind_shiftamt(" : "bfind(") + a + ")");
    if (parts_[0] == "not") return result(type == "bool" ? "!" + a : "(" + type + ")~" + a);
    if (parts_[0] == "neg" && !is_float(type)) return result("(" + type + ")-" + a);
    const auto &calls = type == "float"    ? of_float
                        : type == "double" ? of_double
                        : is_wide(type)    ? of_wide
                                           : of_word;
    auto found = calls.find(parts_[0]);
    return found == calls.end() || type == "bool" ? "" : result(found->second + a + ")");
  }

  std::string binary(const std::string &type) {
    static const std::map<std::string, std::string> operators = {
        {"add", "+"}, {"sub", "-"}, {"div", "/"}, {"rem", "%"},
        {"and", "&"}, {"or", "|"},  {"xor", "^"}};
    const std::string &name = parts_[0], a = value(1, type);
    if (name == "shl" || name == "shr") return call(kPtx + name, {a, value(2, kUnsigned)});
    const std::string b = value(2, type);
    if (name == "copysign") return call(type == "float" ? "::copysignf" : "::copysign", {b, a});
    if (operators.count(name))
      return result("(" + type + ")(" + a + " " + operators.at(name) + " " + b + ")");
    if (name == "min" || name == "max") return call("::" + name, {a, b});
    if (name != "mul") return "";
    if (has("hi")) return result(high(type));
    if (!has("wide")) return result("(" + type + ")(" + a + " * " + b + ")");
    return wider(type).empty() ? "" : result("(" + wider(type) + ")" + a + " * " + b);
  }

  std::string ternary(const std::string &type) {
    const std::string &name = parts_[0], a = value(1, type), b = value(2, type), u = kUnsigned;
    if (name == "selp") return result("(" + predicate(3) + " ? " + a + " : " + b + ")");
    if (name == "mad" && has("wide") && !wider(type).empty())
      return result("(" + wider(type) + ")" + a + " * " + b + " + " + value(3, wider(type)));
    if (name == "mad" && has("hi"))
      return result("(" + type + ")(" + high(type) + " + " + value(3, type) + ")");
    if (name == "bfe" && type == u) return call(kPtx + "bfe", {a, value(2, u), value(3, u)});
    if (name == "shf" && (has("wrap") || has("clamp"))) {
      const std::string way = std::string(has("l") ? "l" : "r") + (has("clamp") ? "c" : "");
      return call("::__funnelshift_" + way, {a, b, value(3, u)});
    }
    if (name == "sad" && (type == "int" || type == u))
      return call(type == "int" ? "::__sad" : "::__usad", {a, b, value(3, u)});
    const std::string c = value(3, type);
    if (name == "dp4a" && parts_.size() == 3 && parts_[1] == parts_[2])
      return call("::__dp4a", {a, b, c});
    if ((name == "mad" && has("lo")) || (name == "mad" && has("rn")))
      return result("(" + type + ")(" + a + " * " + b + " + " + c + ")");
    if (name == "fma") return call(type == "double" ? "::fma" : "::fmaf", {a, b, c});
    return "";
  }

  std::string arithmetic(const std::string &type) {
    const std::string &name = parts_[0];
    if (name == "mul24" || name == "mad24") return of_24_bits(type);
    if (has("sat")) return "";
    if (has("rz") || has("rm") || has("rp")) return rounded(type);
    if (has("cc") || name == "addc" || name == "subc" || name == "madc") return with_carry(type);
    if (count() == 2) return unary(type);
    if (count() == 3) return binary(type);
    if (count() == 4) return ternary(type);
    if (count() == 5 && (name == "bfi" || name == "lop3") && type == kUnsigned)
      return call(kPtx + name, {value(1, type), value(2, type), value(3, type), value(4, type)});
    return "";
  }

  const PtxRegisters &registers_;
  std::vector<std::string> parts_, arguments_;
  bool bad_ = false;
};

}  // namespace

std::string ptx_instruction_as_cpp(const std::string &text, const PtxRegisters &registers) {
  return Instruction(text, registers).as_cpp();
}
