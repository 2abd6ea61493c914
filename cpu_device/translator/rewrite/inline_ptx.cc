/* Reads asm statements, and puts C++ in their place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/inline_ptx.h"

#include <string.h>

#include <vector>

#include "cpu_device/translator/rewrite/ptx.h"

namespace {

/* The characters of a string literal. */
std::string unquoted(const std::string &literal) {
    std::string s;
    for (size_t i = literal.find('"') + 1; i + 1 < literal.size(); ++i) {
        if (literal[i] != '\\') s += literal[i];
        else if (literal[++i] == 'n') s += '\n';
        else if (strchr("tr", literal[i])) s += ' ';
        else s += literal[i];
    }
    return s;
}

} // namespace

bool InlinePtx::rewrite(size_t i) {
    if (!(is(i, "asm") || is(i, "__asm__") || is(i, "__asm")) || !device_.contains(i)) return false;
    size_t open = i + 1;
    while (is(open, "volatile") || is(open, "__volatile__")) ++open;
    if (punct(open) != '(') return false;
    const size_t close = closing(open);
    std::string ptx, unsupported;
    std::vector<PtxOperand> operands;
    int part = 0; /* 0: instructions, 1: outputs, 2: inputs, 3: what else they change */
    for (size_t j = open + 1; j < close; ++j) {
        if (is(j, "::")) part += 2;
        else if (punct(j) == ':') ++part;
        else if (part == 0 && t_[j].kind == kText) ptx += unquoted(text(j));
        else if (punct(j) == '(' && part < 3) {
            operands.push_back({unquoted(text(j - 1)), operand(j + 1, closing(j))});
            j = closing(j);
        }
    }
    if (ptx.find_first_not_of(" \t\n;") == std::string::npos)
        return true; /* a fence for the compiler */
    const std::string cpp = ptx_as_cpp(ptx, operands, &unsupported);
    if (cpp.empty())
        fail(i, "inline PTX \"" + unsupported +
                    "\" is not supported on the CPU device: see docs/cpu_device.md, "
                    "\"What is supported\"");
    else replace(i, close, "do { " + cpp + "} while (0)");
    return true;
}

/* An operand's expression; it is not looked at again, so the device's names are put in here. */
std::string InlinePtx::operand(size_t first, size_t end) const {
    std::string s;
    for (size_t j = first; j < end; ++j) {
        s += names_.is_builtin(j) ? Names::builtin_call(text(j)) : text(j);
        if (!touch(j)) s += " "; /* "<<" is two tokens */
    }
    return s;
}
