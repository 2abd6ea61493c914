/* Instructions that teaching programs write inline: special registers, integer and float
 * arithmetic, bits, loads and stores of global memory, atomics, fences, barriers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cu_ptx.h"

#include <ctype.h>
#include <stdlib.h>

#include <map>
#include <set>

namespace {

const std::string kPtx = "::cpu_device::ptx::";

std::vector<std::string> split(const std::string &s, char at) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : s) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == at && depth == 0) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

std::string trimmed(const std::string &s) {
  const size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

/* "u32" as C++ writes it; empty for what is no scalar type. */
std::string cpp_type(const std::string &type) {
  static const std::map<std::string, std::string> types = {
      {"u8", "uint8_t"}, {"u16", "uint16_t"}, {"u32", "unsigned"}, {"u64", "uint64_t"},
      {"s8", "int8_t"},  {"s16", "int16_t"},  {"s32", "int"},      {"s64", "int64_t"},
      {"b8", "uint8_t"}, {"b16", "uint16_t"}, {"b32", "unsigned"}, {"b64", "uint64_t"},
      {"f32", "float"},  {"f64", "double"}};
  auto at = types.find(type);
  return at == types.end() ? "" : at->second;
}

class Instruction {
 public:
  Instruction(const std::string &text, const std::vector<std::string> &operands)
      : operands_(operands) {
    const size_t space = text.find_first_of(" \t");
    parts_ = split(text.substr(0, space), '.');
    if (space == std::string::npos) return;
    for (const std::string &a : split(text.substr(space), ',')) arguments_.push_back(trimmed(a));
  }

  /* Empty: not known. */
  std::string as_cpp() {
    const std::string type = cpp_type(parts_.back());
    if (parts_[0] == "membar" || parts_[0] == "fence") return "::__threadfence()";
    if (parts_[0] == "trap" || parts_[0] == "brkpt") return "::__trap()";
    if (parts_[0] == "bar" || parts_[0] == "barrier") return barrier();
    if (parts_[0] == "activemask") return result("::__activemask()");
    if (type.empty()) return "";
    if (parts_[0] == "ld" || parts_[0] == "st") return memory(type);
    if (parts_[0] == "atom" || parts_[0] == "red") return atomic(type);
    return arithmetic(type);
  }

 private:
  bool has(const char *part) const {
    for (const std::string &p : parts_)
      if (p == part) return true;
    return false;
  }

  /* Operand n as a value of a type; empty, and bad_ set, for what is not understood. */
  std::string value(size_t n, const std::string &type) {
    const std::string text = n < arguments_.size() ? arguments_[n] : "";
    const std::string plain = expression(text);
    if (plain.empty()) bad_ = true;
    return kPtx + "as<" + type + ">(" + plain + ")";
  }
  std::string expression(const std::string &text) const {
    static const std::map<std::string, std::string> builtins = {{"tid", "thread_index"},
                                                                {"ntid", "block_dim"},
                                                                {"ctaid", "block_index"},
                                                                {"nctaid", "grid_dim"}};
    static const std::set<std::string> registers = {
        "laneid",      "warpid",      "nwarpid",     "smid",           "nsmid",
        "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",    "lanemask_ge",
        "clock",       "clock64",     "globaltimer", "globaltimer_lo", "globaltimer_hi"};
    if (text.compare(0, 2, "%%") == 0) {
      const std::string name = text.substr(2);
      if (registers.count(name)) return kPtx + name + "()";
      const size_t dot = name.find('.');
      auto builtin = builtins.find(name.substr(0, dot));
      if (dot == std::string::npos || builtin == builtins.end()) return "";
      return "::cpu_device::" + builtin->second + "()" + name.substr(dot);
    }
    if (text[0] == '%') {
      const size_t n = (size_t)atoi(text.c_str() + 1);
      return isdigit((unsigned char)text[1]) && n < operands_.size() ? "(" + operands_[n] + ")"
                                                                     : "";
    }
    if (text.compare(0, 2, "0f") == 0 || text.compare(0, 2, "0F") == 0)
      return kPtx + "as<float>(0x" + text.substr(2) + "u)";
    if (text.empty() || !(isdigit((unsigned char)text[0]) || text[0] == '-')) return "";
    return text.find_first_of("xX.") != std::string::npos ? text : text + "ll";
  }

  /* Sets the first operand. */
  std::string result(const std::string &cpp) {
    const std::string to = arguments_.empty() ? "" : expression(arguments_[0]);
    return to.empty() || bad_ ? "" : kPtx + "set(" + to + ", " + cpp + ")";
  }

  std::string barrier() {
    if (has("warp")) {
      const std::string mask = expression(arguments_.empty() ? "" : arguments_[0]);
      return mask.empty() ? "" : "::__syncwarp((unsigned)" + mask + ")";
    }
    return has("sync") && arguments_.size() == 1 && arguments_[0] == "0" ? "::__syncthreads()" : "";
  }

  /* "[%1 + 4]" as a pointer. */
  std::string pointer(size_t n, const std::string &type) {
    std::string text = n < arguments_.size() ? arguments_[n] : "";
    if (text.size() < 3 || text[0] != '[') return bad_ = true, "";
    text = text.substr(1, text.size() - 2);
    const size_t plus = text.find('+');
    const std::string base = expression(trimmed(text.substr(0, plus)));
    if (base.empty()) bad_ = true;
    const std::string offset =
        plus == std::string::npos ? "" : " + " + trimmed(text.substr(plus + 1));
    return "(" + type + " *)((uintptr_t)" + base + offset + ")";
  }

