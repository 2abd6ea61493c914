/* Reads what stands at namespace scope and in classes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/declarations.h"

const char *const kUnnamed = "namespace::";

namespace {

/* These are followed by something in parentheses that is no parameter list. */
const std::set<std::string> kAttributes = {"__attribute__", "alignas",  "__launch_bounds__",
                                           "__align__",     "decltype", "noexcept",
                                           "__declspec",    "explicit"};

const std::set<std::string> kNumbers = {"bool",  "char",     "short",  "int",    "long",
                                        "float", "unsigned", "signed", "double", "size_t"};

} // namespace

Declarations::Declarations(const Source &src) : Tokens(src) {
    scan(0, t_.size() - 1, "");
    find_device_lambdas();
    for (size_t i = 0; i < functions_.size(); ++i) by_name_[functions_[i].name].push_back(i);
}

const std::vector<size_t> &Declarations::named(const std::string &name) const {
    static const std::vector<size_t> none;
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? none : known->second;
}

/* ---- one after another ---- */

void Declarations::scan(size_t from, size_t to, const std::string &path) {
    for (size_t i = from; i < to;) {
        if (t_[i].system || punct(i) == ';' || punct(i) == '}') {
            ++i;
        } else if (is(i, "namespace") || (is(i, "inline") && is(i + 1, "namespace"))) {
            i = scan_namespace(i, to, path);
        } else if (is(i, "extern") && t_[i + 1].kind == kText) {
            if (punct(i + 2) == '{') {
                scan(i + 3, closing(i + 2), path);
                i = closing(i + 2) + 1;
            } else {
                i = declaration(i + 2, to, {path, false, false});
            }
        } else if (is(i, "using") || is(i, "typedef") || is(i, "static_assert") ||
                   is(i, "friend") || is(i, "asm") || is(i, "__asm__")) {
            i = after_statement(i, to);
        } else {
            i = declaration(i, to, {path, false, false});
        }
    }
}

/* i: `namespace`, or `inline` before it; the token after all of it. */
size_t Declarations::scan_namespace(size_t i, size_t to, const std::string &path) {
    size_t open = is(i, "inline") ? i + 2 : i + 1;
    std::string name;
    for (; open < to && punct(open) != '{' && punct(open) != ';'; ++open) {
        if (is(open, "__attribute__")) open = closing(open + 1);
        else if (punct(open) == '[') open = closing(open);
        else if (t_[open].kind == kName && !is(open, "inline")) name += text(open) + "::";
    }
    if (name.empty()) name = kUnnamed;
    if (punct(open) != '{') return open + 1;
    scan(open + 1, closing(open), path + name);
    return closing(open) + 1;
}

/* What stands between the braces of a class; open: its {. */
void Declarations::scan_class(size_t open, const Around &around) {
    const size_t to = closing(open);
    for (size_t i = open + 1; i < to;) {
        const bool label = is(i, "public") || is(i, "private") || is(i, "protected");
        if (punct(i) == ';' || punct(i) == ':' || label) ++i;
        else i = declaration(i, to, around);
    }
}

/* ---- one declaration ---- */

/* Reads the declaration at token i: of a variable or field, a function or method, a type; the token
 * after it. */
