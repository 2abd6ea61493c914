/* Numbers the operations that ask which lanes are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/sites.h"

void Sites::write() {
    asking_ = {"__activemask", "coalesced_threads", "__shfl", "__shfl_up", "__shfl_down",
               "__shfl_xor",   "__ballot",          "__any",  "__all"};
    find_asking();
    for (const DeviceFunction &f : device_.functions())
        if (asks(f)) write(f);
}

/* Callers of a function that asks for its site ask as well. */
void Sites::find_asking() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const DeviceFunction &f : device_.functions())
            if (!f.kernel && f.name != "operator" && asks(f))
                changed = asking_.insert(f.name).second || changed;
    }
}

bool Sites::asks(const DeviceFunction &f) const {
    for (size_t i = f.body; i < f.body_end; ++i)
        if (is_call(i)) return true;
    return false;
}

/* Token i names one of them in a call. */
bool Sites::is_call(size_t i) const {
    return t_[i].kind == kName && arguments(i) && asking_.count(text(i));
}

/* The ( behind the name at token i, or behind its template arguments; 0: none. */
size_t Sites::arguments(size_t i) const {
    size_t at = i + 1;
    if (punct(at) == '<' && closing_angle(at)) at = closing_angle(at) + 1;
    return punct(at) == '(' ? at : 0;
}

/* Where the expression begins that ends with the name at token i: space::name, object.name */
size_t Sites::callee_start(size_t i) const {
    size_t first = i;
    while (first > 0) {
        const bool member = punct(first - 1) == '.' || is(first - 1, "->");
        if (!member && !is(first - 1, "::")) break;
        size_t before = first - 2;
        while (member && (punct(before) == ')' || punct(before) == ']'))
            before = opening(before) - 1;
        if (punct(before) == '>' && opening_angle(before)) before = opening_angle(before) - 1;
        first = t_[before].kind == kName ? before : member ? before + 1 : first - 1;
        if (t_[before].kind != kName) break;
    }
    return first;
}

void Sites::write(const DeviceFunction &f) {
    bool constant = false;
    for (size_t i = f.begin; i < f.body && !constant; ++i) constant = is(i, "constexpr");
    if (constant) return;
    for (size_t i = f.body + 1; i < f.body_end; ++i) {
        if (!is_call(i) || device_.function_around(i) != &f) continue;
        if (!f.kernel) reconvergence_.add_path(f.body);
        reconvergence_.add(f.body, i);
        const size_t first = callee_start(i);
        edits_.add(t_[first].begin, t_[first].begin,
                   "(::cpu_device::at_site(" + reconvergence_.site(f.body, i, 0) + "), ");
        edits_.add_after(closing(arguments(i)), ")");
    }
}
