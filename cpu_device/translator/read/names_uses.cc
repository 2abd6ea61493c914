/* What is done with a name, and which code is whose.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/names.h"

bool Names::unevaluated(size_t i) const {
    const size_t open = places_.around(i);
    return open && (is(open - 1, "sizeof") || is(open - 1, "decltype") || is(open - 1, "alignof") ||
                    is(open - 1, "typeid"));
}

bool Names::is_call(size_t i) const {
    if (i == 0 || t_[i].kind != kName || punct(i - 1) == '.' || is(i - 1, "->")) return false;
    size_t next = i + 1;
    if (punct(next) == '<' && punct(next + 1) != '<' && closing_angle(next))
        next = closing_angle(next) + 1;
    return punct(next) == '(' && !unevaluated(i);
}

bool Names::is_written(size_t i) const {
    if ((punct(i - 1) == '+' && punct(i - 2) == '+') ||
        (punct(i - 1) == '-' && punct(i - 2) == '-'))
        return true;
    size_t j = i + 1;
    while (punct(j) == '[' || (punct(j) == '.' && t_[j + 1].kind == kName))
        j = punct(j) == '[' ? closing(j) + 1 : j + 2;
    const char c = punct(j), next = punct(j + 1);
    if (c == '=') return next != '=';
    if (c == '+' || c == '-') return next == '=' || next == c;
    return c && strchr("*/%&|^", c) && next == '=';
}

size_t Names::uses_of(const std::string &name) const {
    size_t n = 0;
    for (size_t i : places_.of(name)) n += !t_[i].system;
    return n;
}

std::vector<const Names::Function *> Names::callees(size_t i) const {
    std::vector<const Function *> out;
    std::string path; /* that the call says: a::b:: */
    size_t first = i;
    for (; first > 1 && is(first - 1, "::") && t_[first - 2].kind == kName; first -= 2)
        path = text(first - 2) + "::" + path;
    const bool whole = first > 0 && is(first - 1, "::"); /* ::name */
    for (size_t n : declarations_.named(text(i))) {
        const Function &g = declarations_.functions()[n];
        const size_t length = g.path.size(), said = path.size();
        if (whole ? g.path == path
                  : length >= said && g.path.compare(length - said, said, path) == 0)
            out.push_back(&g);
    }
    return out;
}

/* What arch.h makes of a function of both sides that asks for __CUDA_ARCH__:
 * { if (::cpu_device::on_device()) {device's} else {host's} }; else all is both sides'. */
Names::Part Names::device_part(const Function &f) const {
    const size_t open = f.body + 10;
    if (open + 1 >= t_.size() || !is(f.body + 1, "if") || !is(f.body + 6, "on_device"))
        return {f.body + 1, f.body_end};
    return {open + 1, closing(open)};
}

Names::Part Names::host_part(const Function &f) const {
    const Part device = device_part(f);
    if (device.first == f.body + 1) return device;
    return {device.end + 3, closing(device.end + 2)};
}

const Names::Function *Names::innermost_function(size_t i) const {
    const Function *found = nullptr;
    for (const auto *functions : declarations_.all_functions())
        for (const Function &f : *functions)
            if (f.body && f.body < i && i < f.body_end && (!found || found->body < f.body))
                found = &f;
    return found;
}