size_t Declarations::declaration(size_t i, size_t to, const Around &around) {
    const size_t start = i;
    size_t name = 0;
    bool type = false; /* a class or an enum is spoken of */
    bool enumerators = false;
    /* template <class T> using Four = T[4]; */
    if (!around.in_class && is(after_template(i), "using")) return after_statement(i, to);
    for (size_t j = after_template(i); j < to; ++j) {
        const char c = punct(j);
        if (t_[j].kind == kName && kAttributes.count(text(j))) {
            if (punct(j + 1) == '(') j = closing(j + 1);
        } else if (is(j, "class") || is(j, "struct") || is(j, "union") || is(j, "enum")) {
            type = true;
            enumerators = enumerators || is(j, "enum");
        } else if (is(j, "operator")) {
            name = j;
            j = before_parameters(j, to);
        } else if (t_[j].kind == kName) {
            name = j;
            if (around.in_class) class_names_.insert(text(j));
        } else if (c == '<') {
            const size_t close = closing_angle(j);
            if (!close) return after_statement(j, to);
            j = close;
        } else if (c == '{' && type) {
            return type_body(start, name, j, to, enumerators, around);
        } else if (c == '(' && (name || !around.in_class)) {
            return function(start, name, j, to, around);
        } else if (c == ';' || c == '=' || c == '[' || c == '{' ||
                   c == (around.in_class ? ':' : ',')) {
            const size_t end = after_statement(j, to);
            if (around.in_class) name_rest(j, end);
            else if (name && !type) add_variables(start, name, end, around.path);
            return end;
        }
    }
    return to;
}

/* A type's { at token `open`; the token after the declaration, in which variables may follow the
 * members. */
size_t Declarations::type_body(size_t start, size_t name, size_t open, size_t to, bool enumerators,
                               const Around &around) {
    const size_t end = after_statement(closing(open) + 1, to);
    const std::string path = around.path + (name ? text(name) + "::" : "");
    if (!enumerators)
        scan_class(open,
                   {path, true, around.in_class ? around.in_template : is(start, "template")});
    if (around.in_class) name_rest(closing(open) + 1, end);
    else if (t_[closing(open) + 1].kind == kName)
        add_variables(start, closing(open) + 1, end, around.path);
    return end;
}

/* int a = 1, b[2]; in a class, from somewhere behind the first name on. */
void Declarations::name_rest(size_t first, size_t end) {
    for (size_t k = first; k < end; ++k) {
        if (punct(k) == '(' || punct(k) == '[' || punct(k) == '{') k = closing(k);
        else if (t_[k].kind == kName) class_names_.insert(text(k));
    }
}

/* A function, whose parameters begin at token `open`; the token after it. */
size_t Declarations::function(size_t start, size_t name, size_t open, size_t to,
                              const Around &around) {
    if (!around.in_class && (!name || punct(open + 1) == '*' || t_[open + 1].kind == kNumber ||
                             t_[open + 1].kind == kText))
        return after_statement(open, to); /* a pointer to one, or a variable's value */
    const size_t after = after_signature(closing(open) + 1, to);
    const bool body = after < to && punct(after) == '{';
    const bool defaulted = after < to && punct(after) == '=';
    const bool skipped = is(start, "using") || is(start, "typedef") || is(start, "static_assert") ||
                         is(start, "friend");
    if (!skipped)
        add_function(start, name, body ? after : 0, body ? closing(after) : after, around,
                     defaulted);
    return body ? closing(after) + 1 : after_statement(after, to);
}

/* What ends a function's signature: the { of its body, a ; or =. A constructor's initialisers may
 * have braces, too: a(1), b{2}. */
size_t Declarations::after_signature(size_t i, size_t to) const {
    bool initialisers = false;
    for (; i < to && punct(i) != ';' && punct(i) != '='; ++i) {
        if (is(i, ":")) initialisers = true;
        if (punct(i) == '{') {
            if (!initialisers || !(t_[i - 1].kind == kName || punct(i - 1) == '>')) break;
            i = closing(i);
        } else if (punct(i) == '(') {
            i = closing(i);
        }
    }
    return i;
}

void Declarations::add_function(size_t start, size_t name, size_t body, size_t end,
                                const Around &around, bool defaulted) {
    Function f = {};
    f.name = text(name);
    f.path = around.path;
    f.head = start;
    f.name_at = name;
    f.body = body;
    f.body_end = f.scope_end = end;
    f.templated = is(start, "template") || (around.in_class && around.in_template);
    for (size_t i = start; i < (body ? body : end); ++i) {
        f.global = f.global || is(i, "__global__");
        f.device = f.device || is(i, "__device__");
        f.host = f.host || is(i, "__host__");
        f.constant = f.constant || is(i, "constexpr") || is(i, "consteval");
    }
    const bool outside = !around.in_class && (is(name - 1, "::") || is(name - 1, "~"));
    f.place = around.in_class || outside ? kMember : kFree;
    /* What is = default, and a constructor by itself, belongs to both sides. */
    f.on_both = outside || f.constant || f.for_both() || (around.in_class && defaulted);
    (around.in_class ? members_ : functions_).push_back(f);
}

