/* Declares shared variables where functions and lambdas speak of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/shared_users.h"

#include <string.h>

std::string reference(const std::string &name, const std::string &expression) {
    return " [[maybe_unused]] auto &" + name + " = " + expression + ";";
}

std::string SharedUsers::expression(size_t variable, const std::string &object) const {
    return object.back() == '.' ? object + text(variable) : object;
}

void SharedUsers::declare_in_all(const std::vector<size_t> &names, size_t end,
                                 const std::string &object) {
    find_lambdas();
    for (const DeviceFunction &f : device_.functions())
        if (f.body > end) declare({f.begin, f.body, f.body_end}, names, object, true);
    for (const Body &lambda : lambdas_)
        if (lambda.open > end) declare(lambda, names, object, false);
}

void SharedUsers::declare_in_lambdas(const std::vector<size_t> &names, size_t end, size_t last,
                                     const std::string &object) {
    find_lambdas();
    for (const Body &lambda : lambdas_)
        if (lambda.open > end && lambda.close < last) declare(lambda, names, object, false);
}

/* What the body declares by such a name itself stays another variable: it stands in a block of its
 * own. */
void SharedUsers::declare(const Body &b, const std::vector<size_t> &names,
                          const std::string &object, bool qualified) {
    std::string references;
    for (size_t n : names)
        if (speaks_of(b, n, object, qualified))
            references += reference(text(n), expression(n, object));
    if (references.empty()) return;
    edits_.declare_around(b.open, references);
}

/* The body has the name as it stands. Where it has namespaces before it, and these are to be looked
 * for, the expression takes their place. */
bool SharedUsers::speaks_of(const Body &b, size_t variable, const std::string &object,
                            bool qualified) {
    const std::string name = text(variable);
    if (hidden_by_template(b, name) || hidden_by_class(b, name)) return false;
    bool spoken = false;
    for (size_t j = b.begin; j < b.close; ++j) {
        if (!is(j, name.c_str()) || is(j - 1, ".") || is(j - 1, "->")) continue;
        if (is(j - 1, "::")) {
            size_t first = j - 1;
            while (t_[first - 1].kind == kName && is(first - 2, "::")) first -= 2;
            if (t_[first - 1].kind == kName && !is(first - 1, "return")) --first;
            if (qualified && j > b.open && names_a_namespace_of(first, j, variable))
                replace(first, j, "(" + expression(variable, object) + ")");
            continue;
        }
        if (j < b.open) return false; /* a parameter of that name */
        spoken = spoken || sees(j, variable);
    }
    return spoken;
}

/* The qualifiers [first, name) are namespaces around the variable. */
bool SharedUsers::names_a_namespace_of(size_t first, size_t name, size_t variable) const {
    const std::string path = namespaces_around(variable);
    std::string said;
    for (size_t j = first; j < name; ++j) said += text(j);
    return path.size() >= said.size() &&
           path.compare(path.size() - said.size(), said.size(), said) == 0;
}

/* Token i stands in the variable's namespace, or where a `using` may have brought it. */
bool SharedUsers::sees(size_t i, size_t variable) const {
    const std::string path = namespaces_around(variable), here = namespaces_around(i);
    if (here.compare(0, path.size(), path) == 0) return true;
    for (size_t j = 0; j < i; ++j)
        if (!t_[j].system && is(j, "using")) return true;
    return false;
}

std::string SharedUsers::namespaces_around(size_t i) const {
    std::string path = "::";
    int closed = 0;
    for (size_t j = i; j-- > 0;) {
        if (punct(j) == '}') ++closed;
        if (punct(j) != '{' || closed-- > 0) continue;
        closed = 0;
        std::string names;
        size_t k = j;
        while (k > 0 && (t_[k - 1].kind == kName || is(k - 1, "::")) && !is(k - 1, "namespace"))
            names = text(--k) + names;
        if (k > 0 && is(k - 1, "namespace") && !names.empty()) path = "::" + names + path;
    }
    return path;
}

/* template <int name> before the function. */
bool SharedUsers::hidden_by_template(const Body &b, const std::string &name) const {
    for (size_t j = b.begin; j > 0 && !strchr(";{}", punct(j - 1) ? punct(j - 1) : ' '); --j)
        if (is(j - 1, name.c_str())) return true;
    return false;
}

/* The body stands in a class that has a member of the name. */
bool SharedUsers::hidden_by_class(const Body &b, const std::string &name) const {
    int closed = 0;
    for (size_t j = b.begin; j-- > 0;) {
        if (punct(j) == '}') ++closed;
        if (punct(j) != '{' || closed-- > 0) continue;
        closed = 0;
        for (size_t k = opens_class(j) ? j + 1 : closing(j); k < closing(j); ++k) {
            if (punct(k) == '{' || punct(k) == '(') k = closing(k);
            else if (is(k, name.c_str())) return true;
        }
    }
    return false;
}

/* Those in device code, and those that are device code. */
void SharedUsers::find_lambdas() {
    if (read_) return;
    read_ = true;
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].system || punct(i) != '[' || !device_.contains(i)) continue;
        const bool subscript = t_[i - 1].kind == kName ? !is(i - 1, "return")
                                                       : punct(i - 1) == ')' || punct(i - 1) == ']';
        if (!subscript) note_lambda(closing(i) + 1);
    }
    for (const auto &body : device_.lambdas())
        if (!device_.function_around(body.first))
            lambdas_.push_back({body.first, body.first, body.second});
}

/* What follows the [ ] of a lambda: (...) mutable -> type { or { alone. */
void SharedUsers::note_lambda(size_t i) {
    const size_t begin = i;
    if (punct(i) == '(') i = closing(i) + 1;
    else if (punct(i) != '{') return;
    while (i + 1 < t_.size() && punct(i) != '{' && !strchr(";,)]}=", punct(i) ? punct(i) : ' '))
        ++i;
    if (punct(i) == '{') lambdas_.push_back({begin, i, closing(i)});
}
