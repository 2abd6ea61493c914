/* Reads registers, numbers, vectors and predicates.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/ptx_operands.h"

#include <ctype.h>

#include <map>
#include <set>

const std::string kPtx = "::cpu_device::ptx::";
const std::string kUnsigned = "unsigned";

bool is_float(const std::string &type) { return type == "float" || type == "double"; }
bool is_wide(const std::string &type) {
    return type == "uint64_t" || type == "int64_t" || type == "double";
}

PtxOperands::PtxOperands(const std::string &text, const PtxRegisters &registers)
    : registers_(registers) {
    const size_t space = text.find_first_of(" \t\n");
    parts_ = ptx_split(text.substr(0, space), '.');
    if (space == std::string::npos) return;
    for (const std::string &a : ptx_split(text.substr(space), ','))
        arguments_.push_back(ptx_trimmed(a));
}

std::string PtxOperands::expression(const std::string &text) {
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

std::string PtxOperands::number(const std::string &text) {
    if (text == "WARP_SZ") return "32";
    if (text.compare(0, 2, "0f") == 0 || text.compare(0, 2, "0F") == 0)
        return kPtx + "as<float>(0x" + text.substr(2) + "u)";
    if (text.compare(0, 2, "0d") == 0 || text.compare(0, 2, "0D") == 0)
        return kPtx + "as<double>((uint64_t)0x" + text.substr(2) + "u)";
    if (!(isdigit((unsigned char)text[0]) || text[0] == '-')) return unknown();
    return text.find_first_of("xX.Uu") != std::string::npos ? text : text + "ll";
}

std::string PtxOperands::value(size_t n, const std::string &type) {
    return as(type, expression(argument(n)));
}

std::string PtxOperands::as(const std::string &type, const std::string &cpp) {
    return kPtx + "as<" + type + ">(" + cpp + ")";
}

std::string PtxOperands::predicate(size_t n) {
    const std::string text = argument(n);
    return text[0] == '!' ? "!" + expression(text.substr(1)) : "(bool)" + expression(text);
}

bool PtxOperands::is_predicate(size_t n) const {
    const std::string text = argument(n);
    auto at = registers_.find(text.substr(std::min(text.size(), text.find_first_not_of('%'))));
    return at != registers_.end() && at->second == "bool";
}

std::vector<std::string> PtxOperands::elements(size_t n) const {
    const std::string text = argument(n);
    std::vector<std::string> parts = ptx_split(text.substr(1, text.size() - 2), ',');
    for (std::string &p : parts) p = ptx_trimmed(p);
    return parts;
}

std::string PtxOperands::assign(const std::string &to, const std::string &cpp) {
    return to == "_" ? "(void)(" + cpp + ")" : kPtx + "set(" + expression(to) + ", " + cpp + ")";
}

std::string PtxOperands::call(const std::string &function, const std::vector<std::string> &values) {
    std::string cpp;
    for (const std::string &v : values) cpp += (cpp.empty() ? "(" : ", ") + v;
    return result(function + cpp + ")");
}
