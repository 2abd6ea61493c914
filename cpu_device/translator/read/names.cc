/* Where names are declared and hold, and the device's built-in variables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

namespace {

const std::set<std::string> kBuiltins = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

/* After these a name is used, not declared. */
const std::set<std::string> kUsing = {"return", "else",  "do",        "case",    "goto",
                                      "throw",  "new",   "delete",    "sizeof",  "typeid",
                                      "and",    "or",    "not",       "xor",     "alignof",
                                      "bitand", "bitor", "co_return", "co_yield"};

} // namespace

Names::Names(const Source &src) : Tokens(src), places_(src), declarations_(src) {
    for (size_t i = 1; i + 1 < t_.size(); ++i)
        if (t_[i].kind == kName && !t_[i].system && kBuiltins.count(text(i)) && declares(i))
            hidden_[text(i)].push_back({i, scope_end(i)});
}

bool Names::is_builtin(size_t i) const {
    const std::string name = text(i);
    if (!kBuiltins.count(name) || t_[i].system) return false;
    if (i && (punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::"))) return false;
    auto hidden = hidden_.find(name);
    if (hidden != hidden_.end())
        for (const auto &range : hidden->second)
            if (range.first <= i && i <= range.second) return false;
    return true;
}

std::string Names::builtin_call(const std::string &name) {
    static const std::map<std::string, std::string> calls = {
        {"threadIdx", "::cpu_device::thread_index()"},
        {"blockIdx", "::cpu_device::block_index()"},
        {"blockDim", "::cpu_device::block_dim()"},
        {"gridDim", "::cpu_device::grid_dim()"}};
    return calls.at(name);
}

/* ---- where a name is declared, and where that holds ---- */

/* The parenthesis at token `open`, behind a name, is that of a call, and no parameter list. */
bool Names::holds_arguments(size_t open) const {
    const size_t around = places_.around(open);
    return around && punct(around) == '{' && !opens_namespace(around) &&
           punct(closing(open) + 1) != '{' && !is(open - 1, "for") && !is(open - 1, "catch");
}

bool Names::declares(size_t i) const {
    if (i < 2) return false;
    const char before = punct(i - 1), after = punct(i + 1);
    if (t_[i - 1].kind == kName) return !kUsing.count(text(i - 1));
    if (!strchr(",)=;([{:", after ? after : ' ') || is(i + 1, "::")) return false;
    if (before == '*' || before == '&') {
        size_t type = i - 1;
        while (type > 0 && (punct(type) == '*' || punct(type) == '&')) --type;
        const size_t open = places_.around(i);
        if (punct(type) == ',') return punct(open) != '(';
        if (t_[type].kind != kName && punct(type) != '>') return false;
        if (punct(open) == '(' && open && t_[open - 1].kind == kName && holds_arguments(open))
            return false;
        size_t begin = type;
        while (begin > 0 && (t_[begin - 1].kind == kName || is(begin - 1, "::"))) --begin;
        const char edge = punct(begin - 1);
        if (kUsing.count(text(begin))) return false;
        return begin == 0 || edge == ';' || edge == '{' || edge == '}' || edge == '(' ||
               edge == ',' || edge == '<';
    }
    if (before == '>') {
        const size_t open = opening_angle(i - 1);
        if (!open || t_[open - 1].kind != kName) return false;
        for (size_t k = open; k < i; ++k)
            if (t_[k].kind == kPunct && !strchr("<>,:*&()[]", punct(k))) return false;
        return true;
    }
    if (before == ',') {
        const size_t open = places_.around(i);
        if (punct(open) == '[') return is(open - 1, "auto");
        if (punct(open) == '(' && !is(open - 1, "for")) return false;
        size_t begin = i - 1;
        while (begin > open + 1 && punct(begin - 1) != ';' && punct(begin - 1) != '}') {
            --begin;
            if (punct(begin) == ')' || punct(begin) == ']') begin = opening(begin);
        }
        const char second = punct(begin + 1);
        return t_[begin].kind == kName && (t_[begin + 1].kind == kName || second == '*' ||
                                           second == '<' || is(begin + 1, "::"));
    }
    return before == '[' && is(i - 2, "auto");
}

size_t Names::scope_end(size_t i) const {
    size_t open = places_.around(i);
    if (!open) return t_.size() - 1;
    if (punct(open) == '[') open = places_.around(open);
    if (punct(open) == '{') return closing(open);
    size_t after = closing(open) + 1;
    while (after + 1 < t_.size() && punct(after) != '{' && punct(after) != ';') {
        if (punct(after) == '(') after = closing(after);
        ++after;
    }
    if (punct(after) == '{') return closing(after);
    return is(open - 1, "for") ? after : closing(open);
}

bool Names::sees_variable(size_t i) const {
    for (size_t j : places_.of(text(i))) {
        if (t_[j].system || j == i) continue;
        const bool pointer =
            punct(j - 1) == '*' && punct(j - 2) == '(' && punct(j + 1) == ')'; /* void (*f)(int) */
        if (!pointer && (punct(j + 1) == '(' || !declares(j))) continue;
        size_t open = places_.around(pointer ? j - 2 : j);
        if (!open || opens_namespace(open)) continue;
        const size_t end = scope_end(pointer ? j - 2 : j);
        const bool member = punct(open) == '{' && opens_class(open);
        if (i <= end && (j < i || (member && open < i))) return true;
    }
    return false;
}

bool Names::declared_in(const Function &f, const std::string &name) const {
    if (f.place != Declarations::kFree && declarations_.is_in_class(name)) return true;
    for (size_t i : places_.of(name, f.head, f.scope_end))
        if (declares(i) &&
            (f.place == Declarations::kLambda || !(i < f.body && punct(i + 1) == '(')))
            return true;
    return false;
}

bool Names::declared_as_variable(const std::string &name) const {
    for (size_t i : places_.of(name))
        if (!t_[i].system && punct(i + 1) != '(' && declares(i)) return true;
    return false;
}

bool Names::is_type(const std::string &name) const {
    for (size_t i : places_.of(name)) {
        if (t_[i].system || i == 0) continue;
        if (is(i - 1, "struct") || is(i - 1, "class") || is(i - 1, "union") || is(i - 1, "enum") ||
            is(i - 1, "using"))
            return true;
    }
    return false;
}

bool Names::opens_namespace(size_t i) const {
    for (size_t j = i; j-- > 0 && (t_[j].kind == kName || t_[j].kind == kText || is(j, "::"));)
        if (is(j, "namespace") || t_[j].kind == kText) return true;
    return false;
}

std::vector<std::string> Names::constants() const {
    std::vector<std::string> out;
    for (const auto &entry : declarations_.variables()) {
        bool constant = !declarations_.device_variables().count(entry.first);
        for (const Declarations::Variable &v : entry.second) constant = constant && v.constant;
        if (constant) out.push_back(entry.first);
    }
    return out;
}