/* All that `int a = 1, *b, c[3];` declares; name: the first one. */
void Declarations::add_variables(size_t start, size_t name, size_t end, const std::string &path) {
    const bool device = has(start, end, "__device__") || has(start, end, "__constant__") ||
                        has(start, end, "__managed__") || has(start, end, "__shared__") ||
                        has(start, name, "texture") || has(start, name, "surface");
    const bool in_constant_memory = has(start, end, "__constant__");
    const char *const keyword = in_constant_memory              ? "__constant__"
                                : has(start, end, "__shared__") ? "__shared__"
                                                                : "__device__";
    const bool constant = has(start, name, "const") || has(start, name, "constexpr");
    const bool computed = has(start, name, "constexpr");
    for (size_t i = name; i < end;) {
        while (i < end && t_[i].kind != kName) ++i;
        if (i >= end) return;
        const bool array = punct(i + 1) == '[';
        const bool pointer = punct(i - 1) == '*' || punct(i - 1) == '&';
        if (in_constant_memory && !has(start, name, "extern") && !is(start, "template"))
            constants_.push_back({"::" + path + text(i), i, end - 1});
        if (device)
            device_variables_[text(i)] = {keyword, has(start, end, "__managed__"),
                                          in_constant_memory,
                                          !array && kNumbers.count(text(i - 1)) != 0};
        else
            variables_[text(i)].push_back(
                {path, computed || (constant && !array && !pointer), array});
        for (++i; i < end && punct(i) != ',' && punct(i) != ';'; ++i) {
            const char c = punct(i);
            if (c == '(' || c == '[' || c == '{') i = closing(i);
        }
    }
}

/* [=] __device__ (int i) { ... }: names of the function around it are seen in its body. */
void Declarations::find_device_lambdas() {
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].system || punct(i - 1) != ']' || !(is(i, "__device__") || is(i, "__host__")))
            continue;
        Function f = {};
        f.name = "lambda";
        f.place = kLambda;
        f.name_at = i;
        size_t j = i;
        for (; is(j, "__device__") || is(j, "__host__") || is(j, "constexpr"); ++j) {
            f.device = f.device || is(j, "__device__");
            f.host = f.host || is(j, "__host__");
        }
        if (punct(j) == '(') j = closing(j) + 1;
        while (j + 1 < t_.size() && punct(j) != '{' && punct(j) != ';') ++j;
        if (!f.device || punct(j) != '{') continue;
        f.body = j;
        f.body_end = f.scope_end = closing(j);
        f.head = i;
        for (const auto *functions : {&functions_, &members_})
            for (const Function &g : *functions)
                if (g.body && g.body < i && i < g.body_end) {
                    f.head = g.head;
                    f.path = g.path;
                    f.scope_end = g.body_end;
                }
        lambdas_.push_back(f);
    }
}

/* ---- tokens ---- */

/* The token after the next ; outside of brackets. */
size_t Declarations::after_statement(size_t i, size_t to) const {
    for (; i < to; ++i) {
        const char c = punct(i);
        if (c == ';') return i + 1;
        if (c == '}') return i;
        if (c == '(' || c == '[' || c == '{') i = closing(i);
    }
    return to;
}

/* i: `operator`; the last token before its parameters' parenthesis. */
size_t Declarations::before_parameters(size_t i, size_t to) const {
    if (punct(i + 1) == '(' && punct(i + 2) == ')') i += 2;
    while (i + 1 < to && punct(i + 1) != '(') ++i;
    return i;
}
