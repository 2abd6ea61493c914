/* Rewrites declarations of shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/shared.h"

#include <string.h>

#include <functional>

size_t SharedMemory::declaration(size_t i) {
    Declared d = {statement_start(i), 0, {}, false};
    if (!read(i, &d)) return d.end;
    const DeviceFunction *f = device_.function_around(i);
    if (f || device_.contains(i)) in_function(i, f, d);
    else if (device_.in_namespace(d.first, true)) at_file_scope(d);
    return d.end;
}

/* Back to where the statement begins: the type may stand before the keyword. */
size_t SharedMemory::statement_start(size_t i) const {
    size_t first = i;
    while (first > 0 && !strchr(";{}", punct(first - 1) ? punct(first - 1) : ' ')) {
        if (punct(first - 1) == ')') first = opening(first - 1);
        else --first;
    }
    return first;
}

/* The declaration of which token i is the __shared__; false: it is in error. */
bool SharedMemory::read(size_t i, Declared *d) {
    size_t name = 0;
    size_t &end = d->end;
    for (end = d->first; end + 1 < t_.size(); ++end) {
        const char c = punct(end);
        if (is(end, "extern")) d->external = true;
        if (is(end, "__attribute__") || is(end, "alignas") || is(end, "__align__") ||
            is(end, "decltype")) {
            if (punct(end + 1) == '(') end = closing(end + 1);
        } else if (c == '{' && d->names.empty()) {
            end = closing(end);
        } else if (c == '<') {
            const size_t close = closing_angle(end);
            if (close) end = close;
        } else if (t_[end].kind == kName) {
            name = end;
        } else if (c == '[') {
            end = closing(end);
            if (t_[end + 1].kind == kName && !is(end + 1, "__attribute__"))
                return no_semicolon(end), false;
        } else if (c == '=' || c == '(') {
            return initialised(i, name, d), false;
        } else if (c == ',' || c == ';') {
            if (name) d->names.push_back(name);
            name = 0;
            if (c == ';') return true;
        }
    }
    return true;
}

/* An initialiser, or the next statement, whose first name then follows this one's last. */
void SharedMemory::initialised(size_t i, size_t name, Declared *d) {
    if (name > d->first && t_[name - 1].kind == kName && t_[name - 1].line != t_[name].line) {
        d->end = name - 1;
        return no_semicolon(d->end);
    }
    fail(
        i,
        "initializer not allowed for __shared__ variable: one thread stores its first value, before a "
        "__syncthreads()");
}

void SharedMemory::no_semicolon(size_t i) {
    fail(i, "expected a \";\" after the __shared__ variable");
}

/* ---- in functions ---- */

/* f: null in a lambda of the device's. */
void SharedMemory::in_function(size_t i, const DeviceFunction *f, const Declared &d) {
    const std::string id = std::to_string(t_[i].begin), type = "CuShared" + id,
                      object = "cu_shared" + id;
    std::string after, objects = "::cpu_device::shared<" + type + ">().";
    if (d.external) {
        if (!dynamic_array_type(d, type)) return;
        objects = dynamic_array(type);
        after = ";" + reference(text(d.names[0]), objects);
    } else {
        replace_specifiers(d, "struct " + type + " { ");
        after = "; } &" + object + " = ::cpu_device::shared<" + type + ">();";
        for (size_t n : d.names) after += reference(text(n), object + "." + text(n));
        if (f) after += limit(i, *f, d, type);
    }
    replace(d.end, d.end, after);
    users_.declare_in_lambdas(d.names, d.end, names_.scope_end(i), objects);
}

/* ptxas refuses kernels whose __shared__ arrays are too large; arrays of no use it drops. Here
 * those count that can be seen together, and are used more than once; the launch looks at all. */
