/* Finds the names of volatile memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/volatile_names.h"

namespace {

bool ends_declaration(char c) { return c == ';' || c == '{' || c == '}'; }

} // namespace

/* The names that the declaration declares which token i, `volatile` or a type's name, stands in. */
std::vector<size_t> VolatileNames::declared(size_t i, size_t end) const {
    std::vector<size_t> names;
    size_t name = 0;
    for (size_t j = i + 1; j < end; ++j) {
        const char c = punct(j);
        if (t_[j].kind == kName) {
            name = j;
        } else if (c == '<') {
            const size_t close = closing_angle(j);
            if (!close) return names;
            j = close;
        } else if (c == '(' && punct(j + 1) == '*') { /* (*rows)[64] */
            continue;
        } else if (c == '[') {
            j = closing(j);
        } else if (c == '=' || c == ',' || c == ';' || c == ')' || c == '{') {
            if (name) names.push_back(name);
            name = 0;
            if (c == ')' && (punct(j + 1) == '[' || punct(j + 1) == '=' || punct(j + 1) == ';'))
                continue;
            if (c == ';' || c == ')') return names;
            if (c == '=' || c == '{')
                while (j + 1 < end && punct(j + 1) != ',' && punct(j + 1) != ';' &&
                       punct(j + 1) != ')') {
                    ++j;
                    if (punct(j) == '(' || punct(j) == '[' || punct(j) == '{') j = closing(j);
                }
            if (c == ',' && t_[j + 1].kind == kName &&
                (t_[j + 2].kind == kName || is(j + 2, "::") ||
                 strchr("*&<", punct(j + 2) ? punct(j + 2) : 'x')))
                return names; /* the next parameter */
        } else if (c != ':' && c != '&' && c != '*') {
            return names;
        }
    }
    return names;
}

/* An array that the function keeps to itself. */
bool VolatileNames::begins_own_array(size_t i, size_t name) const {
    if (punct(name + 1) != '[') return false;
    for (size_t j = i; j-- > 0 && !ends_declaration(punct(j)) && punct(j) != '(';)
        if (is(j, "__shared__")) return false;
    for (size_t j = i; j < name; ++j)
        if (is(j, "__shared__") || punct(j) == '(' || punct(j) == '*') return false;
    return true;
}

/* auto p = ... from a volatile pointer. */
bool VolatileNames::is_given_volatile(size_t i, size_t end) const {
    for (size_t j = i; j < end && punct(j) != ';'; ++j)
        if (is(j, "volatile") || (t_[j].kind == kName && types_.count(text(j)))) return true;
    return false;
}

VolatileNames::VolatileNames(const Source &src) : Tokens(src) {
    bool any = false;
    for (size_t i = 0; i + 1 < t_.size() && !any; ++i) any = !t_[i].system && is(i, "volatile");
    if (!any) return;
    /* Bodies of functions are left out: brackets that open behind a parameter list. */
    for (size_t i = 0; i + 1 < t_.size(); ++i) {
        if (punct(i) == '{' && i && (punct(i - 1) == ')' || is(i - 1, "const"))) i = closing(i);
        if (t_[i].system || t_[i].kind != kName) continue;
        const bool known = types_.count(text(i)) != 0;
        if (!known && !is(i, "volatile")) continue;
        size_t first = i;
        while (first > 0 && !ends_declaration(punct(first - 1)) && punct(first - 1) != '(' &&
               punct(first - 1) != ',') {
            --first;
            if (punct(first) == ')' || punct(first) == ']') first = opening(first);
        }
        if (first > 0 && (punct(first - 1) == '(' || punct(first - 1) == ','))
            continue; /* a parameter */
        if (is(first, "using") && punct(first + 2) == '=') {
            types_.insert(text(first + 1));
        } else {
            for (size_t name : declared(i, t_.size() - 1))
                (is(first, "typedef") ? types_ : outside_).insert(text(name));
        }
    }
    outside_.insert(types_.begin(), types_.end());
}

std::set<std::string> VolatileNames::in(size_t begin, size_t end) const {
    std::set<std::string> names;
    for (const std::string &name : outside_)
        if (!types_.count(name)) names.insert(name);
    for (size_t i = begin; i < end; ++i) {
        if (t_[i].kind != kName) continue;
        if (is(i, "volatile") || types_.count(text(i))) {
            for (size_t name : declared(i, end))
                if (!begins_own_array(i, name) || punct(name - 1) == '*') names.insert(text(name));
        } else if (is(i, "auto") && is_given_volatile(i, end)) {
            for (size_t name : declared(i, end)) names.insert(text(name));
        }
    }
    return names;
}
