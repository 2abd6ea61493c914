/* Finds device code: by its keywords, and declarations by their looks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/device_code.h"

void DeviceCode::read() {
    for (size_t i = 0; i + 1 < t_.size(); ++i)
        if (!t_[i].system && is_keyword(i)) i = read_declaration(i);
}

bool DeviceCode::is_keyword(size_t i) const {
    return is(i, "__global__") || is(i, "__device__") || is(i, "__constant__") ||
           is(i, "__managed__");
}

/* What the keyword at token i declares; returns the token after which to look on. */
size_t DeviceCode::read_declaration(size_t i) {
    if (note_lambda(i)) return i;
    DeviceFunction f = {};
    size_t end = i;
    bool variable = false;
    if (read_function(i, &f, &end, &variable)) {
        f.begin = i;
        f.kernel = f.kernel || is(i, "__global__");
        note_function(f);
        return f.body; /* lambdas and such inside are looked at too */
    }
    if (!variable || function_around(i)) return i;
    note_variable(i, end);
    return end;
}

/* [=] __device__ (int i) { ... }: what is in it is device code. */
bool DeviceCode::note_lambda(size_t i) {
    size_t first = i, at = i + 1;
    while (first > 0 && (is(first - 1, "__host__") || is(first - 1, "__device__"))) --first;
    while (is(at, "__host__") || is(at, "__device__")) ++at;
    if (first == 0 || punct(first - 1) != ']' || punct(at) != '(') return false;
    at = closing(at);
    while (at + 1 < t_.size() && punct(at) != '{' && punct(at) != ';') ++at;
    if (punct(at) == '{') lambdas_.emplace_back(at, closing(at));
    return true;
}

void DeviceCode::note_function(const DeviceFunction &f) {
    functions_.push_back(f);
    names_.insert(f.name);
    if (f.kernel) kernel_begins_.insert(f.begin);
    if (f.kernel) ++kernels_[f.name];
    if (f.kernel && has_pack(f)) variadic_.insert(f.name);
}

/* A variable of the device's, declared from token i to its end. */
void DeviceCode::note_variable(size_t i, size_t end) {
    bool constant = false, managed = false;
    const auto look = [&](size_t j) {
        constant = constant || is(j, "const") || is(j, "constexpr");
        managed = managed || is(j, "__managed__");
    };
    for (size_t j = i; j < end; ++j) look(j);
    for (size_t j = i; j-- > 0 && t_[j].kind == kName;) look(j);
    if (constant) return; /* never written */
    if (is(declaration_start(i), "template")) return note_template_variable(i, end, managed);
    sections_[i] = managed ? "cu_managed" : "cu_device";
}

void DeviceCode::note_template_variable(size_t i, size_t end, bool managed) {
    size_t name = 0;
    for (size_t j = i; j < end && punct(j) != '=' && punct(j) != '[' && punct(j) != '{'; ++j) {
        if (punct(j) == '<' && closing_angle(j)) j = closing_angle(j);
        else if (t_[j].kind == kName) name = j;
    }
    if (name && in_namespace(i, true) && !is(name - 1, "::"))
        template_variables_.push_back({i, name, end, managed});
}

/* Among the function's parameters is a pack: T... args. */
bool DeviceCode::has_pack(const DeviceFunction &f) const {
    for (size_t j = f.begin; j + 2 < f.body; ++j)
        if (punct(j) == '.' && punct(j + 1) == '.' && punct(j + 2) == '.') return true;
    return false;
}

/* A definition that begins at token i: its name and its body. Otherwise *variable tells
 * whether it declares one, up to token *end. */
bool DeviceCode::read_function(size_t i, DeviceFunction *f, size_t *end, bool *variable) const {
    size_t name = 0;
    for (size_t j = i + 1; j + 1 < t_.size(); ++j) {
        const char c = punct(j);
        if (is(j, "__global__")) f->kernel = true;
        if (is(j, "__launch_bounds__") || is(j, "__attribute__") || is(j, "alignas") ||
            is(j, "decltype") || is(j, "__align__")) {
            if (punct(j + 1) == '(') j = closing(j + 1);
            continue;
        }
        if (is(j, "operator")) {
            name = j;
            while (punct(j + 1) != '(' || is(j + 1, "()")) ++j;
            if (punct(j + 1) == '(' && punct(j + 2) == ')' && punct(j + 3) == '(') j += 2;
            continue;
        }
        if (t_[j].kind == kName) name = j;
        if (c == '<') {
            j = closing_angle(j);
            if (!j) return false;
        } else if (c == ';' || c == '=' || c == '[' || c == '{' || c == '}') {
            *variable = name && c != '}';
            for (*end = j; *end + 1 < t_.size() && punct(*end) != ';'; ++*end)
                if (punct(*end) == '{' || punct(*end) == '(') *end = closing(*end);
            return false;
        } else if (c == '(') {
            return name && read_body(j, name, f);
        }
    }
    return false;
}

/* What follows the parameters that token `open` opens: a body, or the function is only declared. */
bool DeviceCode::read_body(size_t open, size_t name, DeviceFunction *f) const {
    size_t after = closing(open) + 1;
    while (after + 1 < t_.size() && punct(after) != '{' && punct(after) != ';' &&
           punct(after) != '=') {
        if (punct(after) == '(') after = closing(after);
        ++after;
    }
    if (punct(after) != '{') return false;
    f->name = text(name);
    f->body = after;
    f->body_end = closing(after);
    return true;
}

/* ---- questions ---- */

const DeviceFunction *DeviceCode::function_around(size_t i) const {
    for (const DeviceFunction &f : functions_)
        if (f.body < i && i < f.body_end) return &f;
    return nullptr;
}

bool DeviceCode::contains(size_t i) const {
    for (const auto &body : lambdas_)
        if (body.first < i && i < body.second) return true;
    return function_around(i) != nullptr;
}

bool DeviceCode::in_namespace(size_t i, bool templates) const {
    const size_t first = declaration_start(i);
    for (size_t j = first; j < i && !templates; ++j)
        if (is(j, "template")) return false;
    for (size_t j = first; j-- > 0;) {
        if (punct(j) == '}') j = opening(j); /* closed before */
        else if (punct(j) == '{' && !opens_namespace(j)) return false;
    }
    return true;
}

size_t DeviceCode::declaration_start(size_t i) const {
    while (i > 0 && punct(i - 1) != ';' && punct(i - 1) != '}' && punct(i - 1) != '{') --i;
    return i;
}

/* Before the { stands `namespace`, or the text of extern "C". */
bool DeviceCode::opens_namespace(size_t open) const {
    bool found = false;
    for (size_t k = open; k-- > 0 && open - k < 6;) {
        if (is(k, "namespace") || t_[k].kind == kText) found = true;
        if (punct(k) == ';' || punct(k) == '}' || punct(k) == '{') break;
    }
    return found;
}

int DeviceCode::kernels_named(const std::string &name) const {
    auto at = kernels_.find(name);
    return at == kernels_.end() ? 0 : at->second;
}

const char *DeviceCode::section(size_t i) const {
    auto at = sections_.find(i);
    return at == sections_.end() ? nullptr : at->second;
}
