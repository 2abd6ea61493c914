/* Inline PTX as C++: operands, registers, scopes and guards. The instructions themselves are in
 * ptx_instruction.cc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/ptx.h"

#include <ctype.h>
#include <stdlib.h>

#include <algorithm>

#include "cpu_device/translator/rewrite/ptx_instruction.h"

namespace {

const std::string kPtxScope = "::cpu_device::ptx::";

/* What a register of that constraint is; empty for an immediate. */
std::string type_of_constraint(const std::string &constraint) {
    static const std::map<char, std::string> types = {
        {'h', "uint16_t"}, {'r', "unsigned"}, {'l', "uint64_t"}, {'f', "float"}, {'d', "double"}};
    for (char c : constraint) {
        auto at = types.find(c);
        if (at != types.end()) return at->second;
    }
    return "";
}

std::string without_comments(const std::string &ptx) {
    std::string s;
    for (size_t i = 0; i < ptx.size(); ++i) {
        if (ptx.compare(i, 2, "//") == 0) i = std::min(ptx.find('\n', i), ptx.size());
        else if (ptx.compare(i, 2, "/*") == 0)
            i = std::min(ptx.find("*/", i + 2), ptx.size() - 2) + 1;
        else s += ptx[i];
        if (i < ptx.size() && ptx[i] == '\n') s += '\n';
    }
    return s;
}

/* The text of one asm statement, piece by piece. */
class Statements {
  public:
    Statements(const std::string &text, const std::vector<PtxOperand> &operands) : text_(text) {
        for (size_t i = 0; i < operands.size(); ++i)
            registers_[std::to_string(i)] = type_of_constraint(operands[i].constraint);
    }

    /* Empty, and *unsupported set, where something is not known. */
    std::string as_cpp(std::string *unsupported) {
        std::string cpp;
        for (size_t at = skip_space(0); at < text_.size(); at = skip_space(at)) {
            if (text_[at] == '{' || text_[at] == '}') {
                cpp += text_[at++];
                continue;
            }
            if (text_[at] == ';') {
                ++at;
                continue;
            }
            size_t end = at;
            for (int depth = 0; end < text_.size(); ++end) {
                if (depth == 0 && (text_[end] == ';' || text_[end] == '}')) break;
                depth += (text_[end] == '{') - (text_[end] == '}');
            }
            const std::string piece = ptx_trimmed(text_.substr(at, end - at));
            const std::string statement =
                piece.compare(0, 4, ".reg") == 0 ? declaration(piece) : guarded(piece);
            if (statement.empty()) return *unsupported = piece.substr(0, piece.find('\n')), "";
            cpp += statement + " ";
            at = end;
        }
        return cpp;
    }

  private:
    size_t skip_space(size_t at) const {
        while (at < text_.size() && isspace((unsigned char)text_[at])) ++at;
        return at;
    }

    /* ".reg .b32 a, b<3>" */
    std::string declaration(const std::string &piece) {
        const size_t dot = piece.find('.', 4), space = piece.find_first_of(" \t\n", dot);
        if (space == std::string::npos) return "";
        const std::string type = ptx_type(piece.substr(dot + 1, space - dot - 1));
        if (type.empty()) return "";
        std::string cpp;
        for (std::string name : ptx_split(piece.substr(space), ',')) {
            name = ptx_trimmed(name);
            name.erase(0, name.find_first_not_of('%'));
            const size_t angle = name.find('<');
            if (angle == std::string::npos) {
                cpp += declared(name, type);
                continue;
            }
            const int count = atoi(name.c_str() + angle + 1);
            for (int i = 0; i < count; ++i)
                cpp += declared(name.substr(0, angle) + std::to_string(i), type);
        }
        return cpp;
    }
    std::string declared(const std::string &name, const std::string &type) {
        registers_[name] = type;
        return "[[maybe_unused]] " + type + " " + ptx_variable(name) + "{}; ";
    }

    /* "@!p add.u32 ..." */
    std::string guarded(const std::string &piece) {
        if (piece[0] != '@') return statement(piece);
        const bool negated = piece[1] == '!';
        const size_t space = piece.find_first_of(" \t\n");
        if (space == std::string::npos) return "";
        std::string name = piece.substr(1 + negated, space - 1 - negated);
        name.erase(0, name.find_first_not_of('%'));
        const std::string cpp = statement(ptx_trimmed(piece.substr(space)));
        if (cpp.empty() || !registers_.count(name)) return "";
        return std::string("if (") + (negated ? "!" : "") + ptx_variable(name) + ") { " + cpp +
               " }";
    }
    std::string statement(const std::string &piece) const {
        const std::string cpp = ptx_instruction_as_cpp(piece, registers_);
        return cpp.empty() ? "" : cpp + ";";
    }

    std::string text_;
    PtxRegisters registers_;
};

} // namespace

std::string ptx_variable(const std::string &name) {
    std::string s = "ptx_";
    for (char c : name) s += isalnum((unsigned char)c) ? c : '_';
    return s;
}

std::string ptx_type(const std::string &type) {
    static const std::map<std::string, std::string> types = {
        {"u8", "uint8_t"}, {"u16", "uint16_t"}, {"u32", "unsigned"}, {"u64", "uint64_t"},
        {"s8", "int8_t"},  {"s16", "int16_t"},  {"s32", "int"},      {"s64", "int64_t"},
        {"b8", "uint8_t"}, {"b16", "uint16_t"}, {"b32", "unsigned"}, {"b64", "uint64_t"},
        {"f32", "float"},  {"f64", "double"},   {"pred", "bool"}};
    auto at = types.find(type);
    return at == types.end() ? "" : at->second;
}

std::vector<std::string> ptx_split(const std::string &text, char at) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (char c : text) {
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == at && depth == 0) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

std::string ptx_trimmed(const std::string &text) {
    const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string ptx_as_cpp(const std::string &ptx, const std::vector<PtxOperand> &operands,
                       std::string *unsupported) {
    const std::string statements = Statements(without_comments(ptx), operands).as_cpp(unsupported);
    if (statements.empty()) return "";
    std::string before, after;
    for (size_t i = 0; i < operands.size(); ++i) {
        const PtxOperand &o = operands[i];
        const std::string name = ptx_variable(std::to_string(i));
        const std::string type = type_of_constraint(o.constraint);
        const bool read = o.constraint.find('=') == std::string::npos;
        const bool written = !read || o.constraint.find('+') != std::string::npos;
        before += "[[maybe_unused]] ";
        if (type.empty()) before += "const auto " + name + " = (" + o.expression + "); ";
        else if (!read) before += type + " " + name + "{}; ";
        else
            before +=
                type + " " + name + " = " + kPtxScope + "as<" + type + ">(" + o.expression + "); ";
        if (written) after += kPtxScope + "set(" + o.expression + ", " + name + "); ";
    }
    return before + statements + after;
}
