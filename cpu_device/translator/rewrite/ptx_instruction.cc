/* Instructions that teaching programs write inline: loads and stores, atomics, warp operations,
 * predicates, conversions, fences, barriers, asynchronous copies; arithmetic: ptx_arithmetic.cc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/ptx_instruction.h"

#include <ctype.h>
#include <stdlib.h>

#include "cpu_device/translator/rewrite/ptx_arithmetic.h"

namespace {

class Instruction : private PtxArithmetic {
  public:
    Instruction(const std::string &text, const PtxRegisters &registers)
        : PtxArithmetic(text, registers) {}

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
            cpp +=
                load ? assign(e, kPtx + "load(" + place + ")")
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
            std::string cpp = "::atomic" + c.second + "(" + pointer(first, device) + ", " +
                              value(first + 1, device);
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
        from =
            "(const void *)(uintptr_t)" + expression(ptx_trimmed(from.substr(1, from.size() - 2)));
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
                if (has(what))
                    return call(std::string("::__") + what + "_sync", {mask, predicate(1)});
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
                within =
                    way->second.empty() ? "true" : kPtx + "shfl" + way->second + "_within" + within;
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
                whole += std::string(i ? " | " : "") + "(uint64_t)" +
                         as(part, expression(parts[i])) + " << " + shift;
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
};

} // namespace

std::string ptx_instruction_as_cpp(const std::string &text, const PtxRegisters &registers) {
    return Instruction(text, registers).as_cpp();
}