std::string SharedMemory::limit(size_t i, const DeviceFunction &f, const Declared &d,
                                const std::string &type) {
    if (!f.kernel && mentions(f) < 2) return "";
    std::string size;
    for (size_t n : d.names) {
        size_t uses = 0;
        for (size_t j = n + 1; j < f.body_end; ++j) uses += is(j, text(n).c_str());
        if (uses > 1) size += " + sizeof(" + type + "::" + text(n) + ")";
    }
    if (size.empty()) return "";
    std::string sum = "0";
    for (const auto &seen : sizes_)
        if (f.body < seen.first && names_.scope_end(seen.first) > i) sum += seen.second;
    sizes_.emplace_back(i, size);
    return asserted(d.names[0],
                    "static_assert(" + sum + size + " <= 49152 || " + sum +
                        " > 49152, \"uses too much shared data: the __shared__ variables of "
                        "a kernel take 49152 bytes (0xc000) at most; dynamic shared memory "
                        "may be larger\");");
}

/* How often the function's name is said. */
size_t SharedMemory::mentions(const DeviceFunction &f) const {
    size_t n = 0;
    for (size_t j = 0; j + 1 < t_.size(); ++j) n += !t_[j].system && is(j, f.name.c_str());
    return n;
}

/* ---- outside of functions ---- */

/* A struct of the variables, as in functions; each function that speaks of one begins with a
 * reference to the running block's. */
void SharedMemory::at_file_scope(const Declared &d) {
    const std::string type =
        "CuShared" + (d.external ? std::to_string(t_[d.first].begin) : identity(d));
    const std::string path = users_.namespaces_around(d.first) + type;
    if (d.external) {
        if (dynamic_array_type(d, type)) users_.declare_in_all(d.names, d.end, dynamic_array(path));
        return;
    }
    if (!device_.in_namespace(d.first))
        return fail(
            d.first,
            "a __shared__ variable outside of functions cannot be a template's on the CPU device: "
            "declare it in the functions");
    replace_specifiers(d, "struct " + type + " { ");
    /* Never defined: what speaks of the variable where no block runs is not linked. */
    std::string after = "; };";
    for (size_t n : d.names)
        after += " extern decltype(" + type + "::" + text(n) + ") " + text(n) + ";";
    replace(d.end, d.end, after);
    users_.declare_in_all(d.names, d.end, "::cpu_device::shared_of_block<" + path + ">().");
}

/* Two files may have variables of one name, but those of a header are the same in both. */
std::string SharedMemory::identity(const Declared &d) const {
    const std::string what =
        file(d.first) + " " + std::to_string(t_[d.first].line) + " " + text(d.first, d.end);
    return std::to_string(std::hash<std::string>()(what));
}

/* ---- declarations ---- */

/* extern __shared__ T name[]; becomes the name of its type. */
bool SharedMemory::dynamic_array_type(const Declared &d, const std::string &type) {
    if (d.names.size() != 1) {
        fail(d.first, "declare one extern __shared__ array at a time");
        return false;
    }
    replace_specifiers(d, "typedef ");
    for (size_t j = d.first; j < d.end; ++j)
        if (is(j, "alignas") || is(j, "__attribute__") || is(j, "__align__"))
            replace(j, closing(j + 1), "");
    replace(d.names[0], d.names[0], type);
    return true;
}

/* ... which has no known length. */
std::string SharedMemory::dynamic_array(const std::string &type) {
    return "*(" + type + " *)::cpu_device::dynamic_shared()";
}

/* `extern`, `static` and CUDA's keywords are no part of a member's declaration. */
void SharedMemory::replace_specifiers(const Declared &d, const std::string &with) {
    const auto is_specifier = [&](size_t j) {
        return is(j, "extern") || is(j, "static") || is(j, "__shared__") || is(j, "__device__");
    };
    edits_.add(t_[d.first].begin, is_specifier(d.first) ? t_[d.first].end : t_[d.first].begin,
               with);
    for (size_t j = d.first + 1; j < d.end; ++j)
        if (is_specifier(j)) replace(j, j, "");
}