  std::string memory(const std::string &type) {
    if (!has("global") || has("v2") || has("v4")) return "";
    if (parts_[0] == "ld") return result(kPtx + "load(" + pointer(1, type) + ")");
    const std::string to = pointer(0, type), what = value(1, type);
    return bad_ ? "" : kPtx + "store(" + to + ", " + what + ")";
  }

  std::string atomic(const std::string &type) {
    static const std::map<std::string, std::string> calls = {
        {"add", "Add"}, {"exch", "Exch"}, {"min", "Min"}, {"max", "Max"}, {"and", "And"},
        {"or", "Or"},   {"xor", "Xor"},   {"cas", "CAS"}, {"inc", "Inc"}, {"dec", "Dec"}};
    if (has("shared")) return "";
    const size_t first = parts_[0] == "atom";
    const std::string device =
        type == "uint64_t" || type == "int64_t" ? "unsigned long long" : type;
    for (const auto &call : calls) {
      if (!has(call.first.c_str())) continue;
      std::string cpp =
          "::atomic" + call.second + "(" + pointer(first, device) + ", " + value(first + 1, device);
      if (call.first == "cas") cpp += ", " + value(first + 2, device);
      return first ? result(cpp + ")") : bad_ ? "" : cpp + ")";
    }
    return "";
  }

  std::string arithmetic(const std::string &type) {
    const std::string &name = parts_[0];
    const std::string a = arguments_.size() > 1 ? value(1, type) : "", u = "unsigned";
    static const std::map<std::string, std::string> operators = {
        {"add", "+"}, {"sub", "-"}, {"div", "/"}, {"rem", "%"},
        {"and", "&"}, {"or", "|"},  {"xor", "^"}};
    static const std::map<std::string, std::string> functions = {
        {"abs", "::abs"},   {"sqrt", "::sqrtf"},  {"rsqrt", "::rsqrtf"}, {"sin", "::sinf"},
        {"cos", "::cosf"},  {"ex2", "::exp2f"},   {"lg2", "::log2f"},    {"popc", "::__popc"},
        {"clz", "::__clz"}, {"brev", "::__brev"}, {"rcp", "1.0f / "}};
    if (name == "mov" || (name == "cvta" && has("global")))
      return arguments_.size() == 2 ? result(a) : "";
    if (arguments_.size() == 2 && name == "not") return result("(" + type + ")~" + a);
    if (arguments_.size() == 2 && name == "neg") return result("-" + a);
    const bool wide_float = type == "double", wide = type == "uint64_t" || type == "int64_t";
    if (arguments_.size() == 2 && functions.count(name) && !wide_float && !wide)
      return result(functions.at(name) + "(" + a + ")");
    if (arguments_.size() == 3 && operators.count(name) && !has("cc"))
      return result("(" + type + ")(" + a + " " + operators.at(name) + " " + value(2, type) + ")");
    if (arguments_.size() == 3 && name == "mul" && !has("hi") && !has("wide"))
      return result("(" + type + ")(" + a + " * " + value(2, type) + ")");
    if (arguments_.size() == 3 && name == "mul" && has("wide") &&
        (type == "unsigned" || type == "int"))
      return result((type == "int" ? "(int64_t)" : "(uint64_t)") + a + " * " + value(2, type));
    if (arguments_.size() == 3 && name == "mul" && has("hi") &&
        (type == "unsigned" || type == "int"))
      return result((type == "int" ? "::__mulhi(" : "::__umulhi(") + a + ", " + value(2, type) +
                    ")");
    if (arguments_.size() == 3 && (name == "min" || name == "max"))
      return result("::" + name + "(" + a + ", " + value(2, type) + ")");
    if (arguments_.size() == 3 && (name == "shl" || name == "shr"))
      return result(kPtx + name + "(" + a + ", " + value(2, u) + ")");
    if (arguments_.size() == 4 && name == "mad" && has("lo"))
      return result("(" + type + ")(" + a + " * " + value(2, type) + " + " + value(3, type) + ")");
    if (arguments_.size() == 4 && name == "fma")
      return result(std::string(wide_float ? "::fma(" : "::fmaf(") + a + ", " + value(2, type) +
                    ", " + value(3, type) + ")");
    if (arguments_.size() == 4 && name == "bfe" && type == u)
      return result(kPtx + "bfe(" + a + ", " + value(2, u) + ", " + value(3, u) + ")");
    if (arguments_.size() == 5 && (name == "bfi" || name == "lop3") && type == u)
      return result(kPtx + name + "(" + a + ", " + value(2, u) + ", " + value(3, u) + ", " +
                    value(4, u) + ")");
    if (arguments_.size() == 4 && name == "prmt")
      return result("::__byte_perm(" + a + ", " + value(2, u) + ", " + value(3, u) + ")");
    return "";
  }

  const std::vector<std::string> &operands_;
  std::vector<std::string> parts_, arguments_;
  bool bad_ = false;
};

}  // namespace

std::string ptx_as_cpp(const std::string &ptx, const std::vector<std::string> &operands,
                       std::string *unsupported) {
  std::string cpp;
  for (const std::string &piece : split(ptx, ';')) {
    const std::string text = trimmed(piece);
    if (text.empty()) continue;
    const std::string statement = Instruction(text, operands).as_cpp();
    if (statement.empty()) {
      *unsupported = text.substr(0, text.find('\n'));
      return "";
    }
    cpp += statement + "; ";
  }
  return cpp;
}
